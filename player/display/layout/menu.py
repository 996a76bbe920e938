"""Lays out a menu widget: one text size, columns, pages; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from player.display.layout.columns import Block, fill, fits, height_of, last_top, opening_block, stretch_of, tops
from player.display.layout.energy import sections_with_energy
from player.display.layout.entry import Entry, EntryKind, ListLayout
from player.display.layout.foot import Foot, set_foot
from player.display.layout.measuring import TextMeasurers
from player.display.layout.row import RowCache, RowTypesetter
from player.display.layout.runs import Ink, Line, Run
from player.display.layout.sizes import LINE, RULE, least_size, name_size
from player.display.layout.variants import NAME_BESIDE_COLUMNS
from player.domain.documents.scene import Box, MenuWidget, VerticalAlign
from player.domain.menu.energy import is_declared_large
from player.domain.view import Locality, MenuListing, MenuSection
from player.domain.words.wording import capitals

# Everything below is in ems: multiples of the widget's one text size.
HEADING_SIZE = 0.72
HEADING_BASELINE = 0.76
TITLE_SIZE = 1.7
TITLE_LINE = 2.0
TITLE_BASELINE = 1.5
TITLE_AFTER = 1.0
"""Between the title and the list: holds the accent bar."""
STEP = 0.42
"""The grid on which the rows of all columns stand: a third of a name's line."""
ROW_GAP, SECTION_GAP, HEADING_LINE, HEADING_GAP = 1, 3, 2, 1
"""In steps."""
INTO_GAP = 0.15
"""In steps: by so little a row may be higher than its steps."""
GUTTER = 2.0
MARK_HEIGHT = 1.1
"""The page number at the foot of a widget with pages."""
LABELS_LINE = 2
"""Sizes of the names of variants, where they do not fit beside the heading; in steps."""
HEADING_SPACE = 0.5
"""Between a heading, its hairline and the names of variants."""
PAGE_BASELINE = 0.14
"""From the page number's baseline to the widget's foot."""
LEGEND_GAP, RULE_BEFORE = 0.8, 0.2
"""Between the list and the legend's first line, and between the hairline in that space and that line."""
RULE_ABOVE = 0.27
"""From a heading's baseline up to its hairline."""
BAR_BEFORE, BAR_WIDTH, BAR_HEIGHT = 0.55, 1.9, 0.1
"""The accent bar below the title's baseline."""
NARROWEST_COLUMN = 8.0
ROOMY_COLUMN, WIDEST_LED = 24.0, 32.0
"""A wider column would part names from their prices: the rest stays free, half of it on each side. Leaders and long
names allow more."""
COMFORTABLE_COLUMN = 16.0
"""In a wider column, or with leaders one wider than ROOMY_COLUMN, prices are harder to read: another column is worth
a smaller size."""
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
MOST_ALONE = 3
"""A section of no more rows stays whole; of a longer one, no row is alone under its heading or at its end."""
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
MOST_LEGEND, MOST_LEGEND_AT_LEAST_SIZE = 0.35, 0.5
"""The share of a widget's height that its legend may take, and that which it may take in the smallest text size; a
longer one ends in an ellipsis."""
PANEL_PADDING = 0.05
LEAST_PANEL_PADDING, MOST_PANEL_PADDING = 16.0, 56.0


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


class MenuLayout(ListLayout, frozen=True, kw_only=True):
    """The layout of a menu widget."""

    padding: float
    top: float
    """Top of the title, or of the list without one."""
    basis: LayoutBasis


def lay_out_menu(
    widget: MenuWidget,
    listing: MenuListing,
    *,
    measurers: TextMeasurers,
    scale: float = 1.0,
    with_panel: bool = False,
    locality: Locality,
    second: Locality | None = None,
    sold_out: str = "",
    basis: LayoutBasis | None = None,
    is_portion: bool = False,
    align: VerticalAlign = VerticalAlign.TOP,
) -> MenuLayout:
    """Lay out a listing in its widget.

    All rows have one text size: the largest, within the widget's bounds, at which everything fits; those in a `second`
    language are in proportion. Rows that do not fit even at the smallest go on further pages. With `basis`, size and
    columns stay as long as the list fits. `sold_out` is the tag of a sold-out row. A portion of a longer list has the
    smallest size, as that list's other portions. `align` says where in its widget a short list stands.
    """
    typesetter = _MenuTypesetter(
        widget,
        listing,
        measurers,
        scale,
        with_panel=with_panel,
        locality=locality,
        second=second,
        sold_out=sold_out,
        row_cache=basis.row_cache if basis is not None else {},
        is_portion=is_portion,
        align=align,
    )
    kept = typesetter.refill_columns(basis) if basis is not None else None
    layout = typesetter.build(kept or typesetter.choose_columns(), refitted=kept is None)
    return layout.mirrored(widget.box.width) if locality.right_to_left else layout


