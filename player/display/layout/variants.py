"""Arranges the prices of variants: in columns that the rows of a section share, or in lines of a row; imports no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.measuring import TextMeasurer
from player.domain.view import MenuRow, PriceText

# Everything below is in ems: multiples of the widget's one text size.
COLUMN_GAP = 0.9
"""Least distance between two columns of prices."""
NAME_BESIDE_COLUMNS = 7.0
"""The least width of names beside columns of prices, unless all of them are shorter: for less, there are no columns."""
REGULAR_GAP = 0.4
"""Between a struck regular price and the price of an offer."""
LABEL_SIZE = 0.72
"""Of the names of variants above their columns; as details, no smaller."""
LARGEST_LABEL = 6 / 7
"""Where details are as large as they may be beside the text."""
LINE_SIZE = 0.78
"""Of a variant that has a line of its own; as details, no smaller."""
VARIANT_LINE = 1.02
VARIANT_BASELINE = 0.78

MOST_PRICE_COLUMNS = 6
"""A section whose items have more different variants than these lists the others in lines."""
NOT_SOLD = "–"
"""Stands in a column where the item is not sold so."""

PartsOf = Callable[[PriceText], tuple[float, float]]
"""The widths in ems of a price before and after the place where prices line up."""


class CellKind(StrEnum):
    """What a cell holds, and so how it is drawn."""

    PRICE = "columnPrice"
    STRUCK = "columnStruck"
    NONE = "columnNone"
    LINE_NAME = "lineName"
    LINE_PRICE = "linePrice"
    LINE_STRUCK_NAME = "lineStruckName"
    LINE_STRUCK = "lineStruck"
    REGULAR = "regularPrice"
    OFFER = "columnOffer"
    LINE_OFFER = "lineOffer"
    VARIANT_REGULAR = "variantRegular"
    """The regular price of a variant on offer."""
    SAVING = "saving"
    PRICE_WORD = "priceWord"
    """Before or after an amount: `from`, `/ 100 g`."""
    PRICE_IN_WORDS = "priceInWords"
    """In place of an amount."""
    ENERGY = "columnEnergy"
    LARGE_ENERGY = "columnLargeEnergy"


class Cell(Struct, frozen=True, kw_only=True):
    """A price of a variant, or its name in a line; canvas units, `x` from the row's corner and `y` from its first
    line's baseline to its own."""

    kind: CellKind
    text: str
    x: float
    y: float
    width: float


class BelowSetting(Struct, frozen=True, kw_only=True):
    """How energies and regular prices are set below prices: in ems of `size`, on a baseline `y` below that of the
    prices; canvas units."""

    width: Callable[[str], float]
    size: int
    y: float
    line: float


class Label(Struct, frozen=True, kw_only=True):
    """The name of variants above their column; canvas units, from the heading's corner."""

    text: str
    x: float
    width: float


class PriceColumn(Struct, frozen=True, kw_only=True):
    """The prices of one variant under each other, in ems before and after the place where they line up."""

    name: str
    before: float
    after: float
    label: float
    """Width of its name, in ems of a label."""
    below: float
    """Width of the energies and regular prices below the prices."""

    @property
    def width(self) -> float:
        """Of name and prices, in ems."""
        return max(self.before + self.after, self.label * LARGEST_LABEL, self.below)


