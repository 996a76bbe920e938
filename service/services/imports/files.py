"""Reads an uploaded file as a menu's text: a workbook, a Word document, a PDF, or a text in any encoding of feeds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from service.schema.content.pos import FeedEncoding
from service.services.imports.documents import document_of, is_pdf
from service.services.imports.tables import find_table
from service.services.imports.till_sheets import joined
from service.services.imports.workbooks import Sheet, is_word, is_workbook, lines_of, sheets_of
from service.services.pos.encodings import decode
from service.services.pos.feed import MAX_FEED_BYTES, FeedError, FeedFailure


@dataclass(frozen=True, slots=True)
class FileText:
    """Text of a file, and the parts of the file that are not in it."""

    text: str
    encoding: FeedEncoding | None = None
    is_sure: bool = True
    """Whether no other encoding is as likely."""
    hidden: int = 0
    """Rows that are hidden or filtered out."""
    left: Sequence[tuple[str, int]] = field(default_factory=tuple)
    """Sheets that have no table of a menu, and the number of their rows."""


def read_file(raw: bytes, *, encoding: FeedEncoding | None = None, language: str = "") -> FileText | FeedFailure:
    """Reads the text of a file; `encoding` is that of a text, None to detect it, `language` that of the workspace."""
    try:
        if len(raw) > MAX_FEED_BYTES:
            raise FeedError("too_large", f"A file has at most {MAX_FEED_BYTES // 1024 // 1024} MiB.")
        if is_pdf(raw):
            return FileText(document_of(raw, "pdf").text)
        if is_workbook(raw):
            return FileText(document_of(raw, "docx").text) if is_word(raw) else _of_workbook(sheets_of(raw))
        decoded = decode(raw, encoding, language=language)
        return FileText(decoded.text, decoded.encoding, decoded.is_sure)
    except FeedError as fault:
        return fault.failure


def _of_workbook(sheets: Sequence[Sheet]) -> FileText:
    """Selects the sheets with a table of a menu, or else the first one; each of several is a category of its own."""
    sheets = joined(sheets)
    tables = [one for one in sheets if _is_menu(one)] or sheets[:1]
    lines: list[str] = []
    for one in tables:
        lines += [f"# {one.name}"] if len(tables) > 1 else []
        lines += lines_of(one)
    left = [(one.name, sum(map(bool, one.rows))) for one in sheets if one not in tables]
    return FileText("\n".join(lines), hidden=sum(one.hidden for one in tables), left=left)


def _is_menu(sheet: Sheet) -> bool:
    try:
        table = find_table("\n".join(lines_of(sheet)), category="", chosen={}, guesses=False)
    except FeedError:
        return False
    return table is not None and bool(table.rows)
