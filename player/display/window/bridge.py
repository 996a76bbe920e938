"""Owns the one way between the threads: orders in, pictures of the glass out, and a sign of life; draws nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from player.display.qt.slot import slot
from player.display.window.window import Display
from player.domain.view import DisplayOrder

ALIVE_EVERY_SECONDS = 1.0
MOST_GRABS = 8
"""Grabs that may wait for one picture; a further one is never delivered."""

_log = logging.getLogger(__name__)


class Bridge(QObject):
    """Made on the Qt thread; the public methods may be called from any. What another thread asks for waits until the Qt
    thread turns; what that thread itself asks for is done at once."""

    _posted = Signal()
    _grab_asked = Signal()
    _forgiveness_asked = Signal()
    _quit_asked = Signal()

    def __init__(self, display: Display, *, monotonic: Callable[[], float], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._display = display
        self._monotonic = monotonic
        self._lock = Lock()
        self._latest: DisplayOrder | None = None
        self._grabs: list[Callable[[bytes], None]] = []
        self._alive_at = monotonic()
        self._posted.connect(self._show)
        self._grab_asked.connect(self._grab)
        self._forgiveness_asked.connect(self._forgive_crashes)
        self._quit_asked.connect(self._quit)
        self._pulse = QTimer(self)
        self._pulse.setInterval(round(ALIVE_EVERY_SECONDS * 1000))
        self._pulse.timeout.connect(self._beat)
        self._pulse.start()

    def post(self, order: DisplayOrder) -> None:
        """Show this as soon as the Qt thread turns; of several that wait, only the latest is shown."""
        with self._lock:
            waiting, self._latest = self._latest, order
        if waiting is None:
            self._posted.emit()

    def grab(self, deliver: Callable[[bytes], None]) -> None:
        """Give `deliver` the glass as PNG, on a thread of its own; callers that wait together get the same picture."""
        with self._lock:
            if len(self._grabs) >= MOST_GRABS:
                return
            self._grabs.append(deliver)
            first = len(self._grabs) == 1
        if first:
            self._grab_asked.emit()

    def forgive_crashes(self) -> None:
        """Try every video again, also one over which the player has died."""
        self._forgiveness_asked.emit()

    def quit(self) -> None:
        """End the Qt thread's loop."""
        self._quit_asked.emit()

    def alive_at(self) -> float:
        """When the Qt thread last turned, in monotonic seconds; older than some seconds means that it hangs."""
        return self._alive_at

    @slot()
    def _show(self) -> None:
        with self._lock:
            order, self._latest = self._latest, None
        if order is not None:
            try:
                self._display.show(order)
            except Exception:
                # A fault in one picture must not take the board down: the one before it stays.
                _log.exception("order %d could not be shown", order.serial)

    @slot()
    def _grab(self) -> None:
        with self._lock:
            waiting, self._grabs = self._grabs, []

        def deliver(png: bytes) -> None:
            for one in waiting:
                one(png)

        self._display.grab(deliver)

    @slot()
    def _forgive_crashes(self) -> None:
        self._display.forgive_crashes()

    @slot()
    def _quit(self) -> None:
        # Not quit(): that closes the window first, and whoever ends the program closes it in its own order.
        QCoreApplication.exit(0)

    @slot()
    def _beat(self) -> None:
        self._alive_at = self._monotonic()
