"""Reads a menu that a person pastes, as rows of a feed: a table with tabs, semicolons or commas, or lines of a menu.

| text | read as |
|---|---|
| a first line that names columns, in any language of the desk | those columns; `id` is that of an item |
| two columns without names | name and price |
| three columns without names | category, name and price |
| lines: `Flat white 3.40` | an item, of the category in the last line without a price |

A row with text in its first cell alone names the category of those below it.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from service.schema.content.pos import FEED_FIELDS
from service.services.pos.encodings import decode
from service.services.pos.feed import MAX_FEED_BYTES, MAX_FEED_ROWS, FeedContent, FeedError, FeedFailure, FeedRowError
from service.services.pos.rows import read_feed
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
_MONEY_FIELDS = ("price", "variants", "modifiers")
_FIELD_OF = {word: field for field, words in _HEADINGS.items() for word in words.split()} | {
    field.lower(): field for field in FEED_FIELDS
}
_LANGUAGE = re.compile(r"name\s*:\s*[A-Za-z0-9_-]+", re.IGNORECASE)
_ACCENTS = str.maketrans("áàâéèêëíîïóôúùûçñ", "aaaeeeeiiioouuucn")
_CURRENCY = re.compile(r"[€$£¥]|\b[A-Z]{3}\b|[\s\u00a0\u202f]")
_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩٫", "0123456789.")
_MONEY = r"\s*(?:[€$£¥]|[A-Z]{3})?"
_AMOUNT = rf"[€$£¥]?\s*[+-]?\d+(?:[.,]\d+)*{_MONEY}"
_PRICE_AT_END = re.compile(rf"\s(?P<short>[.,]\d+{_MONEY})$|(?:\s|[.…·_]{{2}}|[…·_])(?P<price>{_AMOUNT})$")
_LONGEST_PRICE = 30
"""Characters at the end of a line in which a price is looked for."""
_LEADERS = " \t.…·_–—:-"
"""Characters between a name and its price."""
_ENDS_WITH_PRICE = re.compile(r"\d[.,]\d{1,2}\s*[€$£¥]?\s*[/|,+-]?$")
_FORMULA = re.compile(rf"\A'(?=[{re.escape(FORMULAS)}'])")


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table: the field of each column, and the cells of each row with the number of its line."""

    fields: Sequence[str | None]
    rows: Sequence[tuple[int, Sequence[str]]]
    delimiter: str
    errors: Sequence[FeedRowError] = ()


def read_sheet(text: str, *, category: str) -> FeedContent | FeedFailure:
    """Reads the rows of a menu; `category` is that of rows above the first one that names any."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        grid = _grid(text)
        lines, table = _as_feed(grid, category)
    except FeedError as fault:
        return fault.failure
    if not lines:
        if grid.errors:
            first = grid.errors[0]
            return FeedFailure("no_good_row", f"Line {first.row}: {first.detail}", tuple(grid.errors))
        return FeedFailure("empty", "There is no item with a price in it.")
    feed = read_feed(table.encode(), "csv", encoding="utf-8")
    if isinstance(feed, FeedFailure):
        return replace(feed, errors=_at_lines(feed.errors, lines), encoding=None)
    return replace(
        feed,
        errors=tuple(sorted((*_at_lines(feed.errors, lines), *grid.errors), key=lambda one: one.row)),
        error_count=feed.error_count + len(grid.errors),
        encoding=None,
        numbers={identifier: lines[number - 1] for identifier, number in feed.numbers.items()},
    )


def field_of(heading: str) -> str | None:
    """The field that a heading names."""
    if _LANGUAGE.fullmatch(heading.strip()):
        return heading.strip()
    return _FIELD_OF.get(re.sub(r"[\s_*:-]", "", heading).casefold().translate(_ACCENTS))


def _at_lines(errors: Sequence[FeedRowError], lines: Sequence[int]) -> tuple[FeedRowError, ...]:
    return tuple(replace(one, row=lines[one.row - 1], id=None, column=None) for one in errors)


def _grid(text: str) -> _Grid:
    """Finds the table in the text. Raises FeedError."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    for delimiter in DELIMITERS:
        if delimiter not in first:
            continue
        rows = list(_table(text, delimiter))
        fields = [field_of(cell) for cell in rows[0][1]]
        if "name" in fields:
            if "price" not in fields:
                raise FeedError("no_columns", "The first line names no column of prices: name it Price.")
            return _Grid(fields, rows[1:], delimiter)
        if delimiter == ",":
            # Menus have commas in their texts and prices: only named columns make a table of them.
            break
        width = max(len(cells) for _, cells in rows)
        guessed = {2: ("name", "price"), 3: ("category", "name", "price")}.get(width)
        if guessed is None:
            raise FeedError("no_columns", "The first line has to name the columns: Name, Category, Price.")
        return _Grid(guessed, rows, delimiter)
    return _lines(text)


