"""Bridge between the threads: passes orders in, and screenshots and signs of life out; draws nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from player.display.qt.typed import single_shot_timer, slot
from player.domain.events import DisplayChecked
from player.domain.view import DisplayOrder

if TYPE_CHECKING:
    from player.display.window.safe_card import SafeDisplay
    from player.display.window.screenshot import Screenshot
    from player.display.window.window import Display

REST_SECONDS = 6.0
"""A screenshot waits for so long for a fade to end: the longest takes five seconds."""
REST_LOOK_SECONDS = 0.05
"""Between two looks whether it has."""
MOST_GRABS = 8
"""Grabs that may wait for one screenshot; the oldest is dropped."""


class Bridge(QObject):
    """Created on the Qt thread; the public methods may be called from any. Calls from another thread run in the Qt
    thread's next turn, calls from that thread at once."""

    _called = Signal(object)

    def __init__(
        self, display: Display | SafeDisplay, *, monotonic: Callable[[], float], rest_seconds: float = REST_SECONDS
    ) -> None:
        super().__init__()
        self._display = display
        self._monotonic = monotonic
        # Their ends may be taken and given from two threads at once.
        self._orders: deque[DisplayOrder] = deque(maxlen=1)
        self._grabs: deque[Callable[[Screenshot], None]] = deque(maxlen=MOST_GRABS)
        self._alive_at = monotonic()
        self._called.connect(self._call)
        self._rest_looks = round(rest_seconds / REST_LOOK_SECONDS)
        self._grab_looks = 0
        self._grab_timer = single_shot_timer(REST_LOOK_SECONDS, self._grab_at_rest, self)
        self._alive_timer = QTimer(self)
        self._alive_timer.setInterval(1000)
        self._alive_timer.timeout.connect(self._note_alive)
        self._alive_timer.start()

    def post(self, order: DisplayOrder) -> None:
        """Shows the order in the next turn of the Qt thread; of several pending ones, only the latest."""
        self._orders.append(order)
        self._called.emit(self._show)

    def grab(self, deliver: Callable[[Screenshot], None]) -> None:
        """Calls `deliver` with a screenshot, on the Qt thread: of a whole view, or of the current state if none comes
        to rest for `rest_seconds`. Callers that wait together get the same one."""
        self._grabs.append(deliver)
        self._called.emit(self._grab)

    def forgive_crashes(self) -> None:
        """Allows every video again, also one while decoding which the player has died."""
        self._called.emit(self._display.forgive_crashes)

    def quit(self) -> None:
        """End the event loop of the Qt thread."""
        # Not quit(), which would close the window first; the program closes it in its own order.
        self._called.emit(QCoreApplication.exit)

    def look(self) -> DisplayChecked:
        return self._display.look(self._alive_at)

    @slot(object)
    def _call(self, call: Callable[[], object]) -> None:
        call()

    def _show(self) -> None:
        if self._orders:
            self._display.show(self._orders.pop())

    def _grab(self) -> None:
        if self._grabs and not self._grab_timer.isActive():
            self._grab_looks = self._rest_looks
            self._grab_at_rest()

    def _grab_at_rest(self) -> None:
        self._grab_looks -= 1
        if not self._display.is_at_rest and self._grab_looks > 0:
            self._grab_timer.start()
            return
        screenshot = self._display.screenshot()
        for _ in range(len(self._grabs)):
            self._grabs.popleft()(screenshot)

    def _note_alive(self) -> None:
        self._alive_at = self._monotonic()
