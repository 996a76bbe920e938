"""Sentences of the device itself: written in English, translated when they are shown; may import babel, which reads the
translations in `menu/locale`.

A `Phrase` is an ordinary string, in English. It also stores its template and values, so that it can be shown in the
location's language. `tests/player/test_translations.py` finds a sentence that has no translation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from gettext import NullTranslations

from msgspec import Struct

from menu.text.catalogue import translations, wished
from menu.text.wording import (
    FALLBACK_LOCALE,
    cldr_locale,
    day_text,
    number_text,
    weekday_text,
)

LANGUAGES = ("ar", "de", "es", "fr")
"""Languages that the device speaks besides English, which it speaks everywhere else."""

_ISOLATED = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


class Phrase(str):
    """A sentence in English, filled in. `template` is the translators' text; `many` is its plural, chosen by the value
    `count`."""

    __slots__ = ("many", "template", "values")
    template: str
    many: str | None
    values: dict[str, object]


def phrase(template: str, /, **values: object) -> Phrase:
    """Fills values into a sentence; a value may be a phrase itself."""
    made = Phrase(template.format_map(values) if values else template)
    made.template, made.many, made.values = template, None, values
    return made


def phrases(one: str, many: str, /, *, count: int, **values: object) -> Phrase:
    """Fills a sentence with a singular and a plural."""
    values["count"] = count
    made = Phrase((one if count == 1 else many).format_map(values))
    made.template, made.many, made.values = one, many, values
    return made


def listed(parts: Sequence[Phrase]) -> Phrase:
    """Joins phrases: `3 items, 1 sold out`; at least one."""
    first, *others = parts
    for other in others:
        first = phrase("{one}, {other}", one=first, other=other)
    return first


class Spoken(Struct, frozen=True):
    """A value of a phrase with its own format in each language."""

    def in_locale(self, locale: str) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.in_locale(FALLBACK_LOCALE)

    def __format__(self, _: str) -> str:
        return str(self)


class WholeSentence(Spoken, frozen=True):
    """Words with a capital at the beginning and a full stop at the end. They may begin with the name of a machine, of a
    file, of an adapter or of a setting, which stays as it is."""

    words: str

    def in_locale(self, locale: str) -> str:
        words = in_language(self.words, locale)
        first = words.partition(" ")[0].rstrip(",:;")
        is_name = any(letter in "/._" or letter.isdigit() for letter in first)
        begun = words[:1] if is_name else words[:1].upper()
        return f"{begun}{words[1:]}{'' if words[-1:] in '.!?؟' else '.'}"


class SpokenDay(Spoken, frozen=True):
    """A day: `Saturday 5 December` in English, `5 Dec` where there is little room."""

    date: date
    with_year: bool = False
    short: bool = False

    def in_locale(self, locale: str) -> str:
        return day_text(self.date, locale, with_year=self.with_year, short=self.short)


class SpokenDays(Spoken, frozen=True):
    """Days with their years: `5 Dec 2026, 6 Dec 2026` in English."""

    dates: tuple[date, ...]

    def in_locale(self, locale: str) -> str:
        """Formats the days, short."""
        return _list_in(locale, (day_text(one, locale, with_year=True, short=True) for one in self.dates))


class SpokenWeekdays(Spoken, frozen=True):
    """Days of the week, Monday 0: `Mon, Tue` in English."""

    days: tuple[int, ...]

    def in_locale(self, locale: str) -> str:
        return _list_in(locale, (weekday_text(day, locale) for day in self.days))


class SpokenNumber(Spoken, frozen=True):
    """A number with so many decimals: `5.2` in English."""

    number: float
    decimals: int = 0

    def in_locale(self, locale: str) -> str:
        return number_text(self.number, locale, decimals=self.decimals)


def in_language(text: str, locale: str) -> str:
    """Translates a phrase into the language of a locale (BCP 47), English if the device lacks it. Other text stays."""
    if not isinstance(text, Phrase):
        return text
    if language_of(locale) == FALLBACK_LOCALE:
        return str(text)
    isolates = is_right_to_left(locale)
    return filled(text, locale, lambda template: template, lambda value: _shown(value, locale, isolates=isolates))


def filled(text: Phrase, locale: str, put: Callable[[str], str], shown: Callable[[object], object], /) -> str:
    """Fills a phrase in the language of a locale: `put` converts the translators' words to text, `shown` each value."""
    template = put(_template(text, locale))
    values = {name: shown(value) for name, value in text.values.items()}
    try:
        return template.format_map(values) if values else template
    except (LookupError, ValueError):
        # A damaged file, which a board does without.
        return put(text.template).format_map(values)


def _list_in(locale: str, parts: Iterable[str]) -> str:
    return ("، " if is_right_to_left(locale) else ", ").join(parts)


def is_right_to_left(locale: str) -> bool:
    """Whether the device's texts in this locale are written from right to left."""
    return bool(cldr_locale(language_of(locale)).text_direction == "rtl")


def language_of(locale: str) -> str:
    language = cldr_locale(locale).language
    return language if language in LANGUAGES else FALLBACK_LOCALE


def chosen_language(accepted: str) -> str | None:
    """Returns the first supported language of an Accept-Language header; None if there is none."""
    return wished(accepted, (FALLBACK_LOCALE, *LANGUAGES))


def language_of_terminal(environment: Mapping[str, str]) -> str:
    """Returns the language of a system's terminal, by POSIX: English if the device does not support it."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = re.split("[.@]", next((environment[name] for name in names if environment.get(name)), ""))[0]
    # POSIX's own locale is none of CLDR's, which takes a search of all its files, 4 ms, to say so.
    return FALLBACK_LOCALE if locale in ("", "C", "POSIX") else language_of(locale)


def _template(text: Phrase, locale: str) -> str:
    language = language_of(locale)
    count = text.values.get("count")
    if language == FALLBACK_LOCALE:
        return text.template if text.many is None or count == 1 else text.many
    known = _translations(language)
    if text.many is not None and isinstance(count, int):
        return known.ngettext(text.template, text.many, count)
    return known.gettext(text.template)


def _shown(value: object, locale: str, *, isolates: bool) -> object:
    if isinstance(value, Phrase):
        return in_language(value, locale)
    if isinstance(value, Spoken):
        return value.in_locale(locale)
    # A name or an address keeps its own order within a sentence that runs the other way.
    return _ISOLATED.format(value) if isolates and isinstance(value, str) else value


@lru_cache(maxsize=len(LANGUAGES))
def _translations(language: str) -> NullTranslations:
    from importlib import resources  # Not at the top, as a board in English needs none.

    return translations(resources.files("menu").joinpath("locale", f"{language}.po"), language)
