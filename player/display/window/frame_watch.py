"""Owns the knowledge of what is really on the glass: it watches a window's frames for the one that carries an order."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtQuick import QQuickWindow

RENDER_LOOP_VARIABLE = "QSG_RENDER_LOOP"


class FrameWatch(QObject):
    """Says `presented(serial)` when a frame that was made after `expect(serial)` has been swapped.

    A frame takes what the items are at `afterAnimating`, on this thread, and is on the glass at `frameSwapped`. The
    software scene graph does both in one go, so the first swap after is the one. With a render thread the notice of the
    frame before may still be on its way when the next is begun: then the second swap is the first that surely carries
    the change, and the report is at most one frame late, never early. A newer serial takes the place of an older one.
    """

    presented = Signal(int)

    def __init__(self, window: QQuickWindow, *, swaps_needed: Callable[[], int], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._swaps_needed = swaps_needed
        self._expected: int | None = None
        self._carried: int | None = None
        self._swaps_left = 0
        self._watching = False

    def expect(self, serial: int) -> None:
        """The items now stand for this order; ask for the frame that draws them."""
        self._expected = serial
        if not self._watching:
            # Only while something is expected: frames of an animation are drawn without a word from here.
            self._watching = True
            self._window.afterAnimating.connect(self._begin)
            self._window.frameSwapped.connect(self._swapped)
        self._window.update()

    def _begin(self) -> None:
        if self._expected is not None:
            self._carried, self._expected = self._expected, None
            self._swaps_left = self._swaps_needed()

    def _swapped(self) -> None:
        if self._carried is None:
            return
        self._swaps_left -= 1
        if self._swaps_left > 0:
            self._window.update()
            return
        serial, self._carried = self._carried, None
        if self._expected is None:
            self._watching = False
            self._window.afterAnimating.disconnect(self._begin)
            self._window.frameSwapped.disconnect(self._swapped)
        self.presented.emit(serial)


def swaps_needed() -> int:
    """How many swaps after a change prove that it is on the glass; known once the scene graph is chosen."""
    threaded = os.environ.get(RENDER_LOOP_VARIABLE) == "threaded"
    return 1 if QQuickWindow.sceneGraphBackend() == "software" and not threaded else 2
