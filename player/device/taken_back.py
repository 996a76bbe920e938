"""Reads which version of the board was taken back on this device, as menu-player-guard notes it (docs/fleet.md)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.state import TakenBack
from player.plain_file import read_plain

NOTES = Path("/var/lib/menu-player-guard/state.json")
MAX_NOTES_BYTES = 64 * 1024


class _Entry(msgspec.Struct, frozen=True):
    version: str
    to: str
    why: str = ""


class _Notes(msgspec.Struct, frozen=True, rename="camel"):
    back: _Entry | None = None
    """The way back that is under way: it starts this player."""
    taken_back: tuple[_Entry, ...] = ()


def read_taken_back(running: str, *, notes: Path = NOTES) -> TakenBack | None:
    """The version that this device has gone back from to the one that is running; None if it has not."""
    try:
        read = msgspec.json.decode(read_plain(notes, MAX_NOTES_BYTES), type=_Notes)
    except (OSError, *NOT_THE_DOCUMENT):
        return None
    newest = next(iter((*filter(None, (read.back,)), *read.taken_back)), None)
    if newest is None or newest.to != running:
        return None
    return TakenBack(version=newest.version, why=newest.why)
