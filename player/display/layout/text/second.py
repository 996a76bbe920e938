"""Puts an item's second language below its first; no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain.view import MenuRow

SECOND_SIZE = 0.75
"""Size of a second name on a menu, in ems of the first; it is at least as large as the description."""
SECOND_LINE = 1.26
SECOND_BASELINE = 0.95
"""In ems of the second name."""


def with_second_below(row: MenuRow) -> MenuRow:
    """The row with both languages in its description: the second name, the first description, the second."""
    if row.second is None:
        return row
    parts = (row.second.name, row.description, row.second.description)
    return replace(row, description="\n".join(part for part in parts if part), second=None)
