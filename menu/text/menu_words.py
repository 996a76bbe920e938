"""Reads the words of menus in each language, allergens, tags and the daily need of an adult; pure but
for `menu_words.json`; `menu_words.md` names the sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct, field

from menu.text.wording import FALLBACK_LOCALE, by_language, cldr_locale


class MenuWords(Struct, frozen=True, kw_only=True, rename="camel"):
    """Words of one language. Allergens are by the API's words, tags by icon: the usual word first, then what operators
    also write."""

    allergens_title: str = "Allergens"
    allergens: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    daily_need: str = ""


@lru_cache(maxsize=1)
def all_words() -> Mapping[str, MenuWords]:
    """Returns the words by language, `zh_Hant` beside `zh`."""
    from importlib import resources  # Not at the top: a board without tags and allergens needs none.

    file = resources.files("menu.text").joinpath("menu_words.json")
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, MenuWords])
    except (OSError, msgspec.MsgspecError):
        # A board whose file is damaged says the API's words, which are English.
        return {FALLBACK_LOCALE: MenuWords()}


def menu_words(locale: str) -> MenuWords:
    """Returns the words of the locale's language, or else English ones."""
    return by_language(all_words(), locale)


def is_spoken(locale: str) -> bool:
    """Whether the words of the locale's language are known."""
    english = all_words()[FALLBACK_LOCALE]
    return menu_words(locale) is not english or cldr_locale(locale).language == FALLBACK_LOCALE
