"""A `menu-player` whose decoder crashes on chosen videos, as FFmpeg may: by a signal that ends the process.

`python -m tests.support.crashing_player run …`. MENU_TEST_DEADLY lists the videos (SHA-256 in hex, with commas);
MENU_TEST_DEADLY_AT says when they crash: `open`, when the decoder gets the file, or `frames`, after some frames.
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


class CrashingPlayer(QMediaPlayer):
    """The decoder, with the crash."""

    def setSource(self, source: QUrl | str) -> None:
        """Give the decoder a file."""
        if QUrl(source).fileName() in DEADLY:
            if AT == "open":
                os.kill(os.getpid(), signal.SIGSEGV)
            self.positionChanged.connect(self._crash_after_frames)
        super().setSource(source)

    @Slot(int)
    def _crash_after_frames(self, position: int) -> None:
        if position >= FRAMES_MILLISECONDS:
            os.kill(os.getpid(), signal.SIGSEGV)


if __name__ == "__main__":
    video_view.QMediaPlayer = CrashingPlayer  # type: ignore[misc]
    sys.exit(main())