def _table(text: str, delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        line = 1
        for cells in reader:
            if len(cells) > MAX_SHEET_COLUMNS and any(cell.strip() for cell in cells[MAX_SHEET_COLUMNS:]):
                raise FeedError("too_many_columns", f"A table has at most {MAX_SHEET_COLUMNS} columns.")
            if any(cell.strip() for cell in cells):
                last = max(at for at, cell in enumerate(cells) if cell.strip())
                yield line, [_FORMULA.sub("", cell.strip(), count=1) for cell in cells[: last + 1]]
            line = reader.line_num + 1
    except csv.Error as fault:
        raise FeedError("bad_csv", f"Line {reader.line_num}: {fault}.") from None


def _lines(text: str) -> _Grid:
    """The lines of a menu: items with a price at their end, below lines that name a category."""
    rows: list[tuple[int, Sequence[str]]] = []
    errors: list[FeedRowError] = []
    for number, line in enumerate(text.split("\n"), start=1):
        told = line.strip().lstrip("#*•–- ").strip()
        if not told:
            continue
        plain = told.translate(_DIGITS)
        tail = plain[-_LONGEST_PRICE:]
        found = _PRICE_AT_END.search(tail)
        name = told if found is None else told[: len(told) - len(tail) + found.start()].rstrip(_LEADERS)
        if re.fullmatch(_AMOUNT, plain[:_LONGEST_PRICE]):
            errors.append(FeedRowError(number, None, "name", "no_name", "This line has a price without a name."))
        elif found is None:
            rows.append((number, [told.rstrip(": ")]))
        elif _ENDS_WITH_PRICE.search(name.translate(_DIGITS)[-_LONGEST_PRICE:]):
            detail = "This line has two prices: write one item a line, or a table with variants."
            errors.append(FeedRowError(number, None, "price", "two_prices", detail))
        else:
            rows.append((number, [name, found["short"] or found["price"]]))
    return _Grid(("name", "price"), rows, "\t", errors)


def _as_feed(grid: _Grid, category: str) -> tuple[list[int], str]:
    """The table as a CSV feed, and the line of each of its rows. Raises FeedError."""
    columns = {field: at for at, field in enumerate(grid.fields) if field is not None}
    for at, field in enumerate(grid.fields):
        if field is not None and columns[field] != at:
            raise FeedError("bad_csv", f"The first line names the column {field} twice.")
    priced = [at for field, at in columns.items() if field in _MONEY_FIELDS]
    told = (cell for _, cells in grid.rows for at in priced for cell in cells[at : at + 1])
    # A comma within a price: then its columns are not told apart by commas, as far as numbers are concerned.
    delimiter = ";" if grid.delimiter == "," and any("," in cell for cell in told) else grid.delimiter
    headings = ["id", "category", *(field for field in columns if field not in ("id", "category"))]
    output = io.StringIO(newline="")
    writer = csv.writer(output, delimiter=delimiter, lineterminator="\n")
    writer.writerow(headings)
    lines: list[int] = []
    for line, cells in grid.rows:
        values = {field: cells[at] if at < len(cells) else "" for field, at in columns.items()}
        if len(cells) == 1 and cells[0] and "price" in columns and columns["price"] > 0:
            # Only the first cell has a text.
            category = cells[0].rstrip(": ")
            continue
        values["price"] = _CURRENCY.sub("", values["price"].translate(_DIGITS)) or ""
        values["category"] = values.get("category") or category
        values["id"] = values.get("id") or f"line-{line}"
        writer.writerow([values[heading] for heading in headings])
        lines.append(line)
        if len(lines) > MAX_FEED_ROWS:
            raise FeedError("too_many_rows", f"A table has at most {MAX_FEED_ROWS} rows.")
    return lines, output.getvalue()


def read_file(raw: bytes) -> str | FeedFailure:
    """The text of a file: a workbook, or a text in any encoding of feeds."""
    try:
        if len(raw) > MAX_FEED_BYTES:
            raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
        return text_of_workbook(raw) if is_workbook(raw) else decode(raw, None)[0]
    except FeedError as fault:
        return fault.failure
