"""A menu as a table: the result of the readers of tables and lines, before amounts are parsed."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.services.pos.feed import FeedRowError


@dataclass(frozen=True, slots=True)
class GridRow:
    """Cells of a row, the number of its line from 1, and its original text."""

    line: int
    cells: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with the field of each column, None for a column that is not read."""

    fields: Sequence[str | None]
    rows: Sequence[GridRow]
    delimiter: str = ""
    """Empty where there are lines and no columns."""
    errors: Sequence[FeedRowError] = ()
    """Lines that cannot be read."""
