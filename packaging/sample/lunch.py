"""Two toasts on a plate, on linen."""

from __future__ import annotations

import math
import random

from brushes import blob, disc, leaf, light, linen, plate, shade, soft
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QRadialGradient


def toast(painter: QPainter, chance: random.Random, x: float, y: float, size: float, turn: float, *, egg: bool) -> None:
    """A slice of sourdough with avocado; with an egg on it, or tomatoes."""
    painter.save()
    painter.translate(x, y)
    painter.rotate(turn)
    soft(painter, size * 0.08, size * 0.12, size * 1.12, shade("#000000", 130), squash=0.8)
    crust = blob(0, 0, size, chance, 0.05)
    painter.scale(1.0, 0.76)
    gradient = QRadialGradient(QPointF(0, 0), size * 1.05)
    gradient.setColorAt(0.80, QColor("#c98a45"))
    gradient.setColorAt(0.93, QColor("#9a5a22"))
    gradient.setColorAt(1.0, QColor("#5f3210"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawPath(crust)
    painter.setBrush(QColor("#ecd2a0"))
    painter.drawPath(blob(0, 0, size * 0.90, chance, 0.04))
    for _ in range(60):
        angle, reach = chance.uniform(0, 2 * math.pi), size * 0.86 * math.sqrt(chance.random())
        painter.setBrush(shade("#b98d52", chance.randrange(40, 110)))
        painter.drawEllipse(
            QPointF(math.cos(angle) * reach, math.sin(angle) * reach), chance.uniform(3, 9), chance.uniform(2, 6)
        )
    for number in range(26):
        angle, reach = number * 2.4, size * 0.72 * math.sqrt(number / 26)
        spread = blob(
            math.cos(angle) * reach, math.sin(angle) * reach, size * chance.uniform(0.15, 0.24), chance, 0.18, 9
        )
        painter.setBrush(QColor(chance.choice(("#a9c25a", "#b9cf6b", "#94b047", "#c6d884", "#86a23e"))))
        painter.drawPath(spread)
    for number in range(10):
        angle, reach = number * 2.1, size * 0.62 * math.sqrt(number / 10)
        soft(
            painter,
            math.cos(angle) * reach,
            math.sin(angle) * reach - 6,
            size * 0.16,
            shade("#e8f2b4", 120),
            squash=0.6,
        )
    if egg:
        soft(painter, size * 0.06, size * 0.08, size * 0.62, shade("#3c4a14", 110))
        white = QRadialGradient(QPointF(-size * 0.12, -size * 0.14), size * 0.62)
        white.setColorAt(0.0, QColor("#ffffff"))
        white.setColorAt(0.75, QColor("#fbf6ea"))
        white.setColorAt(1.0, QColor("#e2d8c2"))
        painter.setBrush(white)
        painter.drawPath(blob(0, 0, size * 0.52, chance, 0.10))
        disc(painter, size * 0.02, size * 0.0, size * 0.25, (0.0, "#ffd65a"), (0.55, "#f7ab1c"), (1.0, "#d97a08"))
        soft(painter, -size * 0.07, -size * 0.09, size * 0.09, shade("#fffbe6", 220))
    else:
        for number in range(6):
            angle = number * math.pi / 3
            cx, cy = math.cos(angle) * size * 0.42, math.sin(angle) * size * 0.40
            soft(painter, cx + 8, cy + 10, size * 0.22, shade("#3c4a14", 120))
            disc(painter, cx, cy, size * 0.165, (0.0, "#ff8a6a"), (0.5, "#d93a22"), (1.0, "#8e1609"))
            disc(painter, cx, cy, size * 0.125, (0.0, "#f26a4c"), (1.0, "#c22d18"))
            for seed in range(5):
                turn_to = seed * 2 * math.pi / 5
                painter.setBrush(shade("#f7d58a", 210))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(
                    QPointF(cx + math.cos(turn_to) * size * 0.07, cy + math.sin(turn_to) * size * 0.07), 5, 3.4
                )
    for _ in range(70):
        angle, reach = chance.uniform(0, 2 * math.pi), size * 0.78 * math.sqrt(chance.random())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(chance.choice(("#2a2118", "#f3ead2", "#c2452a", "#2a2118"))))
        painter.drawEllipse(
            QPointF(math.cos(angle) * reach, math.sin(angle) * reach),
            chance.uniform(1.6, 3.6),
            chance.uniform(1.6, 3.0),
        )
    painter.restore()


def radish(painter: QPainter, x: float, y: float, radius: float) -> None:
    """A thin slice of radish."""
    soft(painter, x + 5, y + 7, radius * 1.2, shade("#000000", 90))
    disc(painter, x, y, radius, (0.0, "#ffffff"), (0.80, "#fdf4f4"), (0.88, "#e0557a"), (1.0, "#b3214f"))


def lunch(painter: QPainter, chance: random.Random) -> None:
    """Two toasts on a plate, on linen."""
    linen(painter, chance, "#d9cbb4")
    light(painter, "#fff2d8", 150, gloom=50)
    plate(painter, 640, 640, 560, glaze="#eef0ee", rim="#c7ccc9")
    toast(painter, chance, 500, 470, 268, -22, egg=True)
    toast(painter, chance, 770, 800, 268, -14, egg=False)
    for x, y, size in ((850, 440, 52), (915, 500, 46), (880, 378, 40), (360, 800, 50), (430, 862, 44), (352, 892, 38)):
        radish(painter, x, y, size)
    for x, y, length, turn in (
        (300, 700, 120, 200),
        (420, 960, 130, 110),
        (490, 930, 110, 60),
        (960, 590, 120, -30),
        (930, 420, 105, -70),
        (1000, 640, 100, 10),
        (560, 1010, 100, 80),
        (690, 330, 96, -50),
    ):
        leaf(painter, x, y, length, turn, "#5f9438", "#2f5a1c")
    soft(painter, 330, 240, 420, shade("#ffffff", 60))
    light(painter, "#fff0cf", 30, gloom=40)
