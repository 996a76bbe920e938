"""Owns a scene as QML sees it: background and widgets described, menus and clocks kept up to date."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QColor, QFont

from player.display import text_fit
from player.display.clock_view import ClockViewModel
from player.display.image_plan import ImagePlan, ImageRefused, plan_image
from player.display.look import Face, Look, color, resolve_look
from player.display.menu_view import MenuViewModel
from player.display.picture_view import Phase, PictureViewModel
from player.display.qml_property import qml_property
from player.display.text_fit import fit_text
from player.domain.events import PartUndrawable
from player.domain.picture import Locality, MenuListing, ScenePicture
from player.domain.scene import (
    Align,
    Background,
    Box,
    ClockWidget,
    Fit,
    ImageWidget,
    MenuWidget,
    Scene,
    TextRole,
    TextWidget,
    Transition,
    VerticalAlign,
)

BACKGROUND_PART = "background"
NOTHING_LISTED = MenuListing(sections=())


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
        self._asset_path = asset_path
        self._pixels_a_unit = pixels_a_unit
        self._emit = emit
        self._undrawable: set[str] = set()
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
                    self._texts.append(self._text(widget, look, z))
                case ImageWidget():
                    self._images.append(self._image(widget, look, z))
                case ClockWidget():
                    self._clocks.append(
                        ClockViewModel(widget, look=look, z=z, locality=self._locality, now=now, parent=self)
                    )
                case _:
                    assert_never(widget)
        self._base = self._background(picture.scene)
        self.update_menus(picture)

    @property
    def transition(self) -> Transition:
        """How the scene says that it comes in."""
        return self._scene.transition

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

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """Let the clocks go on."""
        del monotonic
        for clock in self._clocks:
            clock.tick(wall)

    @Slot(str, bool)
    def imageSettled(self, part: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """QML has decoded the image of a part, or could not."""
        if not drawn:
            self._report(part, "asset_undecodable", "the image could not be decoded")
        self.settle(part)

    def _menu(self, widget: MenuWidget, look: Look, z: int) -> MenuViewModel:
        return MenuViewModel(
            widget,
            look=look,
            z=z,
            locality=self._locality,
            picture_of=partial(self._thumbnail, widget.id),
            parent=self,
        )

    def _text(self, widget: TextWidget, look: Look, z: int) -> dict[str, object]:
        face, ink = _role_face(widget.role, look, bold=widget.bold)
        box = widget.box
        fitted = fit_text(
            widget.text,
            ruler=face,
            width=box.width,
            height=box.height,
            size=None if widget.size is None else widget.size * look.scale,
        )
        spare = box.height - fitted.height
        top = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: spare / 2, VerticalAlign.BOTTOM: spare}
        return {
            **_place(widget.id, box, z, widget.opacity),
            "text": "\n".join(fitted.lines),
            "font": face.font(fitted.size),
            "color": ink,
            "align": mirrored(widget.align, self._locality),
            "baseline": top[widget.vertical_align] + text_fit.BASELINE * fitted.size,
            "line": text_fit.LINE * fitted.size,
        }

    def _image(self, widget: ImageWidget, look: Look, z: int) -> dict[str, object]:
        focus = (widget.focus_x, widget.focus_y)
        plan = self._plan_image(widget.id, widget.asset, widget.box, widget.fit, focus)
        calm = QColor(look.text)
        calm.setAlphaF(0.06)
        return {
            **_place(widget.id, widget.box, z, widget.opacity),
            "image": plan,
            "calm": look.panel if look.panel.alpha() else calm,
        }

    def _background(self, scene: Scene) -> dict[str, object]:
        background = scene.background
        base: dict[str, object] = {
            "width": scene.width,
            "height": scene.height,
            # What the canvas leaves free takes the gradient's first colour, so that a light scene gets no dark bars.
            "color": color(background.gradient.start if background.gradient else background.color, Background().color),
            "gradient": None,
            "image": None,
            "scrim": color(background.scrim, "#00000000"),
        }
        if background.gradient is not None:
            base["gradient"] = _gradient(background, scene)
        if background.asset is not None:
            box = Box(x=0.0, y=0.0, width=scene.width, height=scene.height)
            base["image"] = self._plan_image(BACKGROUND_PART, background.asset, box, background.fit, (0.5, 0.5))
        return base

    def _plan_image(
        self, part: str, asset: str, box: Box, fit: Fit, focus: tuple[float, float]
    ) -> dict[str, object] | None:
        plan = plan_image(
            self._asset_path(asset),
            width=box.width,
            height=box.height,
            fit=fit,
            focus=focus,
            pixels_a_unit=self._pixels_a_unit,
        )
        match plan:
            case ImagePlan():
                self.expect(part)
                return plan.describe()
            case ImageRefused():
                self._report(part, plan.code, plan.detail)
                return None
            case _:
                assert_never(plan)

    def _thumbnail(self, part: str, asset: str, width: float, height: float) -> Mapping[str, object] | None:
        plan = plan_image(self._asset_path(asset), width=width, height=height, pixels_a_unit=self._pixels_a_unit)
        match plan:
            case ImagePlan():
                return plan.describe()
            case ImageRefused():
                self._report(part, plan.code, plan.detail)
                return None
            case _:
                assert_never(plan)

    def _report(self, part: str, code: str, detail: str) -> None:
        if part not in self._undrawable:
            self._undrawable.add(part)
            self._emit(PartUndrawable(subject=f"{self._scene.id}/{part}", code=code, detail=detail))

    base = qml_property("QVariantMap", lambda self: self._base)
    menus = qml_property("QVariantList", lambda self: list(self._menus.values()))
    texts = qml_property("QVariantList", lambda self: self._texts)
    images = qml_property("QVariantList", lambda self: self._images)
    clocks = qml_property("QVariantList", lambda self: self._clocks)


def mirrored(align: Align, locality: Locality) -> str:
    """The side that a text keeps to on this board."""
    if not locality.right_to_left or align is Align.CENTER:
        return str(align)
    return str(Align.RIGHT if align is Align.LEFT else Align.LEFT)


def _place(widget_id: str, box: Box, z: int, opacity: float) -> dict[str, object]:
    return {
        "id": widget_id,
        "x": box.x,
        "y": box.y,
        "width": box.width,
        "height": box.height,
        "z": z,
        "opacity": opacity,
    }


def _role_face(role: TextRole, look: Look, *, bold: bool) -> tuple[Face, QColor]:
    weight = QFont.Weight
    match role:
        case TextRole.BODY:
            return Face(look.body_families, weight.Bold if bold else weight.Normal), look.text
        case TextRole.TITLE:
            return Face(look.title_families, weight.ExtraBold if bold else weight.DemiBold), look.text
        case TextRole.ACCENT:
            return Face(look.body_families, weight.Bold if bold else weight.Medium), look.accent
        case _:
            assert_never(role)


def _gradient(background: Background, scene: Scene) -> dict[str, object]:
    """A rectangle, turned by the angle, that is just long enough for its ends to touch the canvas's corners."""
    gradient = background.gradient
    if gradient is None:
        return {}
    turn = math.radians(gradient.angle)
    across, down = abs(math.cos(turn)), abs(math.sin(turn))
    return {
        "from": color(gradient.start, background.color),
        "to": color(gradient.end, background.color),
        "angle": gradient.angle,
        "length": scene.width * across + scene.height * down,
        "breadth": scene.width * down + scene.height * across,
    }
