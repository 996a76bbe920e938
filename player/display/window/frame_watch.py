"""Detects the frame of a window that shows an order."""

from __future__ import annotations

import os
from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtQuick import QQuickWindow

from player.display.qt.scene_graph import is_software

RENDER_LOOP_VARIABLE = "QSG_RENDER_LOOP"


class FrameWatch(QObject):
    """Emits `presented(serial)` when a frame drawn after `expect(serial)` has been swapped.

    A frame takes the state of the items at `afterAnimating`, on this thread, and is displayed at `frameSwapped`. The
    software scene graph does both in one step, so the first swap counts. With a render thread, the signal of the frame
    before may still be queued when the next begins: then the second swap is the first that certainly carries the
    change, and the report is at most one frame late, never early. A newer serial replaces an older one.

    A picture of the window that the player itself takes, as for a fade, is reported as a swap too. It is not counted
    where the compositor takes no frames: then Qt reports the window as not exposed.
    """

    presented = Signal(int)

    def __init__(self, window: QQuickWindow, *, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._expected: int | None = None
        self._drawn: int | None = None
        self._swaps_left = 0
        self._watching = False

    def expect(self, serial: int) -> None:
        """Requests the frame that draws this order, which the items now show."""
        self._expected = serial
        if not self._watching:
            # Connected only while something is expected, so that Python does not run in an animation's frames.
            self._watching = True
            self._window.afterAnimating.connect(self._frame_begins)
            self._window.frameSwapped.connect(self._swapped)
        self._window.update()

    def _frame_begins(self) -> None:
        if self._expected is not None:
            self._drawn, self._expected = self._expected, None
            self._swaps_left = swaps_needed()

    def _swapped(self) -> None:
        if self._drawn is None or not self._window.isExposed():
            return
        self._swaps_left -= 1
        if self._swaps_left > 0:
            self._window.update()
            return
        serial, self._drawn = self._drawn, None
        if self._expected is None:
            self._watching = False
            self._window.afterAnimating.disconnect(self._frame_begins)
            self._window.frameSwapped.disconnect(self._swapped)
        self.presented.emit(serial)


def swaps_needed(environment: Mapping[str, str] = os.environ) -> int:
    """Returns the number of swaps after a change that prove it displayed; valid once the scene graph is chosen."""
    threaded = environment.get(RENDER_LOOP_VARIABLE) == "threaded"
    return 1 if is_software() and not threaded else 2
