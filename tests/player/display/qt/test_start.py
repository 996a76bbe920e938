"""A start does not load some modules, so that the first menu shows soon and memory stays small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import Qt

from player.display.qt import constants

BOX = {"width": 800, "height": 400}
SCENE = {
    "width": 1920,
    "height": 1080,
    "background": {"gradient": {"from": "#14181D", "to": "#402030", "angle": 30}},
    "widgets": [
        {"id": "menu", "type": "menu", "title": "Soups", "categories": ["Soup"], "x": 0, "y": 0, **BOX},
        {"id": "item", "type": "item", "itemId": "tomato", "x": 900, "y": 0, **BOX},
        {"id": "cards", "type": "grid", "x": 900, "y": 0, **BOX},
        {"id": "clock", "type": "clock", "x": 0, "y": 500, **BOX},
        {"id": "left", "type": "countdown", "end": "24:00", "x": 0, "y": 500, **BOX},
        {"id": "words", "type": "text", "text": "Good morning", "x": 900, "y": 500, **BOX},
        {"id": "line", "type": "ticker", "text": "Every day from eight", "x": 0, "y": 900, **BOX},
        {"id": "code", "type": "qr", "data": "https://cafe.example", "x": 1700, "y": 900, "width": 150, "height": 150},
        {"id": "block", "type": "shape", "shape": "rectangle", "color": "#E9B44C", "x": 900, "y": 900, **BOX},
    ],
}
ITEMS = [{"id": "tomato", "name": "Tomato", "category": "Soup", "price": 4.5, "tags": ["vegan"]}]

LOOK = """
import json, linecache, sys
from player.cli import main

code = main(sys.argv[1:])
import PySide6.QtCore
read = [file for file in linecache.cache if "/player/" in file]
rare = ("PySide6.QtOpenGL", "PySide6.QtNetwork", "xml.sax", "typing_extensions")
loaded = [name for name in rare if hasattr(sys.modules.get(name), "__file__")]
loaded += ["signatures"] if "inspect" in vars(sys.modules["shibokensupport.signature.layout"]) else []
print(json.dumps({"code": code, "enumerations": "Qt" in vars(PySide6.QtCore), "sources": read, "loaded": loaded}))
"""

ERROR_LOOK = """
from player.display.qt.binding import load_binding

load_binding()
from PySide6.QtCore import QTimer

try:
    QTimer().setInterval("soon")
except TypeError as error:
    print(error)
"""

FILM_LOOK = """
from player.display.qt.binding import load_binding

load_binding()
import PySide6.QtCore
from player.display.media import frame_scaler, video_frames
from player.domain.documents.scene import Fit

size, box = PySide6.QtCore.QSize(1920, 1080), PySide6.QtCore.QSize(800, 600)
frame_scaler.part_shown(size, Fit.COVER, box), frame_scaler.size_shown(size, Fit.CONTAIN, box)
app = PySide6.QtCore.QCoreApplication([])
video_frames.SoftwareFrames(fit=Fit.COVER, pixels=(800, 600), parent=app)
print("Qt" in vars(PySide6.QtCore))
"""


def test_the_first_view_creates_no_enumerations_of_qt_s_namespace_and_keeps_no_sources(tmp_path: Path) -> None:
    (tmp_path / "scene.json").write_text(json.dumps(SCENE))
    (tmp_path / "items.json").write_text(json.dumps({"items": ITEMS}))
    ended = subprocess.run(
        [sys.executable, "-c", LOOK, "preview", "scene.json", "--items", "items.json", "--out", "glass.png"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ended.stderr == "", "the scene is drawn as it is written"
    assert json.loads(ended.stdout.splitlines()[-1]) == {
        "code": 0,
        "enumerations": False,
        "sources": [],
        "loaded": [],
    }
    assert (tmp_path / "glass.png").read_bytes().startswith(b"\x89PNG")


def test_the_binding_still_explains_a_wrong_call() -> None:
    said = subprocess.run([sys.executable, "-c", ERROR_LOOK], capture_output=True, text=True, timeout=60, check=True)

    assert "PySide6.QtCore.QTimer.setInterval(int, /)" in said.stdout


def test_a_film_creates_no_enumerations_of_qt_s_namespace() -> None:
    said = subprocess.run([sys.executable, "-c", FILM_LOOK], capture_output=True, text=True, timeout=60, check=True)

    assert said.stdout.strip() == "False"


def test_the_constants_equal_qt_s_own() -> None:
    assert Qt.ItemDataRole.UserRole == constants.USER_ROLE
    assert Qt.TimerType.PreciseTimer.value == constants.PRECISE_TIMER
    frameless = Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint
    assert frameless.value == constants.FRAMELESS_WINDOW
