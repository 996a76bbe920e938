"""Owns how one row of a menu is set at a size: name, price on the decimal line, details, tags; imports no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, TAG_GAP, TAG_LINE, BadgeGeometry, place_badges
from player.display.layout.bidi import JOINED, based, side_by_side
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurers
from player.domain.scene import MenuWidget
from player.domain.view import Locality, MenuRow
from player.domain.wording import capitals

# Everything below is in ems: multiples of the widget's one text size.
LINE = 1.26
BASELINE = 0.97
"""From a line's top to its baseline."""
MIDDLE = 0.35
"""From a baseline up to the middle of the letters."""
DETAIL_SIZE = 0.6
DETAIL_LINE = 0.78
TAG_LINE_TOP = 0.12
"""Above a line of its own, for tags that have no room beside the name."""
LEAST_NAME = 3.0
"""A name gets this much room beside its price, or the menu gets fewer columns, or in the end smaller text."""
PRICE_GAP = 0.8
"""Least distance between a name and its price."""
THUMB_SIZE = 2.1
THUMB_GAP = 0.5
LEADER_STEP = 0.42
LEADER_GAP = 0.35

FEWEST_LEADER_DOTS = 3
NAME_LINES = 3
DETAIL_LINES = 3
MODIFIER_LINES = 2
BALANCE_STEPS = 6
"""Halvings in the search for the narrowest setting of a name that needs no further line."""


class RowGeometry(Struct, frozen=True, kw_only=True):
    """One item; the row's place is from the widget's corner, all else from the row's."""

    item_id: str
    page: int
    x: float
    y: float
    width: float
    height: float
    name: str
    name_x: float
    name_width: float
    price: str
    price_x: float
    price_width: float
    details: str
    details_x: float
    details_y: float
    details_width: float
    leader_x: float
    leader_width: float
    tags: tuple[BadgeGeometry, ...]
    image: str | None
    sold_out: bool


Placed = Mapping[tuple[MenuRow, float, float, int], RowGeometry]
"""Rows that are set: by what they say, the width after the decimal line, the column's width and the size."""


