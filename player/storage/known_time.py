"""The last time that the player was sure of: after a start, the time is not before it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from player.domain.time.clock import KnownTime
from player.storage.loose_file import LooseFile


class _Content(Struct, frozen=True, rename="camel"):
    known: datetime
    boot_id: str = ""
    boot_seconds: float = 0.0


class KnownTimeFile:
    """The file at `path`; its loss does no harm. Both calls block on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = LooseFile(path, kind="clock")

    def load(self) -> KnownTime | None:
        """The stored time; None if there is none that can be read."""
        content = self._file.load()
        try:
            found = msgspec.json.decode(content, type=_Content) if content is not None else None
        except msgspec.MsgspecError:
            return None
        if found is None or found.known.tzinfo is None:
            return None
        return KnownTime(true=found.known, boot_id=found.boot_id, boot_seconds=found.boot_seconds)

    def save(self, known: KnownTime) -> None:
        """Replace it; the instant is aware. Raises StorageError."""
        content = _Content(known=known.true, boot_id=known.boot_id, boot_seconds=known.boot_seconds)
        self._file.save(msgspec.json.encode(content))
