"""Owns a scene as QML sees it: background and widgets described, menus and clocks kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QColor

from player.display.asset_images import AssetImages
from player.display.background_view import BACKGROUND_PART, describe_background
from player.display.clock_view import ClockViewModel
from player.display.look import Look, resolve_look
from player.display.menu_view import MenuViewModel
from player.display.picture_view import Phase, PictureViewModel
from player.display.place import place
from player.display.qml_property import qml_property
from player.display.text_view import describe_text
from player.domain.events import PartUndrawable
from player.domain.picture import MenuListing, ScenePicture
from player.domain.scene import ClockWidget, ImageWidget, MenuWidget, TextWidget, Transition

NOTHING_LISTED = MenuListing(sections=())
MOST_PIXELS_PUT_BY = 1920 * 1080
"""Of images in a scene that is put by: 8 MB. A scene with more is made anew each time."""


class SceneViewModel(PictureViewModel):
    """One scene, built once; afterwards only its menus and clocks change."""

    def __init__(
        self,
        picture: ScenePicture,
        *,
        asset_path: Callable[[str], Path],
        pixels_a_unit: float,
        emit: Callable[[PartUndrawable], None],
        now: datetime,
        patient: bool,
        parent: QObject,
    ) -> None:
        super().__init__("Scene.qml", patient=patient, parent=parent)
        self._scene = picture.scene
        self._locality = picture.locality
        self._assets = AssetImages(picture.scene.id, asset_path=asset_path, pixels_a_unit=pixels_a_unit, emit=emit)
        self._menus: dict[str, MenuViewModel] = {}
        self._clocks: list[ClockViewModel] = []
        self._texts: list[dict[str, object]] = []
        self._images: list[dict[str, object]] = []
        for z, widget in enumerate(picture.scene.widgets, start=1):
            look = resolve_look((picture.scene.theme, widget.theme), locale=picture.locality.locale)
            match widget:
                case MenuWidget():
                    self._menus[widget.id] = self._menu(widget, look, z)
                case TextWidget():
                    self._texts.append(describe_text(widget, look, z, self._locality))
                case ImageWidget():
                    self._images.append(self._image(widget, look, z))
                case ClockWidget():
                    self._clocks.append(
                        ClockViewModel(widget, look=look, z=z, locality=self._locality, now=now, parent=self)
                    )
                case _:
                    assert_never(widget)
        self._base = describe_background(picture.scene, self._assets)
        if self._base["image"] is not None:
            self.expect(BACKGROUND_PART)
        self.update_menus(picture)

    @property
    def transition(self) -> Transition:
        """How the scene says that it comes in."""
        return self._scene.transition

    @property
    def may_return(self) -> bool:
        """Whether it is worth keeping while others show. Images that failed are tried again with a new one."""
        return self._assets.all_drawable and self._assets.pixels <= MOST_PIXELS_PUT_BY

    def shows(self, picture: ScenePicture) -> bool:
        """Whether this is that picture's scene, so that it can change in place."""
        return self._locality == picture.locality and self._scene == picture.scene

    def update_menus(self, picture: ScenePicture) -> None:
        """List what the picture lists, in place."""
        for widget_id, menu in self._menus.items():
            menu.show_listing(picture.menus.get(widget_id, NOTHING_LISTED))

    def set_phase(self, phase: Phase) -> None:
        """Move on; pages turn only on the glass."""
        super().set_phase(phase)
        for menu in self._menus.values():
            menu.set_on_glass(phase in {Phase.ENTERING, Phase.SHOWING})
            if phase is Phase.PREPARING:
                menu.rewind()

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """Let the clocks go on."""
        del monotonic
        for clock in self._clocks:
            clock.tick(wall)

    @Slot(str, bool)
    def imageSettled(self, part: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """QML has decoded the image of a part, or could not."""
        if not drawn:
            self._assets.report(part, "asset_undecodable", "the image could not be decoded")
        self.settle(part)

    def _menu(self, widget: MenuWidget, look: Look, z: int) -> MenuViewModel:
        return MenuViewModel(
            widget,
            look=look,
            z=z,
            locality=self._locality,
            picture_of=partial(self._assets.plan, widget.id),
            parent=self,
        )

    def _image(self, widget: ImageWidget, look: Look, z: int) -> dict[str, object]:
        box, focus = widget.box, (widget.focus_x, widget.focus_y)
        plan = self._assets.plan(widget.id, widget.asset, box.width, box.height, fit=widget.fit, focus=focus)
        if plan is not None:
            self.expect(widget.id)
        calm = QColor(look.text)
        calm.setAlphaF(0.06)
        return {**place(widget, z), "image": plan, "calm": look.panel if look.panel.alpha() else calm}

    base = qml_property("QVariantMap", lambda self: self._base)
    menus = qml_property("QVariantList", lambda self: list(self._menus.values()))
    texts = qml_property("QVariantList", lambda self: self._texts)
    images = qml_property("QVariantList", lambda self: self._images)
    clocks = qml_property("QVariantList", lambda self: self._clocks)
