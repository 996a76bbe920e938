"""Owns where everything in a menu widget stands: one text size, columns, pages; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.bidi import based
from player.display.layout.columns import Unit, fill, fits, height_of, opening, spread
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurers
from player.display.layout.row import DETAIL_LINE, DETAIL_SIZE, LINE, Placed, RowGeometry, RowSetter, mirrored_row
from player.domain.scene import MenuWidget
from player.domain.view import Locality, MenuListing
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
"""The foot of a widget with pages: which page it is."""
PAGE_BASELINE = 0.14
"""From that line's baseline to the widget's foot."""
LEGEND_BASELINE = 0.58
LEGEND_GAP = 0.8
"""Between the list and the legend's first line; a hairline runs through it."""
NARROWEST_COLUMN = 8.0
ROOMY_COLUMN, WIDEST_COLUMN, WIDEST_LED = 24.0, 20.0, 32.0
"""A wider column would part names from their prices: the rest stays free. Leaders and long names may go further."""
COMFORTABLE_COLUMN = 16.0
"""Beyond it, or with leaders beyond ROOMY_COLUMN, a price is read less easily: another column is worth some size."""
MOST_AIR = 1.9
"""How far gaps may stretch where there is room to spare."""

MOST_COLUMNS = 4
FEWEST_ROWS_A_COLUMN = 3
MOST_WRAPPED = 0.2
"""The share of names that may need a second line before fewer columns are better."""
MOST_WRAPPED_PAGED = 0.5
"""The same where a list goes on pages: fewer pages are worth second lines."""
WHOLE_WORDS_WORTH = 0.75
"""How much text size it may cost to break no name inside a word."""
WHOLE_SECTIONS_WORTH = 0.85
"""How much text size keeping sections whole may cost."""
MOST_LEGEND = 0.35
"""The share of a widget's height that its legend may take; what is too much ends in an ellipsis."""
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


class Kept(Struct, frozen=True, kw_only=True):
    """What a changed list keeps of the plan before it, so that nothing moves but what must: the text size, and each
    row's column (counted on through the pages). `placed` are its rows, which need not be set again."""

    size: int
    columns: int
    air: float
    column_of: Mapping[str, int] = field(default_factory=dict)
    placed: Placed = field(default_factory=dict)


class MenuLayout(Struct, frozen=True, kw_only=True):
    """A menu widget, placed; canvas units from its corner. `size` is the one text size, in whole canvas units."""

    size: int
    padding: float
    title: str
    title_size: int
    headings: tuple[HeadingGeometry, ...]
    rows: tuple[RowGeometry, ...]
    legend: str
    """What the marks of allergens mean, in lines; empty without any."""
    legend_y: float
    width: float
    """Of the list, the title and the legend, which begin at `padding`."""
    pages: int
    kept: Kept
    overflows: bool
    """Whether a row is higher than the widget, so that the widget's edge has to cut it."""
    refitted: bool
    """Whether the plan starts afresh: then nothing glides from its old place."""


def plan_menu(
    widget: MenuWidget,
    listing: MenuListing,
    *,
    measurers: TextMeasurers,
    scale: float = 1.0,
    panelled: bool = False,
    locality: Locality,
    sold_out: str = "",
    kept: Kept | None = None,
) -> MenuLayout:
    """Place a listing in its widget.

    One text size serves all rows: the largest between the widget's smallest and largest at which everything fits. What
    does not fit even at the smallest goes on further pages. With `kept`, size and columns stay as they were as long as
    the list still fits that way. `sold_out` is the mark on a row that is.
    """
    planner = _Planner(
        widget,
        listing,
        measurers,
        scale,
        panelled=panelled,
        locality=locality,
        sold_out=sold_out,
        placed=kept.placed if kept is not None else {},
    )
    laid = planner.lay_out_again(kept) if kept is not None else None
    plan = planner.place(laid or planner.lay_out(), refitted=laid is None)
    return _mirrored(plan, widget.box.width) if locality.right_to_left else plan


_Unit = Unit[RowGeometry | str]
"""Rows, and the headings above them."""


class _Laid(Struct, frozen=True, kw_only=True):
    size: int
    columns: int
    air: float
    filled: tuple[tuple[_Unit, ...], ...]


