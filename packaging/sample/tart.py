"""A tart of berries on a dark green table."""

from __future__ import annotations

import math
import random

from brushes import SIDE, disc, leaf, light, plate, shade, soft
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QRadialGradient


def berry(painter: QPainter, x: float, y: float, radius: float, kind: str, chance: random.Random) -> None:
    """A raspberry, a blueberry or half a strawberry, with the light on it."""
    soft(painter, x + radius * 0.2, y + radius * 0.26, radius * 1.3, shade("#1a0508", 150))
    match kind:
        case "blue":
            disc(painter, x, y, radius, (0.0, "#7d8fc4"), (0.45, "#3a4a86"), (1.0, "#141a3c"))
            painter.setBrush(shade("#0d1230", 190))
            star = QPainterPath()
            for number in range(10):
                angle = number * math.pi / 5 + chance.random()
                reach = radius * (0.34 if number % 2 else 0.20)
                point = QPointF(x + math.cos(angle) * reach, y + math.sin(angle) * reach)
                star.moveTo(point) if number == 0 else star.lineTo(point)
            star.closeSubpath()
            painter.drawPath(star)
        case "rasp":
            disc(painter, x, y, radius, (0.0, "#d8405c"), (1.0, "#6e0d22"))
            for ring, count in ((0.80, 13), (0.48, 8), (0.0, 1)):
                for number in range(count):
                    angle = number * 2 * math.pi / count + ring
                    bx, by = x + math.cos(angle) * radius * ring, y + math.sin(angle) * radius * ring
                    disc(painter, bx, by, radius * 0.235, (0.0, "#ff9aa8"), (0.35, "#e2435f"), (1.0, "#8a1230"))
        case _:
            painter.save()
            painter.translate(x, y)
            painter.rotate(chance.uniform(0, 360))
            outline = QPainterPath(QPointF(0, radius * 1.15))
            outline.cubicTo(
                QPointF(-radius * 1.2, radius * 0.1), QPointF(-radius * 0.9, -radius), QPointF(0, -radius * 0.78)
            )
            outline.cubicTo(
                QPointF(radius * 0.9, -radius), QPointF(radius * 1.2, radius * 0.1), QPointF(0, radius * 1.15)
            )
            gradient = QRadialGradient(QPointF(0, -radius * 0.1), radius * 1.1)
            gradient.setColorAt(0.0, QColor("#ffe3d6"))
            gradient.setColorAt(0.40, QColor("#f77f66"))
            gradient.setColorAt(0.80, QColor("#dc2b23"))
            gradient.setColorAt(1.0, QColor("#a31216"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(gradient)
            painter.drawPath(outline)
            for seed in range(9):
                angle = seed * 2 * math.pi / 9
                painter.setBrush(shade("#ffe08a", 230))
                painter.drawEllipse(
                    QPointF(math.cos(angle) * radius * 0.66, math.sin(angle) * radius * 0.66 - radius * 0.02), 3, 4.4
                )
            painter.restore()
    soft(painter, x - radius * 0.34, y - radius * 0.38, radius * 0.34, shade("#ffffff", 150))


def tart(painter: QPainter, chance: random.Random) -> None:
    """A tart of berries on a dark green table."""
    gradient = QLinearGradient(0, 0, SIDE, SIDE)
    gradient.setColorAt(0.0, QColor("#2d5a4c"))
    gradient.setColorAt(1.0, QColor("#0f2a23"))
    painter.fillRect(0, 0, SIDE, SIDE, gradient)
    light(painter, "#bfe8c9", 70)
    plate(painter, 640, 650, 560, glaze="#f6efe2", rim="#d8ccb6")
    x, y, radius = 640.0, 645.0, 430.0
    soft(painter, x + 40, y + 56, radius * 1.14, shade("#3b2a18", 170))
    for number in range(44):
        angle = number * 2 * math.pi / 44
        disc(
            painter,
            x + math.cos(angle) * radius * 0.95,
            y + math.sin(angle) * radius * 0.95,
            radius * 0.088,
            (0.0, "#f2c987"),
            (0.5, "#d2944a"),
            (1.0, "#8a5320"),
        )
    disc(painter, x, y, radius * 0.94, (0.0, "#e9bd78"), (0.9, "#c98c44"), (1.0, "#8f5822"))
    disc(painter, x, y, radius * 0.87, (0.0, "#fff3d2"), (0.8, "#f6dfa6"), (1.0, "#d9b36a"))
    for ring, count, kind, size in (
        (0.745, 22, "rasp", 47.0),
        (0.535, 13, "straw", 54.0),
        (0.335, 11, "rasp", 44.0),
        (0.15, 5, "blue", 38.0),
        (0.0, 1, "rasp", 44.0),
    ):
        for number in range(count):
            angle = number * 2 * math.pi / count + ring * 3
            berry(
                painter,
                x + math.cos(angle) * radius * ring,
                y + math.sin(angle) * radius * ring,
                size * chance.uniform(0.95, 1.04),
                kind,
                chance,
            )
    for ring, count in ((0.64, 19), (0.435, 13)):
        for number in range(count):
            angle = number * 2 * math.pi / count + ring
            berry(painter, x + math.cos(angle) * radius * ring, y + math.sin(angle) * radius * ring, 25, "blue", chance)
    for turn in (20, 75, 140):
        leaf(painter, 615, 610, 105, turn - 90, "#6fae4e", "#356b2a")
    for _ in range(240):
        angle, reach = chance.uniform(0, 2 * math.pi), radius * math.sqrt(chance.uniform(0.45, 1.1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade("#ffffff", chance.randrange(60, 190)))
        size = chance.uniform(1.0, 2.8)
        painter.drawEllipse(QPointF(x + math.cos(angle) * reach, y + math.sin(angle) * reach), size, size)
    light(painter, "#fff5dc", 44)
