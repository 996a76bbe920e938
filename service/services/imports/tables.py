"""Reads a table of a menu: finds its headings in any line, and the item, or the size of one, of each row.

No line is dropped: each is a row of an item, a heading, the name of a category, or is reported as passed with its text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from service.services.imports.headings import (
    SIZE,
    SIZE_PRICE,
    fields_of,
    is_foreign,
    is_no_price,
)
from service.services.imports.table_rows import DASHES, Line, Passed, Row, Rows, is_amount, is_price
from service.services.imports.workbooks import MAX_SHEET_COLUMNS
from service.services.pos.feed import MAX_FEED_ROWS, FeedError
from service.services.shared.csv_lines import FORMULAS

MAX_CELL = 5000
"""Characters of a quoted cell; a longer one is read as it stands, with its quotation marks."""
LETTERS = 26
MAX_ABOVE = 40
"""Lines in which the first heading is looked for."""
SAMPLES = 3
_FORMULA = re.compile(rf"\A'(?=[{re.escape(FORMULAS)}'])")
_PRICES = frozenset(("price", "variants", SIZE_PRICE))


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading (a letter if it has none), its field, and its first cells."""

    heading: str
    field: str | None
    samples: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    columns: Sequence[Column]
    rows: Sequence[Row]
    passed: Sequence[Passed]
    delimiter: str


def find_table(
    text: str, *, category: str, chosen: Mapping[str, str], guesses: bool, currency: str = ""
) -> Table | None:
    """Finds the table in the text; None if it has none. `chosen` are fields by headings; `guesses` says whether unknown
    columns may be recognised by their cells, for a user who sees the result; `currency` is that of the menu, if known.
    Raises FeedError."""
    told, _, rest = text.partition("\n")
    first = 1
    if mark := re.fullmatch(r"sep=(.)\s*", told):
        text, first = rest, 2
    candidates = (mark[1],) if mark else ("\t", ";", ",")
    found = {one: list(_lines(text, one, first)) for one in candidates if one in text}
    for delimiter, lines in found.items():
        if (start := _heading_at(lines, chosen)) is not None:
            return _table(lines, start, delimiter, category, chosen, currency)
    for delimiter, lines in found.items():
        # Menus have commas in their texts and prices, and tabs before their prices: only named columns, or columns in
        # most of the lines, make a table of them.
        in_columns = 2 * sum(len(line.cells) > 1 for line in lines) >= len(lines) > 0
        if mark or (delimiter != "," and in_columns):
            return _table_without(lines, delimiter, category, chosen, guesses=guesses)
    return None


def _lines(text: str, delimiter: str, first: int) -> Iterator[Line]:
    """Yields the lines with text. A cell that is quoted as a whole loses its quotation marks (RFC 4180); one that only
    begins with such a mark keeps it. Raises FeedError."""
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
    return not _PRICES.isdisjoint(fields) or len(_price_columns(line, fields, below)) > 1


def _heading_at(lines: Sequence[Line], chosen: Mapping[str, str]) -> int | None:
    heads = range(min(len(lines), MAX_ABOVE))
    return next((at for at in heads if _is_heading(lines[at], chosen, lines[at + 1 :])), None)


def _price_columns(heading: Line, fields: Sequence[str | None], below: Sequence[Line]) -> list[int]:
    """Finds unnamed columns that are mostly prices: one of each size."""
    return [
        at
        for at, one in enumerate(fields)
        if one is None
        and heading.cells[at]
        and not is_no_price(heading.cells[at])
        and _are_prices(_cells(below[:MAX_ABOVE], at))
    ]


def _cells(lines: Sequence[Line], at: int) -> list[str]:
    return [cell for line in lines if at < len(line.cells) and (cell := line.cells[at])]


