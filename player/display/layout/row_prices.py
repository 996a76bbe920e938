"""Arranges the prices of the rows of one menu: on one decimal line, in columns of variants, or in lines; no Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from menu.text.price import PriceText
from player.display.layout.energy import named_variant
from player.display.layout.prices import PriceLine, Prices, price_line, struck_price, variant_name, variant_price
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.sizes import (
    BASELINE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    LEAST_DETAIL,
    LINE,
    detail_size,
    label_size,
    line_size,
    name_size,
)
from player.display.layout.text.line_breaking import ends_early
from player.display.layout.text.measuring import TextMeasurer
from player.display.layout.variants import (
    NAME_BESIDE_COLUMNS,
    NOT_SOLD,
    PartsOf,
    PriceColumns,
    has_place,
    price_columns,
    shared_names,
)
from player.domain.view import MenuRow, MenuSection, VariantText

# Everything below is in ems: multiples of the widget's one text size.
PRICE_GAP = 0.8
"""Least distance between a name and its price."""
LABEL_GAP = 0.55
"""Between the name of a variant and its price, in lines."""
WORD_GAP, REGULAR_GAP = 0.25, 0.4
"""Between a price and the small words around it, and between it and a struck regular price."""
VARIANT_LINE, VARIANT_BASELINE = 1.02, 0.78
"""Size of a variant that has a line of its own."""
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
        prices = [price for price in prices if not price.in_words and price.text]
        # Beside others, those without decimals would end before the column's edge.
        at_edge = not setting.right_to_left and len({price.has_decimals for price in prices}) > 1
        self._parts_of = _parts_of(setting.measurers.price, at_edge=at_edge, right_to_left=setting.right_to_left)
        self._before_widest = max((self._parts_of(price)[0] for price in prices), default=0.0)
        self.after_decimal = max((self._parts_of(price)[1] for price in prices), default=0.0)
        """Width in ems after the decimal line."""
        self._detail_sizes: dict[int, int] = {}
        self._has_room: dict[tuple[int, float, int], bool] = {}
        self._alike = [[row for row in section.rows if row.variants] for section in sections]
        """Rows with variants, by section: in lines they stand alike, beside their names or below."""
        self._section_of = {row.item_id: number for number, rows in enumerate(self._alike) for row in rows}
        self._measured = frozenset(row.item_id for section in sections if measure_of(section) for row in section.rows)
        """Items of sections whose heading says the unit of all."""
        self._columns = self._price_columns(sections)
        """The columns in which the prices of a row stand, by item; they stand there where they have room."""

    def detail_size(self, size: int) -> int:
        """Size of descriptions and options, in whole canvas units, where names have this size."""
        # Asked for several times for each row, at each size that is tried.
        if size not in self._detail_sizes:
            self._detail_sizes[size] = detail_size(size, self._least_detail)
        return self._detail_sizes[size]

    # -- columns

    def widest_columns(self) -> float:
        """Width in ems of the widest columns of prices, with what long names beside them need; 0 where no item has
        variants."""
        widths = (one.width + max(0.0, one.least_name - NAME_BESIDE_COLUMNS) for one in self._columns.values())
        return max(widths, default=0.0)

    def columns_of(self, rows: Sequence[MenuRow], width: float, size: int) -> PriceColumns | None:
        return next((found for row in rows if (found := self.columns_here(row, width, size)) is not None), None)

    def may_have_columns(self, row: MenuRow) -> bool:
        """Whether the prices of a row stand in columns where these have room."""
        return row.item_id in self._columns

    def columns_here(self, row: MenuRow, width: float, size: int) -> PriceColumns | None:
        columns = self._columns.get(row.item_id)
        return columns if columns is not None and self._have_room(columns, width, size) else None

    def are_beside(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether variants without columns stand in lines beside the name, for which all of its section have room."""
        if not row.variants or self.columns_here(row, width, size) is not None:
            return False
        key = self._section_of[row.item_id], width, size
        if key not in self._has_room:
            alike = (one for one in self._alike[key[0]] if self.columns_here(one, width, size) is None)
            self._has_room[key] = all(self._name_has_room(one, width, size) for one in alike)
        return self._has_room[key]

    def _name_has_room(self, row: MenuRow, width: float, size: int) -> bool:
        name = self._measurers.name.width(row.name) * name_size(row, size)
        if row.second is not None:
            name = max(name, *(self._measurers.second.width(one) * size for one in row.second.name.split("\n")))
        least = min(NAME_BESIDE_COLUMNS * size, name) + (self._thumb + PRICE_GAP) * size
        return least + self._lines_width(row, size) <= width

    def named(self, rows: Sequence[MenuRow]) -> int:
        """Returns the number of first rows of a section after which what stands beside its heading says nothing of the
        others."""
        named = (at + 1 for at in reversed(range(len(rows))) if rows[at].variants or rows[at].item_id in self._measured)
        return next(named, 0)

    def labels(self, section: MenuSection, width: float, size: int) -> tuple[Run, ...]:
        """Sets what stands beside a section's heading: the names of its variants, or the unit of all its prices."""
        detail = self.detail_size(size)
        columns = self.columns_of(section.rows, width, size)
        if columns is not None:
            return columns.labels(width, size, detail, self._measurers)
        if not (unit := measure_of(section)):
            return ()
        label = exact_run(self._measurers, "label", unit, "heading", label_size(size, detail), ink="secondary")
        return (label.moved(width - label.width),)

    def beside(self, row: MenuRow) -> tuple[PriceColumns | None, float, bool]:
        """Returns what the prices of other rows mean for this one."""
        return self._columns.get(row.item_id), self.after_decimal, row.item_id in self._measured

    def _have_room(self, columns: PriceColumns, width: float, size: int) -> bool:
        return (self._thumb + columns.least_name + PRICE_GAP + columns.width) * size <= width

    def _price_columns(self, sections: Sequence[MenuSection]) -> Mapping[str, PriceColumns]:
        """Shares columns among sections with the same variants."""
        rows: dict[tuple[str, ...], list[MenuRow]] = {}
        for section in sections:
            if names := shared_names(section.rows):
                rows.setdefault(names, []).extend(row for row in section.rows if has_place(row, names))
        found: dict[str, PriceColumns] = {}
        for names, together in rows.items():
            columns = price_columns(
                names,
                together,
                self._setting,
                parts_of=self._parts_of,
                last_after=self.after_decimal,
            )
            found |= {row.item_id: columns for row in together}
        return found

    # -- widths

    def natural_width(self, row: MenuRow) -> float:
        """Width in ems that the prices of a row need at most, where variants have columns."""
        columns = self._columns.get(row.item_id)
        return columns.width if columns is not None else self._single_width(row)

    def least_width(self) -> float:
        """Width in ems of the widest single price, and at least that of all on the decimal line."""
        single = max((self._single_width(row) for row in self._rows if not row.variants), default=0.0)
        return max(self._before_widest + self.after_decimal, single)

    def width_beside(self, row: MenuRow, width: float, size: int) -> float:
        """Returns the width of the prices beside the name: nothing where variants have lines below it."""
        if row.variants:
            columns = self.columns_here(row, width, size)
            if columns is not None:
                return columns.width * size
            return self._lines_width(row, size) if self.are_beside(row, width, size) else 0.0
        price = row.price
        if not price.text:
            return 0.0
        if price.before or price.suffix or price.in_words or row.regular:
            return self._single(row, size, self.detail_size(size)).width
        # Most prices: this is asked for each row at each size that is tried.
        return -self._amount_x(row, size)

    def _single_width(self, row: MenuRow) -> float:
        size = 1000
        return self._single(row, size, round(LEAST_DETAIL * size)).width / size

    def _amount_x(self, row: MenuRow, size: int) -> float:
        """Returns the start of an amount, from the row's right edge: a larger one ends with the others."""
        before, after = self._parts_of(row.price)
        return after * size - (before + after) * name_size(row, size) - self.after_decimal * size

    def _lines_width(self, row: MenuRow, size: int) -> float:
        """Returns the width of variants in lines beside a name."""
        label = self._line_label_size(size)
        named = max(self._measurers.name.width(self._told(variant)) for variant in row.variants) * label
        return named + LABEL_GAP * size + self._amounts_width(row, size)

    def _amounts_width(self, row: MenuRow, size: int) -> float:
        """Returns the width of the prices of variants in lines beside a name, with their regular ones."""
        detail, measurer = self.detail_size(size), self._measurers.price
        regular = (
            measurer.width(one.regular) * detail + REGULAR_GAP * size if one.regular else 0.0 for one in row.variants
        )
        amounts = (self._from_edge(one.price, self.after_decimal) * size for one in row.variants)
        return max(map(float.__add__, amounts, regular))

    def _from_edge(self, price: PriceText, after: float) -> float:
        """Returns the ems from the edge of prices, `after` the decimal line, to where one begins: words end there."""
        before, own_after = self._parts_of(price)
        return before + (own_after if price.in_words else after)

    def _line_label_size(self, size: int) -> int:
        # As large as the price where the law asks that of its energy.
        return size if self._large_energy else self.detail_size(size)

    def _told(self, variant: VariantText) -> str:
        return named_variant(variant, right_to_left=self._setting.right_to_left)

    # -- setting

    def set(self, row: MenuRow, *, name_x: float, width: float, size: int, below: float) -> Prices:
        """Sets the prices of a row of this width, and its height with them. Prices of variants without columns stand in
        lines beside the name, or from `below` on, and take no width there."""
        own, columns = name_size(row, size), self.columns_here(row, width, size)
        if not row.variants:
            single = self._single(row, size, self.detail_size(size))
            return Prices(runs=single.moved(width, BASELINE * own), width=single.width, height=below)
        if columns is None:
            if self.are_beside(row, width, size):
                return self._beside_name(row, width, size, below)
            return self._in_lines(row, name_x, width, size, below)
        runs, end = self._in_columns(columns, row, width, size)
        return Prices(
            runs=tuple(run.moved(0.0, BASELINE * own) for run in runs),
            width=columns.width * size,
            height=max(below, BASELINE * (own - size) + LINE * size + end if end else 0.0),
        )

    def _single(self, row: MenuRow, size: int, detail: int) -> PriceLine:
        """Sets the single price with its words and regular price, from the right edge of its row to the left. A unit
        stands before the amount, so that this stays in line with others."""
        price = row.price.measured_before(told=row.item_id not in self._measured)
        own = name_size(row, size)
        line = line_size(own, detail)
        found = price_line(
            price,
            row.regular,
            self._measurers,
            size=line if price.in_words else own,
            word=detail,
            small=line,
            word_gap=WORD_GAP * size,
            regular_gap=REGULAR_GAP * size,
            ink="accent" if row.regular and not price.in_words else "text",
            regular_first=True,
        )
        if price.in_words or price.after or not price.text:
            return PriceLine(runs=found.moved(-found.width), start=found.start - found.width, width=found.width)
        x = self._amount_x(row, size) - found.start
        return PriceLine(runs=found.moved(x), start=x + found.start, width=-x)

    def _beside_name(self, row: MenuRow, width: float, size: int, below: float) -> Prices:
        """Sets the variants in lines beside the name, the first in its line, each name before its price."""
        label, detail, runs = self._line_label_size(size), self.detail_size(size), list[Run]()
        # As conspicuous as its energy, where the law asks for it.
        ink: Ink = "text" if self._large_energy else "secondary"
        end, y = width - self._amounts_width(row, size) - LABEL_GAP * size, BASELINE * name_size(row, size)
        for variant in row.variants:
            price = variant_price("line", variant, size, self._measurers)
            price = price.moved(width - self._from_edge(variant.price, self.after_decimal) * size, y)
            name = variant_name("line", variant, self._told(variant), label, self._setting, ink=ink)
            runs += (name.moved(end - name.width, y), price)
            if variant.regular:
                struck = struck_price("variantRegular", variant.regular, detail, self._measurers)
                runs.append(struck.moved(price.x - struck.width - REGULAR_GAP * size, y))
            y += LINE * size
        height = LINE * name_size(row, size) + LINE * size * (len(row.variants) - 1)
        first = runs[0]
        return Prices(runs=tuple(runs), width=width - first.x, height=max(below, height))

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
            price = variant_price("column", variant, size, self._measurers)
            price = price.moved(edge - self._from_edge(variant.price, column.after) * size)
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
            price = variant_price("line", variant, line, self._measurers).moved(
                width - self._from_edge(variant.price, self.after_decimal) * line, top + VARIANT_BASELINE * size
            )
            struck, struck_line, left = None, 0, price.x
            if variant.regular:
                struck = struck_price("variantRegular", variant.regular, detail, self._measurers)
                left -= struck.width + REGULAR_GAP * size
            told = self._told(variant)
            names = measurer.lines(told, max(1.0, (left - name_x) / line - PRICE_GAP), VARIANT_NAME_LINES)
            if struck is not None and len(names) > 1:
                # Below the price, where it would take the name's room.
                struck_line, left = 1, price.x + price.width - struck.width
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


