"""Sentences of the desk: written in English, shown in the user's language; the translations are in `service/locale`.

In a template `{{ _("{count} more", count=n) }}` or `ngettext(one, many, count=n)`; in code `phrase` and `phrases`,
which templates and answers translate. `python -m tests.translations` finds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from gettext import NullTranslations
from pathlib import Path

from markupsafe import Markup, escape

from menu.text.catalogue import translations, wished
from service.core.amounts import written_surely

ENGLISH = "en"
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ar": "العربية"}
"""Languages of the desk, each by its own name."""
COMMA_LANGUAGES = ("de", "es", "fr")
"""Languages with a comma before decimals, whose spreadsheets expect semicolons between columns."""
RIGHT_TO_LEFT = frozenset({"ar"})

_LOCALE = Path(__file__).parents[1] / "locale"
_ISOLATED = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence with its values. `many` is its plural, chosen by the value `count`."""

    template: str
    many: str | None = None
    values: dict[str, object] = field(default_factory=dict)


def phrase(template: str, /, **values: object) -> Phrase:
    """Makes a sentence; a value may be a phrase itself."""
    return Phrase(template, None, values)


def phrases(one: str, many: str, /, *, count: int, **values: object) -> Phrase:
    """Makes a sentence with a singular and a plural."""
    return Phrase(one, many, {"count": count, **values})


def as_it_is(text: str) -> Phrase:
    """Marks a text that must not be translated, such as one that a screen has reported."""
    return Phrase("{text}", None, {"text": text})


def translated(said: Phrase, language: str) -> Markup:
    """Translates the sentence, its values escaped. Names keep their own direction in a language of the other one."""
    known = _translations(language)
    count = said.values.get("count")
    if said.many is not None and isinstance(count, int):
        text = known.ngettext(said.template, said.many, count)
    else:
        text = known.gettext(said.template)
    shown = {name: _shown(value, language) for name, value in said.values.items()}
    return Markup(escape(text).format_map(shown))  # noqa: S704  (the template and each value are escaped)


def _shown(value: object, language: str) -> Markup:
    if isinstance(value, Phrase):
        return translated(value, language)
    if isinstance(value, Decimal):
        value = amount_in(value, language)
    text = escape(str(value))
    return Markup(_ISOLATED.format(text)) if language in RIGHT_TO_LEFT and isinstance(value, str) else text  # noqa: S704


def amount_in(amount: Decimal, language: str) -> str:
    """Formats an amount as users of this language type it, with only one possible reading."""
    text = written_surely(amount)
    return text.replace(".", ",") if language in COMMA_LANGUAGES else text


def language_of(chosen: Sequence[str | None], accepted: str) -> str:
    """Returns the first supported language of these choices, then the best of an Accept-Language, else English."""
    for one in chosen:
        if one in LANGUAGES:
            return str(one)
    return wished(accepted, LANGUAGES) or ENGLISH


@cache
def _translations(language: str) -> NullTranslations:
    return NullTranslations() if language == ENGLISH else translations(_LOCALE / f"{language}.po", language)
