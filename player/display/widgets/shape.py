"""Describes a shape widget to QML."""

from __future__ import annotations

from player.display.typography.theme import color
from player.display.widgets.geometry import geometry
from player.domain.documents.scene import ShapeKind, ShapeWidget


def describe_shape(widget: ShapeWidget, z: int) -> dict[str, object]:
    """The widget for QML; `line` means a thickness of at least one pixel of the display."""
    box = widget.box
    return {
        **geometry(widget, z),
        "color": color(widget.color, "#00000000"),
        "radius": min(widget.radius, box.width / 2, box.height / 2),
        "line": widget.shape is ShapeKind.LINE,
    }
