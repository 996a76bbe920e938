"""The last time that the player was sure of: after a start, the time is not before it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from player.storage.loose_file import LooseFile


class _Content(Struct, frozen=True):
    known: datetime


class KnownTimeFile:
    """The file at `path`; its loss does no harm. Both calls block on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = LooseFile(path, kind="clock")

    def load(self) -> datetime | None:
        """The stored time; None if there is none that can be read."""
        content = self._file.load()
        try:
            known = msgspec.json.decode(content, type=_Content).known if content is not None else None
        except msgspec.MsgspecError:
            return None
        return known if known is not None and known.tzinfo is not None else None

    def save(self, instant: datetime) -> None:
        """Replace it by an aware instant. Raises StorageError."""
        self._file.save(msgspec.json.encode(_Content(known=instant)))
