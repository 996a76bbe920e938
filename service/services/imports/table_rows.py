"""Reads the rows of a table one by one: items, sizes of them, names of categories, and other rows.

No row is dropped: a row that is no part of an item is reported as passed with its text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Literal

from service.core.amounts import UNKNOWN, AmountError, read_amount
from service.services.imports.headings import (
    HIDDEN,
    OPTIONS,
    PARENT,
    SHOWN,
    SIZE,
    SIZE_PRICE,
    currency_in,
    has_keys,
)
from service.services.imports.lines import unusual_price

_CATEGORY = "#"
"""The mark before the name of a category that stands above a heading."""
_DEFAULT_SIZES = frozenset(("regular", "default", "default title", "standard", "normal", "one size"))
"""Sizes by which tills name the only one."""

_TOTALS = frozenset(
    (
        *("total", "sum", "subtotal", "average", "summe", "gesamt", "gesamtsumme", "zwischensumme", "durchschnitt"),
        *("somme", "moyenne", "suma", "promedio", "المجموع", "الإجمالي"),
    )
)
"""Names of rows that add up those above."""
_OFF = {
    SHOWN: frozenset(
        (
            *("no", "n", "nein", "non", "false", "falsch", "faux", "falso", "0", "-1", "لا"),
            *("draft", "archived", "hidden", "inactive", "unlisted"),
        )
    ),
    HIDDEN: frozenset(
        ("yes", "y", "ja", "j", "oui", "o", "sí", "si", "s", "true", "wahr", "vrai", "verdadero", "1", "x", "نعم")
    ),
}
"""Cells of each of these columns that say that a row is not on sale."""
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
DASHES = "-–—− "

Why = Literal["above", "category", "no_item", "hidden", "total"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with text: its number from 1, and its cells without the empty ones at its end."""

    number: int
    cells: Sequence[str]

    @property
    def text(self) -> str:
        """Text of the line as the user recognises it."""
        return " · ".join(filter(None, self.cells))[:200]


@dataclass(frozen=True, slots=True)
class Passed:
    """A line that is not a row of an item, and the reason."""

    number: int
    text: str
    why: Why


@dataclass(slots=True)
class Row:
    """An item of a table: the text of each field, and those of its sizes."""

    number: int
    text: str
    values: dict[str, str]
    sizes: list[tuple[str, str]] = field(default_factory=list)
    """Names and prices."""
    others: list[tuple[int, str]] = field(default_factory=list)
    """The numbers and texts of further rows with sizes of it."""
    currency: str = ""
    """The currency that the heading of its prices names."""
    has_surplus: bool = False
    """Whether it has an amount beyond the last heading."""
    is_listed: bool = False
    """Whether any of its rows is on sale."""


def is_amount(text: str) -> bool:
    try:
        read_amount(text, UNKNOWN)
    except AmountError as error:
        return error.code != "not_a_number"
    return True


def is_price(text: str) -> bool:
    """Returns whether a cell can be a price, with the words beside it."""
    return is_amount(text) or unusual_price(text, UNKNOWN) is not None


