"""Shows what to mend, looks again and again, and starts the player anew once it is mended."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from player.device.systemd import START_SECONDS, patient, ready, sd_notify, watchdog_interval
from player.standstill.hindrance import SETTINGS_WRONG, Hindrance
from player.standstill.page import Page

if TYPE_CHECKING:
    from player.display.window.card import Notice
    from player.standstill.stopped import Place

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Between two looks whether it is mended."""


class AnyPage(Protocol):
    """What a card needs of a page."""

    def start(self) -> None:
        """Serve it."""

    @property
    def address(self) -> str:
        """Where a phone finds it; empty where none does."""

    @property
    def pin(self) -> str:
        """The PIN to show; empty for none."""

    def say(self, hindrance: Hindrance, /) -> None:
        """Say this from now on."""

    def stop(self) -> None:
        """Close it."""


def mend(
    hindrance: Hindrance,
    look: Callable[[], Hindrance | None],
    *,
    place: Callable[[], Place],
    again: Callable[[], object],
) -> None:
    """Say what to mend until `look` finds nothing any more; then `again` starts the player. `place` says where the page
    looks, if the player is installed whole."""
    waiting = Waiting(hindrance, look, _page(hindrance, place))
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

    def __init__(self, hindrance: Hindrance, look: Callable[[], Hindrance | None], page: AnyPage) -> None:
        self._look = look
        self.hindrance = hindrance
        self.page = page
        self.page.start()
        self._say()
        # Its card is yet to be drawn: on a slow card Qt alone may take longer to load than the watchdog waits.
        sd_notify(*patient(START_SECONDS))
        self._goes_on = False

    @property
    def seconds(self) -> float:
        """Until the next look; often enough for the watchdog."""
        return min(LOOK_SECONDS, watchdog_interval() or LOOK_SECONDS)

    def is_over(self) -> bool:
        """Look. Whether it is mended."""
        sd_notify(*(() if self._goes_on else ready()), "WATCHDOG=1")
        self._goes_on = True
        found = self._look()
        if found is None:
            log.info("it is mended; the player starts")
            return True
        if found != self.hindrance:
            self.hindrance = found
            self.page.say(found)
            self._say()
        return False

    def _say(self) -> None:
        log.critical("the player cannot start: %s", self.hindrance.text)
        sd_notify(f"STATUS=cannot start: {self.hindrance.text}")


def _page(hindrance: Hindrance, place: Callable[[], Place]) -> AnyPage:
    if hindrance.code == SETTINGS_WRONG:
        try:
            from player.standstill.full_page import FullPage

            return FullPage(place)
        except ImportError as error:
            log.warning("the page has nothing but what is wrong: %s", error)
    return Page(hindrance)


def _on_glass(waiting: Waiting) -> None:
    """Show the card until it is mended. Raises ImportError."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtGui import QGuiApplication

    from player.display.qt.constants import FRAMELESS_WINDOW
    from player.display.window.card import Card
    from player.standstill.words import notice

    # Qt's loop runs no handler of Python's; there is nothing to store.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    application = QGuiApplication(sys.argv[:1])

    def said() -> Notice:
        page = waiting.page
        return notice(waiting.hindrance, address=page.address, pin=page.pin, environment=os.environ)

    card = Card(said(), rotation=waiting.hindrance.rotation)
    card.setProperty("flags", FRAMELESS_WINDOW)
    card.setCursor(Qt.CursorShape.BlankCursor)
    card.showFullScreen()

    def look() -> None:
        if waiting.is_over():
            application.quit()
        else:
            card.say(said(), rotation=waiting.hindrance.rotation)

    timer = QTimer()
    timer.setInterval(round(waiting.seconds * 1000))
    timer.timeout.connect(look)
    timer.start()
    application.exec()
