"""Icons of tags: our own drawings, lines of one weight on a grid of 24 units, in any colour and size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from player.display.layout.badges import ICON_GRID, ICON_STEP

PROVIDER = "tag"
STROKE, CLEARED = 2.0, 5.2
MOST_PIXELS = 512
"""Pixels of an icon's height; a larger one is scaled up."""

_DRAWINGS = {
    "vegetarian": "M5 20 C3.5 10.5 9 4.5 20 4 C20.5 14 15.5 19.5 7 18 M5 20 C7.5 15.5 10.5 12.5 14.5 10.5",
    "vegan": "M3 7 L9.5 20 C10 15 11 12 13 10 M13 10 C12 6 15 3.5 21 3.5 C21.5 9 18.5 12 13 10 Z",
    "spicy": "M15.5 7 C18.5 7 19.5 9.5 18.2 12.5 C16 17.5 10.5 20.5 4 20 C9 18.5 11 15 11.2 11 C11.4 8.6 13 7"
    " 15.5 7 Z M15.5 7 C15.3 5 16.2 3.4 18.4 3",
    "gluten_free": "M12 21.5 L12 8 M12 9 C8.6 8.8 7.4 6.8 7.6 4 C10.6 4.2 12 6 12 9 C12 6 13.4 4.2 16.4 4 C16.6 6.8"
    " 15.4 8.8 12 9 M12 16.5 C8.6 16.3 7.4 14.3 7.6 11.5 C10.6 11.7 12 13.5 12 16.5 C12 13.5 13.4 11.7"
    " 16.4 11.5 C16.6 14.3 15.4 16.3 12 16.5 / M3 3.5 L21 20.5",
    "lactose_free": "M9.5 3 L14.5 3 L14.5 7 L17 11 L17 21 L7 21 L7 11 L9.5 7 Z M7 13.5 L17 13.5 / M3 3.5 L21 20.5",
    "new": "M12 2.5 C12.9 8.8 15.2 11.1 21.5 12 C15.2 12.9 12.9 15.2 12 21.5 C11.1 15.2 8.8 12.9 2.5 12 C8.8"
    " 11.1 11.1 8.8 12 2.5 Z",
    "special": "M12 2.8 L14.9 8.9 L21.6 9.7 L16.7 14.3 L18 21 L12 17.7 L6 21 L7.3 14.3 L2.4 9.7 L9.1 8.9 Z",
    "halal": "M15.5 3.6 C9 2.6 3.5 6.8 3.5 12.4 C3.5 17.4 7.6 21 12.6 21 C16 21 18.8 19.4 20.4 16.8 C14.6 18.4"
    " 9.8 15.2 9.8 10.4 C9.8 7.4 12 4.8 15.5 3.6 Z M17.6 5.2 L18.4 7.5 L20.8 7.5 L18.9 9.0 L19.6 11.4"
    " L17.6 10.0 L15.6 11.4 L16.3 9.0 L14.4 7.5 L16.8 7.5 Z",
    "kosher": "M12 2.5 L20.4 17 L3.6 17 Z M12 21.5 L3.6 7 L20.4 7 Z",
    "nuts": "M4.5 10.5 C4.5 6.4 7.6 4.5 12 4.5 C16.4 4.5 19.5 6.4 19.5 10.5 Z M6 10.5 C6 15.5 8.6 19.2 12"
    " 21.2 C15.4 19.2 18 15.5 18 10.5 M12 4.5 L12.6 2.2",
    "fish": "M2.5 12 C5.5 6.6 12 5.8 16.4 12 C12 18.2 5.5 17.4 2.5 12 Z M16.4 12 L21.5 7 L21.5 17 Z M7.4 11.2"
    " L7.5 11.2",
    "organic": "M12 21.5 L12 11.5 M12 15 C12 10.6 8.6 7.6 3 7.6 C3 12.4 6.4 15.4 12 15 M12 11.5 C12 6.8 15.4 3.6"
    " 21 3.2 C21.2 8.4 17.8 11.6 12 11.5",
    "vegetarian_mark": "M3 3 L21 3 L21 21 L3 21 Z M16 12 C16 17.4 8 17.4 8 12 C8 6.6 16 6.6 16 12 Z M14 12 C14 14.8 10"
    " 14.8 10 12 C10 9.2 14 9.2 14 12 Z M12.2 12 L11.8 12",
    "alcohol_free": "M6.8 3.5 L17.2 3.5 C18 9.8 16 13.2 12 13.2 C8 13.2 6 9.8 6.8 3.5 Z M12 13.2 L12 20.8 M8 20.8 L16"
    " 20.8 / M3 3.5 L21 20.5",
}
"""By icon. What follows a stroke crosses the rest out, with a gap on both sides."""
LEAF, CHILLI = "#2E9E4F", "#D63A2B"
ICON_COLORS = {
    **dict.fromkeys(("vegetarian", "vegan", "organic"), LEAF),
    **dict.fromkeys(("spicy", "spicy2", "spicy3"), CHILLI),
}
"""The colours of what has one of its own; other icons have the accent's."""
VEGETARIAN_MARK = "vegetarian_mark"
"""India's green dot in a square: Food Safety and Standards (Labelling and Display) Regulations, 2020."""


