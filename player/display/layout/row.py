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
)
from player.display.layout.bidi import join_isolated, with_base_direction
from player.display.layout.energy import named_variant
from player.display.layout.line_breaking import ELLIPSIS, ends_early
from player.display.layout.measuring import TextMeasurer, TextMeasurers
from player.display.layout.price import FEATURED_SIZE, NO_PRICE, PriceSetter, SinglePrice, name_size
from player.display.layout.second import SECOND_LINE, SECOND_SIZE, in_its_direction
from player.display.layout.strikes import Strike, strike, struck_lines
from player.display.layout.variants import (
    NOT_SOLD,
    REGULAR_GAP,
    VARIANT_BASELINE,
    VARIANT_LINE,
    BelowSetting,
    Cell,
    CellKind,
    PartsOf,
    PriceColumns,
    has_place,
    line_size,
    price_columns,
    shared_names,
)
from player.domain.documents.scene import MenuWidget
from player.domain.menu.energy import is_declared_large
from player.domain.view import Locality, MenuRow, MenuSection, PriceText
from player.domain.words.wording import capitals

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
DETAIL_BASELINE = 0.76
"""Of a line of details, from its top to its baseline."""
DETAIL_LINE = 1.3
"""In ems of the details."""
TAG_LINE_TOP = 0.12
"""Above the tags, where they have a line of their own because they do not fit beside the name."""
LEAST_NAME = 3.0
"""The least width of a name beside its price: for less, the menu gets fewer columns or smaller text."""
PRICE_GAP = 0.8
"""Least distance between a name and its price."""
BESIDE_SAVING = 6.0
"""The least width of details beside what a combo saves: for less, that has a line of its own."""
THUMB_SIZE = 2.1
THUMB_GAP = 0.5
LEADER_STEP = 0.42
LEADER_GAP = 0.35

FEWEST_LEADER_DOTS = 3
MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
"""Of one item. A row has fewer where it would otherwise be higher than its column."""
VARIANT_NAME_LINES = 4
"""Of a variant that has no column."""
WIDOW = 0.6
"""A single last word of a description that is wider than this share of the line may stay alone."""
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
    cells: tuple[Cell, ...]
    """The prices of variants, and what stands around a single one."""
    strikes: tuple[Strike, ...]
    details: str
    details_x: float
    details_y: float
    details_width: float
    second: str
    """The name in a second language, in lines below the first; `second_details` are its description and the options."""
    second_y: float
    second_details: str
    second_details_y: float
    leader_x: float
    leader_width: float
    tags: tuple[BadgeGeometry, ...]
    image: str | None
    baseline: float
    """Of the first line."""
    featured: bool
    sold_out: bool
    cut: bool
    """Whether a text ends in an ellipsis, or a tag is left out."""


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
RowCache = Mapping[tuple[MenuRow, PriceColumns | None, bool, float, float, float, int], RowGeometry]
"""Rows laid out before, by content, columns of prices, room for an image, width after the decimal line, widest unit,
column width and text size."""


