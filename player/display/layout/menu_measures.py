"""Measures a menu at one text size: columns, blocks of rows under their headings, foot and title; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.scene import MAX_COLUMNS, Division, MenuWidget
from player.display.layout.columns import Block, height_of, joined
from player.display.layout.energy import sections_with_energy
from player.display.layout.entry import Entry
from player.display.layout.foot import Foot, set_foot
from player.display.layout.heading import heading_size, heading_steps, set_heading
from player.display.layout.row import MOST_DETAIL_LINES, RowCache, RowTypesetter
from player.display.layout.runs import Run
from player.display.layout.setting import Setting
from player.display.layout.sizes import LINE, MARK_HEIGHT, grid_step, least_size
from player.display.layout.variants import NAME_BESIDE_COLUMNS
from player.domain.view import MenuListing, MenuSection

# Everything below is in ems: multiples of the widget's one text size.
TITLE_SIZE = 1.7
TITLE_LINE = 2.0
TITLE_AFTER = 1.0
"""Between the title and the list: holds the accent bar."""
HEADING_GAP = 1
"""In steps."""
CLOSE_HEADING = 0.1
"""A heading may stand so much closer to its rows than in a list without room."""
INTO_GAP = 0.15
"""In steps: by so little a row may be higher than its steps."""
GUTTER = 2.0
LEGEND_GAP, RULE_BEFORE = 0.8, 0.2
"""Between the list and the legend's first line, and between the hairline in that space and that line."""
ROOMY_COLUMN, WIDEST_LED, LARGEST_HOLE = 24.0, 32.0, 12.0
"""A wider column would part names from their prices: the rest stays free, half of it on each side. Leaders allow more,
and so does a name that ends no further from its prices than this; a single column fills an upright widget, as the
headline above it does."""
MOST_ALONE = 3
"""A section of no more rows stays whole; of a longer one, no row is alone under its heading or at its end."""
UNDIVIDED = 6
"""A section of no more rows stays whole where that costs little."""
MOST_LEGEND, MOST_LEGEND_AT_LEAST_SIZE = 0.35, 0.5
"""The share of a widget's height that its legend may take, and that which it may take in the smallest text size; a
longer one ends in an ellipsis."""
LEAST_PANEL_PADDING, MOST_PANEL_PADDING = 16.0, 56.0


Row = TypeVar("Row")
MenuBlock = Block[Entry]
"""Rows, with the headings above them."""


class Economy(Struct, frozen=True, kw_only=True):
    """Measures by which a menu saves room: the rows of a section that stay together, the steps between two rows, below
    one of several lines and above a heading, and the lines of a description."""

    undivided: int = MOST_ALONE
    row_gap: int = 1
    tall_gap: int = 1
    section_gap: int = 3
    description: int = MOST_DETAIL_LINES


USUAL, UNDIVIDING = Economy(), Economy(undivided=UNDIVIDED)
SPARING = (
    Economy(row_gap=0, section_gap=2),
    Economy(row_gap=0, section_gap=2, description=1),
    Economy(row_gap=0, tall_gap=0, section_gap=2),
)
"""Tried before a menu has another page: rows stand closer, then descriptions are shortened, then all rows stand as
close as their lines."""