def _are_prices(cells: Sequence[str]) -> bool:
    """Returns whether most cells are prices, and they do not count the rows."""
    cells = [one for one in cells if one.strip(DASHES)]
    is_count = len(cells) > 1 and all(one.rstrip(".").isdecimal() for one in cells)
    numbers = [int(one.rstrip(".")) for one in cells] if is_count else []
    if numbers and numbers[0] <= 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return False
    return bool(cells) and sum(map(is_price, cells)) >= 0.6 * len(cells)


def _table(
    lines: Sequence[Line], start: int, delimiter: str, category: str, chosen: Mapping[str, str], currency: str
) -> Table:
    """Reads a table with headings, or several below each other; the first of them at `start`."""
    reader = Rows(category)
    columns: dict[str, Column] = {}
    for line in lines[:start]:
        reader.above(line)
    further = range(start + 1, len(lines))
    starts = [start, *(at for at in further if _is_heading(lines[at], chosen) or _is_of_sizes(lines, at))]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        for heading, body in _side_by_side(lines[at], lines[at + 1 : end]):
            headings = _named(heading.cells, body)
            # Tills export columns of one field that are empty.
            used = [one if _cells(body, place) else "" for place, one in enumerate(headings)]
            fields = fields_of(used, chosen, currency)
            if "name" not in fields:
                fields[0] = "name"
            if _PRICES.isdisjoint(fields):
                for place in _price_columns(Line(heading.number, headings), fields, body):
                    if headings[place] not in chosen and not is_foreign(headings[place], currency):
                        fields[place] = SIZE_PRICE
            _drop_without_amounts(fields, body)
            for place, (name, one) in enumerate(zip(headings, fields, strict=True)):
                if name:
                    columns.setdefault(name, Column(name, one, _cells(body, place)[:SAMPLES]))
            reader.begin(fields, headings, len(heading.cells))
            for line in body:
                reader.take(line)
    return Table(list(columns.values()), reader.rows, reader.passed, delimiter)


def _is_of_sizes(lines: Sequence[Line], at: int) -> bool:
    """Returns whether a line begins another table by the names of sizes: `Wine`, `0.1 l`, `0.75 l` above two prices."""
    if at + 1 == len(lines):
        return False
    (name, *sizes), below = lines[at].cells, lines[at + 1].cells[1:]
    has_sizes = len(sizes) > 1 and all(sizes) and name and len(below) == len(sizes)
    return bool(has_sizes) and not any(map(is_price, sizes)) and all(map(is_amount, below))


def _side_by_side(heading: Line, body: Sequence[Line]) -> list[tuple[Line, Sequence[Line]]]:
    """Splits tables that stand beside each other under the same headings; returns each with its lines."""
    cells = list(heading.cells)
    first = next(at for at, one in enumerate(cells) if one)
    starts = [at for at, one in enumerate(cells) if one == cells[first]]
    ends = [*starts[1:], len(cells)]
    blocks = [[one for one in cells[at:end] if one] for at, end in zip(starts, ends, strict=True)]
    if len(starts) == 1 or len(blocks[0]) == 1 or any(block != blocks[0] for block in blocks):
        return [(heading, body)]
    found: list[tuple[Line, Sequence[Line]]] = []
    for at, end in zip(starts, [*starts[1:], MAX_SHEET_COLUMNS], strict=True):
        parts = (Line(line.number, _stripped(line.cells[at:end])) for line in body)
        found.append((Line(heading.number, _stripped(cells[at:end])), [one for one in parts if one.cells]))
    return found


def _stripped(cells: Sequence[str]) -> list[str]:
    """Strips the empty cells at the end."""
    found = list(cells)
    while found and not found[-1]:
        found.pop()
    return found


def _named(headings: Sequence[str], body: Sequence[Line]) -> list[str]:
    """Returns a name for each column with cells: its heading, with a number if it occurs twice, or else its letter."""
    width = max([len(headings), *(len(line.cells) for line in body)])
    filled = {at for line in body for at, cell in enumerate(line.cells) if cell}
    found: list[str] = []
    for at, heading in enumerate([*headings, *[""] * width][:width]):
        name = heading or (_letter(at) if at in filled else "")
        times = found.count(name)
        found.append(f"{name} ({times + 1})" if name and times else name)
    return found


