"""Rates a layout of a menu, so that numbers of columns can be compared; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from menu.text.wording import joined
from player.display.layout.badges import LETTERS_LINE, letters_width
from player.display.layout.columns import height_of
from player.display.layout.menu_measures import (
    HEADING_GAP,
    SPARING,
    MenuBlock,
    MenuMeasures,
    row_steps,
    together,
)
from player.display.layout.row import MOST_NAME_LINES, SECOND_LINE
from player.display.layout.row_prices import VARIANT_LINE
from player.display.layout.sizes import DETAIL_LINE, LINE, MARK_HEIGHT, grid_step, name_size
from player.display.layout.text.measuring import TextMeasurer

PRICE_COLUMNS_WORTH = 0.6
"""The least share of the text size to keep for the prices of variants in columns."""
WRAPPED, MOST_WRAPPED = 3.0, 0.5
"""The weight of the square of the share of names in several lines, and the most that it counts: few do little harm."""
FEWEST_ROWS, SHORT_WORTH = 3, 0.3
"""Several columns of fewer rows look empty, and are worth this share of others."""


class Rating(Struct, frozen=True, kw_only=True):
    """Quality of a layout: text size first, then broken words, pages, balance and holes."""

    size: int
    rows: int
    pages: int = 1
    wrapped: int = 0
    """Names in several lines."""
    split: int = 0
    """Names broken inside a word."""
    listed: int = 0
    """Items with their variants in lines, not in columns."""
    close: bool = False
    """Whether rows stand closer than they should."""
    divided: int = 0
    """Categories of few rows that are in several columns."""
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
        # 0.75: the least share of the text size to keep for breaking no name inside a word.
        whole = (0.75 if self.split else 1.0) * (PRICE_COLUMNS_WORTH if self.listed else 1.0)
        wrapped = min(MOST_WRAPPED, WRAPPED * (self.wrapped / self.rows) ** 2)
        return self.size * whole / self.pages / (1 + wrapped + self.cut / self.rows)

    @property
    def neatness(self) -> float:
        """At most 1: even columns without holes."""
        return self.balance * self.comfort

    def rank(self) -> tuple[float, ...]:
        """Sort key, greater is better: the worth, then prices in columns, few pages, large text, neatness."""
        return (not self.overflows, self.worth, -self.listed, -self.pages, self.size, self.neatness)

    def breaks_no_more_than(self, other: Self) -> bool:
        """Whether nothing that lessens the worth is more than in the other."""
        broken = ("overflows", "pages", "wrapped", "split", "listed", "close", "divided", "cut")
        return all(getattr(self, name) <= getattr(other, name) for name in broken)


def rate_text(menu: MenuMeasures, columns: int, size: int) -> tuple[Rating, list[int]]:
    """Rate a menu in columns of this number by its names and prices alone; and the steps that rows take at least."""
    width, typesetter, measurers = menu.column_width(columns, size), menu.row_typesetter, menu.measurers
    detail, second, step = typesetter.detail_size(size), typesetter.second_size(size), grid_step(size)
    wrapped = split = listed = 0
    most = menu.economy.description
    least, cut, is_cut = list[int](), 0.0, False
    # Rows are cut in the smallest size alone, and on pages.
    room = menu.room(columns, size, paged=True) if size == menu.smallest else math.inf
    for row in menu.rows:
        own, free = name_size(row, size), typesetter.name_width(row, width, size)
        lines, taken, below = 1, measurers.name.width(row.name) * own, 0.0
        if taken > free:
            wrapped += 1
            split += measurers.name.widest_piece(row.name) * own > free
            lines = max(2, _least_lines(measurers.name, row.name, free / own, MOST_NAME_LINES))
        elif row.allergens and taken + letters_width(row, measurers, size, detail) > free:
            # The name breaks earlier, or the letters stand below it, or after the description.
            wrapped += " " in row.name
            below = 0.0 if row.description else min(LINE * own, LETTERS_LINE * detail)
        height, lowest = LINE * own * lines + below, 0.0
        if row.variants and typesetter.prices.columns_here(row, width, size) is None:
            listed += typesetter.prices.may_have_columns(row)
            if typesetter.prices.are_beside(row, width, size):
                lowest = LINE * (own + size * (len(row.variants) - 1))
            else:
                height += VARIANT_LINE * size * len(row.variants)
        told = 0
        if row.description:
            told = _least_lines(measurers.detail, row.description, width / detail, most)
        if row.second is not None:
            named = _least_second(measurers.second, row.second.name.split("\n"), width / second)
            height += SECOND_LINE * second * named
            text = row.second.description
            told += _least_lines(measurers.second_detail, text, width / detail, most)
        height = max(height + DETAIL_LINE * detail * told, lowest)
        if height > room > 0:
            cut += height / room - 1
            is_cut = is_cut or (height > room + MARK_HEIGHT * size and max(lines, told) > 1)
        least.append(row_steps(height, step))
    cut = cut if is_cut else 0.0
    close, count = menu.economy in SPARING, max(1, len(least))
    rating = Rating(size=size, rows=count, wrapped=wrapped, split=split, listed=listed, close=close, cut=cut)
    return rating, least


def _least_second(measurer: TextMeasurer, names: Sequence[str], width: float) -> int:
    """Counts the least lines of names in further languages, which stand in one line where that has room."""
    if measurer.width(joined(names)) <= width:
        return 1 if names[0] else 0
    return min(MOST_NAME_LINES, sum(measurer.least_lines(name, width) for name in names))


def _least_lines(measurer: TextMeasurer, text: str | None, width: float, most: int) -> int:
    return min(most, measurer.least_lines(text, width)) if text else 0


def least_columns(menu: MenuMeasures, rows: Sequence[int], columns: int, size: int, room: float, *, cut: bool) -> float:
    """Returns the least number of columns of a room, in steps, for rows of so many steps, where higher ones are `cut`;
    infinite where one has no room."""
    row_gap = menu.economy.row_gap
    count, height, at, headed = 0, math.inf, 0, menu.heading_steps(columns, size) + HEADING_GAP
    for section in menu.sections:
        above = headed if section.heading else 0
        steps: Sequence[float] = rows[at : at + len(section.rows)]
        at += len(steps)
        if cut:
            steps = [min(each, room - above) for each in steps]
        elif max(steps) > room - above:
            return math.inf
        if section.heading and (most := menu.most_together(columns)):
            groups = [sum(group) + row_gap * (len(group) - 1) for group in together(steps, most)]
            steps = groups if max(groups) <= room - above else steps
        gap = menu.economy.section_gap + above
        for each in steps:
            height += gap + each
            if height > room:
                # In the next column of a page a section has no heading again.
                headed_by = above if gap != row_gap or not count % columns else 0
                count, height = count + 1, headed_by + each
            gap = row_gap
    return count


def rate_filled(
    rating: Rating, menu: MenuMeasures, columns: int, filled: Sequence[Sequence[MenuBlock]], room: float
) -> Rating:
    heights = [height_of(column) for column in filled]
    places = columns * max(1, math.ceil(len(filled) / columns))
    width = menu.column_width(columns, rating.size)
    whole = (menu.row_typesetter.lay_out(row, width, rating.size).height for row in menu.rows)
    cut = any(entry.cut for column in filled for block in column for entry, _ in block.parts)
    column_of = {entry.key: at for at, column in enumerate(filled) for block in column for entry, _ in block.parts}
    return replace(
        rating,
        divided=sum(len({column_of.get(row.item_id) for row in section.rows}) > 1 for section in menu.few),
        cut=sum(max(0.0, height / room - 1) for height in whole) if cut and room > 0 else 0.0,
        balance=sum(heights) / (places * max(heights, default=1.0)),
        comfort=min(1.0, (menu.comfortable * rating.size / width) ** 0.5)
        * (SHORT_WORTH if rating.rows < FEWEST_ROWS * places and columns > 1 else 1.0)
        * (menu.list_width(columns, rating.size) / menu.width),
    )
