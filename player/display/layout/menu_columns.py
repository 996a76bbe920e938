"""Chooses the text size and the columns of a menu; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.scene import MAX_COLUMNS, Division, VerticalAlign
from player.display.layout.columns import MOST_PAGES_GROWN, fill, fits, height_of, opening_block
from player.display.layout.entry import Entry
from player.display.layout.menu_measures import USUAL, Economy, MenuBlock, MenuMeasures, placed, row_steps
from player.display.layout.menu_rating import PRICE_COLUMNS_WORTH, Rating, least_columns, rate_filled, rate_text
from player.display.layout.row import RowCache
from player.display.layout.sizes import LINE, grid_step, largest

ABOVE_SHORT = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: 0.44, VerticalAlign.BOTTOM: 1.0}
"""The share of the room left by a short menu that is above it: a middle looks lower than it is."""
LOAD_GROWTH = 0.6
"""A list's height grows about as a power of its text size; this is the inverse of its exponent."""
ABOUT_AS_LARGE = 0.97
"""The share of the best text size that may be given up for neater columns."""
FEWEST_PAGES = 2
MOST_APART = 6
"""The most steps that are added above a heading to fill a column."""


class LayoutBasis(Struct, frozen=True, kw_only=True):
    """Part of a layout that a changed list keeps, so that as little as possible moves: the text size, the grid, the
    free space above it, and each row's column, counted through all pages. `row_cache` holds its rows, which need not be
    laid out again."""

    size: int
    columns: int
    step: int
    top: float
    column_of: Mapping[str, int] = field(default_factory=dict)
    apart: tuple[int, ...] = ()
    row_cache: RowCache = field(default_factory=dict)
    economy: Economy = USUAL


class FilledColumns(Struct, frozen=True, kw_only=True):
    """A text size and the blocks of each column, counted through all pages."""

    size: int
    columns: int
    step: int
    above: float
    """The room that a short list leaves free above it."""
    filled: tuple[tuple[MenuBlock, ...], ...]
    apart: tuple[int, ...]
    """Further steps above the headings of each column, but for one that opens it."""

    @property
    def shortened(self) -> int:
        """Returns the number of rows and headings that are not whole."""
        return sum(entry.cut for entry in self.entries())

    def entries(self) -> Iterator[Entry]:
        """Yields the rows and headings of all columns."""
        return (entry for column in self.filled for block in column for entry, _ in block.parts)


