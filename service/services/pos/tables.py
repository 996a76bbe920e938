"""Reads a table of a menu: finds its headings wherever they stand, and the item, or the size of one, of each row.

No line is dropped: each is a row of an item, a heading, the name of a category, or is passed over with its text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from service.core.amounts import UNKNOWN, AmountError, read_amount
from service.services.pos.feed import MAX_FEED_ROWS, FeedError
from service.services.pos.headings import PARENT, SIZE, SIZE_PRICE, fields_of
from service.services.pos.workbooks import MAX_SHEET_COLUMNS
from service.services.shared.csv_lines import FORMULAS

DELIMITERS = ("\t", ";", ",")
MAX_CELL = 5000
"""Characters of a quoted cell; a longer one is read as it stands, with its quotation marks."""
MAX_ABOVE = 40
"""Lines in which the first heading is looked for."""
SAMPLES = 3
_MOSTLY = 0.6
"""The part of a column's cells that are prices, from which on it is one of prices."""
_FORMULA = re.compile(rf"\A'(?=[{re.escape(FORMULAS)}'])")
_CATEGORY = "#"
"""The mark before the name of a category that stands above a heading."""
_DEFAULT_SIZES = frozenset(("regular", "default", "default title", "standard", "normal", "one size"))
"""Sizes by which tills name the only one."""

