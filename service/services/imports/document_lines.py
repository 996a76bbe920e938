"""Reads the lines of one untrusted document, or the cells of a workbook: a separate program.

`documents.py` runs it in a process with bounded memory and time and no other open file. Argument: the form (`docx`,
`pdf`, `xlsx`). Reads the file from standard input, and writes one JSON object to standard output: `text`, or `sheets`,
or the code of a `fault`. A workbook is read as a person sees it: without what is hidden or filtered out, numbers as
their format shows them. Headings begin with `# `, small and indented lines with blanks. Imports nothing of the service.
"""

from __future__ import annotations

import io
import json
import re
import resource
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

MEMORY_BYTES = 768 * 1024 * 1024
CPU_SECONDS = 10
MAX_PAGES = 100
"""Pages of a PDF."""
MAX_SHEETS = 50
MAX_COLUMNS = 61
"""One more than a table may have, which is told."""
MAX_TEXT = 1_000_000
"""Characters of all lines."""


class _FaultError(Exception):
    """A document that is refused. The message is the code."""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    form, file = sys.argv[1], io.BytesIO(sys.stdin.buffer.read())
    result: dict[str, Any]
    try:
        if form == "xlsx":
            result = {"sheets": list(_sheets(file))}
        else:
            result = {"text": _bounded(_word(file) if form == "docx" else _pdf(file))}
    except _FaultError as fault:
        result = {"fault": str(fault)}
    except Exception:  # both libraries fail in any way on what is no document
        result = {"fault": "bad_document"}
    sys.stdout.write(json.dumps(result))


def _bounded(lines: Iterator[str]) -> str:
    found: list[str] = []
    length = 0
    for line in lines:
        length += len(line) + 1
        if length > MAX_TEXT:
            raise _FaultError("too_large")
        found.append(line.rstrip())
    return "\n".join(found)


def _word(file: io.BytesIO) -> Iterator[str]:
    try:
        from docx import Document
        from docx.table import Table
    except ImportError:
        raise _FaultError("no_docx") from None
    parts = list(Document(file).iter_inner_content())
    sizes = Counter[float]()
    for part in parts:
        if not isinstance(part, Table) and (size := _size_of(part)):
            sizes[size] += len(part.text)
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    for part in parts:
        if not isinstance(part, Table):
            yield from _paragraph(part, usual)
            continue
        for row in part.rows:
            # A merged cell stands once.
            cells = {id(cell): " ".join(cell.text.split()) for cell in row.cells}
            yield "\t".join(cells.values())


def _paragraph(part: Any, usual: float) -> Iterator[str]:
    """Yields the lines of a paragraph; marks headings, and lines that are small or indented."""
    name = "" if part.style is None else part.style.name or ""
    indent = part.paragraph_format.left_indent or 0
    size = _size_of(part)
    # Word's own styles have these names in every language.
    mark = "# " if name.startswith(("Heading", "Title")) else "  " if indent > 0 or (size and size < usual) else ""
    for line in part.text.split("\n"):
        yield mark + line if line.strip() else ""


def _size_of(part: Any) -> float:
    """Returns the font size of a paragraph in points: the largest of its runs; 0 where it is the document's own."""
    style = None if part.style is None else part.style.font.size
    sizes = [one.font.size or style for one in part.runs if one.text.strip()]
    return max((size.pt for size in sizes if size is not None), default=0.0)


def _pdf(file: io.BytesIO) -> Iterator[str]:
    try:
        from pypdf import PdfReader
    except ImportError:
        raise _FaultError("no_pypdf") from None
    reader = PdfReader(file)
    if len(reader.pages) > MAX_PAGES:
        raise _FaultError("too_many_pages")
    is_empty = True
    for page in reader.pages:
        # Names and prices of a line stand apart in the file: the layout brings them together.
        text = page.extract_text(extraction_mode="layout")
        is_empty = is_empty and not text.strip()
        yield from text.split("\n")
        yield ""
    if is_empty:
        raise _FaultError("no_text")


