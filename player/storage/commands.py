"""The ids of the commands that were carried out: the service may send one again after a restart."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.fields import NOT_THE_DOCUMENT
from player.storage.loose_file import LooseFile


class CommandFile:
    """The file at `path`. Both calls block on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = LooseFile(path, kind="commands")

    def load(self) -> tuple[str, ...]:
        """The ids, the newest last; none where they cannot be read: a command is then carried out twice at worst."""
        content = self._file.load()
        try:
            return () if content is None else msgspec.json.decode(content, type=tuple[str, ...])
        except NOT_THE_DOCUMENT:
            return ()

    def keep(self, ids: tuple[str, ...]) -> None:
        """Replace the ids. Raises StorageError."""
        self._file.save(msgspec.json.encode(ids))
