"""Letters that no font has are told, and a device without a font."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from menu.documents.box import Box
from menu.documents.scene import TextWidget
from player.display.typography.letters import boxes
from player.domain.recovery.liveness import PROBE_SECONDS
from player.domain.view import HouseCard
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing

MONO = Path("/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf")
LOOK = """
from PySide6.QtGui import QGuiApplication
application = QGuiApplication([])
from player.display.typography.letters import boxes
print("".join(sorted(boxes("Soup é 日本"))))
"""


def boxes_with(folder: Path, *fonts: Path) -> str:
    """The letters drawn as boxes where these are the only fonts."""
    (folder / "fonts").mkdir(parents=True)
    for font in fonts:
        (folder / "fonts" / font.name).symlink_to(font)
    config = folder / "fonts.conf"
    config.write_text(
        f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{folder}/fonts</dir>'
        f"<cachedir>{folder}/cache</cachedir></fontconfig>"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "FONTCONFIG_FILE": str(config)}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip("\n")


def test_letters_are_boxes_where_no_font_has_them(tmp_path: Path) -> None:
    assert boxes_with(tmp_path / "one", MONO) == "日本"
    assert boxes_with(tmp_path / "none") == " Sopué日本"


def test_a_board_of_many_scripts_has_none(glass: Glass) -> None:
    assert boxes("Soup €3.40 – ½ Брускетта مرحبا ราดหน้า 日本語 한국어 שלום नमस्ते ☕🍕🌶 ①") == set()
    text = TextWidget(id="text", box=Box(x=0, y=0, width=900, height=200), text="日本 🍕")
    for view in (HouseCard(location_name="Café"), showing(scene(text))):
        glass.show(view)
        glass.pass_seconds(2 * PROBE_SECONDS)
        assert glass.undrawable == []
