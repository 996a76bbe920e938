"""Writes CSV, long tables in portions."""

import csv
import io
from collections.abc import Iterable

CSV_ROWS = 500
"""Rows of a table that are read at a time."""

FORMULAS = "=+-@\t\r"
"""Beginnings of a cell that a spreadsheet would calculate; with an apostrophe before it none does."""


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Writes the rows as lines (RFC 4180)."""
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


def is_formula(cell: str) -> bool:
    """Returns whether a spreadsheet would calculate the cell."""
    return cell.startswith(tuple(FORMULAS))
