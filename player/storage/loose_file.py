"""Small checksummed files: of bytes, or of one document as JSON. The loss of most does no harm, so their writes do not
wait for the disk."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.storage.checksummed import CorruptError, add_checksum, read_checksummed
from player.storage.durable import write_durably, write_loosely

log = logging.getLogger(__name__)

T = TypeVar("T")


class LooseFile:
    """The file at `path`, of this `kind`. Both calls block on the disk."""

    def __init__(self, path: Path, *, kind: str, durably: bool = False) -> None:
        """`durably` is whether a write waits for the disk."""
        self._path = path
        self._kind = kind
        self._write = write_durably if durably else write_loosely

    def load(self) -> bytes | None:
        """The content; None when there is no such file, or it is not whole."""
        try:
            return read_checksummed(self._path, self._kind)
        except CorruptError as error:
            # A power cut may tear it: waiting for the disk would cost more than the content is worth.
            log.info("%s is not whole, and counts as empty: %s", self._path.name, error)
            return None

    def save(self, content: bytes) -> None:
        """Replace the content. Raises StorageError."""
        self._write(self._path, add_checksum(self._kind, content))


class Note(Generic[T]):
    """One document of this type in a file of its own. Both calls block on the disk."""

    def __init__(self, path: Path, *, kind: str, document: Any, durably: bool = False) -> None:
        self._file = LooseFile(path, kind=kind, durably=durably)
        self._document = document

    def load(self) -> T | None:
        """The document; None where there is none that can be read."""
        content = self._file.load()
        try:
            return None if content is None else msgspec.json.decode(content, type=self._document)
        except NOT_THE_DOCUMENT as error:
            log.info("a stored document cannot be read, and counts as absent: %s", error)
            return None

    def keep(self, document: T) -> None:
        """Replace it. Raises StorageError."""
        self._file.save(msgspec.json.encode(document))
