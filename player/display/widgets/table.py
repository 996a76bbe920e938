"""The widgets of scenes: which view model has each, and how many a scene may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from player.display.widgets.clock import ClockViewModel
from player.display.widgets.countdown import CountdownViewModel
from player.display.widgets.grid import GridViewModel
from player.display.widgets.image import ImageViewModel
from player.display.widgets.item import ItemViewModel
from player.display.widgets.menu import MenuViewModel
from player.display.widgets.qr import QrViewModel
from player.display.widgets.shape import ShapeViewModel
from player.display.widgets.slideshow import SlideshowViewModel
from player.display.widgets.text import TextViewModel
from player.display.widgets.ticker import TickerViewModel
from player.display.widgets.widget import WidgetViewModel
from player.domain.documents import scene

if TYPE_CHECKING:
    from player.display.widgets.video import VideoWidgetViewModel


def _video() -> type[VideoWidgetViewModel]:
    # Qt Multimedia is loaded by the first scene with a film.
    from player.display.widgets.video import VideoWidgetViewModel

    return VideoWidgetViewModel


VIEW_MODELS: Mapping[type[scene.Widget], Callable[[], type[WidgetViewModel]]] = {
    scene.ClockWidget: lambda: ClockViewModel,
    scene.CountdownWidget: lambda: CountdownViewModel,
    scene.GridWidget: lambda: GridViewModel,
    scene.ImageWidget: lambda: ImageViewModel,
    scene.ItemWidget: lambda: ItemViewModel,
    scene.MenuWidget: lambda: MenuViewModel,
    scene.QrWidget: lambda: QrViewModel,
    scene.ShapeWidget: lambda: ShapeViewModel,
    scene.SlideshowWidget: lambda: SlideshowViewModel,
    scene.TextWidget: lambda: TextViewModel,
    scene.TickerWidget: lambda: TickerViewModel,
    scene.VideoWidget: _video,
}