class _Planner:
    def __init__(
        self,
        widget: MenuWidget,
        listing: MenuListing,
        measurers: TextMeasurers,
        scale: float,
        *,
        panelled: bool,
        locality: Locality,
        sold_out: str,
        placed: Placed,
    ) -> None:
        self._widget = widget
        self._measurers = measurers
        box = widget.box
        self._padding = (
            min(max(PANEL_PADDING * min(box.width, box.height), LEAST_PANEL_PADDING), MOST_PANEL_PADDING)
            if panelled
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
        self._setter = RowSetter(widget, self._rows, measurers, locality=locality, sold_out=sold_out, placed=placed)
        self._least_width = self._setter.least_width()
        self._smallest = min(self._smallest, max(1, int(self._width / self._least_width)))
        self._largest = max(self._smallest, self._largest)
        longest = max((self._setter.natural_width(row) for row in self._rows), default=0.0)
        self._comfortable = ROOMY_COLUMN if widget.leader else COMFORTABLE_COLUMN
        led = WIDEST_LED if widget.leader else min(longest, WIDEST_LED)
        self._widest_column = max(WIDEST_COLUMN, led, self._least_width)

    # -- choosing size and columns

    def lay_out(self) -> _Laid:
        widget = self._widget
        choices = [1, *(n for n in range(2, MOST_COLUMNS + 1) if self._is_wide_enough(n, self._smallest))]
        if widget.columns:
            choices = [min(widget.columns, choices[-1])]
        loose = self._best(choices, whole_words=False)
        if loose is None:
            return self._paged(choices)
        strict = self._best(choices, whole_words=True)
        kept_whole = strict is not None and strict[0] >= WHOLE_WORDS_WORTH * loose[0]
        _, columns, size = strict if strict is not None and kept_whole else loose
        whole_floor = max(self._smallest, round(WHOLE_SECTIONS_WORTH * size)) - 1
        whole = (
            self._search(columns, whole_floor, size, forced=True, whole_words=kept_whole, whole_sections=True)
            if 1 < columns <= len(self._sections)
            else None
        )
        size = whole or size
        units = self._units(size, self._column_width(columns, size), whole_sections=whole is not None)
        room = self._room(size, paged=False)
        filled = fill(units, columns=columns, room=room) or ()
        return _Laid(size=size, columns=columns, air=spread(filled, room, MOST_AIR), filled=filled)

    def _best(self, choices: Sequence[int], *, whole_words: bool) -> tuple[float, int, int] | None:
        forced = self._widget.columns is not None
        best: tuple[float, int, int] | None = None
        for columns in choices:
            # Comfort only ever takes away: a size that is not above the best worth so far need not be tried.
            floor = self._smallest - 1 if best is None else max(self._smallest - 1, int(best[0]))
            size = self._search(columns, floor, self._largest, forced=forced, whole_words=whole_words)
            if size is not None and (best is None or size * self._comfort(columns, size) > best[0]):
                best = (size * self._comfort(columns, size), columns, size)
        return best

    def lay_out_again(self, kept: Kept) -> _Laid | None:
        """The same size and columns for a changed list; None when it has to be laid out afresh."""
        if not kept.column_of or self._column_width(kept.columns, kept.size) < self._least_width * kept.size:
            return None
        columns: list[list[_Unit]] = [[] for _ in range(max(kept.column_of.values(), default=0) + 1)]
        units = self._units(kept.size, self._column_width(kept.columns, kept.size), paged=len(columns) > kept.columns)
        at = next((kept.column_of[unit.key] for unit in units if unit.key in kept.column_of), 0)
        for unit in units:
            wanted = kept.column_of.get(unit.key, at)
            if wanted < at:
                return None
            at = wanted
            columns[at].append(unit if columns[at] else opening(unit, at, columns_a_page=kept.columns))
        room = self._room(kept.size, paged=len(columns) > kept.columns)
        filled = tuple(tuple(column) for column in columns)
        pages = [filled[first : first + kept.columns] for first in range(0, len(filled), kept.columns)]
        if len(pages) > 1 and not all(any(page) for page in pages):
            return None
        if any(height_of(column) > room + 0.5 for column in filled):
            return None
        return _Laid(
            size=kept.size, columns=kept.columns, air=min(kept.air, spread(filled, room, MOST_AIR)), filled=filled
        )

    def _search(
        self, columns: int, floor: int, most: int, *, forced: bool, whole_words: bool, whole_sections: bool = False
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
                and (not whole_words or self._breaks_no_word(width, size))
                and fits(
                    self._units(size, width, whole_sections=whole_sections),
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
        """False when the names alone, each in one line, are too many; spares setting them."""
        rows = len(self._rows)
        least = (rows * LINE + (rows - columns) * ROW_GAP) * size
        return least <= columns * self._room(size, paged=False)

    def _breaks_no_word(self, width: float, size: int) -> bool:
        measurer = self._measurers.name
        return all(
            measurer.width(row.name) * size <= (free := self._setter.name_width(row, width, size))
            or measurer.widest_piece(row.name) * size <= free
            for row in self._rows
        )

    def _suits(self, width: float, size: int, columns: int, most_wrapped: float = MOST_WRAPPED) -> bool:
        if width < NARROWEST_COLUMN * size or len(self._rows) < FEWEST_ROWS_A_COLUMN * columns:
            return False
        wrapped = sum(
            1
            for row in self._rows
            if self._measurers.name.width(row.name) * size > self._setter.name_width(row, width, size) + 0.5
        )
        return wrapped <= most_wrapped * len(self._rows)

    def _comfort(self, columns: int, size: int) -> float:
        width = self._column_width(columns, size) / size
        return 1.0 if width <= self._comfortable else float((self._comfortable / width) ** 0.5)

    def _paged(self, choices: Sequence[int]) -> _Laid:
        size = self._smallest
        room = self._room(size, paged=True)
        # Fewer pages are worth a second line here and there.
        fitting = [
            n for n in choices if n == 1 or self._suits(self._column_width(n, size), size, n, MOST_WRAPPED_PAGED)
        ]
        columns = min(fitting, key=partial(self._pages_at_least, size, room)) if len(choices) > 1 else choices[0]
        units = self._units(size, self._column_width(columns, size), paged=True)
        if max(((unit.continued() if unit.continued else unit).height for unit in units), default=0.0) > room:
            # A row is higher than the widget: each has a column of its own, cut off at the widget's edge.
            filled: tuple[tuple[_Unit, ...], ...] = tuple((unit,) for unit in units)
        else:
            pages = next(
                n
                for n in range(1, len(units) + 2)
                if fits(units, columns=columns * n, room=room, columns_a_page=columns)
            )
            filled = fill(units, columns=columns * pages, room=room, columns_a_page=columns) or ()
        return _Laid(size=size, columns=columns, air=spread(filled, room, MOST_AIR), filled=filled)

    def _pages_at_least(self, size: int, room: float, columns: int) -> int:
        units = self._units(size, self._column_width(columns, size))
        return math.ceil(sum(unit.height + unit.gap for unit in units) / max(1.0, columns * room))

    # -- measures at one size, in canvas units

    def _room(self, size: int, *, paged: bool) -> float:
        title = (TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0
        legend = self._legend_lines(size)
        foot = (LEGEND_GAP + DETAIL_LINE * len(legend)) * size if legend else 0.0
        return self._height - title - foot - (MARK_HEIGHT * size if paged else 0.0)

    def _legend_is_whole(self, size: int) -> bool:
        lines = self._legend_lines(size)
        return not lines or not lines[-1].endswith(ELLIPSIS)

    def _legend_lines(self, size: int) -> tuple[str, ...]:
        if not self._legend:
            return ()
        if size not in self._legends:
            parts = allergen_parts(self._legend_title, self._legend, right_to_left=self._right_to_left)
            limit = max(1, int(MOST_LEGEND * self._height / (DETAIL_LINE * size)))
            ems = self._width / (DETAIL_SIZE * size)
            self._legends[size] = self._measurers.detail.flow(parts, DOT, ems, limit)
        return self._legends[size]

    def _column_width(self, columns: int, size: int) -> float:
        width = (self._width - (columns - 1) * GUTTER * size) / columns
        if width <= ROOMY_COLUMN * size:
            return max(float(size), width)
        return min(width, self._widest_column * size)

    def _units(self, size: int, width: float, *, whole_sections: bool = False, paged: bool = False) -> list[_Unit]:
        units: list[_Unit] = []
        for section in self._sections:
            parts: list[_Unit] = []
            for number, row in enumerate(section.rows):
                placed = self._setter.place(row, width, size)
                if number == 0 and section.heading:
                    parts.append(self._headed(section.heading, placed, size))
                else:
                    gap = (ROW_GAP if number else SECTION_GAP) * size
                    again = partial(self._headed, section.heading, placed, size) if paged and section.heading else None
                    parts.append(Unit.single(row.item_id, gap, placed.height, placed, continued=again))
            units += [Unit.joined(parts)] if whole_sections else parts
        return units

    def _headed(self, heading: str, first: RowGeometry, size: int) -> _Unit:
        """A row with its section's heading above it; a section that goes on overleaf has it again."""
        above: _Unit = Unit.single(first.item_id, SECTION_GAP * size, HEADING_LINE * size, heading)
        return Unit.joined([above, Unit.single(first.item_id, HEADING_GAP * size, first.height, first)])

    # -- from the choice to places

    def place(self, laid: _Laid, *, refitted: bool) -> MenuLayout:
        size = laid.size
        width = self._column_width(laid.columns, size)
        step = width + GUTTER * size
        top = self._padding + ((TITLE_LINE + TITLE_AFTER) * size if self._widget.title else 0.0)
        headings: list[HeadingGeometry] = []
        rows: list[RowGeometry] = []
        column_of: dict[str, int] = {}
        said: dict[str, int] = {}
        pages = max(1, -(-len(laid.filled) // laid.columns))
        legend = self._legend_lines(size)
        foot = DETAIL_LINE * size * len(legend)
        for number, column in enumerate(laid.filled):
            page, x = number // laid.columns, self._padding + (number % laid.columns) * step
            y = top
            for position, unit in enumerate(column):
                y += unit.gap * laid.air if position else 0.0
                for part, height, gap in zip(unit.parts, unit.heights, (*unit.gaps, 0.0), strict=True):
                    if isinstance(part, RowGeometry):
                        rows.append(replace(part, page=page, x=x, y=y))
                        column_of[part.item_id] = number
                    else:
                        said[part] = said.get(part, 0) + 1
                        key = f"{part}/{said[part]}"
                        headings.append(self._place_heading(key, part, page, x, y, width, size))
                    y += height + gap * laid.air
        return MenuLayout(
            size=size,
            padding=self._padding,
            title=self._title(size),
            title_size=self._title_size(size),
            headings=tuple(headings),
            rows=tuple(rows),
            legend=based(legend, right_to_left=self._right_to_left),
            legend_y=self._widget.box.height - self._padding - (MARK_HEIGHT * size if pages > 1 else 0.0) - foot,
            width=self._width,
            pages=pages,
            kept=Kept(
                size=size,
                columns=laid.columns,
                air=laid.air,
                column_of=column_of,
                placed=self._setter.placed(width, size),
            ),
            overflows=any(top + unit.height > self._widget.box.height for column in laid.filled for unit in column),
            refitted=refitted,
        )

    def _place_heading(
        self, key: str, text: str, page: int, x: float, y: float, width: float, size: int
    ) -> HeadingGeometry:
        shown = self._measurers.heading.lines(capitals(text, self._locale), width / (HEADING_SIZE * size), 1)[0]
        return HeadingGeometry(
            key=key,
            text=shown,
            page=page,
            x=x,
            y=y,
            width=width,
            height=HEADING_LINE * size,
            text_width=self._measurers.heading.width(shown) * HEADING_SIZE * size,
        )

    def _title_size(self, size: int) -> int:
        if not self._title_width:
            return round(TITLE_SIZE * size)
        return max(1, min(round(TITLE_SIZE * size), max(size, int(self._width / self._title_width))))

    def _title(self, size: int) -> str:
        if not self._widget.title:
            return ""
        return self._measurers.title.lines(self._widget.title, self._width / self._title_size(size), 1)[0]


def _mirrored(plan: MenuLayout, width: float) -> MenuLayout:
    return replace(
        plan,
        headings=tuple(replace(heading, x=width - heading.x - heading.width) for heading in plan.headings),
        rows=tuple(mirrored_row(row, width) for row in plan.rows),
    )
