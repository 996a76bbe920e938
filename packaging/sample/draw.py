"""Draws the sample café's pictures from nothing but gradients and shapes; a tool for authors, which no program runs.

`python packaging/sample/draw.py service/sample` writes them anew; the same seed gives the same pictures.
"""

from __future__ import annotations

import math
import os
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QGuiApplication,
    QImage,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPen,
    QRadialGradient,
)

SIDE = 1280
JPEG_QUALITY = 86
MOST_BYTES = 400_000
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


def cappuccino(painter: QPainter, x: float, y: float, radius: float) -> None:
    """A cup on its saucer, with a leaf poured into the foam."""
    plate(painter, x, y, radius * 1.62)
    handle = QPainterPath()
    handle.addRoundedRect(
        QRectF(x + radius * 0.86, y - radius * 0.15, radius * 0.62, radius * 0.30), radius * 0.15, radius * 0.15
    )
    soft(painter, x + radius * 0.2, y + radius * 0.26, radius * 1.24, shade("#000000", 150))
    gradient = QLinearGradient(x, y - radius * 0.2, x, y + radius * 0.2)
    gradient.setColorAt(0.0, QColor("#ffffff"))
    gradient.setColorAt(1.0, QColor("#c9bdab"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawPath(handle)
    disc(painter, x, y, radius, (0.0, "#ffffff"), (0.75, "#f4eee4"), (1.0, "#cfc4b3"))
    disc(painter, x, y, radius * 0.885, (0.0, "#5d3a20"), (0.7, "#4a2b16"), (1.0, "#2c180b"))
    disc(painter, x, y, radius * 0.86, (0.0, "#c98a4e"), (0.62, "#a9662f"), (0.9, "#7d451c"), (1.0, "#5b3013"))
    painter.save()
    painter.translate(x, y)
    painter.rotate(-28)
    painter.setClipPath(_circle(radius * 0.84))
    for number in range(8):
        reach = radius * 0.60 * math.sin(math.pi * (number + 1.6) / 9.4)
        top = radius * (-0.06 + 0.115 * number) - radius * 0.30
        leaf = QPainterPath(QPointF(0, top + radius * 0.24))
        leaf.cubicTo(
            QPointF(reach * 0.55, top + radius * 0.16),
            QPointF(reach, top - radius * 0.06),
            QPointF(reach * 0.72, top - radius * 0.24),
        )
        leaf.cubicTo(
            QPointF(reach * 0.72, top - radius * 0.06),
            QPointF(reach * 0.30, top + radius * 0.03),
            QPointF(0, top + radius * 0.10),
        )
        leaf.cubicTo(
            QPointF(-reach * 0.30, top + radius * 0.03),
            QPointF(-reach * 0.72, top - radius * 0.06),
            QPointF(-reach * 0.72, top - radius * 0.24),
        )
        leaf.cubicTo(
            QPointF(-reach, top - radius * 0.06),
            QPointF(-reach * 0.55, top + radius * 0.16),
            QPointF(0, top + radius * 0.24),
        )
        painter.setPen(QPen(shade("#8a5426", 90), radius * 0.014))
        painter.setBrush(shade("#fbf0dc", 238))
        painter.drawPath(leaf)
    heart = QPainterPath(QPointF(0, -radius * 0.46))
    heart.cubicTo(
        QPointF(radius * 0.30, -radius * 0.80), QPointF(radius * 0.50, -radius * 0.44), QPointF(0, -radius * 0.18)
    )
    heart.cubicTo(
        QPointF(-radius * 0.50, -radius * 0.44), QPointF(-radius * 0.30, -radius * 0.80), QPointF(0, -radius * 0.46)
    )
    painter.drawPath(heart)
    painter.restore()
    for turn in range(46):
        angle = turn * 2.39996
        reach = radius * (0.70 + 0.13 * ((turn * 37) % 10) / 10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade("#f3d9b1", 70))
        painter.drawEllipse(QPointF(x + math.cos(angle) * reach, y + math.sin(angle) * reach), 2.4, 2.4)
    soft(painter, x - radius * 0.36, y - radius * 0.40, radius * 0.46, shade("#fff4df", 70))


def _circle(radius: float) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), radius, radius)
    return path