class MenuMeasures:
    """Measurements of one listing at any text size, in canvas units."""

    def __init__(
        self,
        widget: MenuWidget,
        listing: MenuListing,
        setting: Setting,
        row_cache: RowCache,
        economy: Economy = USUAL,
    ) -> None:
        self.widget, self.economy = widget, economy
        self.measurers, self._setting = setting.measurers, setting
        box = widget.box
        padding = min(max(0.05 * min(box.width, box.height), LEAST_PANEL_PADDING), MOST_PANEL_PADDING)
        self.padding = padding if setting.with_panel else 0.0
        self.width = max(1.0, box.width - 2 * self.padding)
        self._height = max(1.0, box.height - 2 * self.padding)
        self.sections = sections_with_energy(
            [section for section in listing.sections if section.rows], setting.locality
        )
        self.rows = [row for section in self.sections for row in section.rows]
        self.few = [one for one in self.sections if one.heading and len(one.rows) <= UNDIVIDED]
        """The categories that are whole where that costs little."""
        self.smallest = least_size(widget.min_text_size * setting.scale, self.rows)
        self.largest = round(widget.max_text_size * setting.scale)
        self._title_width = self.measurers.title.width(widget.title) if widget.title else 0.0
        self.row_typesetter = RowTypesetter(
            widget,
            self.sections,
            setting,
            cache=row_cache,
            most_description=economy.description,
        )
        self.least_width = self.row_typesetter.least_width()
        self.smallest = min(self.smallest, max(1, int(self.width / self.least_width)))
        self.largest = max(self.smallest, self.largest)
        longest = max((self.row_typesetter.natural_width(row) for row in self.rows), default=0.0)
        prices = self.row_typesetter.prices.widest_columns()
        # In a wider column prices are harder to read: another column is worth a smaller size.
        self.comfortable = max(ROOMY_COLUMN if widget.leader else 16.0, prices + NAME_BESIDE_COLUMNS)
        led = WIDEST_LED if widget.leader else min(longest + LARGEST_HOLE, WIDEST_LED)
        self._widest_column = max(ROOMY_COLUMN, led, self.least_width)
        self.explained = listing
        self.left_out = False
        """Whether there is no room for some of its explanations."""
        self._feet: dict[tuple[int, int], Foot] = {}
        self._has_columns: dict[tuple[str, int], bool] = {}
        self._heading_sizes: dict[tuple[float, int], int] = {}
        self._explain_what_fits(listing)

    def _explain_what_fits(self, listing: MenuListing) -> None:
        # Allergens come first: the law asks for them.
        if listing.icons and (self._lacks_room() or not self.foot(1, self.smallest).icons_whole):
            self.leave_out(replace(listing, icons=()))
        if listing.legend and self._lacks_room():
            self.leave_out(replace(self.explained, legend=()))

    def room(self, columns: int, size: int, *, paged: bool) -> float:
        """Returns the height of columns at this size."""
        title = (TITLE_LINE + TITLE_AFTER) * size if self.widget.title else 0.0
        explained = self.foot(columns, size).height
        foot = LEGEND_GAP * size + explained if explained else 0.0
        return self._height - title - foot - (MARK_HEIGHT * size if paged else 0.0)

    def leave_out(self, explained: MenuListing) -> None:
        """Reduces the explanations to those of this listing."""
        self.explained, self.left_out = explained, True
        self._feet.clear()

    def _lacks_room(self) -> bool:
        return self.room(1, self.smallest, paged=True) < self._least_height()

    def _least_height(self) -> float:
        """Returns the height of a row with its heading, in the smallest size."""
        headed = any(section.heading for section in self.sections)
        own = self._heading_size(self.width, self.smallest)
        above = (heading_steps(own, self.smallest) + HEADING_GAP) * grid_step(self.smallest) if headed else 0.0
        return LINE * self.smallest + above

    def foot(self, columns: int, size: int) -> Foot:
        if (columns, size) not in self._feet:
            share = MOST_LEGEND if size > self.smallest else MOST_LEGEND_AT_LEAST_SIZE
            detail = self.row_typesetter.detail_size(size)
            self._feet[columns, size] = set_foot(
                self.explained,
                self._setting,
                width=self.list_width(columns, size),
                most=share * self._height,
                most_note=MOST_LEGEND_AT_LEAST_SIZE * self._height,
                size=size,
                detail=detail,
                apart=RULE_BEFORE,
            )
        return self._feet[columns, size]

    def list_width(self, columns: int, size: int) -> float:
        title = self._title_width * self.title_size(size)
        wanted = columns * self.column_width(columns, size) + (columns - 1) * GUTTER * size
        return min(self.width, max(wanted, title))

    def column_width(self, columns: int, size: int) -> float:
        width, box = (self.width - (columns - 1) * GUTTER * size) / columns, self.widget.box
        if width <= ROOMY_COLUMN * size or (columns == 1 and box.height >= box.width):
            return max(float(size), width)
        return min(width, self._widest_column * size)

    def blocks(
        self,
        columns: int,
        size: int,
        *,
        whole_sections: bool = False,
        room: float = 0.0,
        most: float = math.inf,
    ) -> list[MenuBlock]:
        """Returns the blocks of the list. A row that is higher than `most`, its heading included, is shortened. A
        section's first rows stay together, and its last, so that none is alone; in the smallest size only where they
        are no higher than `room`."""
        blocks: list[MenuBlock] = []
        width = self.column_width(columns, size)
        for section in self.sections:
            above, rows = self._rows(section, width, size, most)
            groups: Sequence[Sequence[MenuBlock]] = [rows] if whole_sections else [[row] for row in rows]
            if self.widget.division is not Division.AUTO and room and self._has_column(section, columns):
                groups = [rows]
            elif rows[0].again is not None and room and not whole_sections and self.most_together(columns):
                paired = together(rows, self.most_together(columns))
                if size > self.smallest or max(height_of(group) for group in paired) + above <= room:
                    groups = paired
            section_blocks = [group[0] if len(group) == 1 else joined(group) for group in groups]
            first = section_blocks[0]
            opens = bool(blocks) and (
                self.widget.division is Division.COLUMN_EACH or section.category in self.widget.columns_at
            )
            blocks += [replace(first.below(first.again), again=None, beside=None, opens=opens), *section_blocks[1:]]
        return blocks

    def _rows(
        self, section: MenuSection, width: float, size: int, most: float = math.inf
    ) -> tuple[float, list[MenuBlock]]:
        """Returns the height above the first row of a section, and its rows, each with the heading that it may have
        above it."""
        step = grid_step(size)
        row_gap, section_gap = self.economy.row_gap * step, self.economy.section_gap * step
        heading, above = self._heading(section, width, size), 0.0
        head: MenuBlock | None = None
        beside: MenuBlock | None = None
        if heading is not None:
            head = Block.single("", section_gap, heading.height, heading)
            above = head.height + HEADING_GAP * step
            if continued := self._heading(replace(section, heading="", note="", image=None), width, size):
                beside = Block.single("", section_gap, continued.height, continued)
        rows: list[MenuBlock] = []
        named = self.row_typesetter.prices.named(section.rows)
        before, line = 0, row_steps(LINE * size, step)
        for number, row in enumerate(section.rows):
            geometry = self.row_typesetter.lay_out(row, width, size, height=most - above)
            taken = row_steps(geometry.height, step)
            # What stands below the last line of a row never looks like one of its lines.
            gap = self.economy.tall_gap * step if before > line else row_gap
            before = taken
            rows.append(
                Block.single(
                    row.item_id,
                    gap if number else section_gap,
                    min(taken * step, max(most - above, geometry.height)),
                    geometry,
                    again=head,
                    beside=beside if number < named else None,
                    again_gap=HEADING_GAP * step,
                )
            )
        return above, rows

    def _has_column(self, section: MenuSection, columns: int) -> bool:
        """Whether a column has room for the whole section, in the smallest size."""
        key = section.category, columns
        if key not in self._has_columns:
            above, rows = self._rows(section, self.column_width(columns, self.smallest), self.smallest)
            self._has_columns[key] = above + height_of(rows) <= self.room(columns, self.smallest, paged=True)
        return self._has_columns[key]

    @property
    def asked(self) -> int | None:
        """The number of columns that the widget asks for; None where it leaves it to the layout."""
        if self.widget.columns is None and self.widget.division is Division.COLUMN_EACH:
            return min(MAX_COLUMNS, max(1, len(self.sections)))
        return self.widget.columns

    def most_together(self, columns: int) -> int:
        """Returns the rows of a section that stay together; 0 where the list has too few for none to be alone in this
        number of columns."""
        if len(self.rows) < MOST_ALONE * columns:
            return 0
        return self.economy.undivided if len(self.sections) >= columns else MOST_ALONE

    def _heading(self, section: MenuSection, width: float, size: int) -> Entry | None:
        labels, own = self._labels(section, width, size), self._heading_size(width, size)
        detail = self.row_typesetter.detail_size(size)
        return set_heading(section, labels, self._setting, width=width, size=size, own=own, detail=detail)

    def _labels(self, section: MenuSection, width: float, size: int) -> Sequence[Run]:
        """Returns what stands beside the heading of a section."""
        return self.row_typesetter.prices.labels(section, width, size)

    def heading_steps(self, columns: int, size: int) -> int:
        """Returns the steps that a heading takes at least."""
        return heading_steps(self._heading_size(self.column_width(columns, size), size), size)

    def _heading_size(self, width: float, size: int) -> int:
        if (width, size) not in self._heading_sizes:
            named = [(section, self._labels(section, width, size)) for section in self.sections]
            self._heading_sizes[width, size] = heading_size(named, self._setting, width=width, size=size)
        return self._heading_sizes[width, size]

    def title_size(self, size: int) -> int:
        if not self._title_width:
            return round(TITLE_SIZE * size)
        return max(1, min(round(TITLE_SIZE * size), max(size, int(self.width / self._title_width))))


