"""Builds views for the size of the window, and brings those built before up to date."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from PySide6.QtCore import QObject, QPoint, QRect, QSize

from menu.documents.manifest import VersionKey
from menu.documents.scene import Scene
from player.display.media.resources import Resources
from player.display.views.cards import HouseViewModel, PairingViewModel
from player.display.views.scene import SceneViewModel
from player.display.views.view_model import ViewModel
from player.display.window.panel import Mounting
from player.domain.view import HouseCard, PairingCard, SceneView, View


class ViewBuilder:
    """Builds the views of one stage, which adds them."""

    def __init__(
        self,
        resources: Resources,
        *,
        add: Callable[[ViewModel], None],
        size: Callable[[], tuple[int, int]],
        mounting: Mounting,
        parent: QObject,
    ) -> None:
        self._resources = resources
        self._add = add
        self._size = size
        self.mounting = mounting
        self._parent = parent
        self.building: tuple[VersionKey, str] | None = None
        """The scene that is being built; read from any thread."""

    def view(self, view: View, *, asynchronous: bool) -> ViewModel:
        """Builds the view and puts it on the stage."""
        match view:
            case SceneView():
                return self.scene(view, asynchronous=asynchronous)
            case PairingCard():
                model: ViewModel = PairingViewModel(view, self._resources, self._parent)
            case HouseCard():
                model = HouseViewModel(view, self._resources, self._parent)
            case _:
                assert_never(view)
        self._add(model)
        return model

    def scene(self, view: SceneView, *, asynchronous: bool) -> SceneViewModel:
        """Builds a scene's view, whose items QML may create between frames."""
        self.building = (view.key, view.scene.id)
        scene = SceneViewModel(
            view,
            self._resources,
            part=view.scene.part(self.mounting.place),
            pixels_per_unit=self._pixels_per_unit(view.scene),
            asynchronous=asynchronous,
            parent=self._parent,
        )
        self._add(scene)
        self.building = None
        return scene

    def _pixels_per_unit(self, scene: Scene) -> float:
        (width, height), part = self.mounting.room(*self._size()), scene.part(self.mounting.place)
        return min(width / part.width, height / part.height)

    def part_of(self, model: ViewModel, window: QRect) -> QRect:
        """Returns the area in which a view draws its author's content: a scene's part of its canvas; of a card, the
        whole window."""
        if not isinstance(model, SceneViewModel):
            return window
        scale = self._pixels_per_unit(model.scene)
        seen = QSize(int(model.canvas_part.width * scale), int(model.canvas_part.height * scale))
        turned = self.mounting.rotation % 180 != 0
        part = QRect(QPoint(), seen.transposed() if turned else seen)
        part.moveCenter(window.center())
        return part.intersected(window)

    def is_outdated(self, model: ViewModel) -> bool:
        """Whether it was built for another resolution or part of its canvas, or before files came that it lacks."""
        return isinstance(model, SceneViewModel) and (
            model.lacks_what_came
            or model.canvas_part != model.scene.part(self.mounting.place)
            or not model.suits(self._pixels_per_unit(model.scene))
        )

    def change_in_place(self, model: ViewModel, view: View) -> bool:
        """Changes a view in place; False if another has to replace it."""
        if model.has_failed:
            return False
        match model, view:
            case SceneViewModel(), SceneView() if model.shows(view):
                model.update_lists(view)
            case PairingViewModel(), PairingCard() if model.locality == view.locality:
                model.update(view)
            case HouseViewModel(), HouseCard():
                model.update(view)
            case _:
                return False
        return True

    def bring_up_to_date(self, model: ViewModel, view: View) -> bool:
        """Changes a view that is not displayed yet; False if another has to replace it."""
        return self.change_in_place(model, view) and not self.is_outdated(model)
