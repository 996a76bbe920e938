"""View model of a shape widget."""

from __future__ import annotations

from player.display.typography.theme import color
from player.display.widgets.widget import WidgetContext, WidgetViewModel, geometry
from player.domain.documents.scene import ShapeKind, ShapeWidget


class ShapeViewModel(WidgetViewModel):
    """One shape; `line` means a thickness of at least one pixel of the display."""

    file_name = "ShapeWidget.qml"

    def __init__(self, widget: ShapeWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._facts = {
            **geometry(widget),
            "color": color(widget.color, "#00000000"),
            "radius": min(widget.radius, widget.box.width / 2, widget.box.height / 2),
            "line": widget.shape is ShapeKind.LINE,
        }
