"""Names allergens: by letters in the rows of a menu, in words in its legend and in item widgets; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from menu.text.menu_words import menu_words
from menu.text.wording import by_language, joined

LETTERS = {
    "gluten": "A",
    "crustaceans": "B",
    "eggs": "C",
    "fish": "D",
    "peanuts": "E",
    "soybeans": "F",
    "milk": "G",
    "nuts": "H",
    "celery": "L",
    "mustard": "M",
    "sesame": "N",
    "sulphites": "O",
    "lupin": "P",
    "molluscs": "R",
}
"""The fourteen of Regulation (EU) 1169/2011, Annex II, in its order, with the letters that Austria recommends."""

_COLONS = {"en": ":", "fr": "\u00a0:", "ja": "：", "zh": "："}
"""French has a space before it; the full-width one includes the space after it."""


MOST_UNKNOWN = 100
"""Words beside the fourteen that a legend explains; the mark of a further one has no explanation."""


class LegendLine(Struct, frozen=True, kw_only=True):
    """One allergen or icon of a menu's legend: the `mark` in the rows, and its meaning for guests."""

    mark: str
    text: str


def allergen_marks(items: Iterable[Sequence[str]]) -> Mapping[str, str]:
    """Returns the mark of each allergen in these items (each item as a list of the API's words), in the order of a
    legend.

    A word that is none of the fourteen gets a number: a warning is never left out.
    """
    used = dict.fromkeys(allergen for allergens in items for allergen in allergens)
    known = {allergen: letter for allergen, letter in LETTERS.items() if allergen in used}
    others = (allergen for allergen in used if allergen not in LETTERS)
    return known | {other: str(number) for number, other in enumerate(others, start=1)}


def allergen_letters(allergens: Iterable[str], marks: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the marks of one item: letters in their order, then numbers."""
    return tuple(
        sorted({marks[each] for each in allergens if each in marks}, key=lambda mark: (mark.isdigit(), len(mark), mark))
    )


def allergen_legend(marks: Mapping[str, str], locale: str) -> tuple[LegendLine, ...]:
    """Explains the marks; a word that is none of the fourteen is listed as written."""
    words = menu_words(locale).allergens if marks else {}
    return tuple(
        LegendLine(mark=mark, text=words.get(allergen, allergen))
        for allergen, mark in islice(marks.items(), len(LETTERS) + MOST_UNKNOWN)
    )


def allergen_names(allergens: Sequence[str], locale: str) -> tuple[str, ...]:
    """Returns the allergens of one item in words, in the legend's order; an item widget needs no letters."""
    return tuple(line.text for line in allergen_legend(allergen_marks([allergens]), locale))


def allergens_title(*locales: str) -> str:
    """Returns the title of a legend, or of an item widget's allergens, in one language or in two: `Allergens:`."""
    titles = (menu_words(locale).allergens_title for locale in locales)
    return joined(titles) + by_language(_COLONS, locales[0])
