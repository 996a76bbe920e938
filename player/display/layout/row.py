"""Lays out one row of a menu at a text size: name, price on the decimal line, details, tags; imports no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, TAG_GAP, TAG_LINE, BadgeGeometry, lay_out_badges
from player.display.layout.bidi import NO_BREAK_SPACE, join_isolated, with_base_direction
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
"""Above the tags, where they have a line of their own because they do not fit beside the name."""
LEAST_NAME = 3.0
"""The least width of a name beside its price: for less, the menu gets fewer columns or smaller text."""
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
"""Halvings in the search for the narrowest width at which a name needs no further line."""


class RowGeometry(Struct, frozen=True, kw_only=True):
    """One item. `x` and `y` are from the widget's corner, all other positions from the row's."""

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


RowCache = Mapping[tuple[MenuRow, float, float, int], RowGeometry]
"""Rows laid out before, by content, width after the decimal line, column width and text size."""


class RowTypesetter:
    """Lays out the rows of one menu. They share a decimal line: the parts of prices before and after it are measured
    once.

    Everything is laid out from left to right and mirrored in the end; so for a right-to-left board the parts of a price
    before and after the separator are exchanged here.
    """

    def __init__(
        self,
        widget: MenuWidget,
        rows: Sequence[MenuRow],
        measurers: TextMeasurers,
        *,
        locality: Locality,
        sold_out: str,
        cache: RowCache,
    ) -> None:
        self._widget = widget
        self._measurers = measurers
        self._sold_out = sold_out
        self._locale = locality.locale
        self._right_to_left = locality.right_to_left
        self._cache = dict(cache)
        self._rows = rows
        self._price_width = {row.item_id: measurers.price.width(row.price.text) for row in rows}
        self._before_decimal = {
            row.item_id: measurers.price.cursor(row.price.text, row.price.decimal_at) for row in rows
        }
        if locality.right_to_left:
            self._before_decimal = {
                key: self._price_width[key] - before for key, before in self._before_decimal.items()
            }
        self._after_decimal = max(
            (self._price_width[key] - self._before_decimal[key] for key in self._before_decimal), default=0.0
        )

    def natural_width(self, row: MenuRow) -> float:
        """Column width in ems at which the row's name takes one line."""
        return (
            self._measurers.name.width(row.name)
            + PRICE_GAP
            + self._before_decimal[row.item_id]
            + self._after_decimal
            + 0.01
        )

    def least_width(self) -> float:
        """Least column width in ems for every row: an image, the beginning of a name, and the price."""
        thumb = THUMB_SIZE + THUMB_GAP if any(self._has_image(row) for row in self._rows) else 0.0
        return thumb + LEAST_NAME + PRICE_GAP + max(self._before_decimal.values(), default=0.0) + self._after_decimal

    def name_width(self, row: MenuRow, width: float, size: int) -> float:
        """Width that a column leaves for the row's name, in canvas units."""
        price = (self._after_decimal + self._before_decimal[row.item_id] + PRICE_GAP) * size
        return max(float(size), width - price - self._name_x(row, size))

    def lay_out(self, row: MenuRow, width: float, size: int) -> RowGeometry:
        """The row in a column `width` canvas units wide, at the corner of the widget."""
        key = (row, self._after_decimal, width, size)
        if key not in self._cache:
            self._cache[key] = self._lay_out(row, width, size)
        return self._cache[key]

    def cached(self, width: float, size: int) -> RowCache:
        """The rows laid out at this width and size."""
        keys = [(row, self._after_decimal, width, size) for row in self._rows]
        return {key: self._cache[key] for key in keys if key in self._cache}

    def _lay_out(self, row: MenuRow, width: float, size: int) -> RowGeometry:
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
        if self._has_image(row):
            height = max(height, THUMB_SIZE * size)

        price_x = width - (self._after_decimal + self._before_decimal[row.item_id]) * size
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
            name=with_base_direction(names, right_to_left=self._right_to_left),
            name_x=name_x,
            name_width=name_width,
            price=row.price.text,
            price_x=price_x,
            price_width=self._price_width[row.item_id] * size,
            details=with_base_direction(details, right_to_left=self._right_to_left),
            details_x=name_x,
            details_y=details_y,
            details_width=width - name_x,
            leader_x=leader_end - leader_width,
            leader_width=leader_width,
            tags=tags,
            image=row.image if self._has_image(row) else None,
            sold_out=row.sold_out,
        )

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if self._has_image(row) else 0.0

    def _has_image(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None

    def _name_lines(self, name: str, width: float) -> tuple[str, ...]:
        """The name in lines of about equal length, so that no word or character stands alone on the last."""
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
            parts = [join_isolated((modifier.name, modifier.delta), right_to_left=rtl) for modifier in row.modifiers]
            lines += self._measurers.detail.flow(parts, DOT, ems, MODIFIER_LINES)
        return lines

    def _tags(self, row: MenuRow, width: float, size: int) -> tuple[BadgeGeometry, ...]:
        """The row's badges, as many as fit in one line."""
        tags = (self._sold_out, *row.tags) if row.sold_out and self._sold_out else row.tags
        return lay_out_badges(
            [capitals(tag, self._locale) for tag in tags],
            letters=NO_BREAK_SPACE.join(row.allergens),
            measurer=self._measurers.tag,
            size=size,
            width=width,
        )


def mirrored_row(row: RowGeometry, width: float) -> RowGeometry:
    """The row mirrored in a widget of this width."""
    # The digits of a price keep their order: only the position of the price is mirrored.
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
