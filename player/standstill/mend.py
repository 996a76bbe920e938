"""Shows what to repair, checks repeatedly, and restarts the player once it is repaired."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from player.device.systemd import START_SECONDS, patient, ready, sd_notify, watchdog_interval
from player.standstill.hindrance import Hindrance, notice

if TYPE_CHECKING:
    from player.display.window.card import Notice

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Between two looks whether it is mended."""


def mend(hindrance: Hindrance, look: Callable[[], Hindrance | None]) -> None:
    """Shows what to repair until `look` finds nothing any more, and restarts the player."""
    waiting = HindranceWatch(hindrance, look)
    try:
        _on_glass(waiting)
    except ImportError as error:
        log.critical("nothing can be shown on the glass: %s", error)
        while not waiting.is_over():
            time.sleep(waiting.seconds)
    sd_notify(*patient(START_SECONDS), "STATUS=")
    logging.shutdown()
    # The compositor stays, so that the glass is dark for as short as can be.
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606


class HindranceWatch:
    """Checks repeatedly; reports to the log and systemd."""

    def __init__(self, hindrance: Hindrance, look: Callable[[], Hindrance | None]) -> None:
        self._look = look
        self.hindrance = hindrance
        self._say()
        # Its card is yet to be drawn: on a slow card Qt alone may take longer to load than the watchdog waits.
        sd_notify(*patient(START_SECONDS))
        self._goes_on = False

    @property
    def seconds(self) -> float:
        """Seconds until the next check; often enough for the watchdog."""
        return min(LOOK_SECONDS, watchdog_interval() or LOOK_SECONDS)

    def is_over(self) -> bool:
        """Checks again; True if it is repaired."""
        sd_notify(*(() if self._goes_on else ready()), "WATCHDOG=1")
        self._goes_on = True
        found = self._look()
        if found is None:
            log.info("hindrance mended; the player starts")
            return True
        if found != self.hindrance:
            self.hindrance = found
            self._say()
        return False

    def card(self) -> tuple[Notice, int]:
        """Returns the card now, and the rotation of the panel in degrees."""
        settings = self.hindrance.settings
        return notice(self.hindrance, environment=os.environ), (settings.rotate or 0) if settings is not None else 0

    def _say(self) -> None:
        log.critical("the player cannot start: %s", self.hindrance.text)
        sd_notify(f"STATUS=cannot start: {self.hindrance.text}")


def _on_glass(waiting: HindranceWatch) -> None:
    """Shows the card until it is repaired. Raises ImportError."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtGui import QGuiApplication

    from player.display.window.card import Card

    # Qt's loop runs no handler of Python's; there is nothing to store.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    said, rotation = waiting.card()
    card = Card(said, rotation=rotation)
    card.setFlags(Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
    card.setCursor(Qt.CursorShape.BlankCursor)
    # Without a window manager nobody makes it as large as the screen.
    card.setGeometry(card.screen().geometry())
    card.showFullScreen()

    def look() -> None:
        if waiting.is_over():
            application.quit()
        else:
            said, rotation = waiting.card()
            card.say(said, rotation=rotation)

    timer = QTimer()
    timer.setInterval(round(waiting.seconds * 1000))
    timer.timeout.connect(look)
    timer.start()
    application.exec()
