"""Arranges the single price of a row: words and unit around it, and a struck regular price before it; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct

from player.display.layout.measuring import TextMeasurers
from player.display.layout.variants import REGULAR_GAP, Cell, CellKind, line_size
from player.domain.view import MenuRow, PriceText

FEATURED_SIZE = 1.3
"""Of the name and the single price of a featured item."""
WORD_GAP = 0.25
"""Between a price and the small words around it, in ems of the text size."""
DETAIL_SHARE = 6 / 7
"""Details are at most this share of the text size."""
LEAST_RAISED = 7 / 6
"""Where cents are raised, the least size of prices is greater by this: they have 0.55 of a figure's height (0.6 in
older versions of Inter), and are then as high as a capital letter of three quarters of the details."""
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")

Parts = tuple[float, float]


def least_size(least: float, rows: Iterable[MenuRow], *, price: float = 1.0) -> int:
    """The least text size of these rows where their widget asks for this one, and prices have `price` of the size."""
    if any(_is_raised(row.price) or any(_is_raised(variant.price) for variant in row.variants) for row in rows):
        return math.ceil(least * max(1.0, LEAST_RAISED / price))
    return max(1, round(least))


def _is_raised(price: PriceText) -> bool:
    return not price.text.isascii() and not _RAISED.isdisjoint(price.text)


def name_size(row: MenuRow, size: int) -> int:
    """Size of a row's name, and of its single price, where the menu's text has this size."""
    return featured_size(size) if row.featured else size


def featured_size(size: int) -> int:
    """Size of the names of featured items, where others have this size."""
    return max(1, round(FEATURED_SIZE * size))


def _has_words(row: MenuRow) -> bool:
    """Whether anything stands beside the amount, or in its place; of most rows nothing does."""
    price = row.price
    return bool(price.before or price.after or price.in_words or row.regular)


class SinglePrice(Struct, frozen=True, kw_only=True):
    """A price with its words, in canvas units; `x` of all from the right edge of the row, and so negative. `width` is
    that of everything."""

    text: str
    x: float
    width: float
    text_width: float
    cells: tuple[Cell, ...]


NO_PRICE = SinglePrice(text="", x=0.0, width=0.0, text_width=0.0, cells=())


class PriceSetter:
    """Sets the single prices of one menu: they line up at their decimals, with their units after them."""

    def __init__(self, measurers: TextMeasurers, *, parts_of: Callable[[PriceText], Parts], after: float) -> None:
        """`parts_of` measures a price before and after the place where prices line up, `after` is the widest after."""
        self._measurers = measurers
        self._parts_of = parts_of
        self._after = after

    def unit(self, row: MenuRow) -> float:
        """Width in ems of the details of what stands after an amount."""
        return 0.0 if row.price.in_words else self._measurers.detail.width(row.price.after)

    def room(self, unit: float, *, size: int, detail: int) -> float:
        """From the place where prices line up to the right edge, where the widest unit has this width."""
        return self._after * size + (WORD_GAP * size + unit * detail if unit else 0.0)

    def most_width(self, row: MenuRow, unit: float) -> float:
        """Width in ems of the text size that the price needs at most."""
        size = 1000
        return self.width(row, size=size, detail=round(DETAIL_SHARE * size), unit=unit) / size

    def width(self, row: MenuRow, *, size: int, detail: int, unit: float) -> float:
        """Width of the price with everything around it, where the menu's text has this size."""
        if _has_words(row):
            return self.set(row, size=size, detail=detail, unit=unit).width
        # Most prices: this is asked for each row at each size that is tried.
        return self.room(unit, size=size, detail=detail) - self._left_of(row, size)

    def _left_of(self, row: MenuRow, size: int) -> float:
        """Where an amount begins, from the place where prices line up: a larger one ends with the others."""
        before, after = self._parts_of(row.price)
        return after * size - (before + after) * name_size(row, size)

    def set(self, row: MenuRow, *, size: int, detail: int, unit: float) -> SinglePrice:
        """The price of a row where the menu's text and details have these sizes."""
        price, cells, own = row.price, [], name_size(row, size)
        if not _has_words(row):
            x = self._left_of(row, size) - self.room(unit, size=size, detail=detail)
            return SinglePrice(text=price.text, x=x, width=-x, text_width=sum(self._parts_of(price)) * own, cells=())
        line = line_size(own, detail)

        def add(kind: CellKind, text: str, *, end: float, ems: float) -> float:
            cells.append(Cell(kind=kind, text=text, x=end - ems, y=0.0, width=ems))
            return end - ems

        words, gap = self._measurers.detail, WORD_GAP * size
        before, after = self._parts_of(price)
        if price.in_words:
            x = 0.0
            if price.after:
                x = add(CellKind.PRICE_WORD, price.after, end=x, ems=words.width(price.after) * detail) - gap
            x = add(CellKind.PRICE_IN_WORDS, price.text, end=x, ems=(before + after) * line)
        else:
            x = self._left_of(row, size) - self.room(unit, size=size, detail=detail)
            if price.after:
                width = words.width(price.after) * detail
                add(CellKind.PRICE_WORD, price.after, end=x + (before + after) * own + gap + width, ems=width)
        left = x
        if price.before:
            left = add(CellKind.PRICE_WORD, price.before, end=left - gap, ems=words.width(price.before) * detail)
        if row.regular:
            shown = self._measurers.price.width(row.regular) * line
            left = add(CellKind.REGULAR, row.regular, end=left - REGULAR_GAP * size, ems=shown)
        return SinglePrice(
            text="" if price.in_words else price.text,
            x=x,
            width=-left,
            text_width=0.0 if price.in_words else (before + after) * own,
            cells=tuple(cells),
        )