class RowTypesetter:
    """Lays out the rows of one menu. They share a decimal line: the parts of prices before and after it are measured
    once.

    Everything is laid out from left to right and mirrored in the end; so for a right-to-left board the parts of a price
    before and after the separator are exchanged here.
    """

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
        self._least_detail = LEAST_DETAIL * least_size
        self._measurers = measurers
        self._sold_out = sold_out
        self._locale = locality.locale
        self._right_to_left = locality.right_to_left
        self._second_right_to_left = second is not None and second.right_to_left
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
        self._parts_of = _parts_of(measurers.price, right_to_left=locality.right_to_left)
        prices = [price for row in self._rows for price in (row.price, *(one.price for one in row.variants))]
        prices = [price for price in prices if not price.in_words]
        self._before_widest = max((self._parts_of(price)[0] for price in prices), default=0.0)
        self._after_decimal = max((self._parts_of(price)[1] for price in prices), default=0.0)
        self._large_energy = is_declared_large(locality.law)
        self._dash = measurers.price.width(NOT_SOLD)
        self._columns_of, self._columns_beside = self._price_columns(sections)
        """The columns in which the prices of a row stand where they fit, by item; and those of the rows around one that
        has a single price."""
        self._detail_sizes: dict[int, int] = {}
        self._price_setter = PriceSetter(measurers, parts_of=self._parts_of, after=self._after_decimal)
        self._units = self._widest_units(sections)
        """Ems of the widest unit beside the prices of a row's section, by item; none where it is 0."""

    def natural_width(self, row: MenuRow) -> float:
        """Column width in ems at which the row's name takes one line."""
        columns = self._columns_of.get(row.item_id)
        prices = columns.width if columns else self._single_width(row)
        return (
            self._measurers.name.width(row.name) * (FEATURED_SIZE if row.featured else 1.0) + PRICE_GAP + prices + 0.01
        )

    def widest_prices(self) -> float:
        """Width in ems of the widest columns of prices; 0 where no item has variants."""
        return max((columns.width for columns in self._columns_of.values()), default=0.0)

    def columns_of(self, rows: Sequence[MenuRow], width: float, size: int) -> PriceColumns | None:
        """The columns of prices of a section, if it has any at this width and size."""
        found = (self._columns_of.get(row.item_id) for row in rows)
        columns = next((one for one in found if one is not None), None)
        return columns if columns is not None and self._have_room(columns, width, size) else None

    def prices_stand_in_columns(self, width: float, size: int) -> bool:
        """Whether the prices of all variants that may have columns have them at this width and size."""
        return all(self._have_room(columns, width, size) for columns in set(self._columns_of.values()))

    def least_width(self) -> float:
        """Least column width in ems for every row: an image, the beginning of a name, and the price."""
        lined_up = self._before_widest + self._after_decimal
        single = max((self._single_width(row) for row in self._rows if not row.variants), default=0.0)
        saving = max((self._measurers.price.width(row.saving) for row in self._rows), default=0.0) * LEAST_DETAIL
        return self._thumb + max(LEAST_NAME + PRICE_GAP + max(lined_up, single), saving)

    def name_width(self, row: MenuRow, width: float, size: int) -> float:
        """Width that a column leaves for the row's name, in canvas units."""
        prices = self._prices_width(row, width, size)
        return max(float(size), width - prices - (PRICE_GAP * size if prices else 0.0) - self._name_x(row, size))

    def detail_size(self, size: int) -> int:
        """Size of descriptions and options, in whole canvas units, where names have this size."""
        # Asked for several times for each row, at each size that is tried.
        if size not in self._detail_sizes:
            self._detail_sizes[size] = max(
                1, round(max(DETAIL_SIZE * size, min(self._least_detail, LEAST_DETAIL * size)))
            )
        return self._detail_sizes[size]

    def second_size(self, size: int) -> int:
        """Size of names in a second language."""
        return max(self.detail_size(size), round(SECOND_SIZE * size))

    def badge_size(self, size: int) -> float:
        """The text size to which badges belong: they have one ratio to the details."""
        return self.detail_size(size) / DETAIL_SIZE

    def lay_out(self, row: MenuRow, width: float, size: int, *, height: float = math.inf) -> RowGeometry:
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

    def _key(
        self, row: MenuRow, width: float, size: int
    ) -> tuple[MenuRow, PriceColumns | None, bool, float, float, float, int]:
        unit, indented = self._units.get(row.item_id, 0.0), row.item_id in self._indented
        return row, self._columns_near(row), indented, self._after_decimal, unit, width, size

    def _shortened(self, row: MenuRow, width: float, size: int, height: float) -> RowGeometry:
        """The row without the lines for which there is no room: first those of the description, then tags, options, and
        last the name."""
        whole = self._lines(row, width, size, _WHOLE)
        limits = _WHOLE
        for text, fewest in (
            ("description", 1 if row.energy and not self._large_energy else 0),
            ("tags", 0),
            ("modifiers", 0),
            ("names", 1),
        ):
            lines = len(getattr(whole, text))
            if text == "description":
                lines = max(lines, len(whole.second_description))
            elif text == "names":
                lines = max(lines, len(whole.second))
            if text == "tags":
                lines = badges_lines(whole.tags)
            for most in reversed(range(fewest, lines)):
                limits = replace(limits, **{text: most})
                if (shorter := self._lay_out(row, width, size, limits)).height <= height:
                    return shorter
        return self._lay_out(row, width, size, limits)

    def _lines(self, row: MenuRow, width: float, size: int, limits: _Limits) -> _Lines:
        details, name_width = width - self._name_x(row, size), self.name_width(row, width, size)
        if self._columns_here(row, width, size) is not None and _has_below(row):
            # Energies and regular prices stand below the prices.
            details = name_width
        if self._is_beside_saving(row, width, size):
            details -= self._saving_width(row, size) + PRICE_GAP * size
        ems = max(1.0, details / self.detail_size(size))
        measurer, rtl = self._measurers.detail, self._right_to_left
        parts = [join_isolated((modifier.name, modifier.delta), right_to_left=rtl) for modifier in row.modifiers]
        second, second_name, second_detail = row.second, self._measurers.second, self._measurers.second_detail
        if second is None or second_name is None or second_detail is None:
            second, second_name, second_detail = None, self._measurers.name, measurer
        return _Lines(
            names=name_lines(self._measurers.name, row.name, name_width / name_size(row, size), limits.names),
            name_width=name_width,
            second=name_lines(second_name, second.name, details / self.second_size(size), limits.names)
            if second is not None and second.name
            else (),
            second_description=described(second_detail, second.description, ems, limits.description)
            if second is not None and second.description and limits.description
            else (),
            description=described(self._measurers.detail, row.description, ems, limits.description)
            if row.description and limits.description
            else (),
            modifiers=measurer.flow(parts, DOT, ems, limits.modifiers) if parts and limits.modifiers else (),
            tags=self._tags(row, width - self._name_x(row, size), size, limits.tags),
        )

    def _lay_out(self, row: MenuRow, width: float, size: int, limits: _Limits) -> RowGeometry:
        lines = self._lines(row, width, size, limits)
        names, details, second = lines.names, lines.description, row.second
        options, more = lines.modifiers, lines.second_description
        if not more:
            details, options = details + options, ()
        name_x, name_width, own = self._name_x(row, size), lines.name_width, name_size(row, size)
        detail_line = DETAIL_LINE * self.detail_size(size)
        names_end = LINE * own * len(names)
        details_y = names_end + SECOND_LINE * self.second_size(size) * len(lines.second)
        second_details_y = details_y + detail_line * len(details)
        height = second_details_y + detail_line * (len(more) + len(options))
        columns, single, cut = self._columns_here(row, width, size), NO_PRICE, False
        if not row.variants:
            single = self._single(row, size)
            cells = tuple(replace(cell, x=width + cell.x) for cell in single.cells)
        elif columns is not None:
            energy, regular = self._energy_setting(size), self._regular_setting(size)
            cells = columns.cells(
                row, width, size, parts_of=self._parts_of, dash=self._dash, energy=energy, regular=regular
            )
            if _has_below(row):
                below = energy.line if any(variant.energy for variant in row.variants) else 0.0
                below += regular.line if any(variant.regular for variant in row.variants) else 0.0
                height = max(height, BASELINE * (own - size) + LINE * size + below)
        else:
            cells, height, cut = self._variant_lines(row, width, size, height)
        if row.saving:
            top = height
            if not (lines.second or details or more) or self._is_beside_saving(row, width, size):
                top = names_end
            height = max(height, top + detail_line)
            cells = (*cells, self._saving(row, width, size, top + DETAIL_BASELINE * detail_line))

        last_width = self._measurers.name.width(names[-1]) * own
        tags = lines.tags
        tags_width = max((tag.x + tag.width for tag in tags), default=0.0)
        after_name = last_width + 1.4 * TAG_GAP * size
        if not tags:
            pass
        elif after_name + tags_width <= name_width and badges_lines(tags) == 1:
            middle = names_end - LINE * own + (BASELINE - MIDDLE) * own
            tags = tuple(replace(tag, x=name_x + after_name + tag.x, y=middle - tag.height / 2) for tag in tags)
            last_width = after_name + tags_width
        else:
            top = height + TAG_LINE_TOP * size
            height = top + badges_height(tags)
            tags = tuple(replace(tag, x=name_x + tag.x, y=top + tag.y) for tag in tags)
        if self._has_image(row):
            height = max(height, THUMB_SIZE * size)

        prices_width = columns.width * size if columns is not None else single.width
        leader_end = width - prices_width - LEADER_GAP * size
        leader_width = 0.0
        beside = self._columns_beside.get(row.item_id)
        # Dots through the columns of others: a single price is not that of the last size.
        led = self._widget.leader or (beside is not None and self._have_room(beside, width, size))
        if led and len(names) == 1 and (row.price.text or columns is not None):
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
            price=single.text,
            price_x=width + single.x,
            price_width=single.text_width,
            cells=cells,
            strikes=self._strikes(names if row.sold_out else (), name_x, cells, size, own),
            details=with_base_direction(details, right_to_left=self._right_to_left),
            details_x=name_x,
            details_y=details_y,
            details_width=width - name_x,
            second=in_its_direction(lines.second, right_to_left=self._second_right_to_left),
            second_y=names_end,
            second_details="\n".join(
                part
                for part in (
                    in_its_direction(more, right_to_left=self._second_right_to_left),
                    with_base_direction(options, right_to_left=self._right_to_left),
                )
                if part
            ),
            second_details_y=second_details_y,
            leader_x=leader_end - leader_width,
            leader_width=leader_width,
            tags=tags,
            image=row.image if self._has_image(row) else None,
            baseline=BASELINE * own,
            featured=row.featured,
            sold_out=row.sold_out,
            cut=cut
            or ends_early(names, row.name)
            or ends_early(lines.description, row.description)
            or len(lines.description) < min(1, len(row.description))
            or (second is not None and ends_early(lines.second, second.name))
            or (second is not None and len(more) < min(1, len(second.description)))
            or (second is not None and ends_early(more, second.description))
            or (len(row.modifiers) > 0 and ends_early(lines.modifiers or (ELLIPSIS,), row.modifiers[-1].delta))
            or (bool(row.tags or row.icons or row.sold_out) and not are_whole(tags, self._tag_texts(row), row.icons)),
        )

    def _columns_near(self, row: MenuRow) -> PriceColumns | None:
        """The columns of prices of the row's section."""
        return self._columns_of.get(row.item_id) or self._columns_beside.get(row.item_id)

    def _price_columns(
        self, sections: Sequence[MenuSection]
    ) -> tuple[Mapping[str, PriceColumns], Mapping[str, PriceColumns]]:
        """Sections with the same variants have the same columns."""
        rows: dict[tuple[str, ...], list[MenuRow]] = {}
        others: dict[str, tuple[str, ...]] = {}
        for section in sections:
            if names := shared_names(section.rows):
                rows.setdefault(names, []).extend(row for row in section.rows if has_place(row, names))
                others |= {row.item_id: names for row in section.rows if not row.variants}
        columns = {
            names: price_columns(
                names,
                found,
                parts_of=self._parts_of,
                label=self._measurers.heading,
                name=self._measurers.name,
                last_after=self._after_decimal,
                energy_width=self._energy_width,
                regular_width=self._regular_width,
                large_energy=self._large_energy,
            )
            for names, found in rows.items()
        }
        inside = {row.item_id: columns[names] for names, found in rows.items() for row in found}
        return inside, {item_id: columns[names] for item_id, names in others.items()}

    def _energy_width(self, text: str) -> float:
        """Width in ems of the text size of an energy below a price, at most."""
        if self._large_energy:
            return self._measurers.price.width(text)
        # At the smallest text size details are larger, in proportion.
        return self._measurers.detail.width(text) * LEAST_DETAIL

    def _regular_width(self, text: str) -> float:
        """Width in ems of the text size of a regular price below another, at most."""
        return self._measurers.price.width(text) * LEAST_DETAIL

    def _energy_setting(self, size: int) -> BelowSetting:
        if self._large_energy:
            return BelowSetting(width=self._measurers.price.width, size=size, y=LINE * size, line=LINE * size)
        return replace(self._regular_setting(size), width=self._measurers.detail.width)

    def _regular_setting(self, size: int) -> BelowSetting:
        detail = self.detail_size(size)
        y = (LINE - BASELINE) * size + DETAIL_BASELINE * DETAIL_LINE * detail
        return BelowSetting(width=self._measurers.price.width, size=detail, y=y, line=DETAIL_LINE * detail)

    def _strikes(
        self, names: Sequence[str], name_x: float, cells: Sequence[Cell], size: int, own: int
    ) -> tuple[Strike, ...]:
        """The lines through the names, of size `own`, of an item that is sold out, and through prices and names of
        variants."""
        if not (names or cells):
            return ()
        detail = self.detail_size(size)
        width, line = self._measurers.name.width, line_size(size, detail)
        sizes = {
            CellKind.STRUCK: size,
            CellKind.REGULAR: line_size(own, detail),
            CellKind.LINE_STRUCK: line,
            CellKind.LINE_STRUCK_NAME: line,
            CellKind.VARIANT_REGULAR: detail,
        }
        struck = (
            strike(
                x=cell.x,
                baseline=BASELINE * own + cell.y,
                width=cell.width,
                size=sizes[cell.kind],
                figures=cell.kind is not CellKind.LINE_STRUCK_NAME,
            )
            for cell in cells
            if cell.kind in sizes
        )
        widths = [width(name) * own for name in names]
        named = struck_lines(widths, x=name_x, baseline=BASELINE * own, line=LINE * own, size=own)
        return (*named, *struck)

    def _have_room(self, columns: PriceColumns, width: float, size: int) -> bool:
        return (self._thumb + columns.least_name + PRICE_GAP + columns.width) * size <= width

    def _columns_here(self, row: MenuRow, width: float, size: int) -> PriceColumns | None:
        columns = self._columns_of.get(row.item_id)
        return columns if columns is not None and self._have_room(columns, width, size) else None

    def _prices_width(self, row: MenuRow, width: float, size: int) -> float:
        """Width of what stands beside the name: nothing where variants have lines of their own."""
        if not row.variants:
            unit = self._units.get(row.item_id, 0.0)
            return self._price_setter.width(row, size=size, detail=self.detail_size(size), unit=unit)
        columns = self._columns_here(row, width, size)
        return columns.width * size if columns is not None else 0.0

    def _single(self, row: MenuRow, size: int) -> SinglePrice:
        unit = self._units.get(row.item_id, 0.0)
        return self._price_setter.set(row, size=size, detail=self.detail_size(size), unit=unit)

    def _single_width(self, row: MenuRow) -> float:
        """Width in ems that a single price needs at most."""
        return self._price_setter.most_width(row, self._units.get(row.item_id, 0.0))

    def _widest_units(self, sections: Sequence[MenuSection]) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for section in sections:
            if not any(row.price.after for row in section.rows):
                continue
            units = {row.item_id: self._price_setter.unit(row) for row in section.rows}
            widest = max(units.values())
            # Among columns, prices end with the last of them.
            in_columns = any(row.variants for row in section.rows)
            found |= units if in_columns else dict.fromkeys(units, widest)
        return found

    def _saving_width(self, row: MenuRow, size: int) -> float:
        return self._measurers.price.width(row.saving) * self.detail_size(size) if row.saving else 0.0

    def _is_beside_saving(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether what a combo saves stands in the first line of the details, below the price: where these have room
        enough, and take no more lines than with one of its own below."""
        details = width - self._name_x(row, size)
        left = details - self._saving_width(row, size) - PRICE_GAP * size
        if not row.saving or left < BESIDE_SAVING * size:
            return False
        lines = [
            len(self._measurers.detail.lines(row.description, ems / self.detail_size(size), MOST_DETAIL_LINES))
            for ems in (left, details)
        ]
        return lines[0] <= lines[1] + 1

    def _saving(self, row: MenuRow, width: float, size: int, baseline: float) -> Cell:
        shown = self._saving_width(row, size)
        return Cell(
            kind=CellKind.SAVING,
            text=row.saving,
            x=width - shown,
            y=baseline - BASELINE * name_size(row, size),
            width=shown,
        )

    def _variant_lines(self, row: MenuRow, width: float, size: int, top: float) -> tuple[tuple[Cell, ...], float, bool]:
        """The variants in lines, each with its price on the decimal line; where they end; and whether a name is cut."""
        cut, name_x, line, cells = False, self._name_x(row, size), line_size(size, self.detail_size(size)), []
        for variant in row.variants:
            before, after = self._parts_of(variant.price)
            price_x = width - self._after_decimal * size - before * line
            regular = self._measurers.price.width(variant.regular) * self.detail_size(size) if variant.regular else 0.0
            left = price_x - (regular + REGULAR_GAP * size if regular else 0.0)
            ems = max(1.0, (left - name_x) / line - PRICE_GAP)
            told = named_variant(variant, right_to_left=self._right_to_left)
            names = self._measurers.name.lines(told, ems, VARIANT_NAME_LINES)
            struck_line = 0
            if variant.regular and len(names) > 1:
                # Below the price, where it would take the name's room.
                struck_line, left = 1, price_x + (before + after) * line - regular
                ems = max(1.0, (min(price_x, left) - name_x) / line - PRICE_GAP)
                names = self._measurers.name.lines(told, ems, VARIANT_NAME_LINES)
            cut = cut or ends_early(names, told)
            for number, name in enumerate(names):
                y = top + (number * VARIANT_LINE + VARIANT_BASELINE) * size - BASELINE * name_size(row, size)
                cells.append(
                    Cell(
                        kind=CellKind.LINE_STRUCK_NAME if variant.sold_out else CellKind.LINE_NAME,
                        text=with_base_direction((name,), right_to_left=self._right_to_left),
                        x=name_x,
                        y=y,
                        width=self._measurers.name.width(name) * line,
                    )
                )
                if number == 0:
                    kind = CellKind.LINE_OFFER if variant.regular else CellKind.LINE_PRICE
                    cells.append(
                        Cell(
                            kind=CellKind.LINE_STRUCK if variant.sold_out else kind,
                            text=variant.price.text,
                            x=price_x,
                            y=y,
                            width=(before + after) * line,
                        )
                    )
            if variant.regular:
                y = top + (struck_line * VARIANT_LINE + VARIANT_BASELINE) * size - BASELINE * name_size(row, size)
                cells.append(Cell(kind=CellKind.VARIANT_REGULAR, text=variant.regular, x=left, y=y, width=regular))
            top += VARIANT_LINE * size * max(len(names), struck_line + 1)
        return tuple(cells), top, cut

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if row.item_id in self._indented else 0.0

    def _has_image(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None

    def _tag_texts(self, row: MenuRow) -> list[str]:
        tags = (self._sold_out, *row.tags) if row.sold_out and self._sold_out else row.tags
        return [capitals(tag, self._locale) for tag in tags if tag]

    def _tags(self, row: MenuRow, width: float, size: int, lines: int) -> tuple[BadgeGeometry, ...]:
        """The row's badges, as large as its details."""
        badges = lay_out_badges(
            self._tag_texts(row),
            icons=row.icons,
            letters=row.allergens,
            measurer=self._measurers.tag,
            size=self.badge_size(size),
            width=width,
            lines=lines,
        )
        sold_out = next((badge for badge in badges if badge.framed), None) if row.sold_out and self._sold_out else None
        return tuple(replace(badge, strong=True) if badge is sold_out else badge for badge in badges)


def _has_below(row: MenuRow) -> bool:
    return any(variant.energy or variant.regular for variant in row.variants)


def described(measurer: TextMeasurer, text: str, width: float, limit: int) -> tuple[str, ...]:
    """A description in lines, its last one not a single word."""
    lines = measurer.lines(text, width, limit)
    is_single = len(lines) > 1 and " " not in lines[-1].strip() and measurer.width(lines[-1]) < WIDOW * width
    if not is_single or "\n" in text or ends_early(lines, text):
        return lines
    return balanced(measurer, text, lines, width)


def name_lines(measurer: TextMeasurer, name: str, width: float, limit: int) -> tuple[str, ...]:
    """The name in lines of about equal length, so that no word or character stands alone on the last."""
    lines = measurer.lines(name, width, limit)
    return lines if len(lines) == 1 or lines[-1].endswith(ELLIPSIS) else balanced(measurer, name, lines, width)


def balanced(measurer: TextMeasurer, text: str, lines: tuple[str, ...], width: float) -> tuple[str, ...]:
    """The text in as many lines of about equal length."""
    if (low := measurer.widest_piece(text)) > width:
        return lines
    narrowest, high = lines, width
    for _ in range(BALANCE_STEPS):
        middle = (low + high) / 2
        narrower = measurer.lines(text, middle, len(lines) + 1)
        if len(narrower) > len(lines):
            low = middle
        else:
            narrowest, high = narrower, middle
    return narrowest


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
        cells=tuple(replace(cell, x=inner - cell.x - cell.width) for cell in row.cells),
        strikes=tuple(replace(one, x=inner - one.x - one.width) for one in row.strikes),
        tags=tuple(replace(tag, x=inner - tag.x - tag.width) for tag in row.tags),
    )


def _parts_of(measurer: TextMeasurer, *, right_to_left: bool) -> PartsOf:
    """Measures prices before and after the place where they line up, each once."""
    # Not a method: what keeps it would be in a circle with what made it, which only the garbage collector frees.
    known: dict[PriceText, tuple[float, float]] = {}

    def parts_of(price: PriceText) -> tuple[float, float]:
        if price not in known:
            width, before = measurer.width(price.text), measurer.cursor(price.text, price.decimal_at)
            # Arabic figures have no common width: what a reader sees is the prices' outer edge.
            known[price] = (width, 0.0) if right_to_left else (before, width - before)
        return known[price]

    return parts_of
