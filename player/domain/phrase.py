"""Sentences that the device itself says: written in English, translated when they are shown; may import babel, which
reads the translations in `player/locale`.

A `Phrase` is an ordinary string, in English. It also knows what it was made of, so that whoever shows it can have it
in the language of the place. `tests/player/test_translations.py` finds a sentence that has no translation.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from io import BytesIO

from msgspec import Struct

from player.domain.wording import FALLBACK_LOCALE, cldr_locale, day_text

LANGUAGES = ("ar", "de", "es", "fr")
"""Languages that the device speaks besides English, which it speaks everywhere else."""

_ISOLATED = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


class Phrase(str):
    """A sentence in English, filled in. `template` is what translators see; `many` is its plural, chosen by the value
    `count`."""

    __slots__ = ("many", "template", "values")
    template: str
    many: str | None
    values: dict[str, object]


def phrase(template: str, /, **values: object) -> Phrase:
    """A sentence with its values filled in; a value may be a phrase itself."""
    made = Phrase(template.format_map(values) if values else template)
    made.template, made.many, made.values = template, None, values
    return made


def phrases(one: str, many: str, /, *, count: int, **values: object) -> Phrase:
    """The same with a singular and a plural."""
    values["count"] = count
    made = Phrase((one if count == 1 else many).format_map(values))
    made.template, made.many, made.values = one, many, values
    return made


class SpokenDay(Struct, frozen=True):
    """A day as a value of a phrase: `Saturday 5 December` in English."""

    date: date
    with_year: bool = False

    def __str__(self) -> str:
        return day_text(self.date, FALLBACK_LOCALE, with_year=self.with_year)

    def __format__(self, _: str) -> str:
        return str(self)


def in_language(text: str, locale: str) -> str:
    """A phrase in the language of a locale (BCP 47), in English if the device does not speak it. Other text stays."""
    if not isinstance(text, Phrase):
        return text
    language = language_of(locale)
    if language == FALLBACK_LOCALE:
        return str(text)
    isolates = cldr_locale(locale).text_direction == "rtl"
    values = {name: _shown(value, locale, isolates=isolates) for name, value in text.values.items()}
    translations = _translations(language)
    count = text.values.get("count")
    if text.many is not None and isinstance(count, int):
        found = translations.ngettext(text.template, text.many, count)
    else:
        found = translations.gettext(text.template)
    try:
        return found.format_map(values) if values else found
    except (LookupError, ValueError):
        # A damaged file, which a board does without.
        return str(text)


def language_of(locale: str) -> str:
    """The language in which the device speaks where this locale is spoken."""
    language = cldr_locale(locale).language
    return language if language in LANGUAGES else FALLBACK_LOCALE


def _shown(value: object, locale: str, *, isolates: bool) -> object:
    if isinstance(value, Phrase):
        return in_language(value, locale)
    if isinstance(value, SpokenDay):
        return day_text(value.date, locale, with_year=value.with_year)
    # A name or an address keeps its own order within a sentence that runs the other way.
    return _ISOLATED.format(value) if isolates and isinstance(value, str) else value


@lru_cache(maxsize=len(LANGUAGES))
def _translations(language: str) -> NullTranslations:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    file = resources.files("player").joinpath("locale", f"{language}.po")
    try:
        binary = BytesIO()
        write_mo(binary, read_po(BytesIO(file.read_bytes()), locale=language))
        binary.seek(0)
        return GNUTranslations(binary)
    except (OSError, ValueError, PoFileError):
        # A board whose file is damaged speaks English.
        return NullTranslations()
