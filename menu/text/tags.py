"""Usual tags of items, by their names in each language: their icons and words; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from menu.text.menu_words import all_words, is_spoken, menu_words

ICONS = (
    "vegetarian",
    "vegan",
    "spicy",
    "spicy2",
    "spicy3",
    "gluten_free",
    "lactose_free",
    "new",
    "special",
    "halal",
    "kosher",
    "nuts",
    "fish",
    "organic",
    "alcohol_free",
)
"""The icons that tags can have, in the order of a legend."""


@lru_cache(maxsize=1024)
def icon_of(tag: str) -> str | None:
    """Finds the icon of a tag, by its name in any of the languages."""
    return _icons().get(_plain(tag))


@lru_cache(maxsize=1024)
def tag_in(tag: str, language: str) -> str:
    """Translates a tag into a language; unchanged where it is in that language already, or is not known."""
    icon = icon_of(tag)
    if icon is None or not is_spoken(language):
        return tag
    names = menu_words(language).tags[icon]
    return tag if _plain(tag) in map(_plain, names) else names[0]


def _plain(tag: str) -> str:
    return re.sub(r"[\s_\-\u2010\u2011]+", " ", tag).strip().casefold()


@lru_cache(maxsize=1)
def _icons() -> Mapping[str, str]:
    return {
        _plain(name): icon for words in all_words().values() for icon, names in words.tags.items() for name in names
    }
