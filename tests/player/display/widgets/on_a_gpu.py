"""A program for a test: shows a video through Qt's GPU scene graph, and prints what is seen as JSON.

A process of its own, because Qt chooses its scene graph once. Argument: the video's path.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtQuick import QQuickWindow

from menu.documents.box import Box
from menu.documents.scene import Background, VideoWidget
from player.display.window.window import Display
from player.domain.machine import WindowMode
from tests.player.display.scenes import order, scene, showing

FRAMES_TO_COUNT = 5
POLL_MILLISECONDS = 20
PATIENCE_MILLISECONDS = 50_000

app = QGuiApplication([])
events: list[str] = []
display = Display(
    mode=WindowMode.WINDOWED,
    size=(320, 180),
    asset_path=lambda _: Path(sys.argv[1]),
    emit=lambda event: events.append(type(event).__name__),
    monotonic=lambda: 0.0,
    wall=lambda: datetime.now(UTC),
    on_close=app.quit,
)
widget = VideoWidget(id="film", box=Box(x=0, y=0, width=1920, height=1080), asset="a" * 64)
display.show(order(1, showing(scene(widget, background=Background(color="#2020C0")))))
display.start()
frames: set[bytes] = set()
middles: list[str] = []


def count_frames() -> None:
    """Count the images that differ."""
    image = display.grab_image()
    frames.add(bytes(image.constBits()))
    middles.append(image.pixelColor(160, 90).name())
    if len(frames) > FRAMES_TO_COUNT:
        app.quit()


timer = QTimer(interval=POLL_MILLISECONDS)
timer.timeout.connect(count_frames)
timer.start()
QTimer.singleShot(PATIENCE_MILLISECONDS, app.quit)
app.exec()
display.close()
seen = {"backend": QQuickWindow.sceneGraphBackend(), "frames": len(frames), "middle": middles[-1], "events": events}
print(json.dumps(seen))  # noqa: T201