class Rows:
    """Reads the rows of a table one by one: values that a row leaves out are those of the row above."""

    def __init__(self, category: str) -> None:
        self.rows: list[Row] = []
        self.passed: list[Passed] = []
        self._category = self._title = category
        self._by_name: dict[tuple[str, str], Row] = {}
        self._by_key: dict[str, Row] = {}
        self._last: Row | None = None
        self._is_off = False
        self._fields: Sequence[str | None] = ()
        self._headings: Sequence[str] = ()
        self._width = 0

    def begin(self, fields: Sequence[str | None], headings: Sequence[str], width: int) -> None:
        """Begins a table whose columns have these fields and headings; only the first `width` have one of their own."""
        self._fields, self._headings, self._width = fields, headings, width
        self._last = None

    def above(self, line: Line) -> None:
        """Reads a line above the headings; with `#` the name of a category."""
        is_category = line.text.startswith(_CATEGORY)
        if is_category:
            self._category = self._title = line.text.strip("# :")
        self.passed.append(Passed(line.number, line.text, "category" if is_category else "above"))

    def take(self, line: Line) -> None:
        """Reads a row: an item, a size of one, the name of a category, or none of these."""
        values = self._values(line)
        told = [at for at, cell in enumerate(line.cells) if cell]
        if line.text.startswith(_CATEGORY) and len(told) == 1:
            self.above(line)
            return
        is_title = len(told) == 1 and (told == [0] or (bool(values) and values.keys() <= {"name", "category"}))
        if is_title and not is_amount(line.text):
            self._category = self._title = line.cells[told[0]].rstrip(": ")
            self.passed.append(Passed(line.number, line.text, "category"))
            return
        if values.get("name", "").casefold().rstrip(": ") in _TOTALS:
            self.passed.append(Passed(line.number, line.text, "total"))
            return
        self._take_item(line, values)

    def _take_item(self, line: Line, values: dict[str, str]) -> None:
        is_off = self._off(line)
        size = values.get(SIZE) or " / ".join(filter(None, map(values.get, OPTIONS)))
        sizes = [
            (self._headings[at], cell)
            for at, (one, cell) in enumerate(zip(self._fields, line.cells, strict=False))
            # A dash says that there is no such size.
            if one == SIZE_PRICE and cell.strip(DASHES)
        ]
        if not sizes and size and values.get("price"):
            sizes = [(size, values["price"])]
        if not values.keys() & {"name", "price", "variants"} and not sizes and not size:
            self.passed.append(Passed(line.number, line.text, "no_item"))
            return
        if has_keys(self._headings):
            values["category"] = values.get("category") or self._title
        else:
            self._category = values["category"] = values.get("category") or self._category
        item, is_child = self._item_of(line, values, sizes)
        self._is_off = self._is_off if is_off is None and not values.get("name") else bool(is_off)
        if self._is_off or (is_child and not item.is_listed and values.get("name")):
            self.passed.append(Passed(line.number, line.text, "hidden"))
            if not item.is_listed:
                item.values.pop("price", None)
            return
        if not item.is_listed:
            item.is_listed, item.number, item.text = True, line.number, line.text
            self.rows.append(item)
        elif line.number != item.number:
            item.others.append((line.number, line.text))
        item.sizes += sizes
        self._check(item, line)

    def _values(self, line: Line) -> dict[str, str]:
        values: dict[str, str] = {}
        for one, cell in zip(self._fields, line.cells, strict=False):
            if not cell or one in (None, SIZE_PRICE, SHOWN, HIDDEN):
                continue
            match one:
                case "description":
                    values[one] = _without_tags(cell)
                case "sku":
                    # Shopify writes one before digits.
                    values[one] = " ".join(cell.removeprefix("'").split())
                case str():
                    values[one] = " ".join(cell.split())
        return values

    def _off(self, line: Line) -> bool | None:
        """Returns whether the row is off sale; None if it does not say."""
        told = [
            cell.casefold() in _OFF[one]
            for one, cell in zip(self._fields, line.cells, strict=False)
            if one in (SHOWN, HIDDEN) and cell
        ]
        return any(told) if told else None

    def _check(self, item: Row, line: Line) -> None:
        """Records the currency of the headings, and amounts in columns without one."""
        used = {"price", SIZE_PRICE}
        told = (currency_in(one) for one, name in zip(self._headings, self._fields, strict=True) if name in used)
        item.currency = next(filter(None, told), "")
        fields = self._fields[self._width :]
        beyond = zip(fields, line.cells[self._width :], strict=False)
        item.has_surplus = item.has_surplus or any(one is None and is_amount(cell) for one, cell in beyond)

    def _item_of(self, line: Line, values: dict[str, str], sizes: list[tuple[str, str]]) -> tuple[Row, bool]:
        """Returns the item of the row, and whether it is that of an earlier row, of which this is a size."""
        name = values.get("name", "")
        parent = self._by_key.get(values.get(PARENT, "").removeprefix("id:"))
        if parent is not None:
            if not sizes and values.get("price"):
                sizes.append((name.removeprefix(parent.values["name"]).strip(" -–:"), values["price"]))
            return parent, True
        key = (name.casefold(), values["category"].casefold())
        earlier = self._by_name.get(key) if name else self._last
        if earlier is not None and sizes and (earlier.sizes or not earlier.is_listed or earlier.values.get("price")):
            if earlier.is_listed and not earlier.sizes and earlier.values.get("price"):
                # The size of a row that names none.
                earlier.sizes.append(("", earlier.values["price"]))
            return earlier, True
        if earlier is not None and name and earlier.sizes and values.get("price"):
            sizes.append(("", values["price"]))
            return earlier, True
        if earlier is not None and not name and sizes:
            return earlier, True
        row = Row(line.number, line.text, values)
        if name:
            self._last = row
            self._by_name.setdefault(key, row)
        for one in ("sku", "id"):
            if values.get(one):
                self._by_key.setdefault(values[one], row)
        return row, False


def _without_tags(text: str) -> str:
    """Converts HTML, as web shops export it, to plain text; returns any other text unchanged."""
    if not _TAG.search(text):
        return text
    return " ".join(unescape(_TAG.sub(" ", text)).split())


def sizes_of(row: Row) -> list[tuple[str, str]]:
    """Returns the sizes of an item; none if the only one has no information."""
    if len(row.sizes) == 1 and row.sizes[0][0].casefold() in _DEFAULT_SIZES:
        return []
    return row.sizes
