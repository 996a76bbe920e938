"""Reads Word files, PDFs and workbooks, each in a process of its own with bounded memory and time."""

import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore
from typing import Literal

import msgspec

from service.services.pos.feed import FeedError

DOCUMENT_SECONDS = 20.0
PROGRAM = Path(__file__).with_name("document_lines.py")
_DETAILS = {
    "bad_workbook": "This is no .xlsx workbook.",
    "no_docx": "Word files cannot be read here: the operator of the service installs python3-docx.",
    "no_pypdf": "PDFs cannot be read here: the operator of the service installs python3-pypdf.",
    "no_text": "This PDF has pictures of its text only.",
    "too_many_pages": "This document is too long.",
    "too_large": "The text of this document is too long.",
    "too_slow": "This document takes too long to read. Copy its text, and paste it.",
}
_BAD = "This file is no document that can be read. Copy its text, and paste it."
_reading = BoundedSemaphore(2)  # Documents at a time.


class SheetCells(msgspec.Struct, frozen=True):
    """Visible rows of a sheet, and the number of those that are hidden or filtered out."""

    name: str
    rows: list[list[str]]
    hidden: int


class Document(msgspec.Struct, frozen=True):
    text: str = ""
    sheets: list[SheetCells] = []
    fault: str = ""


def is_pdf(raw: bytes) -> bool:
    return raw.startswith(b"%PDF-")


def document_of(
    raw: bytes,
    form: Literal["docx", "pdf", "xlsx"],
    *,
    program: Path = PROGRAM,
    seconds: float = DOCUMENT_SECONDS,
) -> Document:
    """Reads the content of the file by this program. Raises FeedError. Blocks while it is read."""
    # Isolated from the environment and the current folder.
    command = [sys.executable, "-I", str(program), form]
    with _reading:
        try:
            done = subprocess.run(
                command, input=raw, capture_output=True, check=False, timeout=seconds, env={}, cwd="/"
            )
        except subprocess.TimeoutExpired:
            raise FeedError("too_slow", _DETAILS["too_slow"]) from None
    if done.returncode < 0:
        raise FeedError("too_slow", _DETAILS["too_slow"])
    try:
        found = msgspec.json.decode(done.stdout, type=Document)
    except msgspec.DecodeError:
        # Out of memory, at any place.
        found = Document(fault="bad_document")
    if found.fault:
        fault = "bad_workbook" if form == "xlsx" and found.fault == "bad_document" else found.fault
        raise FeedError(fault, _DETAILS.get(fault, _BAD))
    return found