def measure_of(section: MenuSection) -> str:
    """Returns the unit that all prices of a section have, which its heading says once; or nothing."""
    units = {row.price.per for row in section.rows}
    return next(iter(units)) if len(units) == 1 and len(section.rows) > 1 else ""


def _parts_of(measurer: TextMeasurer, *, at_edge: bool, right_to_left: bool) -> PartsOf:
    """Returns a function that measures prices before and after their alignment, decimals or end, each once."""
    # Not a method: what keeps it would be in a circle with what made it, which only the garbage collector frees.
    known: dict[PriceText, tuple[float, float]] = {}

    def parts_of(price: PriceText) -> tuple[float, float]:
        if price not in known:
            width, after = measurer.width(price.text), 0.0
            if not at_edge:
                at = _decimal_line(measurer, price)
                # What stands on the left of it on the glass is laid out on its right.
                after = at if right_to_left else width - at
            known[price] = width - after, after
        return known[price]

    return parts_of


def _decimal_line(measurer: TextMeasurer, price: PriceText) -> float:
    """Returns the distance from the left edge of a price to the place where prices line up."""
    if price.has_decimals or not price.decimal_at:
        return measurer.cursor(price.text, price.decimal_at)
    # Where the direction changes behind a figure, the place behind it may be elsewhere.
    last = price.decimal_at - 1
    return measurer.cursor(price.text, last) + measurer.width(price.text[last])
