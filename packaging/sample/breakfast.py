"""Cappuccino and a croissant on a walnut table."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from brushes import disc, light, plate, shade, soft, wood
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPen, QRadialGradient


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