def _letter(at: int) -> str:
    return chr(ord("A") + at % 26) if at < LETTERS else _letter(at // LETTERS - 1) + _letter(at % LETTERS)


def _drop_without_amounts(fields: list[str | None], body: Sequence[Line]) -> None:
    """Drops columns of sizes and extras without amounts: `Milk, Syrup`."""
    for name in ("variants", "modifiers"):
        if name in fields and not any("=" in cell for cell in _cells(body, fields.index(name))):
            fields[fields.index(name)] = SIZE if name == "variants" and SIZE not in fields else None


def _table_without(
    lines: Sequence[Line], delimiter: str, category: str, chosen: Mapping[str, str], *, guesses: bool
) -> Table:
    """Reads a table whose headings are unknown, or that has none. Raises FeedError for one that must not be guessed."""
    width = max(len(line.cells) for line in lines)
    has_heading = len(lines[0].cells) > 1 and not any(map(is_price, lines[0].cells))
    rows = lines[1:] if has_heading else lines
    headings = _named(lines[0].cells if has_heading else [""] * width, rows)
    fields = fields_of(headings, chosen)
    if "name" not in fields or _PRICES.isdisjoint(fields):
        plain = {2: ("name", "price"), 3: ("category", "name", "price")}.get(width)
        are_counted = width == len("ABC") and any(map(is_amount, _cells(rows, 0)))
        are_known = not guesses or _are_prices(_cells(rows, width - 1))
        if plain is not None and not has_heading and not chosen and not are_counted and are_known:
            fields = list(plain)
        elif guesses:
            fields = _guessed(headings, fields, rows, chosen, has_heading=has_heading)
        elif "name" not in fields:
            raise FeedError("no_columns", "The first line has to name the columns: Name, Category, Price.")
        else:
            raise FeedError("no_columns", "The first line names no column of prices: name it Price.")
    columns = [
        Column(heading, one, _cells(rows, at)[:SAMPLES])
        for at, (heading, one) in enumerate(zip(headings, fields, strict=True))
        if heading
    ]
    reader = Rows(category)
    reader.begin(fields, headings, width)
    for line in rows:
        reader.take(line)
    return Table(columns, reader.rows, reader.passed, delimiter)


def _guessed(
    headings: Sequence[str],
    fields: Sequence[str | None],
    rows: Sequence[Line],
    chosen: Mapping[str, str],
    *,
    has_heading: bool,
) -> list[str | None]:
    """Guesses fields by the cells: prices; names, which differ most; a category, which repeats."""
    found = list(fields)
    free = [at for at, one in enumerate(found) if one is None and headings[at].strip() not in chosen]
    cells = {at: _cells(rows, at) for at in free}
    if _PRICES.isdisjoint(found) and (
        prices := [at for at in free if _are_prices(cells[at]) and not is_no_price(headings[at])]
    ):
        # Beside amounts with decimals, whole numbers are something else.
        prices = [at for at in prices if not all(map(str.isdecimal, cells[at]))] or prices
        for at in prices:
            found[at] = SIZE_PRICE if has_heading and len(prices) > 1 else None
        if set(found).isdisjoint(_PRICES):
            found[prices[-1]] = "price"
    words = [at for at in free if found[at] is None and cells[at] and not all(map(is_price, cells[at]))]
    if words and "name" not in found:
        name = max(words, key=lambda at: (len(set(cells[at])), -at))
        found[name] = "name"
        words.remove(name)
    repeats = [at for at in words if len(set(cells[at])) < len(cells[at]) or len(cells[at]) < len(rows)]
    if repeats and "category" not in found:
        found[repeats[0]] = "category"
    return found