class ColumnChooser:
    """Chooses text size and columns for one listing."""

    def __init__(self, menu: MenuMeasures, *, align: VerticalAlign) -> None:
        self.menu, self._align = menu, align
        self._texts: dict[tuple[int, int], tuple[Rating, list[int]]] = {}
        self._apart: dict[int, Rating] = {}
        """Ratings of columns in which sections are whole, as they were with sections that are split."""
        prices = menu.row_typesetter.prices
        self._most_listed = sum(bool(row.variants) and prices.may_have_columns(row) for row in menu.rows)

    def choose_columns(self) -> tuple[Rating, FilledColumns]:
        """Returns the best-rated number of columns, or the requested one, and its rating."""
        menu, asked, possible = self.menu, self.menu.asked, self._possible()
        choices = sorted(possible, key=self._promise, reverse=True)
        found: list[tuple[Rating, FilledColumns]] = []
        for columns in choices:
            # What is worth less cannot be about as large as the best.
            least = ABOUT_AS_LARGE * max((one.worth for one, _ in found if not one.overflows), default=0.0)
            rated = self._in_columns(columns, least)
            if rated is not None and (asked or columns == 1 or len(rated[1].filled) >= columns):
                found.append(rated)
        best = max((rating for rating, _ in found), key=Rating.rank)
        chosen = max(
            (one for one in found if one[0].size >= ABOUT_AS_LARGE * best.size and one[0].breaks_no_more_than(best)),
            key=lambda one: one[0].neatness,
        )
        if chosen[0].overflows and menu.explained.legend:
            # A row would lie over it.
            menu.leave_out(replace(menu.explained, legend=()))
            self._texts.clear()
            return self.choose_columns()
        return chosen if asked else self._evened(*chosen)

    def _possible(self) -> list[int]:
        """Returns the numbers of columns to try: the requested one, or each for which the widget is wide enough."""
        asked, smallest = self.menu.asked, self.menu.smallest
        possible = [1, *(n for n in range(2, MAX_COLUMNS + 1) if self._is_wide_enough(n, smallest))]
        return [min(asked, possible[-1])] if asked else possible

    def _in_columns(self, columns: int, least: float) -> tuple[Rating, FilledColumns] | None:
        """Lays out the list in this number of columns, on as few pages as it needs; None if that is worth less than
        `least`."""
        smallest = self.menu.smallest
        floor = self._floor(columns, least)
        if floor is not None and (top := self._search(columns, floor, self.menu.largest)) is not None:
            return self._filled(columns, self._best_rated(columns, floor, top))
        fewest = pages = max(FEWEST_PAGES, self._least_pages(columns))
        above = self._floor(columns, least, pages)
        # Without a `least`, there would be no end of pages where nothing fits.
        while least and above is not None and not self._may_fit(columns, above + 1, pages):
            pages += 1
            above = self._floor(columns, least, pages)
        if above is None:
            return None
        if floor != smallest - 1 and self._suits_at(columns, smallest):
            return None
        most = self.menu.largest
        if pages == fewest <= MOST_PAGES_GROWN and (top := self._search(columns, above, most, pages=pages)):
            return self._filled(columns, self._best_rated(columns, above, top, pages))
        return self._paged(columns, least)

    def _promise(self, columns: int) -> float:
        """Estimates the worth of this number of columns, in a size that about fills them."""
        menu, pages = self.menu, self._least_pages(columns)
        rating, rows = self._text(columns, menu.smallest)
        if pages > MOST_PAGES_GROWN:
            return rating.worth / pages
        room = columns * pages * menu.room(columns, menu.smallest, paged=pages > 1)
        filled = (sum(rows) + menu.economy.row_gap * len(rows)) * grid_step(menu.smallest)
        grown = round(menu.smallest * max(1.0, room / max(1, filled)) ** LOAD_GROWTH)
        return max(rating.worth, self._text(columns, min(grown, menu.largest))[0].worth) / pages

    def _least_pages(self, columns: int) -> int:
        return max(1, math.ceil(self._least_columns(columns, self.menu.smallest, paged=True) / columns))

    def _least_columns(self, columns: int, size: int, *, paged: bool) -> float:
        room = max(1.0, self.menu.room(columns, size, paged=paged) / grid_step(size))
        rows, cut = self._text(columns, size)[1], paged and size == self.menu.smallest
        return least_columns(self.menu, rows, columns, size, room, cut=cut)

    def _text(self, columns: int, size: int) -> tuple[Rating, list[int]]:
        """Returns the rating by names and prices alone, and the least steps that each row takes."""
        key = columns, size
        if key not in self._texts:
            self._texts[key] = rate_text(self.menu, columns, size)
        return self._texts[key]

    def _floor(self, columns: int, least: float, pages: int = 1) -> int | None:
        """Returns the size above which so many columns and pages may be worth as much as `least`; None if they are
        not."""
        size, least = max(self.menu.smallest, math.ceil(least * pages)), least * pages
        while size <= (self.menu.largest if pages <= MOST_PAGES_GROWN else self.menu.smallest):
            rating = self._text(columns, size)[0]
            if rating.worth >= least:
                return size - 1
            # Where columns of prices have no room names have more, and a larger size may break fewer of them.
            has_columns = rating.listed < self._most_listed
            share = max(rating.worth / size, PRICE_COLUMNS_WORTH if has_columns else 0.0)
            size = max(size + 1, math.ceil(least / share))
        return None

    def _best_rated(self, columns: int, floor: int, top: int, pages: int = 1) -> Rating:
        """Returns the best rating of the sizes above `floor`, where the list fits in the `top` one."""
        # A size below the worth of the top one is worth less.
        least = max(floor + 1, math.ceil(ABOUT_AS_LARGE * self._text(columns, top)[0].worth))
        ratings = [self._text(columns, size)[0] for size in range(top, least - 1, -1)]

        def first(ordered: Sequence[Rating]) -> Rating:
            return next(one for one in ordered if one.size == top or self._suits_at(columns, one.size, pages))

        best = first(sorted(ratings, key=lambda one: -one.worth))
        near = [one for one in ratings if one.size >= ABOUT_AS_LARGE * best.size and one.breaks_no_more_than(best)]
        return replace(first(sorted(near, key=lambda one: (one.wrapped, -one.size))), pages=pages)

    def _filled(self, columns: int, rating: Rating) -> tuple[Rating, FilledColumns]:
        """Fills the columns of this rating; with whole sections, if these cost little of its size."""
        menu, pages = self.menu, rating.pages
        if pages <= MOST_PAGES_GROWN and 1 < columns * pages <= len(menu.sections):
            floor = max(menu.smallest, round(0.85 * rating.size)) - 1  # Splitting no section is worth no more.
            if size := self._search(columns, floor, rating.size, pages=pages, whole_sections=True):
                self._apart[columns] = rating
                return self._fill(columns, replace(self._text(columns, size)[0], pages=pages), whole_sections=True)
        return self._fill(columns, rating)

    def _evened(self, rating: Rating, chosen: FilledColumns) -> tuple[Rating, FilledColumns]:
        """Splits sections where whole ones leave a column low and the text smaller; same columns."""
        heights, apart = [height_of(column) for column in chosen.filled], self._apart.get(chosen.columns)
        # Whole sections that leave a column much lower than the highest may cost no more than ABOUT_AS_LARGE.
        if apart is None or min(heights) >= 0.6 * max(heights) or rating.size >= ABOUT_AS_LARGE * apart.size:
            return rating, chosen
        return self._fill(chosen.columns, apart)

    def _fill(self, columns: int, rating: Rating, *, whole_sections: bool = False) -> tuple[Rating, FilledColumns]:
        menu, pages, size = self.menu, rating.pages, rating.size
        room = menu.room(columns, size, paged=pages > 1)
        most = room if pages > 1 else math.inf
        blocks = menu.blocks(columns, size, whole_sections=whole_sections, room=room, most=most)
        division = menu.widget.division
        # Columns that were asked for are there; a category is not taken apart for them where it should be whole.
        spread = menu.widget.columns is not None and division is Division.AUTO and pages == 1
        even = division is not Division.COLUMN_EACH
        filled = fill(blocks, columns=columns, pages=pages, room=room, even=even, spread=spread)
        return self._placed(columns, rating, filled or (), room)

    def _placed(
        self, columns: int, rating: Rating, filled: tuple[tuple[MenuBlock, ...], ...], room: float
    ) -> tuple[Rating, FilledColumns]:
        size = rating.size
        step = self._stretched(filled, room, size)
        free = room - self._lowest(filled, step, size) if rating.pages == 1 else 0.0
        above = float(round(max(0.0, ABOVE_SHORT[self._align] * free)))
        apart = self._apart_in(filled, step, size)
        placed = FilledColumns(size=size, columns=columns, step=step, above=above, filled=filled, apart=apart)
        return rate_filled(rating, self.menu, columns, filled, room), placed

    def _apart_in(self, filled: Sequence[Sequence[MenuBlock]], step: int, size: int) -> tuple[int, ...]:
        """Returns the further steps above the headings of each column, so that all end about as low as the lowest."""
        lowest = self._lowest(filled, step, size)
        headings = [
            sum(entry.kind == "heading" for block in column for entry, _ in block.parts[block is column[0] :])
            for column in filled
        ]
        free = [(lowest - self._lowest([column], step, size)) / step for column in filled]
        return tuple(
            min(MOST_APART, int(steps / count)) if count else 0 for steps, count in zip(free, headings, strict=True)
        )

    def _stretched(self, filled: Sequence[Sequence[MenuBlock]], room: float, size: int) -> int:
        """Returns the largest step of the grid for which there is room; a whole one, so that all rows are on whole
        units."""
        step = grid_step(size)
        return largest(step, int(1.7 * step), lambda wider: self._lowest(filled, wider, size) <= room)

    def _lowest(self, filled: Sequence[Sequence[MenuBlock]], step: int, size: int) -> float:
        """Returns the end of the list, from its top."""
        gap = self.menu.economy.row_gap
        parts = (part for column in filled for part in placed(column, size, step, gap))
        return max((top + entry.height for entry, top in parts), default=0.0)

    def may_fit_one_page(self) -> bool:
        """False where the list is too long for one page by its widths alone."""
        return any(self._may_fit(columns, self.menu.smallest, 1) for columns in self._possible())

    def refill_columns(self, basis: LayoutBasis) -> FilledColumns | None:
        """Fills the same size and columns with a changed list; None when it does not fit them."""
        if (
            not basis.column_of
            or self.menu.column_width(basis.columns, basis.size) < self.menu.least_width * basis.size
        ):
            return None
        columns: list[list[MenuBlock]] = [[] for _ in range(max(basis.column_of.values(), default=0) + 1)]
        paged = len(columns) > basis.columns
        room = self.menu.room(basis.columns, basis.size, paged=paged)
        # Apart: rows that stay together only now would move to another column.
        blocks = self.menu.blocks(basis.columns, basis.size, most=room if paged else math.inf)
        at = next((basis.column_of[block.key] for block in blocks if block.key in basis.column_of), 0)
        for block in blocks:
            wanted = basis.column_of.get(block.key, at)
            if wanted < at:
                return None
            at = wanted
            columns[at].append(block if columns[at] else opening_block(block, at, basis.columns))
        filled = tuple(tuple(column) for column in columns)
        pages = [filled[first : first + basis.columns] for first in range(0, len(filled), basis.columns)]
        if len(pages) > 1 and not all(any(page) for page in pages):
            return None
        if any(height_of(column) > room + 0.5 for column in filled):
            return None
        step = min(basis.step, self._stretched(filled, room, basis.size))
        above = min(basis.top, max(0.0, room - self._lowest(filled, step, basis.size)))
        # What is left of a column never is lower than the whole.
        apart = basis.apart if step == basis.step else self._apart_in(filled, step, basis.size)
        return FilledColumns(size=basis.size, columns=basis.columns, step=step, above=above, filled=filled, apart=apart)

    def _search(
        self, columns: int, floor: int, most: int, *, pages: int = 1, whole_sections: bool = False
    ) -> int | None:
        """Returns the largest size above `floor`, up to `most`, in which the list fits."""

        def suits(size: int) -> bool:
            return self._load(columns, size, pages, whole_sections=whole_sections) <= 1

        low, high = floor, largest(floor, most, lambda size: self._may_fit(columns, size, pages))
        size = high
        while low < high:
            load = self._load(columns, size, pages, whole_sections=whole_sections)
            low, high = (size, high) if load <= 1 else (low, size - 1)
            guess = round(size * load**-LOAD_GROWTH) if 0 < load < math.inf else (low + high + 1) // 2
            size = min(high, max(low + 1, guess))
        # The grid has whole units, and details a least size: a larger size may fit where a smaller one does not.
        for size in range(low + 2, min(most, low + 4) + 1):
            low = size if suits(size) else low
        return low if low > floor else None

    def _suits_at(self, columns: int, size: int, pages: int = 1) -> bool:
        return self._load(columns, size, pages) <= 1

    def _load(self, columns: int, size: int, pages: int, *, whole_sections: bool = False) -> float:
        """Returns the height of the list as a share of that of its columns, at most 1 if it fits in them; infinite
        where it does not, for another reason than its height."""
        room = self.menu.room(columns, size, paged=pages > 1)
        if not (self._may_fit(columns, size, pages) and self.menu.foot(columns, size).whole):
            return math.inf
        blocks = self.menu.blocks(columns, size, whole_sections=whole_sections, room=room)
        load = height_of(blocks) / (columns * pages * room)
        if fits(blocks, columns=columns, pages=pages, room=room):
            return min(1.0, load)
        return load if load > 1 else math.inf

    def _is_wide_enough(self, columns: int, size: int) -> bool:
        return self.menu.column_width(columns, size) >= self.menu.least_width * size or size == 1

    def _may_fit(self, columns: int, size: int, pages: int) -> bool:
        """False where names and descriptions do not fit by their widths alone; saves laying them out."""
        in_all, gap, rows = columns * pages, self.menu.economy.row_gap * grid_step(size), len(self.menu.rows)
        room = in_all * (self.menu.room(columns, size, paged=pages > 1) + gap)
        return (
            self._is_wide_enough(columns, size)
            and rows * (row_steps(LINE * size, grid_step(size)) * grid_step(size) + gap) <= room
            and self._least_columns(columns, size, paged=pages > 1) <= in_all
        )

    def _paged(self, columns: int, least: float) -> tuple[Rating, FilledColumns] | None:
        size = self.menu.smallest
        room = self.menu.room(columns, size, paged=True)
        blocks = self.menu.blocks(columns, size, room=room, most=room)
        if max((block.below(block.again).height for block in blocks), default=0.0) > room:
            # A row is higher than the widget: each gets a column of its own, and the widget's edge cuts it.
            pages = math.ceil(len(blocks) / columns)
            rating = replace(self._text(columns, size)[0], pages=pages, overflows=True)
            return self._placed(columns, rating, tuple((block,) for block in blocks), room)
        pages = max(FEWEST_PAGES, math.ceil(height_of(blocks) / max(1.0, columns * room)))
        while not fits(blocks, columns=columns, pages=pages, room=room):
            pages += 1
        floor = self._floor(columns, least, pages)
        if floor is None:
            return None
        most = self.menu.largest if pages <= MOST_PAGES_GROWN else size
        if top := self._search(columns, floor, most, pages=pages) or (size if floor < size else None):
            return self._filled(columns, self._best_rated(columns, floor, top, pages))
        return None
