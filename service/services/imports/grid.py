"""A menu as a table: what the readers of tables and of lines make, before its amounts are read."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.services.pos.feed import FeedRowError


@dataclass(frozen=True, slots=True)
class GridRow:
    """The cells of a row, the number of its line from 1, and its text as it is written."""

    line: int
    cells: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the field of each column, None for one that is not read."""

    fields: Sequence[str | None]
    rows: Sequence[GridRow]
    delimiter: str = ""
    """Empty where there are lines and no columns."""
    errors: Sequence[FeedRowError] = ()
    """Lines that cannot be read."""
