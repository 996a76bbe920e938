"""What is known of the operator's commands: the service may send one again after a restart."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.commands import Commands
from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.storage.loose_file import LooseFile


class CommandFile:
    """The file at `path`. Both calls block on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = LooseFile(path, kind="commands")

    def load(self) -> Commands:
        """What was stored; nothing where it cannot be read: a command is then carried out twice at worst."""
        content = self._file.load()
        try:
            found = Commands() if content is None else msgspec.json.decode(content, type=Commands | tuple[str, ...])
        except NOT_THE_DOCUMENT:
            return Commands()
        # Players before 0.3.0 stored the ids alone.
        return found if isinstance(found, Commands) else Commands(come=found)

    def keep(self, commands: Commands) -> None:
        """Replace it. Raises StorageError."""
        self._file.save(msgspec.json.encode(commands))
