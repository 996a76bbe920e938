"""Stores the faults of the boot file for the player, until the next boot."""

from __future__ import annotations

from pathlib import Path

from player.domain.pairing.boot_file import NOTHING_NOTED, BootFileNote, unpacked
from player.plain_file import read_plain
from player.storage.durable import write_file

NOTE = Path("/run/menu-player-boot-file/note")
MAX_NOTE_BYTES = 64 * 1024


def write_note(file: Path, note: BootFileNote) -> None:
    """Store the note, which holds no secrets. Raises OSError."""
    file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    write_file(file, note.packed().encode(), durably=False)
    file.chmod(0o644)


def read_note(file: Path = NOTE) -> BootFileNote:
    """Reads the note; an empty one if it cannot be read."""
    try:
        return unpacked(read_plain(file, MAX_NOTE_BYTES).decode())
    except (OSError, ValueError, KeyError, AttributeError):
        return NOTHING_NOTED
