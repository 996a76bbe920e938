"""Puts an item's second language below its first; no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain.view import MenuRow


def with_second_below(row: MenuRow) -> MenuRow:
    """The row with both languages in its description: the second name, the first description, the second."""
    if row.second is None:
        return row
    parts = (row.second.name, row.description, row.second.description)
    return replace(row, description="\n".join(part for part in parts if part), second=None)