def tag_icon_named(name: str) -> QImage:
    """Draws the icon of `image://tag/<icon>/<aarrggbb>/<pixels high>`."""
    icon, color, pixels = name.split("/")
    return tag_icon(icon, color, min(MOST_PIXELS, max(1, int(pixels))))


def drawing_of(icon: str, locale: str) -> str:
    """Returns the drawing of an icon where the locale's country has one of its own."""
    return VEGETARIAN_MARK if icon == "vegetarian" and locale.endswith("-IN") else icon


@lru_cache(64)
def tag_icon(icon: str, color: str, pixels: int) -> QImage:
    """Draws an icon of this height on a transparent ground; chillies stand side by side."""
    name, count = (icon.rstrip("23"), int(icon[-1])) if icon[-1] in "23" else (icon, 1)
    scale = pixels / ICON_GRID
    image = QImage(
        max(1, round(scale * (ICON_GRID + (count - 1) * ICON_STEP))), pixels, QImage.Format.Format_ARGB32_Premultiplied
    )
    image.fill(0)
    drawn, _, crossing = _DRAWINGS[name].partition("/")
    path, bar = _path(drawn), _path(crossing)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    pen = QPen(QColor(f"#{color}"), STROKE)
    pen.setCapStyle(pen.capStyle().RoundCap)
    pen.setJoinStyle(pen.joinStyle().RoundJoin)
    for number in range(count):
        painter.strokePath(path.translated(QPointF(number * ICON_STEP, 0)), pen)
    if crossing:
        gap = QPen(pen)
        gap.setWidthF(CLEARED)
        painter.setCompositionMode(painter.CompositionMode.CompositionMode_Clear)
        painter.strokePath(bar, gap)
        painter.setCompositionMode(painter.CompositionMode.CompositionMode_SourceOver)
        painter.strokePath(bar, pen)
    painter.end()
    return image


def _path(drawing: str) -> QPainterPath:
    """Parses a drawing: moves, lines and curves with absolute coordinates."""
    path, tokens = QPainterPath(), iter(re.findall(r"[MLCZ]|-?\d+(?:\.\d+)?", drawing))
    for token in tokens:
        match token:
            case "M":
                path.moveTo(_point(tokens))
            case "L":
                path.lineTo(_point(tokens))
            case "C":
                path.cubicTo(_point(tokens), _point(tokens), _point(tokens))
            case _:
                path.closeSubpath()
    return path


def _point(tokens: Iterator[str]) -> QPointF:
    return QPointF(float(next(tokens)), float(next(tokens)))
