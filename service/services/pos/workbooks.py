"""Reads the sheets of an .xlsx workbook as a person sees them: without what is hidden or filtered out, numbers as their
format shows them. Bounded before and while it is read."""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from openpyxl import load_workbook

from service.services.pos.feed import MAX_FEED_BYTES, MAX_FEED_ROWS, FeedError

MAX_SHEET_COLUMNS = 60
MAX_UNPACKED_BYTES = 32 * 1024 * 1024
"""All parts of the workbook together: eight times the largest file, as sheets are packed about that well."""
MAX_PARTS = 500
MAX_CELLS = 200_000
MAX_SHEETS = 50
_MARK = b"PK\x03\x04"
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
_NO_WORKBOOK = "This is no .xlsx workbook."


@dataclass(frozen=True, slots=True)
class Sheet:
    """The visible rows of a visible sheet, and the number of those that are hidden or filtered out."""

    name: str
    rows: list[list[str]]
    hidden: int


def is_workbook(raw: bytes) -> bool:
    """Whether the file begins as a workbook does."""
    return raw.startswith(_MARK)


def is_word(raw: bytes) -> bool:
    """Whether a file that begins as a workbook does is a text of Word. Raises FeedError for what is no archive, or
    unpacks to too much."""
    check_parts(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        return "word/document.xml" in parts.namelist()


def sheets_of(raw: bytes) -> list[Sheet]:
    """The visible sheets that have any text. Raises FeedError."""
    if len(raw) > MAX_FEED_BYTES:
        raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
    check_parts(raw)
    try:
        # Not read-only: only so openpyxl tells which rows and columns are hidden.
        book = load_workbook(io.BytesIO(raw), data_only=True, keep_links=False, rich_text=False)
        sheets = [_sheet(one) for one in book.worksheets[:MAX_SHEETS] if one.sheet_state == "visible"]
    except FeedError:
        raise
    except Exception:  # openpyxl fails in any way on what is no workbook
        raise FeedError("bad_workbook", _NO_WORKBOOK) from None
    return [sheet for sheet in sheets if sheet.rows]


def check_parts(raw: bytes) -> None:
    """Raises FeedError for a file of Office that is none, would unpack to too much, or whose XML defines entities."""
    try:
        _check_parts(raw)
    except FeedError:
        raise
    except Exception:  # zipfile fails in several ways on what is no archive
        raise FeedError("bad_workbook", _NO_WORKBOOK) from None


def _check_parts(raw: bytes) -> None:
    cells = 0
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        told = parts.infolist()
        # Python reads no more of a part than it says that it has.
        if len(told) > MAX_PARTS or sum(part.file_size for part in told) > MAX_UNPACKED_BYTES:
            raise FeedError("too_large", "The workbook unpacks to too much. Paste the table, or save it as CSV.")
        for part in told:
            content = parts.read(part)
            if b"<!DOCTYPE" in content.replace(b"\0", b""):
                raise FeedError("bad_workbook", _NO_WORKBOOK)
            if part.filename.startswith("xl/worksheets/"):
                cells += sum(1 for _ in _CELL.finditer(content))
    if cells > MAX_CELLS:
        raise FeedError("too_many_rows", f"A workbook has at most {MAX_CELLS} cells.")


def _sheet(sheet: Any) -> Sheet:
    if sheet.max_row > MAX_FEED_ROWS + 1:
        raise FeedError("too_many_rows", f"A sheet has at most {MAX_FEED_ROWS} rows.")
    # openpyxl has one entry for a run of columns of one kind.
    hidden_columns = {
        at for one in sheet.column_dimensions.values() if one.hidden for at in range(one.min or 0, (one.max or 0) + 1)
    }
    columns = [at for at in range(1, min(sheet.max_column, MAX_SHEET_COLUMNS + 1) + 1) if at not in hidden_columns]
    hidden = 0
    rows: list[list[str]] = []
    for number in range(1, sheet.max_row + 1):
        cells = [shown(sheet.cell(number, at)) for at in columns]
        if not any(cells):
            rows.append([])
        elif sheet.row_dimensions[number].hidden:
            hidden += 1
            rows.append([])
        else:
            rows.append(cells)
    while rows and not rows[-1]:
        rows.pop()
    return Sheet(sheet.title, rows, hidden)


def shown(cell: Any) -> str:
    """The text of a cell as a spreadsheet shows it."""
    match cell.value:
        case None:
            return ""
        case bool():
            return str(cell.value).lower()
        case int() | float():
            return _number(Decimal(repr(cell.value)), cell.number_format or "General")
        case datetime() | date() | time():
            return str(cell.value.isoformat())
        case _:
            return str(cell.value).strip()


_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^]]*\]')
"""Parts that a number format writes beside the number: quoted, escaped, a width, a fill, a colour or currency."""
_DIGITS = re.compile(r"[#0?,]*(?:\.[0#?]+)?")


def _number(value: Decimal, form: str) -> str:
    """The number by a format of digits such as `00000`, `0.00` or `#,##0`; whole by any other format. It is written
    with a point, and without a separator of thousands; never with three decimals, which could be thousands."""
    digits = _DIGITS.fullmatch(re.sub(r"[^#0?,.]", "", _LITERAL.sub("", form.split(";")[0])))
    if form != "General" and digits and "0" in form and "%" not in form and "E" not in form.upper().replace("€", ""):
        whole, _, decimals = digits[0].partition(".")
        rounded = value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
        text = f"{rounded:f}"
        width = whole.count("0")
        if width > 1 and not decimals:
            return text.zfill(width)
        value = rounded
    value = round(value, 4).normalize()
    places = -int(value.as_tuple().exponent)
    return f"{value:.{4 if places > 2 else 2}f}" if places > 0 else f"{value:f}"


def lines_of(sheet: Sheet) -> Iterator[str]:
    """The rows as lines with tabs between the cells; a cell with tabs, breaks or quotation marks is quoted."""
    for row in sheet.rows:
        yield "\t".join(_quoted(cell) for cell in row)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in '\t\n\r"') else cell
