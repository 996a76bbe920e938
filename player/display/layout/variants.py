"""Arranges the prices of variants in columns that the rows of a section share; imports no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from menu.text.price import PriceText
from player.display.layout.runs import Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.sizes import LEAST_DETAIL, label_size
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import MenuRow

# Everything below is in ems: multiples of the widget's one text size.
COLUMN_GAP = 0.9
"""Least distance between two columns of prices."""
NAME_BESIDE_COLUMNS = 7.0
"""The least width of names beside columns of prices, unless all of them are shorter: for less, there are no columns."""

MOST_PRICE_COLUMNS = 6
"""A section whose items have more different variants than these lists the others in lines."""
NOT_SOLD = "–"
"""Stands in a column where the item is not sold so."""

PartsOf = Callable[[PriceText], tuple[float, float]]
"""The widths in ems of a price before and after the place where prices line up."""


class PriceColumn(Struct, frozen=True, kw_only=True):
    """Prices of one variant under each other, in ems before and after their alignment."""

    name: str
    before: float
    after: float
    label: float
    """Width of its name, in ems of a label."""
    below: float
    """Width of the energies and regular prices below the prices, and of words in place of an amount."""

    @property
    def width(self) -> float:
        """Width of name and prices, in ems."""
        # 6 / 7: where details are as large as they may be beside the text.
        return max(self.before + self.after, self.label * (6 / 7), self.below)


class PriceColumns(Struct, frozen=True, kw_only=True):
    """Columns of prices that rows share, `width` with the gaps between them. `least_name` is the width that names
    beside them need, in ems."""

    columns: tuple[PriceColumn, ...]
    width: float
    least_name: float

    def right_edges(self, width: float, size: int) -> list[float]:
        """Returns the end of each column in a row of this width, in canvas units."""
        edges, at = [], width
        for column in reversed(self.columns):
            edges.append(at)
            at -= (column.width + COLUMN_GAP) * size
        return edges[::-1]

    def labels(self, width: float, size: int, detail: int, measurers: TextMeasurers) -> tuple[Run, ...]:
        """Sets the names above the columns, where details have the size `detail`."""
        edges, label = self.right_edges(width, size), label_size(size, detail)
        runs = (
            exact_run(measurers, "label", column.name, "heading", label, ink="secondary") for column in self.columns
        )
        return tuple(run.moved(edge - run.width) for run, edge in zip(runs, edges, strict=True))


def shared_names(rows: Sequence[MenuRow]) -> tuple[str, ...]:
    """Returns the names of a section's variants that have columns: those of most of its items, and those of other items
    that have one of these, as far as there is room; none where there are as many dashes as prices, or where a single
    item has several of them among as many single prices."""
    lists = [tuple(variant.name for variant in row.variants) for row in rows if row.variants]
    names: tuple[str, ...] = ()
    # Sorting keeps the section's order among lists that are equally frequent.
    for found in sorted(dict.fromkeys(lists), key=lambda one: -lists.count(one)):
        together = _merged(names, found)
        if len(together) <= MOST_PRICE_COLUMNS and (not names or set(names) & set(found)):
            names = together
    filled = [len(row.variants) for row in rows if has_place(row, names)]
    prices, singles = sum(filled), sum(not row.variants for row in rows)
    dashes = len(names) * len(filled) - prices
    if sum(count > 1 for count in filled) > 1:
        return names if prices > dashes else ()
    return names if prices > max((1 / 3) * len(names) * len(rows), dashes + singles) else ()


def price_columns(
    names: Sequence[str],
    rows: Sequence[MenuRow],
    setting: Setting,
    *,
    parts_of: PartsOf,
    last_after: float,
) -> PriceColumns:
    """Arranges the columns for these rows; the last one ends with the menu's other prices."""
    columns = []
    # At the smallest text size details are larger, in proportion.
    measurers = setting.measurers
    energy, small = (measurers.price, 1.0) if setting.large_energy else (measurers.detail, LEAST_DETAIL)
    for name in names:
        variants = [variant for row in rows for variant in row.variants if variant.name == name]
        parts = [parts_of(variant.price) for variant in variants if not variant.price.in_words]
        words = (measurers.price.width(variant.price.text) for variant in variants if variant.price.in_words)
        below = (energy.width(variant.energy) * small for variant in variants)
        struck = (measurers.price.width(variant.regular) * LEAST_DETAIL for variant in variants)
        columns.append(
            PriceColumn(
                name=name,
                before=max((before for before, _ in parts), default=0.0),
                after=max((after for _, after in parts), default=0.0),
                label=measurers.heading.width(name),
                below=max(0.0, *below, *struck, *words),
            )
        )
    columns[-1] = replace(columns[-1], after=last_after)
    widest = max((measurers.name.width(row.name) for row in rows), default=0.0)
    width = sum(column.width for column in columns) + COLUMN_GAP * (len(columns) - 1)
    return PriceColumns(columns=tuple(columns), width=width, least_name=min(widest, NAME_BESIDE_COLUMNS))


def has_place(row: MenuRow, names: Sequence[str]) -> bool:
    """Whether all prices of a row stand in these columns."""
    return bool(row.variants) and all(variant.name in names for variant in row.variants)


def _merged(names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Merges `more` names into the names, each after the one that it follows."""
    merged = list(names)
    at = 0
    for name in more:
        if name in merged:
            at = merged.index(name) + 1
        else:
            merged.insert(at, name)
            at += 1
    return tuple(merged)
