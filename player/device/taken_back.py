"""Reads the notes of menu-player-guard: which version was rolled back, why none could be, and which repositories it
takes nothing from (docs/fleet.md)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.domain.state import TakenBack
from player.plain_file import read_plain

NOTES = Path("/var/lib/menu-player-guard/state.json")
UPDATE_NOTES = NOTES.with_name("updates.json")
MAX_NOTES_BYTES = 64 * 1024


class _Entry(msgspec.Struct, frozen=True):
    version: str
    to: str
    why: str = ""
    code: str = ""


class _Notes(msgspec.Struct, frozen=True, rename="camel"):
    back: _Entry | None = None
    """The way back that is under way: it starts this player."""
    taken_back: tuple[_Entry, ...] = ()
    no_way_back: str = ""
    refused: tuple[str, ...] = ()
    """In the notes of updates, the others are in those of versions."""


def read_taken_back(running: str, *, notes: Path = NOTES) -> TakenBack | None:
    """Returns the version that was rolled back to the one that is running; None if none was."""
    found = _read(notes)
    newest = next(iter((*filter(None, (found.back,)), *found.taken_back)), None)
    if newest is None or newest.to != running:
        return None
    return TakenBack(version=newest.version, why=newest.why, code=newest.code)


def read_no_way_back(*, root: Path = Path("/")) -> str:
    """Returns why this device could not be rolled back to any version; empty if it could."""
    return _read(root / NOTES.relative_to("/")).no_way_back


def read_refused_repositories(*, root: Path = Path("/")) -> tuple[str, ...]:
    """Returns the addresses of the repositories whose signature this device does not accept."""
    return _read(root / UPDATE_NOTES.relative_to("/")).refused


def _read(notes: Path) -> _Notes:
    try:
        return msgspec.json.decode(read_plain(notes, MAX_NOTES_BYTES), type=_Notes)
    except (OSError, *NOT_THE_DOCUMENT):
        return _Notes()
