"""One small checksummed file whose loss does no harm: written without waiting for the disk."""

from __future__ import annotations

import logging
from pathlib import Path

from player.storage.checksummed import CorruptError, add_checksum, read_checksummed
from player.storage.durable import write_loosely

log = logging.getLogger(__name__)


class LooseFile:
    """The file at `path`, of this `kind`. Both calls block on the disk."""

    def __init__(self, path: Path, *, kind: str) -> None:
        self._path = path
        self._kind = kind

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
        write_loosely(self._path, add_checksum(self._kind, content))
