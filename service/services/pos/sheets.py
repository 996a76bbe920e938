"""Reads a menu that a person pastes, as rows of a feed: a table with tabs, semicolons or commas, or lines of a menu.

| text | read as |
|---|---|
| a first line that names columns, in any language of the desk | those columns; `id` is that of an item |
| two columns without names | name and price |
| three columns without names | category, name and price |
| anything else | the lines of a menu (`menu_lines`) |

A row with text in its first cell alone names the category of those below it.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from service.core.amounts import UNKNOWN, Notation
from service.schema.content.pos import FEED_FIELDS, FeedRow
from service.services.pos.csv_rows import RawRow, row_of
from service.services.pos.encodings import decode
from service.services.pos.feed import (
    MAX_FEED_BYTES,
    MAX_FEED_ROWS,
    MAX_LISTED_ROW_ERRORS,
    FeedContent,
    FeedError,
    FeedFailure,
    FeedRowError,
)
from service.services.pos.grid import Grid, GridRow
from service.services.pos.menu_lines import NO_PRICE, menu_lines
from service.services.pos.rows import content_of
from service.services.pos.workbooks import MAX_SHEET_COLUMNS, is_workbook, text_of_workbook
from service.services.shared.csv_lines import FORMULAS

DELIMITERS = ("\t", ";", ",")

_HEADINGS = {
    "name": "name item product dish article artikel produkt gericht speise bezeichnung nom produit plat article nombre "
    "producto plato articulo الاسم الصنف المنتج",
    "category": "category group section kategorie gruppe rubrik warengruppe categorie rubrique categoria seccion "
    "الفئة القسم",
    "price": "price preis prix precio السعر",
    "description": "description beschreibung descripcion الوصف",
    "sku": "sku plu code artikelnummer reference referencia",
    "variants": "variants sizes varianten größen tailles variantes tamaños الأحجام",
    "modifiers": "modifiers extras",
    "tags": "tags",
    "allergens": "allergens allergene allergenes alergenos",
    "soldOut": "soldout ausverkauft epuise agotado",
}
_FIELD_OF = {word: field for field, words in _HEADINGS.items() for word in words.split()} | {
    field.lower(): field for field in FEED_FIELDS
}
_LANGUAGE = re.compile(r"name\s*:\s*[A-Za-z0-9_-]+", re.IGNORECASE)
_ACCENTS = str.maketrans("áàâéèêëíîïóôúùûçñ", "aaaeeeeiiioouuucn")
_FORMULA = re.compile(rf"\A'(?=[{re.escape(FORMULAS)}'])")


def read_sheet(text: str, *, category: str, notation: Notation = UNKNOWN) -> FeedContent | FeedFailure:
    """Reads the rows of a menu; `category` is that of rows above the first one that names any, `notation` the way in
    which its amounts are written."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        grid = _grid(text, notation)
        lines, rows = _as_rows(grid, category, notation)
        feed = content_of(rows, FeedRow)
    except FeedError as fault:
        return fault.failure
    if not lines:
        errors = tuple(grid.errors[:MAX_LISTED_ROW_ERRORS])
        first = next((one for one in errors if one.code != NO_PRICE), None)
        if first is not None:
            return FeedFailure("no_good_row", f"Line {first.row}: {first.detail}", errors)
        return FeedFailure("empty", "There is no item with a price in it.", errors)
    found = sorted((*_at_lines(feed.errors, lines), *grid.errors), key=lambda one: one.row)
    errors = tuple(found[:MAX_LISTED_ROW_ERRORS])
    if isinstance(feed, FeedFailure):
        return replace(feed, errors=errors)
    return replace(
        feed,
        errors=errors,
        error_count=feed.error_count + len(grid.errors),
        numbers={identifier: lines[number - 1] for identifier, number in feed.numbers.items()},
    )


