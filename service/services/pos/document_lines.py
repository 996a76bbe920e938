"""Reads the lines of one untrusted document: a separate program that writes them as text.

`documents.py` runs it in a process with bounded memory and time and no other open file. Argument: the form (`docx`,
`pdf`). Reads the file from standard input, and writes one JSON object to standard output: `text`, or the code of a
`fault`. Headings begin with `# `, small and indented lines with blanks. Imports nothing of the service.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

MEMORY_BYTES = 768 * 1024 * 1024
CPU_SECONDS = 10
MAX_PAGES = 100
"""Pages of a PDF."""
MAX_TEXT = 1_000_000
"""Characters of all lines."""
_HEADINGS = ("Heading", "Title")
"""Beginnings of the names of styles that Word has by itself, in every language."""


class _FaultError(Exception):
    """A document that is not read. The message is the code."""


def main() -> None:
    """Reads standard input and writes the result."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    read = _word if sys.argv[1] == "docx" else _pdf
    try:
        result = {"text": _bounded(read(io.BytesIO(sys.stdin.buffer.read())))}
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
    """The lines of a paragraph: those of a heading, or of small or indented letters, are marked."""
    name = "" if part.style is None else part.style.name or ""
    indent = part.paragraph_format.left_indent or 0
    size = _size_of(part)
    mark = "# " if name.startswith(_HEADINGS) else "  " if indent > 0 or (size and size < usual) else ""
    for line in part.text.split("\n"):
        yield mark + line if line.strip() else ""


def _size_of(part: Any) -> float:
    """The size of the letters of a paragraph in points: the largest of its runs; 0 where it is the document's own."""
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


if __name__ == "__main__":
    main()
