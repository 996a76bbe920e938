"""Puts the boards of each choice of columns into one image."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from menu.documents.scene import MAX_COLUMNS, ListWidget, Scene

IN_A_ROW = 3
PAPER, INK = QColor("#E8E8E8"), QColor("#202020")


def choices(scene: Scene) -> tuple[int | None, ...]:
    """Returns the numbers of columns that all menus and grids of a scene may have, None for automatic; none without
    such."""
    has_list = any(isinstance(widget, ListWidget) for widget in scene.widgets)
    return (None, *range(1, MAX_COLUMNS + 1)) if has_list else ()


def with_columns(scene: Scene, columns: int | None) -> Scene:
    """Returns the scene with so many columns in all menus and grids."""
    widgets = (replace(one, columns=columns) if isinstance(one, ListWidget) else one for one in scene.widgets)
    return replace(scene, widgets=tuple(widgets))


def name_of(columns: int | None) -> str:
    """Returns a choice as it is written in a scene."""
    return f"columns: {columns or 'auto'}"


def sheet(boards: Sequence[tuple[str, QImage]]) -> QImage:
    """Draws the boards of one size in rows, each below its name."""
    width, height = boards[0][1].width(), boards[0][1].height()
    heading = round(0.1 * height)
    gap, rows = heading // 2, -(-len(boards) // IN_A_ROW)
    image = QImage(IN_A_ROW * (width + gap) - gap, rows * (heading + height), QImage.Format.Format_RGB32)
    image.fill(PAPER)
    painter = QPainter(image)
    font = painter.font()
    font.setPixelSize(max(1, heading // 2))
    painter.setFont(font)
    painter.setPen(INK)
    for number, (name, board) in enumerate(boards):
        x, y = number % IN_A_ROW * (width + gap), number // IN_A_ROW * (heading + height)
        painter.drawText(QRect(x, y, width, heading), Qt.AlignmentFlag.AlignCenter, name)
        painter.drawImage(x, y + heading, board)
    painter.end()
    return image
