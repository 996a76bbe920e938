"""Reads the first sheet of an .xlsx workbook as a table with tabs. Bounded before and while it is read."""

import csv
import io
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal

from openpyxl import load_workbook

from service.services.pos.feed import MAX_FEED_BYTES, MAX_FEED_ROWS, FeedError

MAX_SHEET_COLUMNS = 60
MAX_UNPACKED_BYTES = 32 * 1024 * 1024
"""All parts of the workbook together: eight times the largest file, as sheets are packed about that well."""
MAX_PARTS = 500
MAX_CELLS = 200_000
_MARK = b"PK\x03\x04"
_SEVERAL = "This is no .xlsx workbook."


def is_workbook(raw: bytes) -> bool:
    """Whether the file begins as a workbook does."""
    return raw.startswith(_MARK)


def text_of_workbook(raw: bytes) -> str:
    """The rows of the first sheet, with tabs between the cells. Raises FeedError."""
    if len(raw) > MAX_FEED_BYTES:
        raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
    try:
        _check_parts(raw)
        output = io.StringIO(newline="")
        csv.writer(output, delimiter="\t", lineterminator="\n").writerows(_rows(raw))
    except FeedError:
        raise
    except Exception:  # openpyxl fails in any way on what is no workbook
        raise FeedError("bad_workbook", _SEVERAL) from None
    return output.getvalue()


def _check_parts(raw: bytes) -> None:
    """Raises FeedError for a workbook that would unpack to too much, or whose XML defines entities."""
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        told = parts.infolist()
        # Python reads no more of a part than it says that it has.
        if len(told) > MAX_PARTS or sum(part.file_size for part in told) > MAX_UNPACKED_BYTES:
            raise FeedError("too_large", "The workbook unpacks to too much. Paste the table, or save it as CSV.")
        for part in told:
            if b"<!DOCTYPE" in parts.read(part).replace(b"\0", b""):
                raise FeedError("bad_workbook", _SEVERAL)


def _rows(raw: bytes) -> Iterator[list[str]]:
    book = load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
    try:
        sheet = book.worksheets[0]
        # The size that the sheet says it has is not to be trusted.
        sheet.reset_dimensions()
        cells = 0
        rows = sheet.iter_rows(max_row=MAX_FEED_ROWS + 2, max_col=MAX_SHEET_COLUMNS + 1, values_only=True)
        for number, row in enumerate(rows):
            cells += len(row)
            if number > MAX_FEED_ROWS or cells > MAX_CELLS:
                detail = f"A sheet has at most {MAX_FEED_ROWS} rows and {MAX_CELLS} cells."
                raise FeedError("too_many_rows", detail)
            yield [_text(value) for value in row]
    finally:
        book.close()


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            # Not with three decimals: those could be thousands.
            rounded = round(Decimal(repr(value)), 4).normalize()
            places = -int(rounded.as_tuple().exponent)
            return f"{rounded:.{4 if places > 2 else 2}f}" if places > 0 else f"{rounded:f}"
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)
