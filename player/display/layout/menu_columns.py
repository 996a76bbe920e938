"""Chooses the text size and the columns of a menu; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from player.display.layout.columns import fill, fits, height_of, opening_block, stretch_of
from player.display.layout.menu_measures import (
    COMFORTABLE_COLUMN,
    INTO_GAP,
    ROW_GAP,
    MenuBlock,
    MenuMeasures,
    placed,
)
from player.display.layout.row import RowCache
from player.display.layout.sizes import LINE, grid_step, largest, name_size
from player.domain.documents.scene import VerticalAlign

NARROWEST_COLUMN = 8.0
MOST_STRETCH = 1.3
"""The factor by which the grid may grow where there is room to spare."""
ABOVE_SHORT = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: 0.44, VerticalAlign.BOTTOM: 1.0}
"""The share of the room left by a short menu that is above it: a middle looks lower than it is."""
SIZES_PROBED = 4
"""Sizes beyond the largest that was found, which are tried one by one."""
MOST_COLUMNS = 4
LEAST_GROWTH = 0.4
"""A list grows by at least this share of the growth of its names."""
MOST_PAGES_GROWN = 6
"""With more pages, a half-empty one is no reason to look for the size at which all are full."""
FEWEST_ROWS_PER_COLUMN = 3
MOST_WRAPPED = 0.2
"""The further lines that names may need, for each name of the list, before fewer columns are better, unless these are
comfortable."""
MOST_WRAPPED_PAGED = 0.5
"""The same for a list on several pages: fewer pages are worth further lines."""
WHOLE_WORDS_WORTH = 0.75
"""The least share of the text size to keep for breaking no name inside a word."""
PRICE_COLUMNS_WORTH = 0.6
"""The least share of the text size to keep for the prices of variants in columns."""
WHOLE_SECTIONS_WORTH = 0.85
"""The least share of the text size to keep for splitting no section."""
FEWER_COLUMNS_WORTH = 0.92
"""The least share of the text size to keep for whole sections in fewer columns."""


class LayoutBasis(Struct, frozen=True, kw_only=True):
    """The part of a layout that a changed list keeps, so that as little as possible moves: the text size, the grid,
    what is free above it, and each row's column, counted through all pages. `row_cache` are its rows, which need not be
    laid out again."""

    size: int
    columns: int
    step: int
    top: float
    column_of: Mapping[str, int] = field(default_factory=dict)
    row_cache: RowCache = field(default_factory=dict)


class _Wish(Struct, frozen=True, kw_only=True):
    """The features that a layout should have, even in a smaller size. `forced`: so many columns, however they read."""

    whole_words: bool = False
    price_columns: bool = False
    whole_sections: bool = False
    forced: bool = False
    pages: int = 0
    """On which it stands, numbered; 0 if it shows at once."""


class FilledColumns(Struct, frozen=True, kw_only=True):
    """A text size and the blocks of each column, counted through all pages."""

    size: int
    columns: int
    step: int
    above: float
    """The room that a short list leaves free above it."""
    filled: tuple[tuple[MenuBlock, ...], ...]


class ColumnChooser:
    """Chooses text size and columns for one listing."""

    def __init__(self, menu: MenuMeasures, *, align: VerticalAlign) -> None:
        self._menu, self._align = menu, align

    def choose_columns(self) -> FilledColumns:
        """The largest size at which everything fits, or pages."""
        widget = self._menu.widget
        choices = [1, *(n for n in range(2, MOST_COLUMNS + 1) if self._is_wide_enough(n, self._menu.smallest))]
        if widget.columns:
            choices = [min(widget.columns, choices[-1])]
        wish = _Wish(forced=widget.columns is not None)
        loose = best = self._best(choices, wish)
        if loose is None or best is None:
            return self._paged(choices)
        for wanted, worth in self._wishes(wish):
            strict = self._best(choices, wanted)
            if strict is not None and strict[0] >= worth * loose[0]:
                best, wish = strict, wanted
                break
        _, columns, size = best
        wish, whole = replace(wish, forced=True), replace(wish, forced=True, whole_sections=True)
        whole_floor = max(self._menu.smallest, round(WHOLE_SECTIONS_WORTH * size)) - 1
        if 1 < columns <= len(self._menu.sections) and (found := self._search(columns, whole_floor, size, whole)):
            size, wish = found, whole
            if widget.columns is None:
                columns, size = self._fewest_for_whole_sections(columns, size, wish)
        filled, room = self._filled(columns, size, wish)
        fewer = len(filled)
        # No column stays empty: the others are wider, and the text may be larger.
        may_be_wider = widget.columns is None and 0 < fewer < columns
        if may_be_wider and (found := self._search(fewer, size - 1, self._menu.largest, wish)):
            columns, size = fewer, found
            filled, room = self._filled(columns, size, wish)
        step = self._stretched(filled, room, size)
        above = ABOVE_SHORT[self._align] * (room - self._lowest(filled, step, size))
        return FilledColumns(size=size, columns=columns, step=step, above=float(round(max(0.0, above))), filled=filled)

    def _fewest_for_whole_sections(self, most: int, size: int, wish: _Wish) -> tuple[int, int]:
        """The fewest columns that hold the sections whole and are about as easy to read as so many in this size, and
        their size: names have more room in them, and their feet are nearer to each other."""
        least = max(self._menu.smallest, math.ceil(FEWER_COLUMNS_WORTH * size))
        for columns in range(1, most):
            if not self._suits_at(columns, wish, least):
                continue
            found = self._search(columns, least - 1, self._menu.largest, wish) or least
            if found * self._comfort(columns, found) >= FEWER_COLUMNS_WORTH * size:
                return columns, found
        return most, size

    def _filled(self, columns: int, size: int, wish: _Wish) -> tuple[tuple[tuple[MenuBlock, ...], ...], float]:
        """The list in columns at this size, and how high they may be."""
        room = self._menu.room(columns, size, paged=False)
        blocks = self._menu.blocks(columns, size, whole_sections=wish.whole_sections, together=room)
        return fill(blocks, columns=columns, room=room) or (), room

    def _stretched(self, filled: Sequence[Sequence[MenuBlock]], room: float, size: int) -> int:
        """The step of the grid as large as there is room for; a whole one, so that all rows are on whole units."""
        step = grid_step(size)
        return int(step * stretch_of(filled, room, MOST_STRETCH) + 0.001)

    @staticmethod
    def _lowest(filled: Sequence[Sequence[MenuBlock]], step: int, size: int) -> float:
        """Where the list ends, from its top."""
        parts = (part for column in filled for part in placed(column, size, step))
        return max((top + entry.height for entry, top in parts), default=0.0)

    def _wishes(self, wish: _Wish) -> Iterator[tuple[_Wish, float]]:
        """The features that a layout may have for a smaller size, the best first, and the share of the size to keep for
        each."""
        if self._menu.has_price_columns:
            yield replace(wish, whole_words=True, price_columns=True), PRICE_COLUMNS_WORTH
            yield replace(wish, price_columns=True), PRICE_COLUMNS_WORTH
        yield replace(wish, whole_words=True), WHOLE_WORDS_WORTH

    def _best(self, choices: Sequence[int], wish: _Wish) -> tuple[float, int, int] | None:
        best: tuple[float, int, int] | None = None
        for columns in choices:
            # Comfort is at most 1: a size that is not above the best worth so far need not be tried.
            floor = self._menu.smallest - 1 if best is None else max(self._menu.smallest - 1, int(best[0]))
            size = self._search(columns, floor, self._menu.largest, wish)
            if size is not None and (best is None or size * self._comfort(columns, size) > best[0]):
                best = (size * self._comfort(columns, size), columns, size)
        return best

    def refill_columns(self, basis: LayoutBasis) -> FilledColumns | None:
        """The same size and columns for a changed list; None when it does not fit them."""
        if (
            not basis.column_of
            or self._menu.column_width(basis.columns, basis.size) < self._menu.least_width * basis.size
        ):
            return None
        columns: list[list[MenuBlock]] = [[] for _ in range(max(basis.column_of.values(), default=0) + 1)]
        paged = len(columns) > basis.columns
        room = self._menu.room(basis.columns, basis.size, paged=paged)
        # Apart: rows that stay together only now would move to another column.
        blocks = self._menu.blocks(basis.columns, basis.size, most=room if paged else math.inf)
        at = next((basis.column_of[block.key] for block in blocks if block.key in basis.column_of), 0)
        for block in blocks:
            wanted = basis.column_of.get(block.key, at)
            if wanted < at:
                return None
            at = wanted
            columns[at].append(block if columns[at] else opening_block(block, at))
        filled = tuple(tuple(column) for column in columns)
        pages = [filled[first : first + basis.columns] for first in range(0, len(filled), basis.columns)]
        if len(pages) > 1 and not all(any(page) for page in pages):
            return None
        if any(height_of(column) > room + 0.5 for column in filled):
            return None
        step = min(basis.step, self._stretched(filled, room, basis.size))
        above = min(basis.top, max(0.0, room - self._lowest(filled, step, basis.size)))
        return FilledColumns(size=basis.size, columns=basis.columns, step=step, above=above, filled=filled)

    def _search(self, columns: int, floor: int, most: int, wish: _Wish) -> int | None:
        suits = partial(self._suits_at, columns, wish)
        low = largest(floor, most, suits)
        # The grid has whole units, and details a least size: a larger size may fit where a smaller one does not.
        for size in range(low + 2, min(most, low + SIZES_PROBED) + 1):
            low = size if suits(size) else low
        return low if low > floor else None

    def _suits_at(self, columns: int, wish: _Wish, size: int) -> bool:
        width, in_all = self._menu.column_width(columns, size), columns * max(1, wish.pages)
        room = self._menu.room(columns, size, paged=wish.pages > 0)
        return (
            self._may_fit(in_all, size, room)
            and self._is_wide_enough(columns, size)
            and self._menu.foot(columns, size).whole
            and (wish.forced or columns == 1 or self._suits(width, size, columns))
            and (not wish.price_columns or self._menu.row_typesetter.prices.stand_in_columns(width, size))
            and (not wish.whole_words or self._breaks_no_word(width, size))
            and fits(
                self._menu.blocks(columns, size, whole_sections=wish.whole_sections, together=room),
                columns=in_all,
                room=room,
            )
        )

    def _is_wide_enough(self, columns: int, size: int) -> bool:
        return self._menu.column_width(columns, size) >= self._menu.least_width * size or size == 1

    def _may_fit(self, columns: int, size: int, room: float) -> bool:
        """False when even the names in one line each do not fit; saves laying them out."""
        rows = len(self._menu.rows)
        least = rows * (LINE * size - INTO_GAP * grid_step(size)) + (rows - columns) * ROW_GAP * grid_step(size)
        return least <= columns * room

    def _breaks_no_word(self, width: float, size: int) -> bool:
        measurer = self._menu.measurers.name
        return all(
            measurer.width(row.name) * name_size(row, size)
            <= (free := self._menu.row_typesetter.name_width(row, width, size))
            or measurer.widest_piece(row.name) * name_size(row, size) <= free
            for row in self._menu.rows
        )

    def _suits(self, width: float, size: int, columns: int, most_wrapped: float = MOST_WRAPPED) -> bool:
        if width < NARROWEST_COLUMN * size or len(self._menu.rows) < FEWEST_ROWS_PER_COLUMN * columns:
            return False
        if width >= COMFORTABLE_COLUMN * size:
            return True
        further_lines = sum(
            (self._menu.measurers.name.width(row.name) * name_size(row, size) - 0.5)
            // self._menu.row_typesetter.name_width(row, width, size)
            for row in self._menu.rows
        )
        return further_lines <= most_wrapped * len(self._menu.rows)

    def _comfort(self, columns: int, size: int) -> float:
        width = self._menu.column_width(columns, size) / size
        return 1.0 if width <= self._menu.comfortable else float((self._menu.comfortable / width) ** 0.5)

    def _paged(self, choices: Sequence[int]) -> FilledColumns:
        size = self._menu.smallest
        # Fewer pages are worth some second lines.
        fitting = [
            n for n in choices if n == 1 or self._suits(self._menu.column_width(n, size), size, n, MOST_WRAPPED_PAGED)
        ]
        in_columns = [
            n
            for n in fitting
            if self._menu.row_typesetter.prices.stand_in_columns(self._menu.column_width(n, size), size)
        ]
        fitting = in_columns or fitting
        columns = min(fitting, key=partial(self._pages_at_least, size)) if len(choices) > 1 else choices[0]
        room = self._menu.room(columns, size, paged=True)
        blocks = self._menu.blocks(columns, size, together=room, most=room)
        if max((block.opening().height for block in blocks), default=0.0) > room:
            if self._menu.explained.legend:
                # The row would lie over it.
                self._menu.leave_out(replace(self._menu.explained, legend=()))
                return self._paged(choices)
            # A row is higher than the widget: each gets a column of its own, and the widget's edge cuts it.
            filled: tuple[tuple[MenuBlock, ...], ...] = tuple((block,) for block in blocks)
        else:
            pages = next(n for n in range(1, len(blocks) + 2) if fits(blocks, columns=columns * n, room=room))
            if pages <= MOST_PAGES_GROWN:
                size = self._grown(columns, pages, sum(block.height + block.gap for block in blocks))
                room = self._menu.room(columns, size, paged=True)
                blocks = self._menu.blocks(columns, size, together=room, most=room)
            filled = fill(blocks, columns=columns * pages, room=room) or ()
        return FilledColumns(
            size=size, columns=columns, step=self._stretched(filled, room, size), above=0.0, filled=filled
        )

    def _grown(self, columns: int, pages: int, height: float) -> int:
        """The largest size at which these pages are enough; the list has this height in the smallest."""
        low = high = self._menu.smallest
        while high < self._menu.largest:
            # Details may keep their size, so the list grows by less than its names do.
            least = height * (1 + LEAST_GROWTH * (high + 1 - low) / low)
            if least > columns * pages * self._menu.room(columns, high + 1, paged=True):
                break
            high += 1
        width = self._menu.column_width(columns, low)
        wish = _Wish(
            whole_words=self._breaks_no_word(width, low),
            price_columns=self._menu.row_typesetter.prices.stand_in_columns(width, low),
            forced=True,
            pages=pages,
        )
        return largest(low, high, partial(self._suits_at, columns, wish))

    def _pages_at_least(self, size: int, columns: int) -> int:
        blocks = self._menu.blocks(columns, size)
        room = self._menu.room(columns, size, paged=True)
        return math.ceil(sum(block.height + block.gap for block in blocks) / max(1.0, columns * room))
