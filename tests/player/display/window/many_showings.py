"""A program for a test: shows views again and again, built anew each time, and prints by how much QML's heap has grown.

A process of its own, because QML tells the size of its heap only to a log that is asked for before it starts, and
collects in one go only where QV4_GC_TIMELIMIT=0 says so.
"""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication

from menu.documents.box import Box
from menu.documents.scene import ClockWidget, TextWidget
from player.display.window.window import Display
from player.domain.machine import WindowMode
from player.domain.view import HouseCard, View
from tests.player.display.scenes import NOON, listing, menu, order, row, scene, showing

WARM, COUNTED = 6, 10
"""Pairs of a scene and a card: before the first measurement, and until the second."""

used = 0


def note(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Take the size of QML's heap from Qt's log."""
    global used
    del kind, context
    if told := re.search(r"Used memory after\D*(\d+)", message):
        used = int(told[1])


qInstallMessageHandler(note)
app = QGuiApplication([])
presented: set[int] = set()
display = Display(
    mode=WindowMode.OFFSCREEN,
    size=(320, 180),
    asset_path=Path,
    emit=lambda event: presented.add(getattr(event, "serial", 0)),
    monotonic=lambda: 0.0,
    wall=lambda: NOON,
    on_close=app.quit,
)
serial = 0


def show(view: View) -> None:
    """Show it, and let what leaves be freed."""
    global serial
    serial += 1
    display.show(order(serial, view))
    if serial == 1:
        display.start()
    while serial not in presented:
        app.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def heap_after(pairs: int) -> int:
    """Bytes in use in QML's heap after so many pairs, when all that is of no use is freed."""
    box = Box(x=0, y=0, width=900, height=100)
    shown = scene(menu(), TextWidget(id="text", box=box, text="Today"), ClockWidget(id="clock", box=box))
    for _ in range(pairs):
        show(showing(shown, {"menu": listing(("", [row("Soup")]))}))
        # Behind a card no scene is cached.
        show(HouseCard(location_name="Corner Café"))
    for _ in range(2):
        gc.collect()
        display.view.engine().collectGarbage()
    return used


heap_after(WARM)
before = heap_after(WARM)
if not before:
    sys.exit("QML says nothing of its heap")
print(heap_after(COUNTED) - before)  # noqa: T201
display.close()
