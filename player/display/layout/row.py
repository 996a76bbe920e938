"""Lays out one row of a menu at a text size: name, price on the decimal line, details, tags; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, MOST_TAG_LINES, TAG_GAP, BadgeGeometry, are_whole, lay_out_badges
from player.display.layout.bidi import join_isolated, with_base_direction
from player.display.layout.line_breaking import ELLIPSIS, ends_early
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
LEAST_DETAIL = 6 / 7
"""Details are at least this share of the least text size, and at most this share of the text size: what says how far
away a board is read is its `minTextSize`."""
DETAIL_LINE = 1.3
"""In ems of the details."""
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
MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
"""Of one item. A row has fewer where it would otherwise be higher than its column."""
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
    cut: bool
    """Whether a text ends in an ellipsis, or a tag is left out."""


class _Lines(Struct, frozen=True, kw_only=True):
    """The texts of a row in lines."""

    names: tuple[str, ...]
    description: tuple[str, ...]
    modifiers: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]


class _Limits(Struct, frozen=True, kw_only=True):
    """The most lines of each text of a row."""

    names: int = MOST_NAME_LINES
    description: int = MOST_DETAIL_LINES
    modifiers: int = MOST_DETAIL_LINES
    tags: int = MOST_TAG_LINES


_WHOLE = _Limits()
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
        least_size: float,
        sold_out: str,
        cache: RowCache,
    ) -> None:
        self._widget = widget
        self._least_detail = LEAST_DETAIL * least_size
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

    def detail_size(self, size: int) -> int:
        """Size of descriptions and options, in whole canvas units, where names have this size."""
        return max(1, round(max(DETAIL_SIZE * size, min(self._least_detail, LEAST_DETAIL * size))))

    def badge_size(self, size: int) -> float:
        """The text size to which badges belong: they have one ratio to the details."""
        return self.detail_size(size) / DETAIL_SIZE

    def lay_out(self, row: MenuRow, width: float, size: int, *, height: float = math.inf) -> RowGeometry:
        """The row in a column `width` canvas units wide, at the corner of the widget; cut where it would be higher than
        `height`."""
        key = (row, self._after_decimal, width, size)
        if key not in self._cache:
            self._cache[key] = self._lay_out(row, width, size, _WHOLE)
        whole = self._cache[key]
        return whole if whole.height <= height else self._shortened(row, width, size, height)

    def cached(self, width: float, size: int) -> RowCache:
        """The rows laid out at this width and size."""
        keys = [(row, self._after_decimal, width, size) for row in self._rows]
        return {key: self._cache[key] for key in keys if key in self._cache}

    def _shortened(self, row: MenuRow, width: float, size: int, height: float) -> RowGeometry:
        """The row without the lines for which there is no room: first those of the description, then tags, options, and
        last the name."""
        whole = self._lines(row, width, size, _WHOLE)
        limits = _WHOLE
        for text, fewest in (("description", 0), ("tags", 0), ("modifiers", 0), ("names", 1)):
            lines = len(getattr(whole, text))
            if text == "tags":
                lines = len({tag.y for tag in whole.tags})
            for most in reversed(range(fewest, lines)):
                limits = replace(limits, **{text: most})
                if (shorter := self._lay_out(row, width, size, limits)).height <= height:
                    return shorter
        return self._lay_out(row, width, size, limits)

    def _lines(self, row: MenuRow, width: float, size: int, limits: _Limits) -> _Lines:
        ems = max(1.0, (width - self._name_x(row, size)) / self.detail_size(size))
        measurer, rtl = self._measurers.detail, self._right_to_left
        parts = [join_isolated((modifier.name, modifier.delta), right_to_left=rtl) for modifier in row.modifiers]
        return _Lines(
            names=self._name_lines(row.name, self.name_width(row, width, size) / size, limits.names),
            description=measurer.lines(row.description, ems, limits.description)
            if row.description and limits.description
            else (),
            modifiers=measurer.flow(parts, DOT, ems, limits.modifiers) if parts and limits.modifiers else (),
            tags=self._tags(row, width - self._name_x(row, size), size, limits.tags),
        )

    def _lay_out(self, row: MenuRow, width: float, size: int, limits: _Limits) -> RowGeometry:
        lines = self._lines(row, width, size, limits)
        names, details = lines.names, lines.description + lines.modifiers
        name_x, name_width = self._name_x(row, size), self.name_width(row, width, size)
        details_y = LINE * size * len(names)
        height = details_y + DETAIL_LINE * self.detail_size(size) * len(details)

        last_width = self._measurers.name.width(names[-1]) * size
        tags = lines.tags
        tags_width = max((tag.x + tag.width for tag in tags), default=0.0)
        beside = last_width + 1.4 * TAG_GAP * size
        if not tags:
            pass
        elif beside + tags_width <= name_width and tags[-1].y == 0:
            middle = details_y - LINE * size + (BASELINE - MIDDLE) * size
            tags = tuple(replace(tag, x=name_x + beside + tag.x, y=middle - tag.height / 2) for tag in tags)
            last_width = beside + tags_width
        else:
            top = height + TAG_LINE_TOP * size
            height = top + tags[-1].y + tags[-1].height
            tags = tuple(replace(tag, x=name_x + tag.x, y=top + tag.y) for tag in tags)
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
            cut=ends_early(names, row.name)
            or ends_early(lines.description, row.description)
            or len(lines.description) < min(1, len(row.description))
            or (len(row.modifiers) > 0 and ends_early(lines.modifiers or (ELLIPSIS,), row.modifiers[-1].delta))
            or not are_whole(tags, self._tag_texts(row)),
        )

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if self._has_image(row) else 0.0

    def _has_image(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None

    def _name_lines(self, name: str, width: float, limit: int) -> tuple[str, ...]:
        """The name in lines of about equal length, so that no word or character stands alone on the last."""
        measurer = self._measurers.name
        lines = measurer.lines(name, width, limit)
        if len(lines) == 1 or lines[-1].endswith(ELLIPSIS) or (low := measurer.widest_piece(name)) > width:
            return lines
        narrowest, high = lines, width
        for _ in range(BALANCE_STEPS):
            middle = (low + high) / 2
            narrower = measurer.lines(name, middle, len(lines) + 1)
            if len(narrower) > len(lines):
                low = middle
            else:
                narrowest, high = narrower, middle
        return narrowest

    def _tag_texts(self, row: MenuRow) -> list[str]:
        tags = (self._sold_out, *row.tags) if row.sold_out and self._sold_out else row.tags
        return [capitals(tag, self._locale) for tag in tags if tag]

    def _tags(self, row: MenuRow, width: float, size: int, lines: int) -> tuple[BadgeGeometry, ...]:
        """The row's badges, as large as its details."""
        badges = lay_out_badges(
            self._tag_texts(row),
            letters=row.allergens,
            measurer=self._measurers.tag,
            size=self.badge_size(size),
            width=width,
            lines=lines,
        )
        sold_out = next((badge for badge in badges if badge.framed), None) if row.sold_out and self._sold_out else None
        return tuple(replace(badge, strong=True) if badge is sold_out else badge for badge in badges)


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