def field_of(heading: str) -> str | None:
    """The field that a heading names."""
    if _LANGUAGE.fullmatch(heading.strip()):
        return heading.strip()
    return _FIELD_OF.get(re.sub(r"[\s_*:-]", "", heading).casefold().translate(_ACCENTS))


def _at_lines(errors: Sequence[FeedRowError], lines: Sequence[int]) -> tuple[FeedRowError, ...]:
    return tuple(replace(one, row=lines[one.row - 1], id=None, column=None) for one in errors)


def _grid(text: str, notation: Notation) -> Grid:
    """Finds the table in the text. Raises FeedError."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    for delimiter in DELIMITERS:
        if delimiter not in first:
            continue
        rows = list(_table(text, delimiter))
        fields = [field_of(cell) for cell in rows[0].cells]
        if "name" in fields:
            if "price" not in fields:
                raise FeedError("no_columns", "The first line names no column of prices: name it Price.")
            return Grid(fields, rows[1:], delimiter)
        if delimiter == ",":
            # Menus have commas in their texts and prices: only named columns make a table of them.
            break
        width = max(len(row.cells) for row in rows)
        guessed = {2: ("name", "price"), 3: ("category", "name", "price")}.get(width)
        if guessed is None:
            raise FeedError("no_columns", "The first line has to name the columns: Name, Category, Price.")
        return Grid(guessed, rows, delimiter)
    return menu_lines(text, notation)


def _table(text: str, delimiter: str) -> Iterator[GridRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        line = 1
        for cells in reader:
            if len(cells) > MAX_SHEET_COLUMNS and any(cell.strip() for cell in cells[MAX_SHEET_COLUMNS:]):
                raise FeedError("too_many_columns", f"A table has at most {MAX_SHEET_COLUMNS} columns.")
            if any(cell.strip() for cell in cells):
                last = max(at for at, cell in enumerate(cells) if cell.strip())
                told = [_FORMULA.sub("", cell.strip(), count=1) for cell in cells[: last + 1]]
                yield GridRow(line, told, delimiter.join(cells[: last + 1]))
            line = reader.line_num + 1
    except csv.Error as fault:
        raise FeedError("bad_csv", f"Line {reader.line_num}: {fault}.") from None


def _as_rows(grid: Grid, category: str, notation: Notation) -> tuple[list[int], list[RawRow]]:
    """The rows of the table, and the line of each of them. Raises FeedError."""
    columns = {field: at for at, field in enumerate(grid.fields) if field is not None}
    for at, field in enumerate(grid.fields):
        if field is not None and columns[field] != at:
            raise FeedError("bad_csv", f"The first line names the column {field} twice.")
    notation = replace(notation, delimiter=grid.delimiter)
    fields = list(dict.fromkeys((*columns, "id", "category")))
    places = {field: at for at, field in enumerate(fields)}
    lines: list[int] = []
    rows: list[RawRow] = []
    for row in grid.rows:
        cells = row.cells
        values = {field: cells[at] if at < len(cells) else "" for field, at in columns.items()}
        if len(cells) == 1 and cells[0] and "price" in columns and columns["price"] > 0:
            # Only the first cell has a text.
            category = cells[0].rstrip(": ")
            continue
        values["category"] = values.get("category") or category
        values["id"] = values.get("id") or f"line-{row.line}"
        rows.append(row_of([values[field] for field in fields], places, notation, text=row.text))
        lines.append(row.line)
        if len(lines) > MAX_FEED_ROWS:
            raise FeedError("too_many_rows", f"A table has at most {MAX_FEED_ROWS} rows.")
    return lines, rows


def read_file(raw: bytes) -> str | FeedFailure:
    """The text of a file: a workbook, or a text in any encoding of feeds."""
    try:
        if len(raw) > MAX_FEED_BYTES:
            raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
        return text_of_workbook(raw) if is_workbook(raw) else decode(raw, None)[0]
    except FeedError as fault:
        return fault.failure
