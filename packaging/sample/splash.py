"""The mark that stands on the screen from power-on until the board is drawn: a board with three lines, and no words.

`QT_QPA_PLATFORM=offscreen python packaging/sample/splash.py packaging/debian/splash/mark.png` draws it again.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

SIDE = 512
LIGHT, WARM, QUIET = QColor("#F4F1EA"), QColor("#E9B44C"), QColor("#4A525B")
FRAME = 22.0
"""Width of the board's frame, of SIDE."""

ROWS = ((0.35, 0.58, WARM), (0.5, 0.46, LIGHT), (0.65, 0.52, LIGHT))
"""Each line's middle, of the height, its length, of the board's width, and its colour; at its end stands a price."""


def mark() -> QImage:
    """The mark, on nothing: the splash gives it its ground. It is read as well on a panel that hangs on its side."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    board = QRectF(FRAME, SIDE * 0.16, SIDE - 2 * FRAME, SIDE * 0.68)
    painter.setPen(QPen(QUIET, FRAME))
    painter.drawRoundedRect(board, 40, 40)
    left, right = board.left() + 64, board.right() - 64
    for middle, length, color in ROWS:
        painter.setPen(QPen(color, 26, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        y = SIDE * middle
        painter.drawLine(round(left), round(y), round(left + (right - left) * length), round(y))
        painter.drawPoint(round(right - 4), round(y))
    painter.end()
    return image


if __name__ == "__main__":
    mark().save(sys.argv[1])