class PriceColumns(Struct, frozen=True, kw_only=True):
    """The columns of prices that rows share. `least_name` is the width that names beside them need; `large_energy`: the
    energies below the prices are as large as these."""

    columns: tuple[PriceColumn, ...]
    least_name: float
    large_energy: bool

    @property
    def width(self) -> float:
        """Of all columns with the gaps between them, in ems."""
        return sum(column.width for column in self.columns) + COLUMN_GAP * (len(self.columns) - 1)

    def right_edges(self, width: float, size: int) -> list[float]:
        """Where each column ends in a row of this width, in canvas units."""
        edges, at = [], width
        for column in reversed(self.columns):
            edges.append(at)
            at -= (column.width + COLUMN_GAP) * size
        return edges[::-1]

    def labels(self, width: float, size: int, detail: int) -> tuple[Label, ...]:
        """The names above the columns, where details have the size `detail`."""
        edges, label = self.right_edges(width, size), label_size(size, detail)
        return tuple(
            Label(text=column.name, x=edge - column.label * label, width=column.label * label)
            for column, edge in zip(self.columns, edges, strict=True)
        )

    def cells(
        self,
        row: MenuRow,
        width: float,
        size: int,
        *,
        parts_of: PartsOf,
        dash: float,
        energy: BelowSetting,
        regular: BelowSetting,
    ) -> tuple[Cell, ...]:
        """The prices of a row under their names, each with its regular price and its energy below it."""
        variants = {variant.name: variant for variant in row.variants}
        cells = []
        energy_y = energy.y + (regular.line if any(variant.regular for variant in row.variants) else 0.0)
        for column, edge in zip(self.columns, self.right_edges(width, size), strict=True):
            variant = variants.get(column.name)
            if variant is None:
                x = edge - (column.before + column.after + dash) / 2 * size
                cells.append(Cell(kind=CellKind.NONE, text=NOT_SOLD, x=x, y=0.0, width=dash * size))
                continue
            before, after = parts_of(variant.price)
            kind = CellKind.OFFER if variant.regular else CellKind.PRICE
            price = Cell(
                kind=CellKind.STRUCK if variant.sold_out else kind,
                text=variant.price.text,
                x=edge - (column.after + before) * size,
                y=0.0,
                width=(before + after) * size,
            )
            cells.append(price)
            if variant.regular:
                struck = regular.width(variant.regular) * regular.size
                x = price.x + price.width - struck
                cells.append(Cell(kind=CellKind.VARIANT_REGULAR, text=variant.regular, x=x, y=regular.y, width=struck))
            if variant.energy:
                width_below = energy.width(variant.energy) * energy.size
                kind = CellKind.LARGE_ENERGY if self.large_energy else CellKind.ENERGY
                cells.append(Cell(kind=kind, text=variant.energy, x=edge - width_below, y=energy_y, width=width_below))
        return tuple(cells)


def label_size(size: int, detail: int) -> int:
    """Size of the names of variants above their columns, where names and details have these sizes."""
    return max(detail, round(LABEL_SIZE * size))


def line_size(size: int, detail: int) -> int:
    """Size of a variant that has a line of its own, where names and details have these sizes."""
    return max(detail, round(LINE_SIZE * size))


def shared_names(rows: Sequence[MenuRow]) -> tuple[str, ...]:
    """The names of the variants of a section that have columns: those that most of its items have, and those of other
    items that have one of these, as far as there is room."""
    lists = [tuple(variant.name for variant in row.variants) for row in rows if row.variants]
    names: tuple[str, ...] = ()
    # Sorting keeps the section's order among lists that are equally frequent.
    for found in sorted(dict.fromkeys(lists), key=lambda one: -lists.count(one)):
        together = _merged(names, found)
        if len(together) <= MOST_PRICE_COLUMNS and (not names or set(names) & set(found)):
            names = together
    return names


def price_columns(
    names: Sequence[str],
    rows: Sequence[MenuRow],
    *,
    parts_of: PartsOf,
    label: TextMeasurer,
    name: TextMeasurer,
    last_after: float,
    energy_width: Callable[[str], float],
    regular_width: Callable[[str], float],
    large_energy: bool,
) -> PriceColumns:
    """The columns for these rows; the last one ends with the menu's other prices."""
    inside = [row for row in rows if has_place(row, names)]
    columns = []
    for wanted in names:
        variants = [variant for row in inside for variant in row.variants if variant.name == wanted]
        parts = [parts_of(variant.price) for variant in variants]
        columns.append(
            PriceColumn(
                name=wanted,
                before=max((before for before, _ in parts), default=0.0),
                after=max((after for _, after in parts), default=0.0),
                label=label.width(wanted),
                below=max(
                    0.0,
                    *(energy_width(variant.energy) for variant in variants if variant.energy),
                    *(regular_width(variant.regular) for variant in variants if variant.regular),
                    0.0,
                ),
            )
        )
    columns[-1] = replace(columns[-1], after=last_after)
    widest = max((name.width(row.name) for row in inside), default=0.0)
    return PriceColumns(columns=tuple(columns), least_name=min(widest, NAME_BESIDE_COLUMNS), large_energy=large_energy)


def has_place(row: MenuRow, names: Sequence[str]) -> bool:
    """Whether all prices of a row stand in these columns."""
    return bool(row.variants) and all(variant.name in names for variant in row.variants)


def _merged(names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """The names with `more` of them, each after the one that it follows."""
    merged = list(names)
    at = 0
    for name in more:
        if name in merged:
            at = merged.index(name) + 1
        else:
            merged.insert(at, name)
            at += 1
    return tuple(merged)
