"""Owns a shape widget as QML sees it."""

from __future__ import annotations

from player.display.typography.theme import color
from player.display.widgets.geometry import geometry
from player.domain.scene import ShapeKind, ShapeWidget


def describe_shape(widget: ShapeWidget, z: int) -> dict[str, object]:
    """The widget for QML; `line` asks for at least one whole pixel of the display across."""
    box = widget.box
    return {
        **geometry(widget, z),
        "color": color(widget.color, "#00000000"),
        "radius": min(widget.radius, box.width / 2, box.height / 2),
        "line": widget.shape is ShapeKind.LINE,
    }
