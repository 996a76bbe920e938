"""A program for a test: shows a slideshow of two films through Qt's GPU scene graph, and prints what is seen as JSON.

A process of its own, because Qt chooses its scene graph once. Arguments: the paths of the films.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtMultimedia import QMediaPlayer
from PySide6.QtQuick import QQuickWindow

from menu.documents.box import Box
from menu.documents.scene import Background, Slide, SlideshowWidget
from player.display.window.window import Display
from player.domain.machine import WindowMode
from tests.player.display.scenes import NOON, order, scene, showing

POLL_MILLISECONDS = 20
FRAMES_OF_EACH = 10
TURNS = 3
PATIENCE_MILLISECONDS = 50_000

app = QGuiApplication([])
events: list[str] = []
films = {"a" * 64: Path(sys.argv[1]), "b" * 64: Path(sys.argv[2])}
passed = timedelta()
display = Display(
    mode=WindowMode.WINDOWED,
    size=(320, 180),
    asset_path=films.__getitem__,
    emit=lambda event: events.append(type(event).__name__),
    monotonic=lambda: passed.total_seconds(),
    wall=lambda: NOON.astimezone(UTC) + passed,
    on_close=app.quit,
)
slides = tuple(Slide(asset=digest, seconds=3) for digest in films)
zone = SlideshowWidget(id="zone", box=Box(x=0, y=0, width=1920, height=1080), slides=slides, fade_milliseconds=200)
display.show(order(1, showing(scene(zone, background=Background(color="#2020C0")))))
display.start()
middles: list[str] = []
decoders: list[int] = []
turns = 0
began = datetime.now(UTC)


def look() -> None:
    """Note what shows; let the next slide's turn come once one is seen whole."""
    global passed, turns
    middles.append(display.grab_image().pixelColor(160, 90).name())
    decoders.append(len(display.stage.findChildren(QMediaPlayer)))
    if len(middles) > FRAMES_OF_EACH and len(set(middles[-FRAMES_OF_EACH:])) == 1 and middles[-1] != "#2020c0":
        turns += 1
        if turns > TURNS:
            app.quit()
        passed += timedelta(seconds=3)
        display.stage.tick()
        middles.append("turn")


timer = QTimer(interval=POLL_MILLISECONDS)
timer.timeout.connect(look)
timer.start()
QTimer.singleShot(PATIENCE_MILLISECONDS, app.quit)
app.exec()
display.close()
seen = {
    "backend": QQuickWindow.sceneGraphBackend(),
    "turns": turns,
    "middles": middles,
    "decoders": max(decoders),
    "events": events,
}
print(json.dumps(seen))  # noqa: T201
