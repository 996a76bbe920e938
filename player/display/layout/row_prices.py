"""Arranges the prices of the rows of one menu: on one decimal line, in columns of variants, or in lines; no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from menu.text.price import PriceText
from player.display.layout.energy import named_variant
from player.display.layout.prices import PriceLine, Prices, price_line, struck_price, variant_name, variant_price
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.sizes import (
    BASELINE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    FEATURED_SIZE,
    LEAST_DETAIL,
    LINE,
    detail_size,
    line_size,
    name_size,
)
from player.display.layout.text.line_breaking import ends_early
from player.display.layout.text.measuring import TextMeasurer
from player.display.layout.variants import (
    COLUMN_GAP,
    NAME_BESIDE_COLUMNS,
    NOT_SOLD,
    PartsOf,
    PriceColumns,
    has_place,
    price_columns,
    shared_names,
)
from player.domain.view import MenuRow, MenuSection

# Everything below is in ems: multiples of the widget's one text size.
PRICE_GAP = 0.8
"""Least distance between a name and its price."""
WORD_GAP, REGULAR_GAP = 0.25, 0.4
"""Between a price and the small words around it, and between it and a struck regular price."""
VARIANT_LINE, VARIANT_BASELINE = 1.02, 0.78
"""Size of a variant that has a line of its own."""
ROUNDING = 0.1
"""By so much whole sizes may be wider than their ems."""
VARIANT_NAME_LINES = 4
"""Size of a variant that has no column."""


class PriceSetter:
    """Sets the prices of the rows of one menu. They line up at their decimals, with their units after them, so the
    parts of prices before and after the decimal line are measured once.

    Everything is laid out from left to right and mirrored at the end; so for a right-to-left board the parts of a price
    before and after the separator are exchanged here.
    """

    def __init__(
        self,
        sections: Sequence[MenuSection],
        setting: Setting,
        *,
        least_detail: float,
        thumb: float,
    ) -> None:
        """`thumb` is the width in ems that pictures take beside names."""
        self._setting, self._measurers = setting, setting.measurers
        self._least_detail, self._thumb = least_detail, thumb
        self._large_energy = setting.large_energy
        self._rows = [row for section in sections for row in section.rows]
        prices = [price for row in self._rows for price in (row.price, *(one.price for one in row.variants))]
        prices = [price for price in prices if not price.in_words]
        # Beside others, those without decimals would end before the column's edge.
        some_without = len({len(price.text) - price.decimal_at for price in prices if price.text}) > 1
        self._parts_of = _parts_of(setting.measurers.price, at_edge=setting.right_to_left or some_without)
        self._before_widest = max((self._parts_of(price)[0] for price in prices), default=0.0)
        self.after_decimal = max((self._parts_of(price)[1] for price in prices), default=0.0)
        """Width in ems after the decimal line."""
        self._detail_sizes: dict[int, int] = {}
        self._units = self._widest_units(sections)
        """Ems of the widest unit beside the prices of a row's section, by item; none where it is 0."""
        self._columns = self._price_columns(sections)
        """The columns in which the prices of a row stand, or before which its single price does, by item; they stand
        there where they have room."""

    def detail_size(self, size: int) -> int:
        """Size of descriptions and options, in whole canvas units, where names have this size."""
        # Asked for several times for each row, at each size that is tried.
        if size not in self._detail_sizes:
            self._detail_sizes[size] = detail_size(size, self._least_detail)
        return self._detail_sizes[size]

    # -- columns

    def widest_columns(self) -> float:
        """Width in ems of the widest columns of prices, with the single prices before them; 0 where no item has
        variants."""
        widths = (one.width + max(0.0, one.least_name - NAME_BESIDE_COLUMNS) for one in self._columns.values())
        return max(widths, default=0.0)

    def columns_of(self, rows: Sequence[MenuRow], width: float, size: int) -> PriceColumns | None:
        return next((found for row in rows if (found := self.columns_here(row, width, size)) is not None), None)

    def may_have_columns(self, row: MenuRow) -> bool:
        """Whether the prices of a row stand in columns where these have room."""
        return row.item_id in self._columns

    def columns_here(self, row: MenuRow, width: float, size: int) -> PriceColumns | None:
        return self._near(row, width, size) if row.variants else None

    def single_end(self, row: MenuRow, width: float, size: int) -> float:
        """Returns the end of the single price of a row of this width: before the columns of the rows around it, if
        these have any, or in the middle of them, so that it is not read as the price of a size."""
        return self._single_end(row, width, size)[0]

    def has_regular_below(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether the regular price of a row stands below its single price, in the middle of the columns."""
        return bool(row.regular) and self._single_end(row, width, size)[1]

    def _single_end(self, row: MenuRow, width: float, size: int) -> tuple[float, bool]:
        columns = None if row.variants else self._near(row, width, size)
        return columns.single_end(width, size, self._thumb) if columns is not None else (width, False)

    def beside(self, row: MenuRow) -> tuple[PriceColumns | None, float, float]:
        """Returns the space that the prices of other rows leave for this one."""
        return self._columns.get(row.item_id), self.after_decimal, self._units.get(row.item_id, 0.0)

    def _near(self, row: MenuRow, width: float, size: int) -> PriceColumns | None:
        columns = self._columns.get(row.item_id)
        return columns if columns is not None and self._have_room(columns, width, size) else None

    def _have_room(self, columns: PriceColumns, width: float, size: int) -> bool:
        return (self._thumb + columns.least_name + PRICE_GAP + columns.width) * size <= width

    def _price_columns(self, sections: Sequence[MenuSection]) -> Mapping[str, PriceColumns]:
        """Shares columns among sections with the same variants."""
        rows: dict[tuple[str, ...], list[MenuRow]] = {}
        for section in sections:
            if names := shared_names(section.rows):
                rows.setdefault(names, []).extend(
                    row for row in section.rows if not row.variants or has_place(row, names)
                )
        found: dict[str, PriceColumns] = {}
        for names, together in rows.items():
            columns = price_columns(
                names,
                [row for row in together if row.variants],
                self._setting,
                parts_of=self._parts_of,
                last_after=self.after_decimal,
            )
            singles = [row for row in together if not row.variants]
            if singles:
                columns = self._with_singles(columns, singles)
            found |= {row.item_id: columns for row in together}
        return found

    def _with_singles(self, columns: PriceColumns, rows: Sequence[MenuRow]) -> PriceColumns:
        """Adds the space that rows with single prices need before the columns, or in their middle."""
        featured = FEATURED_SIZE if any(row.featured for row in rows) else 1.0
        name = max(self._measurers.name.width(row.name) for row in rows) * featured
        price = PRICE_GAP + max(map(self._single_width, rows))
        least = min(NAME_BESIDE_COLUMNS, name) + ROUNDING + (0.0 if columns.have_middle else price)
        return replace(
            columns,
            least_name=max(columns.least_name, least),
            single=max(self._single_width(replace(row, regular="")) for row in rows),
            named_single=name + ROUNDING + price,
        )

    # -- widths

    def natural_width(self, row: MenuRow) -> float:
        """Width in ems that the prices of a row need at most, where variants have columns."""
        columns = self._columns.get(row.item_id)
        if columns is None:
            return self._single_width(row)
        return columns.width if row.variants else columns.width + COLUMN_GAP + self._single_width(row) + ROUNDING

    def least_width(self) -> float:
        """Width in ems of the widest single price, and at least that of all on the decimal line."""
        single = max((self._single_width(row) for row in self._rows if not row.variants), default=0.0)
        return max(self._before_widest + self.after_decimal, single)

    def width_beside(self, row: MenuRow, width: float, size: int) -> float:
        """Returns the width of the prices beside the name: nothing where variants have lines of their own."""
        if row.variants:
            columns = self.columns_here(row, width, size)
            return columns.width * size if columns is not None else 0.0
        price, after = row.price, width - self.single_end(row, width, size)
        if price.before or price.after or price.in_words or row.regular:
            return after + self._single_in(row, width, size).width
        # Most prices: this is asked for each row at each size that is tried.
        return after - self._amount_x(row, size, self.detail_size(size))

    def _single_width(self, row: MenuRow) -> float:
        size = 1000
        return self._single(row, size, round(LEAST_DETAIL * size), row.regular).width / size

    def _amount_x(self, row: MenuRow, size: int, detail: int) -> float:
        """Returns the start of an amount, from the row's right edge: a larger one ends with the others."""
        before, after = self._parts_of(row.price)
        unit = self._units.get(row.item_id, 0.0)
        room = self.after_decimal * size + (WORD_GAP * size + unit * detail if unit else 0.0)
        return after * size - (before + after) * name_size(row, size) - room

    def _widest_units(self, sections: Sequence[MenuSection]) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for section in sections:
            if not any(row.price.after for row in section.rows):
                continue
            units = {
                row.item_id: 0.0 if row.price.in_words else self._measurers.detail.width(row.price.after)
                for row in section.rows
            }
            # Among columns, prices end with the last of them.
            in_columns = any(row.variants for row in section.rows)
            found |= units if in_columns else dict.fromkeys(units, max(units.values()))
        return found

    # -- setting

    def set(self, row: MenuRow, *, name_x: float, width: float, size: int, below: float) -> Prices:
        """Sets the prices of a row of this width, and its height with them. Prices of variants without columns stand in
        lines from `below` on, and take no width beside the name."""
        own, columns = name_size(row, size), self.columns_here(row, width, size)
        if not row.variants:
            single, detail = self._single_in(row, width, size), self.detail_size(size)
            end, runs = self.single_end(row, width, size), list[Run]()
            if self.has_regular_below(row, width, size):
                struck = struck_price("regular", row.regular, detail, self._measurers)
                runs.append(struck.moved(end - struck.width, LINE * own + DETAIL_BASELINE * DETAIL_LINE * detail))
                below = max(below, LINE * own + DETAIL_LINE * detail)
            runs += single.moved(end, BASELINE * own)
            return Prices(runs=tuple(runs), width=width - end + single.width, height=below)
        if columns is None:
            return self._in_lines(row, name_x, width, size, below)
        runs, end = self._in_columns(columns, row, width, size)
        return Prices(
            runs=tuple(run.moved(0.0, BASELINE * own) for run in runs),
            width=columns.width * size,
            height=max(below, BASELINE * (own - size) + LINE * size + end if end else 0.0),
        )

    def _single_in(self, row: MenuRow, width: float, size: int) -> PriceLine:
        """Sets the single price as it stands in a row of this width."""
        regular = "" if self.has_regular_below(row, width, size) else row.regular
        return self._single(row, size, self.detail_size(size), regular)

    def _single(self, row: MenuRow, size: int, detail: int, regular: str) -> PriceLine:
        """Sets the single price with its words and regular price, from the right edge of its row to the left."""
        price, own = row.price, name_size(row, size)
        line = line_size(own, detail)
        found = price_line(
            price,
            regular,
            self._measurers,
            size=line if price.in_words else own,
            word=detail,
            small=line,
            word_gap=WORD_GAP * size,
            regular_gap=REGULAR_GAP * size,
            ink="accent" if row.regular and not price.in_words else "text",
            regular_first=True,
        )
        x = -found.width if price.in_words else self._amount_x(row, size, detail) - found.start
        return PriceLine(runs=found.moved(x), start=x + found.start, width=-x)

    def _in_columns(self, columns: PriceColumns, row: MenuRow, width: float, size: int) -> tuple[list[Run], float]:
        """Sets the prices of a row under their names, each with its regular price and its energy below it; also returns
        their height."""
        variants = {variant.name: variant for variant in row.variants}
        detail, runs = self.detail_size(size), list[Run]()
        line, large = DETAIL_LINE * detail, self._large_energy
        below = (LINE - BASELINE) * size + DETAIL_BASELINE * line
        struck_height = line if any(variant.regular for variant in row.variants) else 0.0
        for column, edge in zip(columns.columns, columns.right_edges(width, size), strict=True):
            variant = variants.get(column.name)
            if variant is None:
                dash = exact_run(self._measurers, "columnNone", NOT_SOLD, "price", size, ink="secondary")
                runs.append(dash.moved(edge - (column.before + column.after) / 2 * size - dash.width / 2))
                continue
            before, _ = self._parts_of(variant.price)
            price = variant_price("column", variant, size, self._measurers)
            price = price.moved(edge - (column.after + before) * size)
            runs.append(price)
            if variant.regular:
                struck = struck_price("variantRegular", variant.regular, detail, self._measurers)
                runs.append(struck.moved(price.x + price.width - struck.width, below))
            if variant.energy and large:
                energy = exact_run(self._measurers, "columnLargeEnergy", variant.energy, "price", size, ink="text")
                runs.append(energy.moved(edge - energy.width, LINE * size + struck_height))
            elif variant.energy:
                energy = exact_run(self._measurers, "columnEnergy", variant.energy, "detail", detail, ink="secondary")
                runs.append(energy.moved(edge - energy.width, below + struck_height))
        energies = (LINE * size if large else line) if any(variant.energy for variant in row.variants) else 0.0
        return runs, energies + struck_height

    def _in_lines(self, row: MenuRow, name_x: float, width: float, size: int, top: float) -> Prices:
        """Sets the variants in lines, each with its price on the decimal line."""
        cut, detail, runs = False, self.detail_size(size), list[Run]()
        line, measurer, apart = line_size(size, detail), self._measurers.name, VARIANT_LINE * size
        for variant in row.variants:
            before, after = self._parts_of(variant.price)
            price = variant_price("line", variant, line, self._measurers).moved(
                width - (self.after_decimal + before) * line, top + VARIANT_BASELINE * size
            )
            struck, struck_line, left = None, 0, price.x
            if variant.regular:
                struck = struck_price("variantRegular", variant.regular, detail, self._measurers)
                left -= struck.width + REGULAR_GAP * size
            told = named_variant(variant, right_to_left=self._setting.right_to_left)
            names = measurer.lines(told, max(1.0, (left - name_x) / line - PRICE_GAP), VARIANT_NAME_LINES)
            if struck is not None and len(names) > 1:
                # Below the price, where it would take the name's room.
                struck_line, left = 1, price.x + (before + after) * line - struck.width
                ems = max(1.0, (min(price.x, left) - name_x) / line - PRICE_GAP)
                names = measurer.lines(told, ems, VARIANT_NAME_LINES)
            cut = cut or ends_early(names, told)
            # As conspicuous as its energy, where the law asks for it.
            ink: Ink = "text" if self._large_energy else "secondary"
            for number, text in enumerate(names):
                name = variant_name("line", variant, text, line, self._setting, ink=ink)
                runs.append(name.moved(name_x, price.y + number * apart))
            runs.append(price)
            if struck is not None:
                runs.append(struck.moved(left, price.y + struck_line * apart))
            top += apart * max(len(names), struck_line + 1)
        return Prices(runs=tuple(runs), height=top, cut=cut)


def has_below(row: MenuRow) -> bool:
    """Whether energies or regular prices stand below prices in columns."""
    return any(variant.energy or variant.regular for variant in row.variants)


def _parts_of(measurer: TextMeasurer, *, at_edge: bool) -> PartsOf:
    """Returns a function that measures prices before and after their alignment, decimals or end, each once."""
    # Not a method: what keeps it would be in a circle with what made it, which only the garbage collector frees.
    known: dict[PriceText, tuple[float, float]] = {}

    def parts_of(price: PriceText) -> tuple[float, float]:
        if price not in known:
            width, before = measurer.width(price.text), measurer.cursor(price.text, price.decimal_at)
            # Arabic figures have no common width: what a reader sees is the prices' outer edge.
            known[price] = (width, 0.0) if at_edge else (before, width - before)
        return known[price]

    return parts_of
