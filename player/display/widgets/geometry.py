"""Describes a widget's box and alignment to QML."""

from __future__ import annotations

from msgspec.structs import asdict

from player.domain.documents.scene import Align, Widget
from player.domain.view import Locality


def geometry(widget: Widget) -> dict[str, object]:
    """The widget's box in canvas units, and its opacity."""
    return {"id": widget.id, **asdict(widget.box), "opacity": widget.opacity}


def mirrored(align: Align, locality: Locality) -> str:
    """The alignment of a text on this board."""
    if not locality.right_to_left or align is Align.CENTER:
        return str(align)
    return str(Align.RIGHT if align is Align.LEFT else Align.LEFT)
