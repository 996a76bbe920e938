"""A program for a test: shows a film with sound and closes it again, many times. It hangs if the threads do.

A process of its own, because a hang could not be ended otherwise. Arguments: the film's path, how many times.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QGuiApplication

from menu.documents.box import Box
from menu.documents.scene import VideoWidget
from player.display.window.window import Display
from player.domain.machine import WindowMode
from tests.player.display.scenes import order, scene, showing

LONGEST_SECONDS = 0.06
STEPS = 20

app = QGuiApplication([])
path, times = Path(sys.argv[1]), int(sys.argv[2])
display = Display(
    mode=WindowMode.OFFSCREEN,
    size=(320, 180),
    asset_path=lambda _: path,
    emit=lambda _: None,
    monotonic=time.monotonic,
    wall=lambda: datetime.now(UTC),
    on_close=app.quit,
)
film = VideoWidget(id="film", box=Box(x=0, y=0, width=1920, height=1080), asset="a" * 64, muted=False)
display.start()
serial = 0
for number in range(times):
    for shown in (scene(film, scene_id="film"), scene(scene_id="still")):
        serial += 1
        display.show(order(serial, showing(shown, entry=shown.id)))
        # Closed a little later each time, so at every stage of an opening film.
        until = time.monotonic() + LONGEST_SECONDS * (number % STEPS) / STEPS
        while display.stage.top is None or time.monotonic() < until:
            app.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
display.close()
print(serial)  # noqa: T201
