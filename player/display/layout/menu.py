"""Lays out a menu widget: one text size, columns, pages; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.bidi import with_base_direction
from player.display.layout.columns import Block, fill, fits, gap_stretch, height_of, opening_block
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurers
from player.display.layout.row import DETAIL_LINE, LINE, RowCache, RowGeometry, RowTypesetter, mirrored_row
from player.display.layout.variants import NAME_BESIDE_COLUMNS, Label
from player.domain.scene import MenuWidget
from player.domain.view import Locality, MenuListing, MenuSection
from player.domain.wording import capitals

# Everything below is in ems: multiples of the widget's one text size.
HEADING_SIZE = 0.72
HEADING_LINE = 1.0
HEADING_BASELINE = 0.76
TITLE_SIZE = 1.7
TITLE_LINE = 2.0
TITLE_BASELINE = 1.5
TITLE_AFTER = 1.0
"""Between the title and the list: holds the accent bar."""
ROW_GAP = 0.42
SECTION_GAP = 1.05
HEADING_GAP = 0.34
GUTTER = 2.0
MARK_HEIGHT = 1.1
"""The page number at the foot of a widget with pages."""
LABELS_LINE = 0.95
"""Of the names of variants, where they do not fit beside the heading."""
HEADING_SPACE = 0.5
"""Between a heading, its hairline and the names of variants."""
PAGE_BASELINE = 0.14
"""From the page number's baseline to the widget's foot."""
LEGEND_BASELINE = 0.97
"""In ems of the legend."""
LEGEND_GAP = 0.8
"""Between the list and the legend's first line; a hairline runs through it."""
NARROWEST_COLUMN = 8.0
ROOMY_COLUMN, WIDEST_COLUMN, WIDEST_LED = 24.0, 20.0, 32.0
"""A wider column would part names from their prices: the rest stays free. Leaders and long names allow more."""
COMFORTABLE_COLUMN = 16.0
"""In a wider column, or with leaders one wider than ROOMY_COLUMN, prices are harder to read: another column is worth
a smaller size."""
MOST_GAP_STRETCH = 1.9
"""The factor by which gaps may grow where there is room to spare."""

MOST_COLUMNS = 4
FEWEST_ROWS_PER_COLUMN = 3
MOST_WRAPPED = 0.2
"""The share of names that may need a second line before fewer columns are better."""
MOST_WRAPPED_PAGED = 0.5
"""The same for a list on several pages: fewer pages are worth second lines."""
WHOLE_WORDS_WORTH = 0.75
"""The least share of the text size to keep for breaking no name inside a word."""
PRICE_COLUMNS_WORTH = 0.6
"""The least share of the text size to keep for the prices of variants in columns."""
WHOLE_SECTIONS_WORTH = 0.85
"""The least share of the text size to keep for splitting no section."""
MOST_LEGEND, MOST_LEGEND_AT_LEAST_SIZE = 0.35, 0.5
"""The share of a widget's height that its legend may take, and that which it may take in the smallest text size; a
longer one ends in an ellipsis."""
PANEL_PADDING = 0.05
LEAST_PANEL_PADDING, MOST_PANEL_PADDING = 16.0, 56.0


class HeadingGeometry(Struct, frozen=True, kw_only=True):
    """A section's heading with the hairline that runs on from it."""

    key: str
    text: str
    page: int
    x: float
    y: float
    width: float
    height: float
    text_width: float
    labels: tuple[Label, ...]
    """The names of variants above the columns of their prices."""
    labels_y: float
    """From the heading's top to the line of the labels."""
    rule_x: float
    rule_width: float


class LayoutBasis(Struct, frozen=True, kw_only=True):
    """The part of a layout that a changed list keeps, so that as little as possible moves: the text size, and each
    row's column, counted through all pages. `row_cache` are its rows, which need not be laid out again."""

    size: int
    columns: int
    gap_stretch: float
    column_of: Mapping[str, int] = field(default_factory=dict)
    row_cache: RowCache = field(default_factory=dict)


