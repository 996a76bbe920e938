"""View model of an image widget."""

from __future__ import annotations

from collections.abc import Sequence

from menu.documents.scene import ImageWidget
from player.display.typography.theme import placeholder_color
from player.display.widgets.widget import WidgetContext, WidgetViewModel, geometry


class ImageViewModel(WidgetViewModel):
    file_name = "ImageWidget.qml"

    def __init__(self, widget: ImageWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        box = widget.box
        self._plan = context.assets.plan(
            widget.id, widget.asset, box.width, box.height, fit=widget.fit, focus=widget.focus
        )
        self._facts = {**geometry(widget), "image": self._plan, "placeholder": placeholder_color(context.theme)}

    @property
    def parts(self) -> Sequence[str]:
        return (self.part,) if self._plan is not None else ()
