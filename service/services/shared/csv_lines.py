"""Writes CSV, in portions for what may be long."""

import csv
import io
from collections.abc import Iterable

CSV_ROWS = 500
"""Rows of a table that are read at a time."""

FORMULAS = "=+-@\t\r"
"""Beginnings of a cell that a spreadsheet would calculate; with an apostrophe before it none does."""


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """The rows as lines (RFC 4180)."""
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would calculate the cell."""
    return cell.startswith(tuple(FORMULAS))
