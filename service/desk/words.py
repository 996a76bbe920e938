"""Sentences of the desk: written in English, shown in the person's language; the translations are in `service/locale`.

In a template `{{ _("{count} more", count=n) }}` or `ngettext(one, many, count=n)`; in code `phrase` and `phrases`,
which templates and answers translate. `python -m tests.translations` finds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from markupsafe import Markup, escape

from service.core.amounts import written_surely

ENGLISH = "en"
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "ar": "العربية"}
"""Languages of the desk, each by its own name."""
COMMA_LANGUAGES = ("de", "es", "fr")
"""Languages with a comma before decimals, whose spreadsheets expect semicolons between columns."""
RIGHT_TO_LEFT = frozenset({"ar"})

_LOCALE = Path(__file__).parents[1] / "locale"
_MOST_WISHES = 20
"""Languages of a request that are looked at."""
_ISOLATED = "\N{FIRST STRONG ISOLATE}{}\N{POP DIRECTIONAL ISOLATE}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence with its values. `many` is its plural, chosen by the value `count`."""

    template: str
    many: str | None = None
    values: dict[str, object] = field(default_factory=dict)


def phrase(template: str, /, **values: object) -> Phrase:
    """A sentence; a value may be a phrase itself."""
    return Phrase(template, None, values)


def phrases(one: str, many: str, /, *, count: int, **values: object) -> Phrase:
    """The same with a singular and a plural."""
    return Phrase(one, many, {"count": count, **values})


def as_it_is(text: str) -> Phrase:
    """A text that nobody translates, such as one that a screen has reported."""
    return Phrase("{text}", None, {"text": text})


def translated(said: Phrase, language: str) -> Markup:
    """The sentence in a language, its values escaped. Names keep their own order in one that runs the other way."""
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
    """An amount as people with this language type it, which can be read in one way only."""
    text = written_surely(amount)
    return text.replace(".", ",") if language in COMMA_LANGUAGES else text


def language_of(chosen: Sequence[str | None], accepted: str) -> str:
    """The first language of these choices that the desk speaks, then the best of an Accept-Language, else English."""
    for one in chosen:
        if one in LANGUAGES:
            return str(one)
    wishes: list[tuple[float, str]] = []
    for wish in accepted.split(",")[:_MOST_WISHES]:
        tag, _, quality = wish.partition(";q=")
        try:
            wishes.append((-float(quality or 1), tag.strip().partition("-")[0].lower()))
        except ValueError:
            continue
    return next((tag for _, tag in sorted(wishes, key=lambda one: one[0]) if tag in LANGUAGES), ENGLISH)


@cache
def _translations(language: str) -> NullTranslations:
    if language == ENGLISH:
        return NullTranslations()
    binary = BytesIO()
    write_mo(binary, read_po(BytesIO((_LOCALE / f"{language}.po").read_bytes()), locale=language))
    binary.seek(0)
    return GNUTranslations(binary)