def croissant(painter: QPainter, x: float, y: float, size: float, turn: float) -> None:
    """Rolled segments along an arc, flaky and egg-washed."""
    painter.save()
    painter.translate(x, y)
    painter.rotate(turn)
    soft(painter, size * 0.06, size * 0.20, size * 1.02, shade("#000000", 130), squash=0.62)
    segments = 9
    order = sorted(range(segments), key=lambda number: -abs(number - segments // 2))
    for number in order:
        at = (number - (segments - 1) / 2) / ((segments - 1) / 2)
        angle = at * 62
        reach = size * (0.36 - 0.215 * abs(at) ** 1.35)
        painter.save()
        painter.translate(
            math.sin(math.radians(angle)) * size * 0.86, -math.cos(math.radians(angle)) * size * 0.62 + size * 0.42
        )
        painter.rotate(angle * 1.12)
        body = QPainterPath()
        body.addRoundedRect(QRectF(-size * 0.155, -reach, size * 0.31, reach * 1.9), size * 0.14, size * 0.16)
        gradient = QLinearGradient(0, -reach, 0, reach * 0.9)
        gradient.setColorAt(0.0, QColor("#f0b65c"))
        gradient.setColorAt(0.30, QColor("#d98b34"))
        gradient.setColorAt(0.72, QColor("#a85a1c"))
        gradient.setColorAt(1.0, QColor("#6e3610"))
        painter.setPen(QPen(shade("#5a2a0c", 150), size * 0.012))
        painter.setBrush(gradient)
        painter.drawPath(body)
        painter.setClipPath(body)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for line in range(7):
            offset = -size * 0.15 + line * size * 0.05
            flake = QPainterPath(QPointF(offset, -reach))
            flake.cubicTo(
                QPointF(offset + size * 0.03, -reach * 0.3),
                QPointF(offset - size * 0.03, reach * 0.3),
                QPointF(offset + size * 0.02, reach),
            )
            painter.setPen(QPen(shade("#fbdc9a" if line % 2 else "#6b330d", 70), size * 0.009))
            painter.drawPath(flake)
        soft(painter, -size * 0.04, -reach * 0.55, size * 0.15, shade("#fff0c4", 150), squash=0.7)
        painter.restore()
    painter.restore()


def beans(painter: QPainter, chance: random.Random, spots: Sequence[tuple[float, float]], size: float) -> None:
    """Coffee beans, thrown."""
    for x, y in spots:
        painter.save()
        painter.translate(x, y)
        soft(painter, size * 0.15, size * 0.2, size * 1.1, shade("#000000", 150), squash=0.8)
        painter.rotate(chance.uniform(0, 360))
        gradient = QRadialGradient(QPointF(-size * 0.2, -size * 0.2), size)
        gradient.setColorAt(0.0, QColor("#8a552c"))
        gradient.setColorAt(0.6, QColor("#4b2812"))
        gradient.setColorAt(1.0, QColor("#241106"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawEllipse(QPointF(0, 0), size, size * 0.66)
        groove = QPainterPath(QPointF(-size * 0.92, 0))
        groove.cubicTo(QPointF(-size * 0.3, -size * 0.26), QPointF(size * 0.3, size * 0.26), QPointF(size * 0.92, 0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor("#1a0b03"), size * 0.12))
        painter.drawPath(groove)
        painter.restore()


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


def breakfast(painter: QPainter, chance: random.Random) -> None:
    """Cappuccino and a croissant on a walnut table."""
    wood(painter, chance, "#2f1c10", "#57351d", 6)
    light(painter, "#ffb866", 120)
    plate(painter, 905, 1000, 300, glaze="#3b3f44", rim="#22262a")
    croissant(painter, 905, 985, 265, -24)
    cappuccino(painter, 520, 470, 262)
    spots = [
        (1010, 250),
        (1062, 312),
        (985, 335),
        (1110, 232),
        (1050, 190),
        (150, 960),
        (212, 1010),
        (130, 1050),
        (262, 950),
        (205, 1100),
    ]
    beans(painter, chance, spots, 26)
    light(painter, "#ffcf8a", 46)


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


PICTURES: dict[str, Callable[[QPainter, random.Random], None]] = {
    "breakfast.jpg": breakfast,
    "lunch.jpg": lunch,
    "tart.jpg": tart,
}


def draw(folder: Path) -> None:
    """Write every picture into `folder`. Raises RuntimeError when one cannot be written, or would be too large."""
    for name, paint in PICTURES.items():
        chance = random.Random(name)  # noqa: S311 -- grain, not a secret
        image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, chance)
        noise(painter, chance, 14)
        painter.end()
        path = folder / name
        if not image.save(str(path), None, JPEG_QUALITY) or path.stat().st_size > MOST_BYTES:
            raise RuntimeError(f"{path} could not be written, or is larger than {MOST_BYTES} bytes")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    draw(Path(sys.argv[1]))
