"""Draws the boards by which templates and layout are judged: `python -m benchmarks.boards FOLDER` draws every page.

What the player reports of each board is printed as a table. With `--contact` there is one picture of all first pages
beside them, `contact.png`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QGuiApplication, QImage, QPainter

from benchmarks.sheets import pages
from player.domain.events import WidgetUndrawable
from tests.player.display.views.boards import BOARDS, board_views
from tests.player.display.views.kit import KitScenes

COLUMNS, THUMB_WIDTH, THUMB_HEIGHT, LABEL_HEIGHT, GAP = 5, 560, 315, 36, 16


def contact_sheet(firsts: dict[str, QImage]) -> QImage:
    """The first pages of boards, each above its label."""
    width, height = THUMB_WIDTH + GAP, THUMB_HEIGHT + LABEL_HEIGHT
    rows = -(-len(firsts) // COLUMNS)
    made = QImage(COLUMNS * width + GAP, rows * height + GAP, QImage.Format.Format_RGB32)
    made.fill(Qt.GlobalColor.white)
    painter = QPainter(made)
    painter.setFont(QFont("Inter", 15))
    for number, (label, image) in enumerate(firsts.items()):
        left, top = GAP + number % COLUMNS * width, GAP + number // COLUMNS * height
        small = image.scaled(
            THUMB_WIDTH,
            THUMB_HEIGHT,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        painter.drawImage(left + (THUMB_WIDTH - small.width()) // 2, top, small)
        below = QRect(left, top + THUMB_HEIGHT, THUMB_WIDTH, LABEL_HEIGHT)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, label)
    painter.end()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--board", action="append", choices=list(BOARDS), help="only this board; may be repeated")
    parser.add_argument("--contact", action="store_true", help="all first pages on one picture as well")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _application = QGuiApplication(sys.argv[:1])
    firsts: dict[str, QImage] = {}
    print("| board | pages | reported |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="menu-boards-") as data:
        kit = KitScenes(Path(data))
        for name, view in (each for board in options.board or BOARDS for each in board_views(kit, board).items()):
            notes: list[WidgetUndrawable] = []
            drawn = list(pages(view, kit.files, notes))
            for number, image in enumerate(drawn, start=1):
                image.save(str(options.folder / f"{name}-{number}.png"))
            firsts[f"{name}: {len(drawn)} page{'s' * (len(drawn) > 1)}"] = drawn[0]
            told = "; ".join(f"{note.code} ({note.subject.partition('/')[2]}): {note.detail}" for note in notes)
            print(f"| {name} | {len(drawn)} | {told} |", flush=True)
        kit.close()
    if options.contact:
        contact_sheet(firsts).save(str(options.folder / "contact.png"))
        print(options.folder / "contact.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
