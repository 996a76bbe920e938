"""Rates a layout of a menu, so that numbers of columns can be compared; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.columns import height_of
from player.display.layout.heading import HEADING_LINE
from player.display.layout.menu_measures import HEADING_GAP, ROW_GAP, MenuBlock, MenuMeasures, row_steps
from player.display.layout.row_prices import VARIANT_LINE
from player.display.layout.sizes import DETAIL_LINE, LINE, grid_step, name_size

PRICE_COLUMNS_WORTH = 0.6
"""The least share of the text size to keep for the prices of variants in columns."""
WHOLE_WORDS_WORTH = 0.75
"""The least share of the text size to keep for breaking no name inside a word."""
WRAPPED, MOST_WRAPPED = 3.0, 0.5
"""The weight of the square of the share of names in several lines, and the most that it counts: few do little harm."""
FEWEST_ROWS, SHORT_WORTH = 3, 0.3
"""Several columns of fewer rows look empty, and are worth this share of others."""


class Rating(Struct, frozen=True, kw_only=True):
    """The quality of a layout: its text size first, then what is broken, pages, balance and holes."""

    size: int
    rows: int
    pages: int = 1
    wrapped: int = 0
    """Names in several lines."""
    split: int = 0
    """Names broken inside a word."""
    listed: int = 0
    """Items with their variants in lines, not in columns."""
    cut: float = 0.0
    """The heights of columns by which items are too high for theirs."""
    balance: float = 1.0
    """The height of all columns, as a share of that of as many as the tallest."""
    comfort: float = 1.0
    """1, or less where a column is so wide that there are holes between names and prices."""
    overflows: bool = False
    """Whether a row is higher than the widget."""

    @property
    def worth(self) -> float:
        """The text size, less what is broken and the pages take away."""
        whole = (WHOLE_WORDS_WORTH if self.split else 1.0) * (PRICE_COLUMNS_WORTH if self.listed else 1.0)
        wrapped = min(MOST_WRAPPED, WRAPPED * (self.wrapped / self.rows) ** 2)
        return self.size * whole / self.pages / (1 + wrapped + self.cut / self.rows)

    @property
    def neatness(self) -> float:
        """At most 1: even columns without holes."""
        return self.balance * self.comfort

    def breaks_no_more_than(self, other: Self) -> bool:
        """Whether nothing that lessens the worth is more than in the other."""
        return all(
            getattr(self, name) <= getattr(other, name) for name in ("pages", "wrapped", "split", "listed", "cut")
        )


def rate_text(menu: MenuMeasures, columns: int, size: int) -> tuple[Rating, float]:
    """Rate a menu in columns of this number by its names and prices alone; and the least height of the list."""
    width, typesetter, measurers = menu.column_width(columns, size), menu.row_typesetter, menu.measurers
    detail, second, step = typesetter.detail_size(size), typesetter.second_size(size), grid_step(size)
    wrapped = split = listed = 0
    least = sum(bool(section.heading) for section in menu.sections) * (HEADING_LINE + HEADING_GAP)
    for row in menu.rows:
        own, free = name_size(row, size), typesetter.name_width(row, width, size)
        taken, height = measurers.name.width(row.name) * own, LINE * own
        if taken > free:
            wrapped += 1
            split += measurers.name.widest_piece(row.name) * own > free
            # A blank at the end of a line takes no room.
            height += LINE * own * max(1, taken // (free + own))
        if row.variants and typesetter.prices.columns_here(row, width, size) is None:
            listed += typesetter.prices.may_have_columns(row)
            height += VARIANT_LINE * size * len(row.variants)
        told = measurers.detail.width(row.description) if row.description else 0.0
        if row.second is not None and row.second.name:
            height += second * (1 + measurers.second.width(row.second.name) * second // (width + second))
            told = max(told, measurers.second_detail.width(row.second.description))
        if told:
            height += DETAIL_LINE * detail * (1 + told * detail // (width + detail))
        least += ROW_GAP + row_steps(height, step)
    return Rating(size=size, rows=max(1, len(menu.rows)), wrapped=wrapped, split=split, listed=listed), max(
        1, least
    ) * step


def rate_filled(
    rating: Rating, menu: MenuMeasures, columns: int, filled: Sequence[Sequence[MenuBlock]], room: float
) -> Rating:
    """The rating with what the columns look like that the menu fills, counted through all pages."""
    heights = [height_of(column) for column in filled]
    places = columns * max(1, math.ceil(len(filled) / columns))
    width = menu.column_width(columns, rating.size)
    whole = (menu.row_typesetter.lay_out(row, width, rating.size).height for row in menu.rows)
    cut = any(entry.cut for column in filled for block in column for entry, _ in block.parts)
    return replace(
        rating,
        cut=sum(max(0.0, height / room - 1) for height in whole) if cut and room > 0 else 0.0,
        balance=sum(heights) / (places * max(heights, default=1.0)),
        comfort=min(1.0, (menu.comfortable * rating.size / width) ** 0.5)
        * (SHORT_WORTH if rating.rows < FEWEST_ROWS * places and columns > 1 else 1.0)
        * (menu.list_width(columns, rating.size) / menu.width),
    )
