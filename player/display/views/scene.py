"""View model of a scene: describes its background, makes its widgets, and keeps them up to date."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import cast

from msgspec.structs import asdict, replace
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from menu.documents.box import Box
from menu.documents.scene import (
    Background,
    Fit,
    Gradient,
    ImageWidget,
    MenuWidget,
    Scene,
    SlideshowWidget,
    TextWidget,
    TickerWidget,
    VideoWidget,
    Widget,
)
from menu.text.wording import Locality
from player.display.layout.shares import share_letters
from player.display.media.asset_images import AssetImages
from player.display.media.font_files import SceneFonts
from player.display.media.resources import Resources
from player.display.qt.scene_graph import is_software
from player.display.qt.typed import qml_property, slot
from player.display.typography.contrast import backdrops, readable_theme
from player.display.typography.theme import ResolvedTheme, color, resolve_theme
from player.display.views.view_model import ViewModel, ViewPhase
from player.display.widgets.table import view_model_of
from player.display.widgets.text import MOST_TEXT_LETTERS
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel
from player.domain.playing.listings import fair_share
from player.domain.view import MenuListing, SceneView, is_never_flat

DECODE_SECONDS = 10.0
"""An image that takes longer to decode is reported; the scene shows without it before that."""
NO_PANEL = QColor("transparent")


class SceneViewModel(ViewModel):
    """One scene, built once; afterwards its widgets change in place."""

    def __init__(
        self,
        view: SceneView,
        resources: Resources,
        *,
        part: Box,
        pixels_per_unit: float,
        asynchronous: bool,
        parent: QObject,
    ) -> None:
        """`part` is the part of the canvas that this screen draws, with so many pixels per canvas unit."""
        super().__init__(
            "views/Scene.qml", asynchronous=asynchronous, right_to_left=view.locality.right_to_left, parent=parent
        )
        self.scene = view.scene
        self.canvas_part = part
        self.transition = view.scene.transition
        self._pixels_per_unit = pixels_per_unit
        self._locality = view.locality
        self._localities = view.localities
        self._assets = AssetImages(
            view.scene.id,
            asset_path=resources.asset_path,
            pixels_per_unit=pixels_per_unit,
            emit=resources.emit,
            is_first=not asynchronous,
        )
        # Before anything is measured in them.
        self._fonts = SceneFonts(view.scene, resources.fonts, report=self._report_font)
        self._monotonic = resources.monotonic
        self._patience = DECODE_SECONDS * resources.decoders.slowness
        self._decoding_since: float | None = None
        self._lacking = view.lacking
        self._has_come = False
        shared = WidgetContext(
            resources=resources,
            view=view,
            theme=resolve_theme((view.scene.theme,), locale=view.locality.locale),
            localities=(view.locality,),
            assets=self._assets,
            pixels_per_unit=pixels_per_unit,
            settle=self.settle,
            expect=self.expect,
            parent=self,
        )
        self._widgets = list(self._made(shared))
        self._base = {**describe_background(view.scene, self._assets), "part": asdict(part)}
        self.backdrop_color = cast("QColor", self._base["color"])
        self.update_lists(view)
        if self._base["image"] is not None:
            self.expect(BACKGROUND_PART)
        for widget in self._widgets:
            for name in widget.parts:
                self.expect(name)

    def _made(self, shared: WidgetContext) -> Iterator[WidgetViewModel]:
        """Creates the widgets' view models in drawing order, up to the bound of each kind in a scene."""
        count: Counter[type[WidgetViewModel]] = Counter()
        for widget in self.scene.widgets:
            is_picture = isinstance(widget, ImageWidget | VideoWidget | SlideshowWidget)
            if is_picture and not widget.box.overlaps(self.canvas_part):
                # Another screen of the board draws it: here it would take memory and a decoder.
                continue
            kind = view_model_of(type(widget))
            count[kind] += 1
            if kind.most is not None and count[kind] > kind.most:
                name = "QR codes" if kind.kind == "qr" else f"{kind.kind}s"
                self._assets.report(widget.id, f"{kind.kind}_too_many", f"a scene has at most {kind.most} {name}")
                continue
            localities = self._localities.get(widget.id, (self._locality,))
            theme = self._theme(widget, kind, localities[0])
            yield kind(widget, replace(shared, theme=theme, localities=localities))

    @property
    def holds_film(self) -> bool:
        """Whether it has a video, or a slideshow with one."""
        return any(widget.holds_film for widget in self._widgets)

    @property
    def is_cacheable(self) -> bool:
        """Whether it may be kept while others show: not with failed images, which a new one tries again, nor with a
        video, which holds a decoder."""
        return not self.holds_film and self._assets.all_drawable

    @property
    def pixels(self) -> int:
        """Decoded pixels of its images."""
        return self._assets.pixels

    def suits(self, pixels_per_unit: float) -> bool:
        """Whether a new one for this resolution would be the same: images are decoded for the pixels of the display."""
        return pixels_per_unit == self._pixels_per_unit or not (
            self._assets.pixels or any(widget.is_drawn_for_pixels for widget in self._widgets)
        )

    def shows(self, view: SceneView) -> bool:
        """Whether it shows the scene of `view`, so that it can change in place."""
        same_languages = (self._locality, self._localities) == (view.locality, view.localities)
        return same_languages and self.scene == view.scene

    @property
    def lacks_what_came(self) -> bool:
        """Whether one of its parts has failed and a missing file has arrived since: a new scene draws it."""
        return self._has_come and not self._assets.all_drawable

    def update_lists(self, view: SceneView) -> None:
        self._has_come |= bool(self._lacking - view.lacking)
        self._lacking |= view.lacking
        self.is_never_flat = is_never_flat(view, self.canvas_part)
        menus, texts = list[MenuListing](), list[int]()
        for widget in view.scene.widgets:
            if isinstance(widget, MenuWidget):
                menus.append(view.menus.get(widget.id, MenuListing(sections=())))
            elif isinstance(widget, TextWidget | TickerWidget):
                texts.append(len(widget.text))
        shares = Shares(
            menu=share_letters(menus),
            description=fair_share([len(row.description) for row in view.items.values()], MOST_TEXT_LETTERS),
            text=fair_share(texts, MOST_TEXT_LETTERS),
        )
        for model in self._widgets:
            model.update(view, shares)
        for kind in {type(model) for model in self._widgets}:
            kind.share_size(self._widgets)

    def set_phase(self, phase: ViewPhase) -> None:
        """Enters the phase; pages turn only on the display."""
        super().set_phase(phase)
        seen, on_glass = phase in {ViewPhase.ENTERING, ViewPhase.SHOWING}, phase is not ViewPhase.PREPARING
        # Without a GPU a fade has no time and no memory for a film that plays.
        plays = on_glass and not (phase is ViewPhase.ENTERING and is_software())
        for widget in self._widgets:
            widget.enter_phase(seen=seen, on_glass=on_glass, plays=plays)

    @property
    def wants_ticks(self) -> bool:
        """Whether a widget needs ticks, or an image that may be slow is being decoded."""
        if self._on_glass and self._fonts.is_on_trial:
            return True
        return bool(self.unsettled) or any(widget.wants_ticks for widget in self._widgets)

    def tick(self) -> None:
        """Update clocks, turn pages and check that videos play."""
        monotonic = self._monotonic()
        if self._on_glass:
            self._fonts.tick(monotonic)
        for widget in self._widgets:
            widget.tick()
        if self._decoding_since is None:
            self._decoding_since = monotonic
        elif monotonic - self._decoding_since >= self._patience:
            for part in self.unsettled - {widget.part for widget in self._widgets if widget.is_patient}:
                self._assets.report(part, "asset_slow", f"it is not decoded after {self._patience:.0f} s")
                self.settle(part)

    @slot()
    def built(self) -> None:
        """Starts video drawing: QML has created the scene's items."""
        for widget in self._widgets:
            widget.built()
        super().built()

    def freeze_films(self) -> None:
        """Closes its decoders, in the order of `release`, and leaves the last frames on the display."""
        for widget in reversed(self._widgets):
            widget.freeze_films()

    def release(self) -> None:
        """Releases the decoders and fonts; first the videos that wait for one, or they would get it now."""
        for widget in reversed(self._widgets):
            widget.release()
        self._fonts.release()

    @slot(str, bool)
    def imageSettled(self, part: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """Called by QML when it has decoded the image of a part, or failed to."""
        if not drawn:
            self._assets.report(part, "asset_undecodable", "the image could not be decoded")
        self.settle(part)

    def settle(self, part: str) -> None:
        """Records that this part has loaded or failed. One that fails only now, with the same file as before, needs a
        new scene."""
        super().settle(part)
        if self.lacks_what_came:
            self.outdated.emit()

    @property
    def _on_glass(self) -> bool:
        return self.current_phase in {ViewPhase.ENTERING, ViewPhase.SHOWING}

    def _report_font(self, part: str, digest: str, code: str, detail: str) -> None:
        self._assets.note(part, digest)
        self._assets.report(part, code, detail)

    def _theme(self, widget: Widget, kind: type[WidgetViewModel], locality: Locality) -> ResolvedTheme:
        """Resolves the widget's theme, its text in readable colours where the backdrop is known."""
        themes = self.scene.theme, widget.theme
        theme = resolve_theme(themes, locale=locality.locale, right_to_left=locality.right_to_left)
        if not (colors := kind.text_colors(widget)):
            return theme
        panel = theme.panel if kind.in_panel else NO_PANEL
        large = kind.is_large(widget, (self.scene.width, self.scene.height), theme.scale)
        behind = backdrops(self.scene, widget, panel)
        theme, changed = readable_theme(theme, behind, text_colors=tuple(colors), large=large)
        if changed:
            self._assets.report(widget.id, "contrast_low", "; ".join(changed))
        return theme

    base = qml_property("QVariantMap", lambda self: self._base)
    widgets = qml_property("QVariantList", lambda self: self._widgets)


BACKGROUND_PART = "background"


def describe_background(scene: Scene, images: AssetImages) -> dict[str, object]:
    """Describes the canvas and its background to QML."""
    background = scene.background
    gradient, asset = background.gradient, background.asset
    return {
        "width": scene.width,
        "height": scene.height,
        # The area around the canvas has the gradient's first colour, so that a light scene gets no dark bars.
        "color": color(gradient.start if gradient else background.color, Background().color),
        "gradient": _describe_gradient(gradient, scene) if gradient else None,
        "image": images.plan(BACKGROUND_PART, asset, scene.width, scene.height, fit=background.fit) if asset else None,
        "bleeds": background.fit is not Fit.CONTAIN,
        # Larger than 1.25 of the canvas, the cut of an image that covers the panel would surprise.
        "mostReach": 1.25,
        "scrim": color(background.scrim, "#00000000"),
    }


def _describe_gradient(gradient: Gradient, scene: Scene) -> dict[str, object]:
    """Returns the angle, and the length at which the ends touch the canvas's corners."""
    angle = math.radians(gradient.angle)
    across, down = abs(math.cos(angle)), abs(math.sin(angle))
    return {
        "from": color(gradient.start, scene.background.color),
        "to": color(gradient.end, scene.background.color),
        "angle": gradient.angle,
        "length": scene.width * across + scene.height * down,
    }
