"""Puts an item's second language below its first; no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from player.display.layout.text.bidi import RIGHT_TO_LEFT_MARK, has_right_to_left
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


def in_its_direction(lines: Sequence[str], *, right_to_left: bool) -> str:
    """The lines of a language that runs so, whatever the board's direction is. A line without a letter that runs from
    right to left stays as it is: a name in Latin letters."""
    return "\n".join(RIGHT_TO_LEFT_MARK + line if right_to_left and has_right_to_left(line) else line for line in lines)