def _sheets(file: io.BytesIO) -> Iterator[dict[str, Any]]:
    """Yields the visible sheets that have any text."""
    from openpyxl import load_workbook

    # Row by row openpyxl makes no cell of what a sheet only says to have, but only as a whole it tells what is hidden.
    whole = load_workbook(file, data_only=True, keep_links=False, rich_text=False) if _hides(file) else None
    by_row = load_workbook(file, data_only=True, keep_links=False, rich_text=False, read_only=True)
    for sheet in by_row.worksheets[:MAX_SHEETS]:
        if sheet.sheet_state != "visible":
            continue
        # What it says of its size may be wrong.
        sheet.reset_dimensions()
        rows, hidden = _rows(sheet, None if whole is None else whole[sheet.title])
        if rows:
            yield {"name": sheet.title, "rows": rows, "hidden": hidden}


def _hides(file: io.BytesIO) -> bool:
    """Returns whether a sheet may have hidden rows or columns."""
    with zipfile.ZipFile(file) as parts:
        names = [name for name in parts.namelist() if name.startswith("xl/worksheets/")]
        return any(b"hidden" in parts.read(name).replace(b"\0", b"") for name in names)


def _rows(cells: Any, sheet: Any) -> tuple[list[list[str]], int]:
    """Returns the visible rows with the empty ones between them, and the number of hidden ones."""
    # openpyxl has one entry for a run of columns of one kind.
    hidden_columns = {
        at
        for one in (sheet.column_dimensions.values() if sheet is not None else ())
        if one.hidden
        for at in range(max(1, one.min or 1), min(one.max or 0, MAX_COLUMNS) + 1)
    }
    dimensions = {} if sheet is None else sheet.row_dimensions
    hidden = 0
    rows: list[list[str]] = []
    for number, row in enumerate(cells.rows, start=1):
        told = [_shown(cell) for at, cell in enumerate(row[:MAX_COLUMNS], start=1) if at not in hidden_columns]
        has_text = any(told)
        is_hidden = has_text and number in dimensions and dimensions[number].hidden
        hidden += is_hidden
        rows.append(told if has_text and not is_hidden else [])
    while rows and not rows[-1]:
        rows.pop()
    return rows, hidden


def _shown(cell: Any) -> str:
    """Returns the text of a cell as a spreadsheet shows it."""
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


_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[\$([^]-]*)[^]]*\]|\[[^]]*\]|([$€£¥₹ ])')
"""Parts that a number format writes beside the number: quoted, escaped, a width, a fill, a currency, a colour."""
_DIGITS = re.compile(r"[#0?,]*(?:\.[0#?]+)?")
_UNUSUAL = re.compile("[EeGgYyDdHhSs/<>=]")
"""Signs of a format of powers, of dates, of fractions, or with conditions."""
_PLACE = "\0"


def _number(value: Decimal, form: str) -> str:
    """Formats the number by a format of digits such as `00000`, `0.00` or `#,##0 "€"`; whole by any other format. It is
    written with a point, and without a separator of thousands; never with three decimals, which could be thousands."""
    form = form.split(";")[0]
    if "%" in form:
        return f"{(value * 100).normalize():f}%"
    found = re.search(r"[#0?][#0?,.]*", _LITERAL.sub(lambda one: _PLACE * len(one[0]), form))
    before, after = (form[: found.start()], form[found.end() :]) if found else ("", "")
    digits = _DIGITS.fullmatch(found[0]) if found and not _UNUSUAL.search(_bare(form)) else None
    if digits is None or "0" not in digits[0] or set("#0?").intersection(_bare(after)):
        return _plain(value)
    whole, _, decimals = digits[0].partition(".")
    rounded = value.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    width = whole.count("0")
    text = f"{rounded:f}".zfill(width) if width > 1 and not decimals else _plain(rounded)
    return f"{_literal(before)}{text}{_literal(after)}".strip()


def _bare(form: str) -> str:
    """Strips literal text from the format, but keeps its conditions."""
    return _LITERAL.sub(lambda one: one[0] if one[0][:2] in ("[<", "[>", "[=") else "", form)


def _literal(part: str) -> str:
    """Returns the literal text in a part of a format; empty if it has digits, which would be another number."""
    told = "".join("".join(filter(None, one.groups())) or " " for one in _LITERAL.finditer(part))
    return "" if any(map(str.isdigit, told)) else told


def _plain(value: Decimal) -> str:
    value = round(value, 4).normalize()
    places = -int(value.as_tuple().exponent)
    return f"{value:.{4 if places > 2 else 2}f}" if places > 0 else f"{value:f}"


if __name__ == "__main__":
    main()
