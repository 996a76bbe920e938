"""Everything that has failed, in one file: scenes and versions, starts of the player, videos.

Each has one owner, which sees its own subjects alone (`player/domain/recovery/failures.py`). The file is written
without waiting for the disk: its loss does no harm.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.storage.loose_file import LooseFile

log = logging.getLogger(__name__)

FILE_NAME = "failures"
OLD_NAMES = ("starts", "trials")
"""Files of older players, which had one for each owner. They are read once, and count before this one: a device that
went back to such a version has written them last."""


class FailureFile:
    """The file. Any thread may call; calls block on the disk."""

    def __init__(self, folder: Path) -> None:
        self._file = LooseFile(folder / FILE_NAME, kind=FILE_NAME)
        self._old = [folder / name for name in OLD_NAMES]
        self._lock = threading.Lock()
        self._records: dict[str, msgspec.Raw] | None = None

    def part(self, owns: Callable[[str], bool]) -> FailurePart:
        """The subjects of one owner."""
        return FailurePart(self, owns)

    def load(self, owns: Callable[[str], bool]) -> bytes | None:
        """The records of these subjects; None if there are none."""
        with self._lock:
            found = {subject: record for subject, record in self._read().items() if owns(subject)}
        return msgspec.json.encode(found) if found else None

    def save(self, owns: Callable[[str], bool], content: bytes) -> None:
        """Replace the records of these subjects. Raises StorageError."""
        own = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        with self._lock:
            others = {subject: record for subject, record in self._read().items() if not owns(subject)}
            self._records = others | own
            self._file.save(msgspec.json.encode(self._records))
            for path in self._old:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            self._old = []

    def _read(self) -> dict[str, msgspec.Raw]:
        if self._records is None:
            old = [LooseFile(path, kind=path.name) for path in self._old]
            self._records = _merged([self._file, *old])
        return self._records


class FailurePart:
    """One owner's records, as a file of its own."""

    def __init__(self, file: FailureFile, owns: Callable[[str], bool]) -> None:
        self._file = file
        self._owns = owns

    def load(self) -> bytes | None:
        """The content; None when there is none that can be read."""
        return self._file.load(self._owns)

    def save(self, content: bytes) -> None:
        """Replace the content. Raises StorageError."""
        self._file.save(self._owns, content)


def _merged(files: Iterable[LooseFile]) -> dict[str, msgspec.Raw]:
    records: dict[str, msgspec.Raw] = {}
    for file in files:
        try:
            records |= msgspec.json.decode(file.load() or b"{}", type=dict[str, msgspec.Raw])
        except NOT_THE_DOCUMENT as error:
            log.info("a count of failures cannot be read, and begins anew: %s", error)
    return records
