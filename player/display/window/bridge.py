"""The one bridge between the threads: orders in, screenshots and a sign of life out; draws nothing."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from player.display.qt.slot import slot
from player.display.window.screenshot import Screenshot
from player.domain.events import DisplayChecked
from player.domain.view import DisplayOrder

ALIVE_EVERY_SECONDS = 1.0
MOST_GRABS = 8
"""Grabs that may wait for one screenshot; further ones are dropped."""


class Shown(Protocol):
    """The far end of the bridge: the display, or the safe card in its place."""

    def show(self, order: DisplayOrder) -> None:
        """Show the view of this order."""
        ...

    def grab(self, deliver: Callable[[Screenshot], None]) -> None:
        """Call `deliver` with a screenshot."""
        ...

    def look(self, turned_at: float) -> DisplayChecked:
        """The signs of life, the loop having last run then; from any thread."""
        ...

    def forgive_crashes(self) -> None:
        """Try every video again."""
        ...


class Bridge(QObject):
    """Made on the Qt thread; the public methods may be called from any. Calls from another thread are carried
    out when the Qt thread turns, calls from that thread at once."""

    _posted = Signal()
    _grab_requested = Signal()
    _forgiveness_requested = Signal()
    _quit_requested = Signal()

    def __init__(self, display: Shown, *, monotonic: Callable[[], float], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._display = display
        self._monotonic = monotonic
        self._lock = Lock()
        self._latest: DisplayOrder | None = None
        self._grabs: list[Callable[[Screenshot], None]] = []
        self._alive_at = monotonic()
        self._posted.connect(self._show)
        self._grab_requested.connect(self._grab)
        self._forgiveness_requested.connect(self._forgive_crashes)
        self._quit_requested.connect(self._quit)
        self._alive_timer = QTimer(self)
        self._alive_timer.setInterval(round(ALIVE_EVERY_SECONDS * 1000))
        self._alive_timer.timeout.connect(self._note_alive)
        self._alive_timer.start()

    def post(self, order: DisplayOrder) -> None:
        """Show the order in the next turn of the Qt thread; of several that wait, only the latest."""
        with self._lock:
            waiting, self._latest = self._latest, order
        if waiting is None:
            self._posted.emit()

    def grab(self, deliver: Callable[[Screenshot], None]) -> None:
        """Call `deliver` with a screenshot, on the Qt thread; callers that wait together get the same one."""
        with self._lock:
            if len(self._grabs) >= MOST_GRABS:
                return
            self._grabs.append(deliver)
            first = len(self._grabs) == 1
        if first:
            self._grab_requested.emit()

    def forgive_crashes(self) -> None:
        """Try every video again, also one over which the player has died."""
        self._forgiveness_requested.emit()

    def quit(self) -> None:
        """End the event loop of the Qt thread."""
        self._quit_requested.emit()

    def look(self) -> DisplayChecked:
        """The display's signs of life."""
        return self._display.look(self._alive_at)

    @slot()
    def _show(self) -> None:
        with self._lock:
            order, self._latest = self._latest, None
        if order is not None:
            self._display.show(order)

    @slot()
    def _grab(self) -> None:
        with self._lock:
            waiting, self._grabs = self._grabs, []

        def deliver(screenshot: Screenshot) -> None:
            for waiter in waiting:
                waiter(screenshot)

        self._display.grab(deliver)

    @slot()
    def _forgive_crashes(self) -> None:
        self._display.forgive_crashes()

    @slot()
    def _quit(self) -> None:
        # Not quit(), which would close the window first; the program closes it in its own order.
        QCoreApplication.exit(0)

    @slot()
    def _note_alive(self) -> None:
        self._alive_at = self._monotonic()