class MenuLayout(Struct, frozen=True, kw_only=True):
    """The layout of a menu widget, in canvas units from its corner; `size` is the one text size, in whole canvas
    units."""

    size: int
    detail_size: int
    """Of descriptions, options, legend and page number."""
    badge_size: float
    """The text size to which badges belong."""
    padding: float
    title: str
    title_size: int
    headings: tuple[HeadingGeometry, ...]
    rows: tuple[RowGeometry, ...]
    legend: str
    """The meaning of the letters of allergens, in lines; empty without any."""
    legend_y: float
    width: float
    """Width of list, title and legend, which begin at `padding`."""
    pages: int
    basis: LayoutBasis
    overflows: bool
    """Whether a row is higher than the widget, whose edge cuts it."""
    cut: tuple[str, ...]
    """Names of the items that are not whole."""
    legend_cut: bool
    """Whether the legend is not whole, or left out because there is room for it or a row, not for both."""
    refitted: bool
    """Whether the layout does not follow from the one before; then nothing glides from its old position."""


def lay_out_menu(
    widget: MenuWidget,
    listing: MenuListing,
    *,
    measurers: TextMeasurers,
    scale: float = 1.0,
    with_panel: bool = False,
    locality: Locality,
    sold_out: str = "",
    basis: LayoutBasis | None = None,
    is_portion: bool = False,
) -> MenuLayout:
    """Lay out a listing in its widget.

    All rows have one text size: the largest, within the widget's bounds, at which everything fits. Rows that do not fit
    even at the smallest go on further pages. With `basis`, size and columns stay as long as the list fits. `sold_out`
    is the tag of a sold-out row. A portion of a longer list has the smallest size, as that list's other portions.
    """
    typesetter = _MenuTypesetter(
        widget,
        listing,
        measurers,
        scale,
        with_panel=with_panel,
        locality=locality,
        sold_out=sold_out,
        row_cache=basis.row_cache if basis is not None else {},
        is_portion=is_portion,
    )
    kept = typesetter.refill_columns(basis) if basis is not None else None
    layout = typesetter.build(kept or typesetter.choose_columns(), refitted=kept is None)
    return _mirrored(layout, widget.box.width) if locality.right_to_left else layout


class _Heading(Struct, frozen=True, kw_only=True):
    """A section's heading, before it is placed."""

    text: str
    labels: tuple[Label, ...]
    own_line: bool
    """Whether the labels stand below the text."""


class _Wish(Struct, frozen=True, kw_only=True):
    """What a layout should have, even in a smaller size."""

    whole_words: bool
    price_columns: bool


_NO_WISH = _Wish(whole_words=False, price_columns=False)
_MenuBlock = Block[RowGeometry | _Heading]
"""Rows, with the headings above them."""