class _Heading(Struct, frozen=True, kw_only=True):
    """A section's heading, before it is placed."""

    text: str
    short: str
    """In the first language alone, for where both do not fit."""
    labels: tuple[Run, ...]
    own_line: bool
    """Whether the labels stand below the text."""


class _Wish(Struct, frozen=True, kw_only=True):
    """The features that a layout should have, even in a smaller size."""

    whole_words: bool
    price_columns: bool


_NO_WISH = _Wish(whole_words=False, price_columns=False)
_MenuBlock = Block[Entry | _Heading]
"""Rows, with the headings above them."""


class _FilledColumns(Struct, frozen=True, kw_only=True):
    """A text size and the blocks of each column, counted through all pages."""

    size: int
    columns: int
    step: int
    above: float
    """The room that a short list leaves free above it."""
    filled: tuple[tuple[_MenuBlock, ...], ...]


class _MenuTypesetter:
    """Chooses text size and columns for one listing, then builds the layout."""

    def __init__(
        self,
        widget: MenuWidget,
        listing: MenuListing,
        measurers: TextMeasurers,
        scale: float,
        *,
        with_panel: bool,
        locality: Locality,
        second: Locality | None,
        sold_out: str,
        row_cache: RowCache,
        is_portion: bool,
        align: VerticalAlign,
    ) -> None:
        self._widget = widget
        self._is_portion = is_portion
        self._align = align
        self._measurers = measurers
        box = widget.box
        self._padding = (
            min(max(PANEL_PADDING * min(box.width, box.height), LEAST_PANEL_PADDING), MOST_PANEL_PADDING)
            if with_panel
            else 0.0
        )
        self._width = max(1.0, box.width - 2 * self._padding)
        self._height = max(1.0, box.height - 2 * self._padding)
        self._sections = sections_with_energy([section for section in listing.sections if section.rows], locality)
        self._large_note = is_declared_large(locality.law)
        self._rows = [row for section in self._sections for row in section.rows]
        self._smallest = least_size(widget.min_text_size * scale, self._rows)
        self._largest = round(widget.max_text_size * scale)
        self._locale = locality.locale
        self._right_to_left = locality.right_to_left
        self._title_width = measurers.title.width(widget.title) if widget.title else 0.0
        self._row_typesetter = RowTypesetter(
            widget,
            self._sections,
            measurers,
            locality=locality,
            second=second,
            least_size=widget.min_text_size * scale,
            sold_out=sold_out,
            cache=row_cache,
        )
        self._least_width = self._row_typesetter.least_width()
        self._smallest = min(self._smallest, max(1, int(self._width / self._least_width)))
        self._largest = max(self._smallest, self._largest)
        longest = max((self._row_typesetter.natural_width(row) for row in self._rows), default=0.0)
        prices = self._row_typesetter.prices.widest_columns()
        self._has_price_columns = prices > 0
        self._comfortable = max(ROOMY_COLUMN if widget.leader else COMFORTABLE_COLUMN, prices + NAME_BESIDE_COLUMNS)
        led = WIDEST_LED if widget.leader else min(longest, WIDEST_LED)
        self._widest_column = max(ROOMY_COLUMN, led, self._least_width)
        self._explained = listing
        self._left_out = False
        """Whether there is no room for some of its explanations."""
        self._feet: dict[tuple[int, int], Foot] = {}
        # Allergens come first: the law asks for them.
        if listing.icons and (self._lacks_room() or not self._foot(1, self._smallest).icons.whole):
            self._leave_out(replace(listing, icons=()))
        if listing.legend and self._lacks_room():
            self._leave_out(replace(self._explained, legend=()))

    # -- choosing size and columns

    def choose_columns(self) -> _FilledColumns:
        widget = self._widget
        choices = [1, *(n for n in range(2, MOST_COLUMNS + 1) if self._is_wide_enough(n, self._smallest))]
        if widget.columns:
            choices = [min(widget.columns, choices[-1])]
        loose = None if self._is_portion else self._best(choices, _NO_WISH)
        if loose is None:
            return self._paged(choices)
        best, wish = loose, _NO_WISH
        for wanted, worth in self._wishes():
            strict = self._best(choices, wanted)
            if strict is not None and strict[0] >= worth * loose[0]:
                best, wish = strict, wanted
                break
        _, columns, size = best
        whole_floor = max(self._smallest, round(WHOLE_SECTIONS_WORTH * size)) - 1
        whole = (
            self._search(columns, whole_floor, size, wish, forced=True, whole_sections=True)
            if 1 < columns <= len(self._sections)
            else None
        )
        size = whole or size
        if whole is not None and widget.columns is None:
            columns, size = self._fewest_for_whole_sections(columns, size, wish)
        filled, room = self._filled(columns, size, whole_sections=whole is not None)
        if widget.columns is None and 0 < len(filled) < columns:
            # No column stays empty: the others are wider, and the text may be larger.
            fewer = len(filled)
            found = self._search(fewer, size - 1, self._largest, wish, forced=True, whole_sections=whole is not None)
            if found is not None:
                columns, size = fewer, found
                filled, room = self._filled(columns, size, whole_sections=whole is not None)
        step = self._stretched(filled, room, size)
        above = ABOVE_SHORT[self._align] * (room - self._lowest(filled, step, size))
        return _FilledColumns(size=size, columns=columns, step=step, above=float(round(max(0.0, above))), filled=filled)

    def _fewest_for_whole_sections(self, most: int, size: int, wish: _Wish) -> tuple[int, int]:
        """The fewest columns that hold the sections whole and are about as easy to read as so many in this size, and
        their size: names have more room in them, and their feet are nearer to each other."""
        least = max(self._smallest, math.ceil(FEWER_COLUMNS_WORTH * size))
        for columns in range(1, most):
            if not self._suits_at(columns, wish, least, forced=True, whole_sections=True):
                continue
            found = self._search(columns, least - 1, self._largest, wish, forced=True, whole_sections=True) or least
            if found * self._comfort(columns, found) >= FEWER_COLUMNS_WORTH * size:
                return columns, found
        return most, size

    def _filled(
        self, columns: int, size: int, *, whole_sections: bool
    ) -> tuple[tuple[tuple[_MenuBlock, ...], ...], float]:
        """The list in columns at this size, and how high they may be."""
        room = self._room(columns, size, paged=False)
        blocks = self._blocks(columns, size, whole_sections=whole_sections, together=room)
        return fill(blocks, columns=columns, room=room) or (), room

    def _stretched(self, filled: Sequence[Sequence[_MenuBlock]], room: float, size: int) -> int:
        """The step of the grid as large as there is room for; a whole one, so that all rows are on whole units."""
        step = _step(size)
        return int(step * stretch_of(filled, room, MOST_STRETCH) + 0.001)

    @staticmethod
    def _lowest(filled: Sequence[Sequence[_MenuBlock]], step: int, size: int) -> float:
        """Where the list ends, from its top."""
        stretch = step / _step(size)
        return max((top * stretch + height for top, height in map(last_top, filled)), default=0.0)

    def _wishes(self) -> Iterator[tuple[_Wish, float]]:
        """The features that a layout may have for a smaller size, the best first, and the share of the size to keep for
        each."""
        if self._has_price_columns:
            yield _Wish(whole_words=True, price_columns=True), PRICE_COLUMNS_WORTH
            yield _Wish(whole_words=False, price_columns=True), PRICE_COLUMNS_WORTH
        yield _Wish(whole_words=True, price_columns=False), WHOLE_WORDS_WORTH

    def _best(self, choices: Sequence[int], wish: _Wish) -> tuple[float, int, int] | None:
        forced = self._widget.columns is not None
        best: tuple[float, int, int] | None = None
        for columns in choices:
            # Comfort is at most 1: a size that is not above the best worth so far need not be tried.
            floor = self._smallest - 1 if best is None else max(self._smallest - 1, int(best[0]))
            size = self._search(columns, floor, self._largest, wish, forced=forced)
            if size is not None and (best is None or size * self._comfort(columns, size) > best[0]):
                best = (size * self._comfort(columns, size), columns, size)
        return best

    def refill_columns(self, basis: LayoutBasis) -> _FilledColumns | None:
        """The same size and columns for a changed list; None when it does not fit them."""
        if not basis.column_of or self._column_width(basis.columns, basis.size) < self._least_width * basis.size:
            return None
        columns: list[list[_MenuBlock]] = [[] for _ in range(max(basis.column_of.values(), default=0) + 1)]
        paged = self._is_portion or len(columns) > basis.columns
        room = self._room(basis.columns, basis.size, paged=paged)
        # Apart: rows that stay together only now would move to another column.
        blocks = self._blocks(basis.columns, basis.size, most=room if paged else math.inf)
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
        return _FilledColumns(size=basis.size, columns=basis.columns, step=step, above=above, filled=filled)

    def _search(
        self, columns: int, floor: int, most: int, wish: _Wish, *, forced: bool, whole_sections: bool = False
    ) -> int | None:
        suits = partial(self._suits_at, columns, wish, forced=forced, whole_sections=whole_sections)
        low, high = floor, most
        while low < high:
            size = (low + high + 1) // 2
            if suits(size):
                low = size
            else:
                high = size - 1
        # The grid has whole units, and details a least size: a larger size may fit where a smaller one does not.
        for size in range(low + 2, min(most, low + SIZES_PROBED) + 1):
            low = size if suits(size) else low
        return low if low > floor else None

    def _suits_at(self, columns: int, wish: _Wish, size: int, *, forced: bool, whole_sections: bool) -> bool:
        width = self._column_width(columns, size)
        return (
            self._may_fit(columns, size)
            and self._is_wide_enough(columns, size)
            and self._foot(columns, size).whole
            and (forced or columns == 1 or self._suits(width, size, columns))
            and (not wish.price_columns or self._row_typesetter.prices.stand_in_columns(width, size))
            and (not wish.whole_words or self._breaks_no_word(width, size))
            and fits(
                self._blocks(
                    columns,
                    size,
                    whole_sections=whole_sections,
                    together=(room := self._room(columns, size, paged=False)),
                ),
                columns=columns,
                room=room,
            )
        )

    def _is_wide_enough(self, columns: int, size: int) -> bool:
        return self._column_width(columns, size) >= self._least_width * size or size == 1

    def _may_fit(self, columns: int, size: int) -> bool:
        """False when even the names in one line each do not fit; saves laying them out."""
        rows = len(self._rows)
        least = rows * (LINE * size - INTO_GAP * _step(size)) + (rows - columns) * ROW_GAP * _step(size)
        return least <= columns * self._room(columns, size, paged=False)

    def _breaks_no_word(self, width: float, size: int) -> bool:
        measurer = self._measurers.name
        return all(
            measurer.width(row.name) * name_size(row, size)
            <= (free := self._row_typesetter.name_width(row, width, size))
            or measurer.widest_piece(row.name) * name_size(row, size) <= free
            for row in self._rows
        )

    def _suits(self, width: float, size: int, columns: int, most_wrapped: float = MOST_WRAPPED) -> bool:
        if width < NARROWEST_COLUMN * size or len(self._rows) < FEWEST_ROWS_PER_COLUMN * columns:
            return False
        if width >= COMFORTABLE_COLUMN * size:
            return True
        further_lines = sum(
            (self._measurers.name.width(row.name) * name_size(row, size) - 0.5)
            // self._row_typesetter.name_width(row, width, size)
            for row in self._rows
        )
        return further_lines <= most_wrapped * len(self._rows)

    def _comfort(self, columns: int, size: int) -> float:
        width = self._column_width(columns, size) / size
        return 1.0 if width <= self._comfortable else float((self._comfortable / width) ** 0.5)

    def _paged(self, choices: Sequence[int]) -> _FilledColumns:
        size = self._smallest
        # Fewer pages are worth some second lines.
        fitting = [
            n for n in choices if n == 1 or self._suits(self._column_width(n, size), size, n, MOST_WRAPPED_PAGED)
        ]
        in_columns = [
            n for n in fitting if self._row_typesetter.prices.stand_in_columns(self._column_width(n, size), size)
        ]
        fitting = in_columns or fitting
        columns = min(fitting, key=partial(self._pages_at_least, size)) if len(choices) > 1 else choices[0]
        room = self._room(columns, size, paged=True)
        blocks = self._blocks(columns, size, together=room, most=room)
        if max((block.opening().height for block in blocks), default=0.0) > room:
            if self._explained.legend:
                # The row would lie over it.
                self._leave_out(replace(self._explained, legend=()))
                return self._paged(choices)
            # A row is higher than the widget: each gets a column of its own, and the widget's edge cuts it.
            filled: tuple[tuple[_MenuBlock, ...], ...] = tuple((block,) for block in blocks)
        else:
            pages = next(n for n in range(1, len(blocks) + 2) if fits(blocks, columns=columns * n, room=room))
            if not self._is_portion and pages <= MOST_PAGES_GROWN:
                size = self._grown(columns, pages, sum(block.height + block.gap for block in blocks))
                room = self._room(columns, size, paged=True)
                blocks = self._blocks(columns, size, together=room, most=room)
            filled = fill(blocks, columns=columns * pages, room=room) or ()
        return _FilledColumns(
            size=size, columns=columns, step=self._stretched(filled, room, size), above=0.0, filled=filled
        )

    def _grown(self, columns: int, pages: int, height: float) -> int:
        """The largest size at which these pages are enough; the list has this height in the smallest."""
        low = high = self._smallest
        while high < self._largest:
            # Details may keep their size, so the list grows by less than its names do.
            least = height * (1 + LEAST_GROWTH * (high + 1 - low) / low)
            if least > columns * pages * self._room(columns, high + 1, paged=True):
                break
            high += 1
        width = self._column_width(columns, low)
        whole_words = self._breaks_no_word(width, low)
        in_columns = self._row_typesetter.prices.stand_in_columns(width, low)
        while low < high:
            size = (low + high + 1) // 2
            width, room = self._column_width(columns, size), self._room(columns, size, paged=True)
            if (
                self._is_wide_enough(columns, size)
                and self._foot(columns, size).whole
                and (not whole_words or self._breaks_no_word(width, size))
                and (not in_columns or self._row_typesetter.prices.stand_in_columns(width, size))
                and fits(self._blocks(columns, size, together=room), columns=columns * pages, room=room)
            ):
                low = size
            else:
                high = size - 1
        return low

    def _pages_at_least(self, size: int, columns: int) -> int:
        blocks = self._blocks(columns, size)
        room = self._room(columns, size, paged=True)
        return math.ceil(sum(block.height + block.gap for block in blocks) / max(1.0, columns * room))

    # -- measurements at one size, in canvas units

    def _room(self, columns: int, size: int, *, paged: bool) -> float:
        title = (TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0
        explained = self._foot(columns, size).height
        foot = LEGEND_GAP * size + explained if explained else 0.0
        return self._height - title - foot - (MARK_HEIGHT * size if paged else 0.0)

    def _leave_out(self, explained: MenuListing) -> None:
        """Explain no more than this listing does."""
        self._explained, self._left_out = explained, True
        self._feet.clear()

    def _lacks_room(self) -> bool:
        """Whether not even a row fits above the foot."""
        return self._room(1, self._smallest, paged=True) < self._least_height()

    def _least_height(self) -> float:
        """Height of a row with its heading, in the smallest size."""
        headed = any(section.heading for section in self._sections)
        above = (HEADING_LINE + HEADING_GAP) * _step(self._smallest) if headed else 0.0
        return LINE * self._smallest + above

    def _foot(self, columns: int, size: int) -> Foot:
        if (columns, size) not in self._feet:
            share = MOST_LEGEND if size > self._smallest else MOST_LEGEND_AT_LEAST_SIZE
            detail = self._row_typesetter.detail_size(size)
            self._feet[columns, size] = set_foot(
                self._explained,
                measurers=self._measurers,
                width=self._list_width(columns, size),
                most=share * self._height,
                most_note=MOST_LEGEND_AT_LEAST_SIZE * self._height,
                note_size=size if self._large_note else detail,
                legend_size=detail,
                right_to_left=self._right_to_left,
            )
        return self._feet[columns, size]

    def _list_width(self, columns: int, size: int) -> float:
        """Width of the columns with the gutters between them, or of the title where that is wider."""
        title = self._title_width * self._title_size(size)
        wanted = columns * self._column_width(columns, size) + (columns - 1) * GUTTER * size
        return min(self._width, max(wanted, title))

    def _column_width(self, columns: int, size: int) -> float:
        width = (self._width - (columns - 1) * GUTTER * size) / columns
        if width <= ROOMY_COLUMN * size:
            return max(float(size), width)
        return min(width, self._widest_column * size)

    def _blocks(
        self,
        columns: int,
        size: int,
        *,
        whole_sections: bool = False,
        together: float = 0.0,
        most: float = math.inf,
    ) -> list[_MenuBlock]:
        """The blocks of the list. Of a row that is higher than `most`, its heading included, some is left out. A
        section's first rows stay together, and its last, so that none is alone; in the smallest size only where they
        are no higher than `together`."""
        blocks: list[_MenuBlock] = []
        width, step = self._column_width(columns, size), _step(size)
        for section in self._sections:
            heading, above = self._heading(section, width, size), 0.0
            head: _MenuBlock | None = None
            if heading is not None:
                head = Block.single("", SECTION_GAP * step, self._heading_height(heading, size), heading)
                above = head.height + HEADING_GAP * step
            rows: list[_MenuBlock] = []
            for number, row in enumerate(section.rows):
                geometry = self._row_typesetter.lay_out(row, width, size, height=most - above)
                height = max(1, math.ceil(geometry.height / step - INTO_GAP)) * step
                rows.append(
                    Block.single(
                        row.item_id,
                        (ROW_GAP if number else SECTION_GAP) * step,
                        min(height, max(most - above, geometry.height)),
                        geometry,
                        again=head,
                        again_gap=HEADING_GAP * step,
                    )
                )
            groups: list[list[_MenuBlock]] = [rows] if whole_sections else [[row] for row in rows]
            if head is not None and together and not whole_sections and len(self._rows) >= MOST_ALONE * columns:
                paired = [rows] if len(rows) <= MOST_ALONE else [rows[:2], *([row] for row in rows[2:-2]), rows[-2:]]
                if size > self._smallest or max(height_of(group) for group in paired) + above <= together:
                    groups = paired
            section_blocks = [group[0] if len(group) == 1 else Block.joined(group) for group in groups]
            blocks += [replace(section_blocks[0].opening(), again=None), *section_blocks[1:]]
        return blocks

    def _heading(self, section: MenuSection, width: float, size: int) -> _Heading | None:
        columns = self._row_typesetter.prices.columns_of(section.rows, width, size)
        labels = (
            columns.labels(width, size, self._row_typesetter.detail_size(size), self._measurers)
            if columns is not None
            else ()
        )
        if not labels:
            return self._named(section, (), own_line=False) if section.heading else None
        text_width = self._measurers.heading.width(capitals(section.heading, self._locale)) * HEADING_SIZE * size
        free = labels[0].x - (text_width + HEADING_SPACE * size if section.heading else 0.0)
        return self._named(section, labels, own_line=free < 0)

    @staticmethod
    def _named(section: MenuSection, labels: tuple[Run, ...], *, own_line: bool) -> _Heading:
        short = section.short or section.heading
        return _Heading(text=section.heading, short=short, labels=labels, own_line=own_line)

    @staticmethod
    def _heading_height(heading: _Heading, size: int) -> float:
        return (HEADING_LINE + (LABELS_LINE if heading.own_line else 0)) * _step(size)

    # -- positions

    def build(self, chosen: _FilledColumns, *, refitted: bool) -> MenuLayout:
        size, columns = chosen.size, chosen.columns
        column_width, list_width = self._column_width(columns, size), self._list_width(columns, size)
        # The title is above the columns' beginning, whichever is wider.
        left = self._padding + (self._width - list_width) / 2
        top = self._padding + chosen.above
        list_top = top + ((TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0)
        stretch = chosen.step / _step(size)
        entries: dict[EntryKind, list[Entry]] = {EntryKind.HEADING: [], EntryKind.ROW: []}
        column_of: dict[str, int] = {}
        seen: Counter[str] = Counter()
        pages = max(1, -(-len(chosen.filled) // columns))
        for number, column in enumerate(chosen.filled):
            page, x = number // columns, left + (number % columns) * (column_width + GUTTER * size)
            for part, part_top in tops(column):
                if isinstance(part, Entry):
                    column_of[part.key] = number
                    entry = part
                else:
                    seen[part.text] += 1
                    entry = self._place_heading(f"{part.text}/{seen[part.text]}", part, column_width, size)
                entries[entry.kind].append(replace(entry, page=page, x=x, y=list_top + part_top * stretch))
        rows = entries[EntryKind.ROW]
        title = self._title(left, top, list_width, size)
        foot, page_mark = self._foot(columns, size), MARK_HEIGHT * size if self._is_portion or pages > 1 else 0.0
        bottom = self._widget.box.height - self._padding
        names = {row.item_id: row.name for row in self._rows}
        return MenuLayout(
            size=size,
            detail_size=self._row_typesetter.detail_size(size),
            badge_size=self._row_typesetter.badge_size(size),
            padding=self._padding,
            title=title,
            bar=Box(x=left, y=title.y + BAR_BEFORE * size, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
            if title is not None
            else None,
            entries=(*entries[EntryKind.HEADING], *rows),
            top=top,
            left=left,
            width=list_width,
            pages=pages,
            page_baseline=bottom - PAGE_BASELINE * size,
            basis=LayoutBasis(
                size=size,
                columns=columns,
                step=chosen.step,
                top=chosen.above,
                column_of=column_of,
                row_cache=self._row_typesetter.cached(column_width, size),
            ),
            overflows=any(row.y + row.height > self._widget.box.height for row in rows),
            cut=tuple(names[row.key] for row in rows if row.cut),
            foot=foot.placed(
                left,
                list_width,
                bottom - page_mark,
                apart=RULE_BEFORE,
                size=size,
                large=self._large_note,
                right_to_left=self._right_to_left,
            ),
            legend_cut=self._left_out or not foot.whole,
            refitted=refitted,
        )

    def _place_heading(self, key: str, heading: _Heading, width: float, size: int) -> Entry:
        measurer, own = self._measurers.heading, max(1, round(HEADING_SIZE * size))
        text = capitals(heading.text, self._locale)
        if measurer.width(text) * HEADING_SIZE * size > width:
            text = capitals(heading.short, self._locale)
        shown = measurer.lines(text, width / (HEADING_SIZE * size), 1)[0] if text else ""
        space, baseline = HEADING_SPACE * size, HEADING_BASELINE * size
        rule_x = measurer.width(shown) * HEADING_SIZE * size + space if shown else 0.0
        beside = heading.labels and not heading.own_line
        rule_end = heading.labels[0].x - space if beside else width
        labels_y = baseline + (LABELS_LINE * _step(size) if heading.own_line else 0.0)
        name = Run(
            name="headingText",
            text=shown,
            face="heading",
            size=own,
            ink=Ink.ACCENT,
            y=baseline,
            width=width,
            fills=True,
        )
        rule = Line(
            name="headingRule",
            ink=Ink.RULE,
            x=rule_x,
            y=baseline - RULE_ABOVE * size,
            width=max(0.0, rule_end - rule_x),
            thickness=RULE * size,
        )
        return Entry(
            kind=EntryKind.HEADING,
            key=key,
            width=width,
            height=self._heading_height(heading, size),
            runs=(name, *(label.moved(0.0, labels_y) for label in heading.labels)),
            lines=(rule,),
        )

    def _title_size(self, size: int) -> int:
        if not self._title_width:
            return round(TITLE_SIZE * size)
        return max(1, min(round(TITLE_SIZE * size), max(size, int(self._width / self._title_width))))

    def _title(self, x: float, top: float, width: float, size: int) -> Run | None:
        if not self._widget.title:
            return None
        own = self._title_size(size)
        text = self._measurers.title.lines(self._widget.title, self._width / own, 1)[0]
        y = top + TITLE_BASELINE * size
        return Run(name="title", text=text, face="title", size=own, ink=Ink.TEXT, x=x, y=y, width=width, fills=True)


def _step(size: int) -> int:
    """The grid at a size, in whole canvas units."""
    return max(1, round(STEP * size))
