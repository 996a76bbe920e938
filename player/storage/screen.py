"""The service's settings of the screen's panel, so that a start without the service hangs as the panel does."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.panel import ScreenDisplay, within_bounds
from player.storage.loose_file import LooseFile


class ScreenFile:
    """The file at `path`. Both calls block on the disk."""

    def __init__(self, path: Path) -> None:
        self._file = LooseFile(path, kind="screen")

    def load(self) -> ScreenDisplay:
        """What was stored; no settings where it cannot be read: the next heartbeat brings them."""
        content = self._file.load()
        try:
            found = ScreenDisplay() if content is None else msgspec.json.decode(content, type=ScreenDisplay)
        except NOT_THE_DOCUMENT:
            return ScreenDisplay()
        return within_bounds(found)

    def keep(self, display: ScreenDisplay) -> None:
        """Replace it. Raises StorageError."""
        self._file.save(msgspec.json.encode(display))
