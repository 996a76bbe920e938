"""Describes a widget's box and alignment to QML."""

from __future__ import annotations

from player.domain.documents.scene import Align, Box, Widget
from player.domain.view import Locality


def geometry(widget: Widget) -> dict[str, object]:
    """The widget's box in canvas units, and its opacity."""
    box = widget.box
    return {
        "id": widget.id,
        "x": box.x,
        "y": box.y,
        "width": box.width,
        "height": box.height,
        "opacity": widget.opacity,
    }


def mirrored(align: Align, locality: Locality) -> str:
    """The alignment of a text on this board."""
    if not locality.right_to_left or align is Align.CENTER:
        return str(align)
    return str(Align.RIGHT if align is Align.LEFT else Align.LEFT)


def box_map(box: Box) -> dict[str, float]:
    """A box for QML."""
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
