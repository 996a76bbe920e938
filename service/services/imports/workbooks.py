"""Reads the visible sheets of an .xlsx workbook (`document_lines`). Bounded before and during reading."""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from service.services.imports.documents import document_of
from service.services.pos.feed import MAX_FEED_BYTES, FeedError

MAX_SHEET_COLUMNS = 60
MAX_UNPACKED_BYTES = 32 * 1024 * 1024
"""All parts of the workbook together: eight times the largest file, as sheets are packed about that well."""
MAX_PARTS = 500
MAX_CELLS = 200_000
_MARK = b"PK\x03\x04"
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
_NO_WORKBOOK = "This is no .xlsx workbook."


@dataclass(frozen=True, slots=True)
class Sheet:
    """Visible rows of a visible sheet, and the number of those that are hidden or filtered out."""

    name: str
    rows: list[list[str]]
    hidden: int


def is_workbook(raw: bytes) -> bool:
    return raw.startswith(_MARK)


def is_word(raw: bytes) -> bool:
    """Returns whether a file that begins as a workbook does is a Word document. Raises FeedError for a file that is not
    an archive, or unpacks to too much."""
    check_parts(raw)
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        return "word/document.xml" in parts.namelist()


def sheets_of(raw: bytes) -> list[Sheet]:
    """Returns the visible sheets that have any text. Raises FeedError."""
    if len(raw) > MAX_FEED_BYTES:
        raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
    check_parts(raw)
    return [Sheet(one.name, one.rows, one.hidden) for one in document_of(raw, "xlsx").sheets]


def check_parts(raw: bytes) -> None:
    """Raises FeedError for a file that is no Office file, would unpack to too much, or whose XML defines entities."""
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


def lines_of(sheet: Sheet) -> Iterator[str]:
    """Yields the rows as lines with tabs between the cells; a cell with tabs, breaks or quotation marks is quoted."""
    for row in sheet.rows:
        yield "\t".join(_quoted(cell) for cell in row)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in '\t\n\r"') else cell
