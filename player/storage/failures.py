"""Stores all failures in one file: scenes and versions, starts of the player, videos.

Each has one owner, which sees its own subjects alone (`player/domain/recovery/failures.py`). The file is written
without waiting for the disk: its loss does no harm.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from player.storage.durable import StorageError
from player.storage.state_file import StateFile

FILE_NAME = "failures"
OLD_NAMES = ("starts", "trials")
"""Files of older players, which had one for each owner. They are read once, and count before this one: a device that
went back to such a version has written them last."""


class FailureFile:
    """File of all failures. Any thread may call; calls block on the disk."""

    def __init__(self, folder: Path) -> None:
        self._file, *self._old = (
            StateFile[dict[str, msgspec.Raw]](folder / name, dict[str, msgspec.Raw]) for name in (FILE_NAME, *OLD_NAMES)
        )
        self.lock = threading.Lock()
        self._records: dict[str, msgspec.Raw] | None = None

    def part(self, owns: Callable[[str], bool]) -> FailurePart:
        """Returns the subjects of one owner."""
        return FailurePart(self, owns)

    @property
    def records(self) -> Mapping[str, msgspec.Raw]:
        """Records of all owners; hold the lock."""
        if self._records is None:
            self._records = {}
            for file in (self._file, *self._old):
                self._records |= file.load() or {}
        return self._records

    def save(self, records: dict[str, msgspec.Raw]) -> None:
        """Replaces all records; hold the lock. Raises StorageError."""
        self._records = records
        self._file.save(records)
        with contextlib.suppress(StorageError):
            while self._old:
                self._old.pop().remove()


class FailurePart:
    """One owner's records, as a file of its own."""

    def __init__(self, file: FailureFile, owns: Callable[[str], bool]) -> None:
        self._file = file
        self._owns = owns

    def load(self) -> bytes | None:
        """Returns the content; None if there is none that can be read."""
        with self._file.lock:
            found = {subject: record for subject, record in self._file.records.items() if self._owns(subject)}
        return msgspec.json.encode(found) if found else None

    def save(self, content: bytes) -> None:
        """Replace the content. Raises StorageError."""
        own = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        with self._file.lock:
            others = {subject: record for subject, record in self._file.records.items() if not self._owns(subject)}
            self._file.save(others | own)
