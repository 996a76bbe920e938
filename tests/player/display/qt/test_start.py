"""The first view needs nothing of Qt's namespace `Qt`, whose enumerations take long to make."""

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
import sys
from player.cli import main

code = main(sys.argv[1:])
import PySide6.QtCore
print(code, "Qt" in vars(PySide6.QtCore))
"""


def test_the_first_view_creates_no_enumerations_of_qt_s_namespace(tmp_path: Path) -> None:
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
    assert ended.stdout.splitlines()[-1] == "0 False"
    assert (tmp_path / "glass.png").read_bytes().startswith(b"\x89PNG")


def test_the_constants_equal_qt_s_own() -> None:
    assert Qt.ItemDataRole.UserRole == constants.USER_ROLE
    assert Qt.TimerType.PreciseTimer.value == constants.PRECISE_TIMER
    frameless = Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint
    assert frameless.value == constants.FRAMELESS_WINDOW
