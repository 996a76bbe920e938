"""Brushes of the painted dishes: gradients, soft spots, wood and cloth, plates and leaves."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPen,
    QRadialGradient,
)

SIDE = 1280
NOISE_SIDE = 256


def shade(color: str, alpha: int = 255) -> QColor:
    """A colour with an opacity of 0 to 255."""
    shaded = QColor(color)
    shaded.setAlpha(alpha)
    return shaded


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """A colour between two."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def between(one: QPointF, other: QPointF) -> QPointF:
    """The point half-way."""
    return QPointF((one.x() + other.x()) / 2, (one.y() + other.y()) / 2)


def soft(painter: QPainter, x: float, y: float, radius: float, color: QColor, *, squash: float = 1.0) -> None:
    """A spot that fades out to its edge."""
    clear = QColor(color)
    clear.setAlpha(0)
    gradient = QRadialGradient(QPointF(0, 0), radius)
    gradient.setColorAt(0.0, color)
    middle = QColor(color)
    middle.setAlpha(round(color.alpha() * 0.5))
    gradient.setColorAt(0.55, middle)
    gradient.setColorAt(1.0, clear)
    painter.save()
    painter.translate(x, y)
    painter.scale(1.0, squash)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawEllipse(QPointF(0, 0), radius, radius)
    painter.restore()


def disc(painter: QPainter, x: float, y: float, radius: float, *stops: tuple[float, str]) -> None:
    """A round thing lit from the upper left."""
    gradient = QRadialGradient(QPointF(x, y), radius, QPointF(x - radius * 0.32, y - radius * 0.36))
    for at, color in stops:
        gradient.setColorAt(at, QColor(color))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawEllipse(QPointF(x, y), radius, radius)


def noise(painter: QPainter, chance: random.Random, strength: int) -> None:
    """Grain over everything, as paper and film have it."""
    tile = QImage(NOISE_SIDE, NOISE_SIDE, QImage.Format.Format_ARGB32)
    for y in range(NOISE_SIDE):
        for x in range(NOISE_SIDE):
            level = chance.choice((0, 255))
            tile.setPixelColor(x, y, QColor(level, level, level, chance.randrange(strength)))
    painter.fillRect(0, 0, SIDE, SIDE, QBrush(tile))


def wood(painter: QPainter, chance: random.Random, dark: str, light: str, planks: int) -> None:
    """A table of planks with their grain."""
    width = SIDE / planks
    for plank in range(planks):
        tint = chance.random()
        mixed = mix(QColor(dark), QColor(light), tint)
        gradient = QLinearGradient(plank * width, 0, (plank + 1) * width, 0)
        gradient.setColorAt(0.0, mixed.darker(118))
        gradient.setColorAt(0.5, mixed)
        gradient.setColorAt(1.0, mixed.darker(112))
        painter.fillRect(QRectF(plank * width, 0, width + 1, SIDE), gradient)
        for _ in range(46):
            x = plank * width + chance.random() * width
            path = QPainterPath(QPointF(x, -10))
            sway = chance.uniform(-14, 14)
            path.cubicTo(
                QPointF(x + sway, SIDE * 0.3), QPointF(x - sway, SIDE * 0.7), QPointF(x + sway * 0.6, SIDE + 10)
            )
            painter.setPen(
                QPen(
                    shade("#000000" if chance.random() < 0.7 else "#ffffff", chance.randrange(5, 22)),
                    chance.uniform(0.6, 2.4),
                )
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(path)
        painter.fillRect(QRectF(plank * width - 1.5, 0, 3, SIDE), shade("#000000", 110))


def linen(painter: QPainter, chance: random.Random, color: str) -> None:
    """A woven cloth."""
    painter.fillRect(0, 0, SIDE, SIDE, QColor(color))
    for at in range(0, SIDE, 3):
        painter.fillRect(QRectF(0, at, SIDE, 1.2), shade("#5a4a38", chance.randrange(4, 20)))
        painter.fillRect(QRectF(at, 0, 1.2, SIDE), shade("#ffffff", chance.randrange(6, 30)))


def light(painter: QPainter, color: str, strength: int, *, gloom: int = 150) -> None:
    """Window light from the upper left, and the dark of the room opposite."""
    soft(painter, SIDE * 0.16, SIDE * 0.10, SIDE * 0.95, shade(color, strength))
    gradient = QRadialGradient(QPointF(SIDE * 0.42, SIDE * 0.42), SIDE * 0.86)
    gradient.setColorAt(0.45, shade("#000000", 0))
    gradient.setColorAt(1.0, shade("#1a0d04", gloom))
    painter.fillRect(0, 0, SIDE, SIDE, gradient)


def plate(
    painter: QPainter, x: float, y: float, radius: float, *, glaze: str = "#f3ede2", rim: str = "#d9cfbf"
) -> None:
    """A plate from above, with its shadow on the table."""
    soft(painter, x + radius * 0.16, y + radius * 0.20, radius * 1.22, shade("#000000", 190))
    disc(painter, x, y, radius, (0.0, "#ffffff"), (0.6, glaze), (1.0, rim))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(shade("#7a6a55", 60), 2))
    painter.drawEllipse(QPointF(x, y), radius * 0.985, radius * 0.985)
    painter.setPen(QPen(shade("#6a5a48", 46), radius * 0.018))
    painter.drawEllipse(QPointF(x, y), radius * 0.70, radius * 0.70)
    painter.setPen(QPen(shade("#ffffff", 150), radius * 0.012))
    painter.drawEllipse(QPointF(x + 2, y + 3), radius * 0.715, radius * 0.715)
    soft(painter, x + radius * 0.12, y + radius * 0.16, radius * 0.66, shade("#8a7a64", 46))


