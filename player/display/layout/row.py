"""Lays out one row of a menu at a text size: name, price on the decimal line, details, tags; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import (
    DOT,
    MOST_TAG_LINES,
    TAG_GAP,
    BadgeGeometry,
    are_whole,
    badges_height,
    badges_lines,
    lay_out_badges,
    tag_texts,
)
from player.display.layout.entry import Entry, EntryKind, Leader, Picture
from player.display.layout.row_prices import PRICE_GAP, PriceSetter, RowPrices, has_below
from player.display.layout.runs import Ink, Run, exact_run, strikes
from player.display.layout.sizes import (
    BASELINE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    DETAIL_SIZE,
    FEATURED_SIZE,
    LEAST_DETAIL,
    LINE,
    name_size,
)
from player.display.layout.text.balancing import described, name_lines
from player.display.layout.text.bidi import join_isolated, with_base_direction
from player.display.layout.text.line_breaking import ELLIPSIS, ends_early
from player.display.layout.text.measuring import TextMeasurers
from player.display.layout.text.second import SECOND_BASELINE, SECOND_LINE, SECOND_SIZE, in_its_direction
from player.display.layout.variants import PriceColumns
from player.domain.documents.scene import Box, MenuWidget
from player.domain.view import Locality, MenuRow, MenuSection

# Everything below is in ems: multiples of the widget's one text size.
MIDDLE = 0.35
"""From a baseline up to the middle of the letters."""
TAG_LINE_TOP = 0.12
"""Above the tags, where they have a line of their own because they do not fit beside the name."""
LEAST_NAME = 3.0
"""The least width of a name beside its price: for less, the menu gets fewer columns or smaller text."""
BESIDE_SAVING = 6.0
"""The least width of details beside what a combo saves: for less, that has a line of its own."""
THUMB_SIZE = 2.1
THUMB_GAP = 0.5
LEADER_STEP, LEADER_DOT = 0.42, 0.06
LEADER_GAP = 0.35

FEWEST_LEADER_DOTS = 3
MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
"""Lines of one item. A row has fewer where it would otherwise be higher than its column."""


class _Lines(Struct, frozen=True, kw_only=True):
    """The texts of a row in lines; `name_width` is the room that the name has."""

    names: tuple[str, ...]
    name_width: float
    second: tuple[str, ...]
    description: tuple[str, ...]
    second_description: tuple[str, ...]
    modifiers: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]


class _Limits(Struct, frozen=True, kw_only=True):
    """The most lines of each text of a row."""

    names: int = MOST_NAME_LINES
    description: int = MOST_DETAIL_LINES
    modifiers: int = MOST_DETAIL_LINES
    tags: int = MOST_TAG_LINES


_WHOLE = _Limits()
_Key = tuple[MenuRow, tuple[PriceColumns | None, float, float], bool, float, int]
RowCache = Mapping[_Key, Entry]
"""Rows laid out before, by content, what the prices of others add, room for an image, column width and text size."""


class RowTypesetter:
    """Lays out the rows of one menu."""

    def __init__(
        self,
        widget: MenuWidget,
        sections: Sequence[MenuSection],
        measurers: TextMeasurers,
        *,
        locality: Locality,
        second: Locality | None = None,
        least_size: float,
        sold_out: str,
        cache: RowCache,
    ) -> None:
        self._widget = widget
        self._measurers = measurers
        self._sold_out = sold_out
        self._locality = locality
        self._right_to_left = locality.right_to_left
        self._second = second
        self._cache = dict(cache)
        self._rows = [row for section in sections for row in section.rows]
        self._thumb = THUMB_SIZE + THUMB_GAP if any(self._has_image(row) for row in self._rows) else 0.0
        """Width in ems that images take beside the names, where any row has one."""
        self._indented = frozenset(
            row.item_id
            for section in sections
            if any(self._has_image(one) for one in section.rows)
            for row in section.rows
        )
        """Items of sections with an image: their names are in line, whether they have one themselves or not."""
        self.prices = PriceSetter(
            sections, measurers, locality=locality, least_detail=LEAST_DETAIL * least_size, thumb=self._thumb
        )
        """The prices of all rows."""
        self.detail_size = self.prices.detail_size
        """Size of descriptions and options, where names have this size."""

    def natural_width(self, row: MenuRow) -> float:
        """Column width in ems at which the row's name takes one line."""
        name = self._measurers.name.width(row.name) * (FEATURED_SIZE if row.featured else 1.0)
        return name + PRICE_GAP + self.prices.natural_width(row) + 0.01

    def least_width(self) -> float:
        """Least column width in ems for every row: an image, the beginning of a name, and the price."""
        saving = max((self._measurers.price.width(row.saving) for row in self._rows), default=0.0) * LEAST_DETAIL
        return self._thumb + max(LEAST_NAME + PRICE_GAP + self.prices.least_width(), saving)

    def name_width(self, row: MenuRow, width: float, size: int) -> float:
        """Width that a column leaves for the row's name, in canvas units."""
        prices = self.prices.width_beside(row, width, size)
        return max(float(size), width - prices - (PRICE_GAP * size if prices else 0.0) - self._name_x(row, size))

    def second_size(self, size: int) -> int:
        """Size of names in a second language."""
        return max(self.detail_size(size), round(SECOND_SIZE * size))

    def badge_size(self, size: int) -> float:
        """The text size to which badges belong: they have one ratio to the details."""
        return self.detail_size(size) / DETAIL_SIZE

    def lay_out(self, row: MenuRow, width: float, size: int, *, height: float = math.inf) -> Entry:
        """The row in a column `width` canvas units wide, at the corner of the widget; cut where it would be higher than
        `height`."""
        key = self._key(row, width, size)
        if key not in self._cache:
            self._cache[key] = self._lay_out(row, width, size, _WHOLE)
        whole = self._cache[key]
        return whole if whole.height <= height else self._shortened(row, width, size, height)

    def cached(self, width: float, size: int) -> RowCache:
        """The rows laid out at this width and size."""
        keys = [self._key(row, width, size) for row in self._rows]
        return {key: self._cache[key] for key in keys if key in self._cache}

    def _key(self, row: MenuRow, width: float, size: int) -> _Key:
        return row, self.prices.beside(row), row.item_id in self._indented, width, size

    def _shortened(self, row: MenuRow, width: float, size: int, height: float) -> Entry:
        """The row without the lines for which there is no room: first those of the description, then tags, options, and
        last the name."""
        whole = self._lines(row, width, size, _WHOLE)
        limits = _WHOLE
        for text, fewest, lines in (
            (
                "description",
                1 if row.energy and not self.prices.large_energy else 0,
                max(len(whole.description), len(whole.second_description)),
            ),
            ("tags", 0, badges_lines(whole.tags)),
            ("modifiers", 0, len(whole.modifiers)),
            ("names", 1, max(len(whole.names), len(whole.second))),
        ):
            for most in reversed(range(fewest, lines)):
                limits = replace(limits, **{text: most})
                if (shorter := self._lay_out(row, width, size, limits)).height <= height:
                    return shorter
        return self._lay_out(row, width, size, limits)

    def _lines(self, row: MenuRow, width: float, size: int, limits: _Limits) -> _Lines:
        details, name_width = width - self._name_x(row, size), self.name_width(row, width, size)
        if self.prices.columns_here(row, width, size) is not None and has_below(row):
            # Energies and regular prices stand below the prices.
            details = name_width
        if self._is_beside_saving(row, width, size):
            details -= self._saving(row, size).width + PRICE_GAP * size
        ems = max(1.0, details / self.detail_size(size))
        measurers, rtl = self._measurers, self._right_to_left
        parts = [join_isolated((modifier.name, modifier.delta), right_to_left=rtl) for modifier in row.modifiers]
        second = row.second if self._second is not None else None
        return _Lines(
            names=name_lines(measurers.name, row.name, name_width / name_size(row, size), limits.names),
            name_width=name_width,
            second=name_lines(measurers.second, second.name, details / self.second_size(size), limits.names)
            if second is not None and second.name
            else (),
            second_description=described(measurers.second_detail, second.description, ems, limits.description)
            if second is not None
            else (),
            description=described(measurers.detail, row.description, ems, limits.description),
            modifiers=measurers.detail.flow(parts, DOT, ems, limits.modifiers) if parts and limits.modifiers else (),
            tags=self._tags(row, width - self._name_x(row, size), size, limits.tags),
        )

    def _lay_out(self, row: MenuRow, width: float, size: int, limits: _Limits) -> Entry:
        lines, own = self._lines(row, width, size, limits), name_size(row, size)
        name_x = self._name_x(row, size)
        texts, height = self._texts(row, lines, width, size)
        prices = self.prices.set(row, name_x=name_x, width=width, size=size, below=height)
        runs, height = [*texts, *prices.runs], prices.height
        if row.saving:
            detail_line, top = DETAIL_LINE * self.detail_size(size), height
            has_details = lines.second or lines.description or lines.modifiers or lines.second_description
            if not has_details or self._is_beside_saving(row, width, size):
                top = LINE * own * len(lines.names)
            height = max(height, top + detail_line)
            saving = self._saving(row, size)
            runs.append(saving.moved(width - saving.width, top + DETAIL_BASELINE * detail_line))
        tags, name_end, height = self._placed_tags(row, lines, size, height)
        thumb = THUMB_SIZE * size
        if self._has_image(row):
            height = max(height, thumb)
        return Entry(
            kind=EntryKind.ROW,
            key=row.item_id,
            width=width,
            height=height,
            runs=tuple(runs),
            lines=strikes(runs, self._measurers),
            tags=tags,
            leader=self._leader(row, prices, name_x + name_end, width, size) if len(lines.names) == 1 else None,
            picture=Picture(box=Box(x=0.0, y=0.0, width=thumb, height=thumb), asset=row.image)
            if self._has_image(row)
            else None,
            sold_out=row.sold_out,
            cut=prices.cut or self._is_cut(row, lines),
        )

    def _texts(self, row: MenuRow, lines: _Lines, width: float, size: int) -> tuple[list[Run], float]:
        """Name and details in both languages below each other, and the end of the last one."""
        own, detail, second_size, right_to_left = (
            name_size(row, size),
            self.detail_size(size),
            self.second_size(size),
            self._right_to_left,
        )
        name_x, end, second = self._name_x(row, size), LINE * own * len(lines.names), self._second
        name = Run(
            name="name",
            text=with_base_direction(lines.names, right_to_left=right_to_left),
            face="name",
            size=own,
            ink=Ink.TEXT,
            x=name_x,
            y=BASELINE * own,
            width=lines.name_width,
            line=LINE * own,
            fills=True,
            struck=row.sold_out,
        )
        runs, details, options = [name], lines.description, lines.modifiers
        if not lines.second_description:
            details, options = details + options, ()
        below = replace(name, width=width - name_x, struck=False)
        if lines.second:
            text = in_its_direction(lines.second, right_to_left=second is not None and second.right_to_left)
            line, y = SECOND_LINE * second_size, end + SECOND_BASELINE * second_size
            runs.append(replace(below, name="second", text=text, face="second", size=second_size, y=y, line=line))
            end += line * len(lines.second)
        below, line = replace(below, ink=Ink.SECONDARY, size=detail), DETAIL_LINE * detail
        below = replace(below, line=line)
        if details:
            text = with_base_direction(details, right_to_left=right_to_left)
            runs.append(replace(below, name="details", text=text, face="detail", y=end + DETAIL_BASELINE * line))
            end += line * len(details)
        if more := lines.second_description:
            parts = (
                in_its_direction(more, right_to_left=second is not None and second.right_to_left),
                with_base_direction(options, right_to_left=right_to_left),
            )
            text, y = "\n".join(part for part in parts if part), end + DETAIL_BASELINE * line
            runs.append(replace(below, name="secondDetails", text=text, face="second_detail", y=y))
            end += line * (len(more) + len(options))
        return runs, end

    def _placed_tags(
        self, row: MenuRow, lines: _Lines, size: int, height: float
    ) -> tuple[tuple[BadgeGeometry, ...], float, float]:
        """The tags after the name, or in a line of their own below everything; the ends of the first line and of the
        row."""
        own, tags, name_x = name_size(row, size), lines.tags, self._name_x(row, size)
        last_width = self._measurers.name.width(lines.names[-1]) * own
        if not tags:
            return (), last_width, height
        after_name = last_width + 1.4 * TAG_GAP * size
        tags_width = max(tag.x + tag.width for tag in tags)
        if after_name + tags_width <= lines.name_width and badges_lines(tags) == 1:
            middle = LINE * own * (len(lines.names) - 1) + (BASELINE - MIDDLE) * own
            tags = tuple(replace(tag, x=name_x + after_name + tag.x, y=middle - tag.height / 2) for tag in tags)
            return tags, after_name + tags_width, height
        top = height + TAG_LINE_TOP * size
        placed = tuple(replace(tag, x=name_x + tag.x, y=top + tag.y) for tag in tags)
        return placed, last_width, top + badges_height(tags)

    def _leader(self, row: MenuRow, prices: RowPrices, begin: float, width: float, size: int) -> Leader | None:
        """Dots from the end of the name to the prices, through the columns of others: a single price is not that of the
        last size."""
        is_led = self._widget.leader or self.prices.is_among_columns(row, width, size)
        if not is_led or not (row.price.text or self.prices.columns_here(row, width, size) is not None):
            return None
        end, step = width - prices.width - LEADER_GAP * size, LEADER_STEP * size
        dots = int((end - begin - LEADER_GAP * size) / step)
        y = BASELINE * name_size(row, size)
        found = Leader(x=end - dots * step, y=y, dots=dots, step=step, dot=LEADER_DOT * size)
        return found if dots >= FEWEST_LEADER_DOTS else None

    def _is_cut(self, row: MenuRow, lines: _Lines) -> bool:
        second = row.second if self._second is not None else None
        more = lines.second_description
        return (
            ends_early(lines.names, row.name)
            or ends_early(lines.description, row.description)
            or len(lines.description) < min(1, len(row.description))
            or (second is not None and ends_early(lines.second, second.name))
            or (second is not None and len(more) < min(1, len(second.description)))
            or (second is not None and ends_early(more, second.description))
            or (len(row.modifiers) > 0 and ends_early(lines.modifiers or (ELLIPSIS,), row.modifiers[-1].delta))
            or (
                bool(row.tags or row.icons or row.sold_out)
                and not are_whole(lines.tags, self._tag_texts(row), row.icons)
            )
        )

    def _saving(self, row: MenuRow, size: int) -> Run:
        return exact_run(self._measurers, "saving", row.saving, "price", self.detail_size(size), ink=Ink.ACCENT)

    def _is_beside_saving(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether what a combo saves stands in the first line of the details, below the price: where these have room
        enough, and take no more lines than with one of its own below."""
        if not row.saving:
            return False
        details = width - self._name_x(row, size)
        left = details - self._saving(row, size).width - PRICE_GAP * size
        if left < BESIDE_SAVING * size:
            return False
        lines = [
            len(self._measurers.detail.lines(row.description, ems / self.detail_size(size), MOST_DETAIL_LINES))
            for ems in (left, details)
        ]
        return lines[0] <= lines[1] + 1

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if row.item_id in self._indented else 0.0

    def _has_image(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None

    def _tag_texts(self, row: MenuRow) -> list[str]:
        return tag_texts(row, sold_out=self._sold_out, locale=self._locality.locale)

    def _tags(self, row: MenuRow, width: float, size: int, lines: int) -> tuple[BadgeGeometry, ...]:
        """The row's badges, as large as its details."""
        return lay_out_badges(
            self._tag_texts(row),
            icons=row.icons,
            letters=row.allergens,
            measurer=self._measurers.tag,
            size=self.badge_size(size),
            width=width,
            lines=lines,
            strong_first=row.sold_out and bool(self._sold_out),
        )