class _FilledColumns(Struct, frozen=True, kw_only=True):
    """A text size and the blocks of each column, counted through all pages."""

    size: int
    columns: int
    gap_stretch: float
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
        sold_out: str,
        row_cache: RowCache,
        is_portion: bool,
    ) -> None:
        self._widget = widget
        self._is_portion = is_portion
        self._measurers = measurers
        box = widget.box
        self._padding = (
            min(max(PANEL_PADDING * min(box.width, box.height), LEAST_PANEL_PADDING), MOST_PANEL_PADDING)
            if with_panel
            else 0.0
        )
        self._width = max(1.0, box.width - 2 * self._padding)
        self._height = max(1.0, box.height - 2 * self._padding)
        self._sections = [section for section in listing.sections if section.rows]
        self._rows = [row for section in self._sections for row in section.rows]
        self._smallest = max(1, round(widget.min_text_size * scale))
        self._largest = round(widget.max_text_size * scale)
        self._locale = locality.locale
        self._right_to_left = locality.right_to_left
        self._legend = [(line.mark, line.text) for line in listing.legend]
        self._legends: dict[int, tuple[str, ...]] = {}
        self._legend_title = listing.legend_title
        self._title_width = measurers.title.width(widget.title) if widget.title else 0.0
        self._row_typesetter = RowTypesetter(
            widget,
            self._sections,
            measurers,
            locality=locality,
            least_size=widget.min_text_size * scale,
            sold_out=sold_out,
            cache=row_cache,
        )
        self._least_width = self._row_typesetter.least_width()
        self._smallest = min(self._smallest, max(1, int(self._width / self._least_width)))
        self._largest = max(self._smallest, self._largest)
        self._legend_left_out = bool(self._legend) and self._room(self._smallest, paged=True) < self._least_height()
        if self._legend_left_out:
            self._legend.clear()
            self._legends.clear()
        longest = max((self._row_typesetter.natural_width(row) for row in self._rows), default=0.0)
        prices = self._row_typesetter.widest_prices()
        self._has_price_columns = prices > 0
        self._comfortable = max(ROOMY_COLUMN if widget.leader else COMFORTABLE_COLUMN, prices + NAME_BESIDE_COLUMNS)
        led = WIDEST_LED if widget.leader else min(longest, WIDEST_LED)
        self._widest_column = max(WIDEST_COLUMN, led, self._least_width)

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
        blocks = self._blocks(size, self._column_width(columns, size), whole_sections=whole is not None)
        room = self._room(size, paged=False)
        filled = fill(blocks, columns=columns, room=room) or ()
        return _FilledColumns(
            size=size, columns=columns, gap_stretch=gap_stretch(filled, room, MOST_GAP_STRETCH), filled=filled
        )

    def _wishes(self) -> Iterator[tuple[_Wish, float]]:
        """What a layout may have for a smaller size, the best first, and the share of the size to keep for it."""
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
        room = self._room(basis.size, paged=paged)
        width = self._column_width(basis.columns, basis.size)
        blocks = self._blocks(basis.size, width, paged=paged, most=room if paged else math.inf)
        at = next((basis.column_of[block.key] for block in blocks if block.key in basis.column_of), 0)
        for block in blocks:
            wanted = basis.column_of.get(block.key, at)
            if wanted < at:
                return None
            at = wanted
            columns[at].append(block if columns[at] else opening_block(block, at, columns_per_page=basis.columns))
        filled = tuple(tuple(column) for column in columns)
        pages = [filled[first : first + basis.columns] for first in range(0, len(filled), basis.columns)]
        if len(pages) > 1 and not all(any(page) for page in pages):
            return None
        if any(height_of(column) > room + 0.5 for column in filled):
            return None
        return _FilledColumns(
            size=basis.size,
            columns=basis.columns,
            gap_stretch=min(basis.gap_stretch, gap_stretch(filled, room, MOST_GAP_STRETCH)),
            filled=filled,
        )

    def _search(
        self, columns: int, floor: int, most: int, wish: _Wish, *, forced: bool, whole_sections: bool = False
    ) -> int | None:
        low, high = floor, most
        while low < high:
            size = (low + high + 1) // 2
            width = self._column_width(columns, size)
            if (
                self._may_fit(columns, size)
                and self._is_wide_enough(columns, size)
                and self._legend_is_whole(size)
                and (forced or columns == 1 or self._suits(width, size, columns))
                and (not wish.price_columns or self._row_typesetter.prices_stand_in_columns(width, size))
                and (not wish.whole_words or self._breaks_no_word(width, size))
                and fits(
                    self._blocks(size, width, whole_sections=whole_sections),
                    columns=columns,
                    room=self._room(size, paged=False),
                )
            ):
                low = size
            else:
                high = size - 1
        return low if low > floor else None

    def _is_wide_enough(self, columns: int, size: int) -> bool:
        return self._column_width(columns, size) >= self._least_width * size or size == 1

    def _may_fit(self, columns: int, size: int) -> bool:
        """False when even the names in one line each do not fit; saves laying them out."""
        rows = len(self._rows)
        least = (rows * LINE + (rows - columns) * ROW_GAP) * size
        return least <= columns * self._room(size, paged=False)

    def _breaks_no_word(self, width: float, size: int) -> bool:
        measurer = self._measurers.name
        return all(
            measurer.width(row.name) * size <= (free := self._row_typesetter.name_width(row, width, size))
            or measurer.widest_piece(row.name) * size <= free
            for row in self._rows
        )

    def _suits(self, width: float, size: int, columns: int, most_wrapped: float = MOST_WRAPPED) -> bool:
        if width < NARROWEST_COLUMN * size or len(self._rows) < FEWEST_ROWS_PER_COLUMN * columns:
            return False
        wrapped = sum(
            1
            for row in self._rows
            if self._measurers.name.width(row.name) * size > self._row_typesetter.name_width(row, width, size) + 0.5
        )
        return wrapped <= most_wrapped * len(self._rows)

    def _comfort(self, columns: int, size: int) -> float:
        width = self._column_width(columns, size) / size
        return 1.0 if width <= self._comfortable else float((self._comfortable / width) ** 0.5)

    def _paged(self, choices: Sequence[int]) -> _FilledColumns:
        size = self._smallest
        room = self._room(size, paged=True)
        # Fewer pages are worth some second lines.
        fitting = [
            n for n in choices if n == 1 or self._suits(self._column_width(n, size), size, n, MOST_WRAPPED_PAGED)
        ]
        in_columns = [
            n for n in fitting if self._row_typesetter.prices_stand_in_columns(self._column_width(n, size), size)
        ]
        fitting = in_columns or fitting
        columns = min(fitting, key=partial(self._pages_at_least, size, room)) if len(choices) > 1 else choices[0]
        blocks = self._blocks(size, self._column_width(columns, size), paged=True, most=room)
        if max(((block.continued() if block.continued else block).height for block in blocks), default=0.0) > room:
            # A row is higher than the widget: each gets a column of its own, and the widget's edge cuts it.
            filled: tuple[tuple[_MenuBlock, ...], ...] = tuple((block,) for block in blocks)
        else:
            pages = next(
                n
                for n in range(1, len(blocks) + 2)
                if fits(blocks, columns=columns * n, room=room, columns_per_page=columns)
            )
            filled = fill(blocks, columns=columns * pages, room=room, columns_per_page=columns) or ()
        return _FilledColumns(
            size=size, columns=columns, gap_stretch=gap_stretch(filled, room, MOST_GAP_STRETCH), filled=filled
        )

    def _pages_at_least(self, size: int, room: float, columns: int) -> int:
        blocks = self._blocks(size, self._column_width(columns, size))
        return math.ceil(sum(block.height + block.gap for block in blocks) / max(1.0, columns * room))

    # -- measurements at one size, in canvas units

    def _room(self, size: int, *, paged: bool) -> float:
        title = (TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0
        legend = self._legend_lines(size)
        foot = LEGEND_GAP * size + self._legend_height(size) if legend else 0.0
        return self._height - title - foot - (MARK_HEIGHT * size if paged else 0.0)

    def _least_height(self) -> float:
        """Of a row with its heading, in the smallest size."""
        headed = any(section.heading for section in self._sections)
        return (LINE + (HEADING_LINE + HEADING_GAP if headed else 0.0)) * self._smallest

    def _legend_is_whole(self, size: int) -> bool:
        lines = self._legend_lines(size)
        return not lines or not lines[-1].endswith(ELLIPSIS)

    def _legend_lines(self, size: int) -> tuple[str, ...]:
        if not self._legend:
            return ()
        if size not in self._legends:
            parts = allergen_parts(self._legend_title, self._legend, right_to_left=self._right_to_left)
            detail_size = self._row_typesetter.detail_size(size)
            share = MOST_LEGEND if size > self._smallest else MOST_LEGEND_AT_LEAST_SIZE
            limit = max(1, int(share * self._height / (DETAIL_LINE * detail_size)))
            ems = self._width / detail_size
            self._legends[size] = self._measurers.detail.flow(parts, DOT, ems, limit)
        return self._legends[size]

    def _legend_height(self, size: int) -> float:
        return DETAIL_LINE * self._row_typesetter.detail_size(size) * len(self._legend_lines(size))

    def _column_width(self, columns: int, size: int) -> float:
        width = (self._width - (columns - 1) * GUTTER * size) / columns
        if width <= ROOMY_COLUMN * size:
            return max(float(size), width)
        return min(width, self._widest_column * size)

    def _blocks(
        self,
        size: int,
        width: float,
        *,
        whole_sections: bool = False,
        paged: bool = False,
        most: float = math.inf,
    ) -> list[_MenuBlock]:
        """The blocks of the list. Of a row that is higher than `most`, its heading included, some is left out."""
        blocks: list[_MenuBlock] = []
        for section in self._sections:
            parts: list[_MenuBlock] = []
            heading = self._heading(section, width, size)
            above = self._heading_height(heading, size) + HEADING_GAP * size if heading is not None else 0.0
            for number, row in enumerate(section.rows):
                geometry = self._row_typesetter.lay_out(row, width, size, height=most - above)
                if number == 0 and heading is not None:
                    parts.append(self._headed(heading, geometry, size))
                else:
                    gap = (ROW_GAP if number else SECTION_GAP) * size
                    # Prices without the names of their columns say nothing.
                    labelled = heading is not None and bool(heading.labels)
                    again = partial(self._headed, heading, geometry, size) if heading and (paged or labelled) else None
                    parts.append(
                        Block.single(
                            row.item_id, gap, geometry.height, geometry, continued=again, heads_columns=labelled
                        )
                    )
            blocks += [Block.joined(parts)] if whole_sections else parts
        return blocks

    def _heading(self, section: MenuSection, width: float, size: int) -> _Heading | None:
        columns = self._row_typesetter.columns_of(section.rows, width, size)
        labels = columns.labels(width, size) if columns is not None else ()
        if not labels:
            return _Heading(text=section.heading, labels=(), own_line=False) if section.heading else None
        text_width = self._measurers.heading.width(capitals(section.heading, self._locale)) * HEADING_SIZE * size
        free = labels[0].x - (text_width + HEADING_SPACE * size if section.heading else 0.0)
        return _Heading(text=section.heading, labels=labels, own_line=free < 0)

    def _heading_height(self, heading: _Heading, size: int) -> float:
        return (HEADING_LINE + (LABELS_LINE if heading.own_line else 0.0)) * size

    def _headed(self, heading: _Heading, first: RowGeometry, size: int) -> _MenuBlock:
        """A row with its section's heading above it; a section that continues on the next page repeats the heading."""
        height = self._heading_height(heading, size)
        above: _MenuBlock = Block.single(first.item_id, SECTION_GAP * size, height, heading)
        return Block.joined([above, Block.single(first.item_id, HEADING_GAP * size, first.height, first)])

    # -- positions

    def build(self, chosen: _FilledColumns, *, refitted: bool) -> MenuLayout:
        size = chosen.size
        width = self._column_width(chosen.columns, size)
        step = width + GUTTER * size
        top = self._padding + ((TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0)
        headings: list[HeadingGeometry] = []
        rows: list[RowGeometry] = []
        column_of: dict[str, int] = {}
        headings_seen: dict[str, int] = {}
        pages = max(1, -(-len(chosen.filled) // chosen.columns))
        paged = self._is_portion or pages > 1
        legend = self._legend_lines(size)
        names = {row.item_id: row.name for row in self._rows}
        for number, column in enumerate(chosen.filled):
            page, x = number // chosen.columns, self._padding + (number % chosen.columns) * step
            y = top
            for position, block in enumerate(column):
                y += block.gap * chosen.gap_stretch if position else 0.0
                for part, height, gap in zip(block.parts, block.heights, (*block.gaps, 0.0), strict=True):
                    if isinstance(part, RowGeometry):
                        rows.append(replace(part, page=page, x=x, y=y))
                        column_of[part.item_id] = number
                    else:
                        headings_seen[part.text] = headings_seen.get(part.text, 0) + 1
                        key = f"{part.text}/{headings_seen[part.text]}"
                        headings.append(self._place_heading(key, part, page, x, y, width, size))
                    y += height + gap * chosen.gap_stretch
        return MenuLayout(
            size=size,
            detail_size=self._row_typesetter.detail_size(size),
            badge_size=self._row_typesetter.badge_size(size),
            padding=self._padding,
            title=self._title(size),
            title_size=self._title_size(size),
            headings=tuple(headings),
            rows=tuple(rows),
            legend=with_base_direction(legend, right_to_left=self._right_to_left),
            legend_y=self._widget.box.height
            - self._padding
            - (MARK_HEIGHT * size if paged else 0.0)
            - self._legend_height(size),
            width=self._width,
            pages=pages,
            basis=LayoutBasis(
                size=size,
                columns=chosen.columns,
                gap_stretch=chosen.gap_stretch,
                column_of=column_of,
                row_cache=self._row_typesetter.cached(width, size),
            ),
            overflows=any(top + block.height > self._widget.box.height for column in chosen.filled for block in column),
            cut=tuple(names[row.item_id] for row in rows if row.cut),
            legend_cut=self._legend_left_out or not self._legend_is_whole(size),
            refitted=refitted,
        )

    def _place_heading(
        self, key: str, heading: _Heading, page: int, x: float, y: float, width: float, size: int
    ) -> HeadingGeometry:
        text = capitals(heading.text, self._locale)
        shown = self._measurers.heading.lines(text, width / (HEADING_SIZE * size), 1)[0] if text else ""
        text_width, space = self._measurers.heading.width(shown) * HEADING_SIZE * size, HEADING_SPACE * size
        rule_x = text_width + space if shown else 0.0
        beside = heading.labels and not heading.own_line
        rule_end = heading.labels[0].x - space if beside else width
        return HeadingGeometry(
            key=key,
            text=shown,
            page=page,
            x=x,
            y=y,
            width=width,
            height=self._heading_height(heading, size),
            text_width=text_width,
            labels=heading.labels,
            labels_y=LABELS_LINE * size if heading.own_line else 0.0,
            rule_x=rule_x,
            rule_width=max(0.0, rule_end - rule_x),
        )

    def _title_size(self, size: int) -> int:
        if not self._title_width:
            return round(TITLE_SIZE * size)
        return max(1, min(round(TITLE_SIZE * size), max(size, int(self._width / self._title_width))))

    def _title(self, size: int) -> str:
        if not self._widget.title:
            return ""
        return self._measurers.title.lines(self._widget.title, self._width / self._title_size(size), 1)[0]


def _mirrored(layout: MenuLayout, width: float) -> MenuLayout:
    return replace(
        layout,
        headings=tuple(_mirrored_heading(heading, width) for heading in layout.headings),
        rows=tuple(mirrored_row(row, width) for row in layout.rows),
    )


def _mirrored_heading(heading: HeadingGeometry, width: float) -> HeadingGeometry:
    inner = heading.width
    return replace(
        heading,
        x=width - heading.x - inner,
        labels=tuple(replace(label, x=inner - label.x - label.width) for label in heading.labels),
        rule_x=inner - heading.rule_x - heading.rule_width,
    )