class RowSetter:
    """Sets the rows of one menu. All of them share a decimal line: what stands before it and after it is measured once.

    Everything is placed as if left to right and mirrored in the end, so for a mirrored board the parts of a price on
    the two sides of the separator change places here.
    """

    def __init__(
        self,
        widget: MenuWidget,
        rows: Sequence[MenuRow],
        measurers: TextMeasurers,
        *,
        locality: Locality,
        sold_out: str,
        placed: Placed,
    ) -> None:
        self._widget = widget
        self._measurers = measurers
        self._sold_out = sold_out
        self._locale = locality.locale
        self._right_to_left = locality.right_to_left
        self._set = dict(placed)
        self._rows = rows
        self._price_width = {row.item_id: measurers.price.width(row.price.text) for row in rows}
        self._before = {row.item_id: measurers.price.cursor(row.price.text, row.price.decimal_at) for row in rows}
        if locality.right_to_left:
            self._before = {key: self._price_width[key] - before for key, before in self._before.items()}
        self._most_after = max((self._price_width[key] - self._before[key] for key in self._before), default=0.0)

    def natural_width(self, row: MenuRow) -> float:
        """How many ems wide a column has to be for the row's name to stay on one line."""
        return self._measurers.name.width(row.name) + PRICE_GAP + self._before[row.item_id] + self._most_after + 0.01

    def least_width(self) -> float:
        """How many ems wide a column has to be for every row: for a picture, the beginning of a name, and its price."""
        thumb = THUMB_SIZE + THUMB_GAP if any(self._pictured(row) for row in self._rows) else 0.0
        return thumb + LEAST_NAME + PRICE_GAP + max(self._before.values(), default=0.0) + self._most_after

    def name_width(self, row: MenuRow, width: float, size: int) -> float:
        """What a column leaves for the row's name, in canvas units."""
        price = (self._most_after + self._before[row.item_id] + PRICE_GAP) * size
        return max(float(size), width - price - self._name_x(row, size))

    def place(self, row: MenuRow, width: float, size: int) -> RowGeometry:
        """The row in a column of so many canvas units, at the corner of the widget."""
        key = (row, self._most_after, width, size)
        if key not in self._set:
            self._set[key] = self._place(row, width, size)
        return self._set[key]

    def placed(self, width: float, size: int) -> Placed:
        """The rows as they are set at this width and size."""
        keys = [(row, self._most_after, width, size) for row in self._rows]
        return {key: self._set[key] for key in keys if key in self._set}

    def _place(self, row: MenuRow, width: float, size: int) -> RowGeometry:
        name_x, name_width = self._name_x(row, size), self.name_width(row, width, size)
        names = self._name_lines(row.name, name_width / size)
        details = self._details(row, width, size)
        details_y = LINE * size * len(names)
        height = details_y + DETAIL_LINE * size * len(details)

        last_width = self._measurers.name.width(names[-1]) * size
        tags = self._tags(row, width - name_x, size)
        tags_width = tags[-1].x + tags[-1].width if tags else 0.0
        beside = last_width + 1.4 * TAG_GAP * size
        if not tags:
            pass
        elif beside + tags_width <= name_width:
            middle = details_y - LINE * size + (BASELINE - MIDDLE) * size
            tags = tuple(replace(tag, x=name_x + beside + tag.x, y=middle - tag.height / 2) for tag in tags)
            last_width = beside + tags_width
        else:
            tags = tuple(replace(tag, x=name_x + tag.x, y=height + TAG_LINE_TOP * size) for tag in tags)
            height += TAG_LINE * size
        if self._pictured(row):
            height = max(height, THUMB_SIZE * size)

        price_x = width - (self._most_after + self._before[row.item_id]) * size
        leader_end = price_x - LEADER_GAP * size
        leader_width = 0.0
        if self._widget.leader and len(names) == 1:
            free = leader_end - (name_x + last_width + LEADER_GAP * size)
            steps = int(free / (LEADER_STEP * size))
            leader_width = steps * LEADER_STEP * size if steps >= FEWEST_LEADER_DOTS else 0.0
        return RowGeometry(
            item_id=row.item_id,
            page=0,
            x=0.0,
            y=0.0,
            width=width,
            height=height,
            name=based(names, right_to_left=self._right_to_left),
            name_x=name_x,
            name_width=name_width,
            price=row.price.text,
            price_x=price_x,
            price_width=self._price_width[row.item_id] * size,
            details=based(details, right_to_left=self._right_to_left),
            details_x=name_x,
            details_y=details_y,
            details_width=width - name_x,
            leader_x=leader_end - leader_width,
            leader_width=leader_width,
            tags=tags,
            image=row.image if self._pictured(row) else None,
            sold_out=row.sold_out,
        )

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if self._pictured(row) else 0.0

    def _pictured(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None

    def _name_lines(self, name: str, width: float) -> tuple[str, ...]:
        """The name in lines of about one length: none ends in a word, or a character, alone."""
        measurer = self._measurers.name
        lines = measurer.lines(name, width, NAME_LINES)
        if len(lines) == 1 or lines[-1].endswith(ELLIPSIS) or (low := measurer.widest_piece(name)) > width:
            return lines
        narrowest, high = lines, width
        for _ in range(BALANCE_STEPS):
            middle = (low + high) / 2
            narrower = measurer.lines(name, middle, NAME_LINES + 1)
            if len(narrower) > len(lines):
                low = middle
            else:
                narrowest, high = narrower, middle
        return narrowest

    def _details(self, row: MenuRow, width: float, size: int) -> tuple[str, ...]:
        ems = max(1.0, (width - self._name_x(row, size)) / (DETAIL_SIZE * size))
        lines: tuple[str, ...] = ()
        if row.description:
            lines += self._measurers.detail.lines(row.description, ems, DETAIL_LINES)
        if row.modifiers:
            rtl = self._right_to_left
            parts = [side_by_side((modifier.name, modifier.delta), right_to_left=rtl) for modifier in row.modifiers]
            lines += self._measurers.detail.flow(parts, DOT, ems, MODIFIER_LINES)
        return lines

    def _tags(self, row: MenuRow, width: float, size: int) -> tuple[BadgeGeometry, ...]:
        """The row's marks side by side, as many as fit in one line."""
        tags = (self._sold_out, *row.tags) if row.sold_out and self._sold_out else row.tags
        return place_badges(
            [capitals(tag, self._locale) for tag in tags],
            letters=JOINED.join(row.allergens),
            measurer=self._measurers.tag,
            size=size,
            width=width,
        )


def mirrored_row(row: RowGeometry, width: float) -> RowGeometry:
    """The row on the other side of a widget so wide."""
    # Prices keep their order of digits: only the block that is aligned changes sides, never the text in it.
    inner = row.width
    return replace(
        row,
        x=width - row.x - row.width,
        name_x=inner - row.name_x - row.name_width,
        details_x=inner - row.details_x - row.details_width,
        price_x=inner - row.price_x - row.price_width,
        leader_x=inner - row.leader_x - row.leader_width,
        tags=tuple(replace(tag, x=inner - tag.x - tag.width) for tag in row.tags),
    )
