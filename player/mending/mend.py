"""Shows what to mend, looks again and again, and starts the player anew once it is mended."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from player.device.systemd import patient, ready, sd_notify, watchdog_interval
from player.mending.page import Page
from player.mending.trouble import Trouble

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from player.display.window.mending_card import Notice

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Between two looks whether it is mended."""

START_SECONDS = 240.0
"""How long the player may take to start then; as TimeoutStartSec= of the unit."""


def mend(trouble: Trouble, look: Callable[[], Trouble | None], *, again: Callable[[], object]) -> None:
    """Say what to mend until `look` finds nothing any more; then `again` starts the player."""
    waiting = Waiting(trouble, look)
    try:
        _on_glass(waiting)
    except ImportError as error:
        log.critical("nothing can be shown on the glass: %s", error)
        while not waiting.is_over():
            time.sleep(waiting.seconds)
    waiting.page.stop()
    sd_notify(*patient(START_SECONDS), "STATUS=")
    again()


def start_again() -> None:
    """Become a new run of the player. The compositor stays, so that the glass is dark for as short as can be."""
    logging.shutdown()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606


class Waiting:
    """Looks again and again; tells the log, systemd and the page what it sees."""

    def __init__(self, trouble: Trouble, look: Callable[[], Trouble | None]) -> None:
        self._look = look
        self.trouble = trouble
        self.page = Page(trouble)
        self.page.start()
        self._say()
        sd_notify(*ready())

    @property
    def seconds(self) -> float:
        """Until the next look; often enough for the watchdog."""
        return min(LOOK_SECONDS, watchdog_interval() or LOOK_SECONDS)

    def is_over(self) -> bool:
        """Look. Whether it is mended."""
        sd_notify("WATCHDOG=1")
        found = self._look()
        if found is None:
            log.info("it is mended; the player starts")
            return True
        if found != self.trouble:
            self.trouble = found
            self.page.say(found)
            self._say()
        return False

    def _say(self) -> None:
        log.critical("the player cannot start: %s", self.trouble.text)
        sd_notify(f"STATUS=cannot start: {self.trouble.text}")


def _on_glass(waiting: Waiting) -> None:
    """Show the card until it is mended. Raises ImportError."""
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QGuiApplication

    from player.display.qt.constants import FRAMELESS_WINDOW
    from player.display.window.mending_card import MendingCard
    from player.mending.words import notice

    # Qt's loop runs no handler of Python's; there is nothing to store.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    application = QGuiApplication(sys.argv[:1])

    def said() -> Notice:
        return notice(waiting.trouble, address=waiting.page.address, environment=os.environ)

    card = MendingCard(said(), rotation=waiting.trouble.rotation, code=_code)
    card.setProperty("flags", FRAMELESS_WINDOW)
    card.showFullScreen()

    def look() -> None:
        if waiting.is_over():
            application.quit()
        else:
            card.say(said(), rotation=waiting.trouble.rotation)

    timer = QTimer()
    timer.setInterval(round(waiting.seconds * 1000))
    timer.timeout.connect(look)
    timer.start()
    application.exec()


def _code(text: str) -> QImage:
    """A QR code for a text; null where what draws it is missing."""
    from PySide6.QtGui import QImage

    try:
        from player.display.media.qr_image import qr_image

        return qr_image(text)
    except ImportError:
        return QImage()
