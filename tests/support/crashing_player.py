"""A `menu-player` whose decoder dies of one video, as FFmpeg's would: by a signal that takes the whole process along.

`python -m tests.support.crashing_player run …`; MENU_TEST_DEADLY names the videos (hex SHA-256, commas between) and
MENU_TEST_DEADLY_AT how far they get: `open`, when the decoder is given the file, or `frames`, when some were shown.
"""

from __future__ import annotations

import os
import signal
import sys

from PySide6.QtCore import QUrl, Slot
from PySide6.QtMultimedia import QMediaPlayer

from player.cli import main
from player.display.widgets import video as video_view

DEADLY = os.environ["MENU_TEST_DEADLY"].split(",")
AT = os.environ["MENU_TEST_DEADLY_AT"]
FRAMES_MILLISECONDS = 300


class Doomed(QMediaPlayer):
    """The port to the decoder."""

    def setSource(self, source: QUrl | str) -> None:
        """The decoder gets its bytes."""
        if QUrl(source).fileName() in DEADLY:
            if AT == "open":
                os.kill(os.getpid(), signal.SIGSEGV)
            self.positionChanged.connect(self._move)
        super().setSource(source)

    @Slot(int)
    def _move(self, position: int) -> None:
        if position >= FRAMES_MILLISECONDS:
            os.kill(os.getpid(), signal.SIGSEGV)


if __name__ == "__main__":
    video_view.QMediaPlayer = Doomed  # type: ignore[misc]
    sys.exit(main())
