"""A player under a supervisor that starts it again whenever it ends, as systemd does."""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.programs import Player

RESTART_SECONDS = 0.2
"""From an end to the next start; the unit's RestartSec is 2."""

PACKAGE = Path(__file__).parents[2] / "player"


class SupervisedPlayer(Player):
    """Between two starts its state is empty."""

    def __init__(self, folder: Path, service: str) -> None:
        super().__init__(folder, service)
        self.ends: list[int] = []
        """Exit codes; negative for a signal."""
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    @contextlib.contextmanager
    def supervised(self) -> Iterator[SupervisedPlayer]:
        """Start it, and again whenever it ends, until the block is left."""
        self.start()
        self._keeper.start()
        try:
            yield self
        finally:
            self._stopping.set()
            self.kill()
            self._keeper.join()

    def state(self) -> dict[str, Any]:
        """The snapshot; empty while it does not answer."""
        try:
            return super().state()
        except (AssertionError, OSError):
            return {}

    def _keep(self) -> None:
        while not self._stopping.is_set():
            assert self.process is not None
            self.ends.append(self.process.wait())
            if not self._stopping.is_set():
                time.sleep(RESTART_SECONDS)
                self.start()
        self.kill()


def copy_of_the_player(folder: Path) -> Path:
    """A copy of the program that a test may damage; run it by `Program.folder`."""
    shutil.copytree(PACKAGE, folder / "player", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "player"