Why = Literal["above", "category", "no_item"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with text in it: its number from 1, and its cells without the empty ones at its end."""

    number: int
    cells: Sequence[str]

    @property
    def text(self) -> str:
        """The line as a person recognises it."""
        return " · ".join(filter(None, self.cells))[:200]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading (a letter, where it has none), its field, and its first cells."""

    heading: str
    field: str | None
    samples: Sequence[str]


@dataclass(frozen=True, slots=True)
class Passed:
    """A line that is no row of an item, and why."""

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


@dataclass(frozen=True, slots=True)
class Table:
    """The columns and the rows of a table."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    passed: Sequence[Passed]
    delimiter: str


def find_table(text: str, *, category: str, chosen: Mapping[str, str], guesses: bool) -> Table | None:
    """The table in the text; None where it has none. `chosen` are fields by headings; `guesses` whether columns that
    nothing names may be taken by their cells, for a person who sees it. Raises FeedError."""
    told, _, rest = text.partition("\n")
    first = 1
    if mark := re.fullmatch(r"sep=(.)\s*", told):
        text, first = rest, 2
    candidates = (mark[1],) if mark else DELIMITERS
    found = {one: list(_lines(text, one, first)) for one in candidates if one in text}
    for delimiter, lines in found.items():
        if (start := _heading_at(lines, chosen)) is not None:
            return _table(lines, start, delimiter, category, chosen)
    for delimiter, lines in found.items():
        # Menus have commas in their texts and prices, and tabs before their prices: only named columns, or columns in
        # most of the lines, make a table of them.
        in_columns = 2 * sum(len(line.cells) > 1 for line in lines) >= len(lines) > 0
        if mark or (delimiter != "," and in_columns):
            return _table_without(lines, delimiter, category, chosen, guesses=guesses)
    return None


def is_amount(text: str) -> bool:
    """Whether a cell can be a price."""
    try:
        read_amount(text, UNKNOWN)
    except AmountError as error:
        return error.code != "not_a_number"
    return True


def _lines(text: str, delimiter: str, first: int) -> Iterator[Line]:
    """The lines with text. A cell that is quoted as a whole loses its quotation marks (RFC 4180); one that only begins
    with such a mark keeps it. Raises FeedError."""
    mark = re.escape(delimiter)
    cell = re.compile(rf'"((?:[^"]|""){{0,{MAX_CELL}}})"(?={mark}|\n|\Z)|([^{mark}\n]*)')
    at, number, rows = 0, first, 0
    while at < len(text):
        cells, begun = [], number
        while True:
            match = cell.match(text, at)
            if match is None:  # the second form matches anything
                raise FeedError("bad_csv", "This is no table.")
            quoted = match[1]
            told = match[2] if quoted is None else quoted.replace('""', '"')
            cells.append(_FORMULA.sub("", told.strip(), count=1))
            number += 0 if quoted is None else quoted.count("\n")
            at = match.end()
            if text[at : at + 1] != delimiter:
                break
            at += 1
        at += 1
        number += 1
        while cells and not cells[-1]:
            cells.pop()
        if len(cells) > MAX_SHEET_COLUMNS:
            raise FeedError("too_many_columns", f"A table has at most {MAX_SHEET_COLUMNS} columns.")
        if cells:
            rows += 1
            if rows > MAX_FEED_ROWS + MAX_ABOVE:
                raise FeedError("too_many_rows", f"A table has at most {MAX_FEED_ROWS} rows.")
            yield Line(begun, cells)


def _is_heading(line: Line, chosen: Mapping[str, str], below: Sequence[Line] = ()) -> bool:
    fields = fields_of(line.cells, chosen)
    if "name" not in fields or any(is_amount(cell) for cell, one in zip(line.cells, fields, strict=True) if one):
        return False
    return not {"price", "variants", SIZE_PRICE}.isdisjoint(fields) or len(_price_columns(line, fields, below)) > 1


def _heading_at(lines: Sequence[Line], chosen: Mapping[str, str]) -> int | None:
    heads = range(min(len(lines), MAX_ABOVE))
    return next((at for at in heads if _is_heading(lines[at], chosen, lines[at + 1 :])), None)


def _price_columns(heading: Line, fields: Sequence[str | None], below: Sequence[Line]) -> list[int]:
    """Columns that nothing names and that are mostly prices: one of each size."""
    return [
        at
        for at, one in enumerate(fields)
        if one is None and heading.cells[at] and _are_prices(_cells(below[:MAX_ABOVE], at))
    ]


def _cells(lines: Sequence[Line], at: int) -> list[str]:
    return [cell for line in lines if at < len(line.cells) and (cell := line.cells[at])]


def _are_prices(cells: Sequence[str]) -> bool:
    return bool(cells) and sum(map(is_amount, cells)) >= _MOSTLY * len(cells)


def _table(lines: Sequence[Line], start: int, delimiter: str, category: str, chosen: Mapping[str, str]) -> Table:
    """A table with headings, or several below each other; the first of them at `start`."""
    reader = _Rows(category)
    columns: dict[str, Column] = {}
    for line in lines[:start]:
        reader.above(line)
    fields: list[str | None] = []
    headings: Sequence[str] = ()
    for at in range(start, len(lines)):
        line = lines[at]
        if at > start and not _is_heading(line, chosen):
            reader.take(line, fields, headings)
            continue
        headings, below = line.cells, lines[at + 1 :]
        # Tills export columns of one field that are empty.
        used = [heading if _cells(below, place) else "" for place, heading in enumerate(headings)]
        fields = fields_of(used, chosen)
        if {"price", "variants", SIZE_PRICE}.isdisjoint(fields):
            for place in _price_columns(line, fields, below):
                if headings[place] not in chosen:
                    fields[place] = SIZE_PRICE
        for place, (heading, one) in enumerate(zip(headings, fields, strict=True)):
            if heading:
                columns.setdefault(heading, Column(heading, one, _cells(below, place)[:SAMPLES]))
    return Table(list(columns.values()), reader.rows, reader.passed, delimiter)


def _table_without(
    lines: Sequence[Line], delimiter: str, category: str, chosen: Mapping[str, str], *, guesses: bool
) -> Table:
    """A table whose headings are not known, or that has none. Raises FeedError for one that is not to be guessed."""
    width = max(len(line.cells) for line in lines)
    has_heading = len(lines[0].cells) > 1 and not any(map(is_amount, lines[0].cells))
    headings = [*lines[0].cells, *[""] * width][:width] if has_heading else [""] * width
    headings = [one or chr(ord("A") + at % 26) for at, one in enumerate(headings)]
    rows = lines[1:] if has_heading else lines
    fields = fields_of(headings, chosen)
    if "name" not in fields:
        plain = {2: ("name", "price"), 3: ("category", "name", "price")}.get(width)
        if plain is not None and not has_heading and not chosen:
            fields = list(plain)
        elif guesses:
            fields = _guessed(headings, fields, rows, chosen)
        else:
            raise FeedError("no_columns", "The first line has to name the columns: Name, Category, Price.")
    columns = [
        Column(heading, one, _cells(rows, at)[:SAMPLES])
        for at, (heading, one) in enumerate(zip(headings, fields, strict=True))
    ]
    reader = _Rows(category)
    if {"price", "variants", SIZE_PRICE}.isdisjoint(fields):
        raise FeedError("no_columns", "The first line names no column of prices: name it Price.")
    for line in rows:
        reader.take(line, fields, headings)
    return Table(columns, reader.rows, reader.passed, delimiter)


def _guessed(
    headings: Sequence[str], fields: Sequence[str | None], rows: Sequence[Line], chosen: Mapping[str, str]
) -> list[str | None]:
    """Fields by the cells: prices; names, which differ most; a category, which repeats."""
    found = list(fields)
    free = [at for at, one in enumerate(found) if one is None and headings[at].strip() not in chosen]
    cells = {at: _cells(rows, at) for at in free}
    if "price" not in found and (prices := [at for at in free if _are_prices(cells[at])]):
        found[prices[-1]] = "price"
    words = [at for at in free if found[at] is None and cells[at] and not _are_prices(cells[at])]
    if words and "name" not in found:
        name = max(words, key=lambda at: (len(set(cells[at])), -at))
        found[name] = "name"
        words.remove(name)
    repeats = [at for at in words if len(set(cells[at])) < len(cells[at]) or len(cells[at]) < len(rows)]
    if repeats and "category" not in found:
        found[repeats[0]] = "category"
    return found


class _Rows:
    """Takes the rows of a table one by one: what a row leaves out is that of the row above."""

    def __init__(self, category: str) -> None:
        self.rows: list[Row] = []
        self.passed: list[Passed] = []
        self._category = category
        self._by_name: dict[tuple[str, str], Row] = {}
        self._by_key: dict[str, Row] = {}

    def above(self, line: Line) -> None:
        """A line above the headings; with `#` the name of a category."""
        is_category = line.text.startswith(_CATEGORY)
        if is_category:
            self._category = line.text.strip("# :")
        self.passed.append(Passed(line.number, line.text, "category" if is_category else "above"))

    def take(self, line: Line, fields: Sequence[str | None], headings: Sequence[str]) -> None:
        """One row: an item, a size of one, the name of a category, or nothing of these."""
        pairs = [(one, cell) for one, cell in zip(fields, line.cells, strict=False) if cell]
        values = {
            one: cell if one == "description" else " ".join(cell.split())
            for one, cell in pairs
            if one is not None and one != SIZE_PRICE
        }
        told = [at for at, cell in enumerate(line.cells) if cell]
        if line.text.startswith(_CATEGORY) and len(told) == 1:
            self.above(line)
            return
        is_title = len(told) == 1 and (told == [0] or (bool(values) and values.keys() <= {"name", "category"}))
        if is_title and not is_amount(line.text):
            self._category = line.cells[told[0]].rstrip(": ")
            self.passed.append(Passed(line.number, line.text, "category"))
            return
        sizes = [
            (headings[at], cell)
            for at, (one, cell) in enumerate(zip(fields, line.cells, strict=False))
            if one == SIZE_PRICE and cell
        ]
        if not sizes and values.get(SIZE) and values.get("price"):
            sizes = [(values[SIZE], values["price"])]
        if not values.keys() & {"name", "price", SIZE, "variants"} and not sizes:
            self.passed.append(Passed(line.number, line.text, "no_item"))
            return
        self._category = values["category"] = values.get("category") or self._category
        item = self._item_of(line, values, sizes)
        item.sizes += sizes

    def _item_of(self, line: Line, values: dict[str, str], sizes: Sequence[tuple[str, str]]) -> Row:
        """The item of the row: that of an earlier one, where this is one of its sizes."""
        name = values.get("name", "")
        parent = self._by_key.get(values.get(PARENT, "").removeprefix("id:"))
        if parent is not None:
            if not sizes and values.get("price"):
                parent.sizes.append((name.removeprefix(parent.values["name"]).strip(" -–:"), values["price"]))
            return parent
        if not name and self.rows and sizes:
            return self.rows[-1]
        key = (name.casefold(), values["category"].casefold())
        if sizes and name and (earlier := self._by_name.get(key)) is not None and earlier.sizes:
            return earlier
        row = Row(line.number, line.text, values)
        self.rows.append(row)
        if name:
            self._by_name.setdefault(key, row)
        for one in ("sku", "id"):
            if values.get(one):
                self._by_key.setdefault(values[one], row)
        return row


def sizes_of(row: Row) -> list[tuple[str, str]]:
    """The sizes of an item; none where the only one says nothing."""
    if len(row.sizes) == 1 and row.sizes[0][0].casefold() in _DEFAULT_SIZES:
        return []
    return row.sizes
