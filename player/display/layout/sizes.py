"""Text sizes that lists share, in whole canvas units, and the heights of their lines; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from menu.text.price import RAISED, PriceText
from player.domain.view import MenuRow

# In ems of the text size.
LINE = 1.26
BASELINE = 0.97
"""From a line's top to its baseline."""
DETAIL_SIZE = 0.6
LEAST_DETAIL = 6 / 7
"""Details are at least this share of the least text size, and at most this share of the text size: what says how far
away a board is read is its `minTextSize`."""
DETAIL_BASELINE = 0.76
"""Ascent of a line of details, from its top to its baseline."""
DETAIL_LINE = 1.3
"""In ems of the details."""
RULE = 0.035
"""Thickness of a hairline."""
MARK_HEIGHT, MARK_BELOW = 1.1, 0.14
"""The page number at the foot of a widget with pages, and what is below its baseline."""
FEATURED_SIZE = 1.3
"""Factor of the name and the single price of a featured item."""
STEP = 0.42
"""The grid on which the rows of all columns of a menu stand: a third of a name's line."""
BLEED, BLEED_ABOVE = 0.4, 0.17
"""By so much a panel or a box is larger than its text, at both sides, and above and below."""


def least_size(least: float, rows: Iterable[MenuRow], *, price: float = 1.0) -> int:
    """Returns the least text size of these rows, if their widget requests `least` and prices have `price` of the
    size."""
    if any(_is_raised(row.price) or any(_is_raised(variant.price) for variant in row.variants) for row in rows):
        # Raised cents have 0.55 of a figure's height (0.6 in older versions of Inter): with this factor they are as
        # high as a capital letter of three quarters of the details.
        return math.ceil(least * max(1.0, (7 / 6) / price))
    return max(1, round(least))


def _is_raised(price: PriceText) -> bool:
    return not price.text.isascii() and not set(RAISED).isdisjoint(price.text)


def grid_step(size: int) -> int:
    """Grid step at a text size, in whole canvas units."""
    return max(1, round(STEP * size))


def name_size(row: MenuRow, size: int) -> int:
    """Size of a row's name, and of its single price, where the menu's text has this size."""
    return max(1, round(FEATURED_SIZE * size)) if row.featured else size


def detail_size(size: int, least: float) -> int:
    """Size of descriptions and options where names have this size, and details should have the `least`."""
    return max(1, round(max(DETAIL_SIZE * size, min(least, LEAST_DETAIL * size))))


def label_size(size: int, detail: int) -> int:
    """Size of the names of variants above their columns, where names and details have these sizes."""
    return max(detail, round(0.72 * size))


def line_size(size: int, detail: int) -> int:
    """Size of a variant that has a line of its own, where names and details have these sizes."""
    return max(detail, round(0.78 * size))


def largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Returns the largest size up to `high` that satisfies `holds`; `low` does, and so does every size below one that
    does."""
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low