def placed(
    column: Sequence[MenuBlock], size: int, step: int, row_gap: int, apart: int = 0
) -> list[tuple[Entry, float]]:
    """Returns the parts of a column with their tops, on a grid of `step`, with `apart` further steps above headings.
    Where that is larger than the size's own, a tall row takes fewer steps, so that about as much is free below it as
    below one of a line, and a heading, so that it stays near its rows."""
    own, saved, found = grid_step(size), 0, list[tuple[Entry, float]]()
    # So much of what is free below a row of one line is free below taller ones, too.
    free = 0.75 * ((row_steps(LINE * size, own) + row_gap) * step - LINE * size)
    for entry, top in joined(column).parts if column else ():
        saved -= apart if entry.kind == "heading" and found else 0
        found.append((entry, (top / own - saved) * step))
        if entry.kind == "row":
            fewer = row_steps(entry.height, own) + row_gap - math.ceil((entry.height + free) / step)
        else:
            steps = row_steps(entry.height, own) + HEADING_GAP
            fewer = steps - math.ceil((steps * own - CLOSE_HEADING * size) / step)
        saved += max(0, fewer)
    return found


def together(rows: Sequence[Row], most: int) -> list[Sequence[Row]]:
    """Groups the rows of a section that stay together: all of up to `most`, else the first two and the last two."""
    return [rows] if len(rows) <= most else [rows[:2], *([row] for row in rows[2:-2]), rows[-2:]]


def row_steps(height: float, step: int) -> int:
    return max(1, math.ceil(height / step - INTO_GAP))
