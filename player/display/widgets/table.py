"""Widgets of scenes: the view model of each. A start loads only those that its first scene has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from menu.documents import scene

if TYPE_CHECKING:
    from player.display.widgets.widget import WidgetViewModel

VIEW_MODELS: Mapping[type[scene.Widget], str] = {
    scene.ClockWidget: "clock.ClockViewModel",
    scene.CountdownWidget: "countdown.CountdownViewModel",
    scene.GridWidget: "grid.GridViewModel",
    scene.ImageWidget: "image.ImageViewModel",
    scene.ItemWidget: "item.ItemViewModel",
    scene.MenuWidget: "menu.MenuViewModel",
    scene.QrWidget: "qr.QrViewModel",
    scene.ShapeWidget: "shape.ShapeViewModel",
    scene.SlideshowWidget: "slideshow.SlideshowViewModel",
    scene.TextWidget: "text.TextViewModel",
    scene.TickerWidget: "ticker.TickerViewModel",
    scene.VideoWidget: "video.VideoViewModel",
}
"""Module and class, in this folder."""


def view_model_of(widget: type[scene.Widget]) -> type[WidgetViewModel]:
    module, _, name = VIEW_MODELS[widget].partition(".")
    kind: type[WidgetViewModel] = getattr(import_module(f"player.display.widgets.{module}"), name)
    return kind