def leaf(painter: QPainter, x: float, y: float, length: float, turn: float, green: str, dark: str) -> None:
    """A leaf with its veins."""
    painter.save()
    painter.translate(x, y)
    painter.rotate(turn)
    soft(painter, length * 0.5, length * 0.10, length * 0.5, shade("#000000", 80), squash=0.5)
    shape = QPainterPath(QPointF(0, 0))
    shape.cubicTo(QPointF(length * 0.25, -length * 0.38), QPointF(length * 0.78, -length * 0.30), QPointF(length, 0))
    shape.cubicTo(QPointF(length * 0.78, length * 0.30), QPointF(length * 0.25, length * 0.38), QPointF(0, 0))
    gradient = QLinearGradient(0, -length * 0.3, 0, length * 0.3)
    gradient.setColorAt(0.0, QColor(green).lighter(118))
    gradient.setColorAt(0.5, QColor(green))
    gradient.setColorAt(1.0, QColor(dark))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawPath(shape)
    painter.setPen(QPen(shade("#eaf6c8", 90), length * 0.022))
    painter.drawLine(QPointF(length * 0.04, 0), QPointF(length * 0.94, 0))
    for at in (0.25, 0.42, 0.58, 0.74):
        for side in (-1, 1):
            painter.setPen(QPen(shade("#eaf6c8", 55), length * 0.012))
            painter.drawLine(QPointF(length * at, 0), QPointF(length * (at + 0.14), side * length * 0.17))
    painter.restore()


def blob(x: float, y: float, radius: float, chance: random.Random, wobble: float, points: int = 11) -> QPainterPath:
    """A round, uneven outline."""
    spots = []
    for number in range(points):
        angle = 2 * math.pi * number / points
        reach = radius * (1 + chance.uniform(-wobble, wobble))
        spots.append(QPointF(x + math.cos(angle) * reach, y + math.sin(angle) * reach))
    path = QPainterPath(between(spots[-1], spots[0]))
    for number, spot in enumerate(spots):
        path.quadTo(spot, between(spot, spots[(number + 1) % points]))
    return path


def painted(name: str, paint: Callable[[QPainter, random.Random], None]) -> QImage:
    """The picture of a dish; its name is the seed."""
    chance = random.Random(name)  # noqa: S311 -- grain, not a secret
    image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint(painter, chance)
    noise(painter, chance, 14)
    painter.end()
    return image
