"""View model of a scene: describes background and widgets, and keeps menus, items and clocks up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never, cast

from msgspec.structs import replace
from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QColor

from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.page_turns import ResumePages
from player.display.layout.portions import share_letters
from player.display.media.asset_images import AssetImages
from player.display.media.crash_guard import CrashGuard
from player.display.media.decoders import Decoders
from player.display.qt.qml_property import qml_property
from player.display.qt.scene_graph import is_software
from player.display.qt.slot import slot
from player.display.typography.contrast import TEXT_COLORS, backdrops, readable_theme
from player.display.typography.theme import ResolvedTheme, placeholder_color, resolve_theme
from player.display.views.background import BACKGROUND_PART, describe_background
from player.display.views.view_model import ViewModel, ViewPhase
from player.display.widgets.clock import ClockViewModel
from player.display.widgets.countdown import CountdownViewModel
from player.display.widgets.geometry import geometry
from player.display.widgets.grid import GridViewModel
from player.display.widgets.item import ItemViewModel
from player.display.widgets.live_facts import LiveFacts
from player.display.widgets.menu import MenuViewModel
from player.display.widgets.paged_list import ListContext
from player.display.widgets.qr import describe_qr
from player.display.widgets.shape import describe_shape
from player.display.widgets.slideshow import SlideshowViewModel
from player.display.widgets.text import describe_text
from player.display.widgets.ticker import describe_ticker
from player.domain.documents.scene import (
    ClockWidget,
    CountdownWidget,
    GridWidget,
    ImageWidget,
    ItemWidget,
    ListWidget,
    MenuWidget,
    QrWidget,
    Scene,
    ShapeWidget,
    SlideshowWidget,
    TextRole,
    TextWidget,
    TickerWidget,
    Transition,
    VideoWidget,
    Widget,
)
from player.domain.events import WidgetDrawn, WidgetUndrawable
from player.domain.menu.fair_share import fair_share
from player.domain.menu.languages import lack_of_names
from player.domain.view import Locality, MenuListing, MenuRow, SceneView, is_never_flat
from player.domain.words.phrase import phrase

if TYPE_CHECKING:
    from player.display.widgets.video import VideoViewModel

DECODE_SECONDS = 10.0
"""An image that takes longer to decode is reported; the scene shows without it before that."""
NO_PANEL = QColor("transparent")
EMPTY_LISTING = MenuListing(sections=())
MOST_TEXT_LETTERS = 20_000
"""Letters of the texts and tickers of a scene; it takes a quarter of a second to find the sizes at which they fit."""
MOST_CODES = 12
"""QR codes of a scene; a long one takes a fifth of a second to draw."""
MOST_GRIDS = 6
"""Grids of a scene; one with as many cards as it may have takes up to a twentieth of a second to lay out."""
MOST_SLIDESHOWS = 4
"""Slideshows of a scene: each may have two images in memory, and fade one of them."""
MOST_COUNTDOWNS = 12
"""Countdowns of a scene: each is measured and drawn anew every second."""


class SceneViewModel(ViewModel):
    """One scene, built once; afterwards only its menus, items and clocks change."""

    holdsImagesChanged = Signal()

    def __init__(
        self,
        view: SceneView,
        *,
        asset_path: Callable[[str], Path],
        pixels_per_unit: float,
        emit: Callable[[WidgetUndrawable | WidgetDrawn], None],
        decoders: Decoders,
        crash_guard: CrashGuard,
        now: datetime,
        monotonic: Callable[[], float],
        resume_pages: ResumePages,
        asynchronous: bool,
        parent: QObject,
    ) -> None:
        super().__init__(
            "views/Scene.qml", asynchronous=asynchronous, right_to_left=view.locality.right_to_left, parent=parent
        )
        self._scene = view.scene
        self._pixels_per_unit = pixels_per_unit
        self._locality = view.locality
        self._localities = view.localities
        self._assets = AssetImages(view.scene.id, asset_path=asset_path, pixels_per_unit=pixels_per_unit, emit=emit)
        self._monotonic = monotonic
        self._resume_pages = resume_pages
        self._menus: dict[str, MenuViewModel] = {}
        self._grids: dict[str, GridViewModel] = {}
        self._clocks: list[ClockViewModel] = []
        self._countdowns: list[CountdownViewModel] = []
        self._videos: list[VideoViewModel] = []
        self._slideshows: list[SlideshowViewModel] = []
        self._decoders = decoders
        self._crash_guard = crash_guard
        self._decoding_since: float | None = None
        self._holds_images = True
        self._lacking = view.lacking
        self._has_come = False
        self._texts: list[dict[str, object]] = []
        self._images: list[dict[str, object]] = []
        self._items: dict[str, ItemViewModel] = {}
        self._tickers: list[dict[str, object]] = []
        self._live_texts: list[LiveFacts] = []
        self._live_tickers: list[LiveFacts] = []
        self._live: dict[str, tuple[LiveFacts, Callable[[str], dict[str, object]]]] = {}
        self._codes: list[dict[str, object]] = []
        self._shapes: list[dict[str, object]] = []
        texts = [widget for widget in view.scene.widgets if isinstance(widget, TextWidget | TickerWidget)]
        self._most_letters = fair_share([len(widget.text) for widget in texts], MOST_TEXT_LETTERS)
        for z, widget in enumerate(view.scene.widgets, start=1):
            theme = self._theme(widget)
            match widget:
                case TextWidget() | TickerWidget() if widget.id in view.texts:
                    self._add_live_text(widget, theme, z)
                case TextWidget() | TickerWidget():
                    self._add_text(replace(widget, text=self._cut(widget.id, widget.text)), theme, z)
                case MenuWidget():
                    self._menus[widget.id] = self._menu(widget, theme, z)
                case GridWidget() if len(self._grids) >= MOST_GRIDS:
                    self._assets.report(widget.id, "grid_too_many", f"a scene has at most {MOST_GRIDS} grids")
                case GridWidget():
                    self._grids[widget.id] = self._grid(widget, theme, z)
                case ImageWidget():
                    self._images.append(self._image(widget, theme, z))
                case VideoWidget():
                    self._videos.append(self._video(widget, theme, z, asset_path(widget.asset), pixels_per_unit))
                case ClockWidget():
                    self._clocks.append(
                        ClockViewModel(widget, theme=theme, z=z, locality=self._locality, now=now, parent=self)
                    )
                case SlideshowWidget() if len(self._slideshows) >= MOST_SLIDESHOWS:
                    self._assets.report(
                        widget.id, "slideshow_too_many", f"a scene has at most {MOST_SLIDESHOWS} slideshows"
                    )
                case SlideshowWidget():
                    self._slideshows.append(self._slideshow(widget, theme, z, asset_path, pixels_per_unit, now))
                case CountdownWidget() if len(self._countdowns) >= MOST_COUNTDOWNS:
                    self._assets.report(
                        widget.id, "countdown_too_many", f"a scene has at most {MOST_COUNTDOWNS} countdowns"
                    )
                case CountdownWidget():
                    self._countdowns.append(
                        CountdownViewModel(
                            widget,
                            theme=theme,
                            z=z,
                            locality=self._locality,
                            now=now,
                            clock_known=view.clock_known,
                            parent=self,
                        )
                    )
                case ItemWidget():
                    self._items[widget.id] = self._item(widget, theme, z)
                case QrWidget() if len(self._codes) >= MOST_CODES:
                    self._assets.report(widget.id, "qr_too_many", f"a scene has at most {MOST_CODES} QR codes")
                case QrWidget():
                    code = describe_qr(
                        widget, theme, z, self._locality, pixels_per_unit=pixels_per_unit, report=self._assets.report
                    )
                    self._codes.append(code)
                case ShapeWidget():
                    self._shapes.append(describe_shape(widget, z))
                case _:
                    assert_never(widget)
        self._base = describe_background(view.scene, self._assets)
        self.update_lists(view)
        self._expect_images()
        for grid in self._grids.values():
            for part in grid.images:
                self.expect(part)

    @property
    def is_ready(self) -> bool:
        """Whether it is built, all its parts have settled, and its images are in memory."""
        return super().is_ready and self._holds_images

    @property
    def transition(self) -> Transition:
        """The scene's transition."""
        return self._scene.transition

    @property
    def backdrop_color(self) -> QColor:
        """The background colour of the scene, for the margin too."""
        return cast("QColor", self._base["color"])

    @property
    def holds_film(self) -> bool:
        """Whether it has a video, or a slideshow with one."""
        return bool(self._videos) or any(slideshow.holds_film for slideshow in self._slideshows)

    @property
    def is_cacheable(self) -> bool:
        """Whether it may be kept while others show: not with failed images, which a new one tries again, nor with a
        video, which holds a decoder."""
        return not self.holds_film and self._assets.all_drawable

    @property
    def is_never_flat(self) -> bool:
        """Whether a frame of one colour lacks some of it."""
        return self._never_flat

    @property
    def pixels(self) -> int:
        """Decoded pixels of its images."""
        return self._assets.pixels

    @property
    def scene(self) -> Scene:
        """The scene that it shows."""
        return self._scene

    @property
    def lacks_only_videos(self) -> bool:
        """Whether all its images have settled; a video may still wait for a decoder."""
        waiting = {slideshow.part for slideshow in self._slideshows if slideshow.waits_for_film}
        return self.unsettled <= {video.part for video in self._videos} | waiting

    def suits(self, pixels_per_unit: float) -> bool:
        """Whether a new one for this resolution would be the same: images are decoded for the pixels on the glass."""
        return pixels_per_unit == self._pixels_per_unit or not (
            self._assets.pixels or self._videos or self._slideshows or self._codes
        )

    def shows(self, view: SceneView) -> bool:
        """Whether it shows the scene of `view`, so that it can change in place."""
        same_languages = (self._locality, self._localities) == (view.locality, view.localities)
        return same_languages and self._scene == view.scene

    @property
    def lacks_what_came(self) -> bool:
        """Whether one of its parts has failed, and a file that was missing has come: a new scene draws it."""
        return self._has_come and not self._assets.all_drawable

    def update_lists(self, view: SceneView) -> None:
        """Update menus and items to those of `view`, in place."""
        self._has_come |= bool(self._lacking - view.lacking)
        self._lacking |= view.lacking
        listings = {widget_id: view.menus.get(widget_id, EMPTY_LISTING) for widget_id in self._menus}
        most_letters = share_letters(list(listings.values()))
        self._never_flat = is_never_flat(view)
        for countdown in self._countdowns:
            countdown.set_clock_known(view.clock_known)
        for slideshow in self._slideshows:
            slideshow.count_from(view.counted_from or view.started_at, starts_at=view.started_at)
        for widget_id, menu in self._menus.items():
            menu.show_listing(listings[widget_id], most_letters=most_letters, duration_seconds=view.duration_seconds)
        for widget_id, grid in self._grids.items():
            listing = view.menus.get(widget_id, EMPTY_LISTING)
            grid.show_listing(listing, most_letters=0, duration_seconds=view.duration_seconds)
        # Its box cuts a long description anyway, but not before it has been measured.
        described = fair_share([len(row.description) for row in view.items.values()], MOST_TEXT_LETTERS)
        for widget_id, item in self._items.items():
            row = view.items.get(widget_id)
            if row is not None and len(row.description) > described:
                row = replace(row, description=row.description[:described] + ELLIPSIS)
            item.show_row(row)
            self._report_names(widget_id, [row] if row is not None else [])
        for widget_id, (facts, describe) in self._live.items():
            told = view.texts[widget_id]
            facts.show(describe(self._cut(widget_id, told.text)))
            self._report_values(widget_id, told.lacking)
        for widget_id, listing in view.menus.items():
            self._report_names(widget_id, [row for section in listing.sections for row in section.rows])
            self._report_empty(widget_id, is_empty=not listing.sections)

    def _report_empty(self, widget_id: str, *, is_empty: bool) -> None:
        if is_empty:
            self._assets.report(widget_id, "menu_empty", phrase("no item of this menu can be had"))
        else:
            self._assets.withdraw(widget_id, "menu_empty")

    def _report_names(self, widget_id: str, rows: Sequence[MenuRow]) -> None:
        """Say which items have no name in a language that the widget shows."""
        for locality in self._localities.get(widget_id, (self._locality,)):
            language = locality.locale
            names = [row.written for row in rows if language in row.untranslated]
            # By language, since the next showing may have another one, and would take the report back.
            part = f"{widget_id}/languages/{language}"
            if names:
                self._assets.report(part, "translation_missing", lack_of_names(names, language))
            else:
                self._assets.withdraw(part, "translation_missing")

    def _report_values(self, widget_id: str, lacking: Sequence[str]) -> None:
        if lacking:
            names = ", ".join(f"“{name}”" for name in lacking)
            self._assets.report(widget_id, "value_missing", f"no current value of {names}")
        else:
            self._assets.withdraw(widget_id, "value_missing")

    def set_phase(self, phase: ViewPhase) -> None:
        """Enter the phase; pages turn only on the glass."""
        super().set_phase(phase)
        for paged in (*self._menus.values(), *self._grids.values()):
            paged.set_on_glass(phase in {ViewPhase.ENTERING, ViewPhase.SHOWING})
            if phase is ViewPhase.PREPARING:
                paged.prepare()
        # Without a GPU a fade has no time and no memory for a film that plays.
        on_glass = phase is not ViewPhase.PREPARING
        plays = on_glass and not (phase is ViewPhase.ENTERING and is_software())
        for video in self._videos:
            video.set_phase(on_glass=on_glass, plays=plays)
        for slideshow in self._slideshows:
            slideshow.set_phase(on_glass=on_glass, plays=plays)

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """Update clocks, turn pages and check that videos play."""
        for clock in self._clocks:
            clock.tick(wall)
        for countdown in self._countdowns:
            countdown.tick(wall)
        for paged in (*self._menus.values(), *self._grids.values()):
            paged.tick(monotonic)
        for video in self._videos:
            video.tick(monotonic)
        for slideshow in self._slideshows:
            slideshow.tick(wall=wall, monotonic=monotonic)
        self._report_slow_images(monotonic)

    def _report_slow_images(self, monotonic: float) -> None:
        if not self._holds_images:
            return
        if self._decoding_since is None:
            self._decoding_since = monotonic
        elif monotonic - self._decoding_since >= (patience := DECODE_SECONDS * self._decoders.slowness):
            patient = {video.part for video in self._videos} | {slideshow.part for slideshow in self._slideshows}
            for part in self.unsettled - patient:
                self._assets.report(part, "asset_slow", f"it is not decoded after {patience:.0f} s")
                self.settle(part)

    @slot()
    def built(self) -> None:
        """QML has created the scene's items: videos can draw now."""
        for video in self._videos:
            video.start()
        for slideshow in self._slideshows:
            slideshow.built()
        super().built()

    def release_images(self) -> None:
        """Free the images of its background and of its image and item widgets; it is not ready without them."""
        self._set_holds_images(holds=False)

    def decode_images(self) -> None:
        """Decode them again if they have been released."""
        if not self._holds_images:
            self._expect_images()
            self._decoding_since = None
            self._set_holds_images(holds=True)

    def _set_holds_images(self, *, holds: bool) -> None:
        if holds is not self._holds_images:
            self._holds_images = holds
            self.holdsImagesChanged.emit()

    def _expect_images(self) -> None:
        if self._base["image"] is not None:
            self.expect(BACKGROUND_PART)
        for image in self._images:
            if image["image"] is not None:
                self.expect(str(image["id"]))
        for widget_id, item in self._items.items():
            if item.has_image:
                self.expect(widget_id)

    def freeze_films(self) -> None:
        """Close its decoders, in the order of `release`, and leave the last frames on the glass."""
        for video in reversed(self._videos):
            video.freeze()
        for slideshow in reversed(self._slideshows):
            slideshow.freeze_films()

    def release(self) -> None:
        """Release the decoders; first the videos that wait for one, or they would get it now."""
        for video in reversed(self._videos):
            video.release()
        for slideshow in reversed(self._slideshows):
            slideshow.release()

    @slot(str, bool)
    def imageSettled(self, part: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """QML has decoded the image of a part, or failed to."""
        if not drawn:
            self._assets.report(part, "asset_undecodable", "the image could not be decoded")
        self.settle(part)

    @slot(str, str, bool)
    def pictureSettled(self, part: str, url: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """QML has decoded the picture of an item in a list, or failed to."""
        if not drawn:
            # The pictures of a menu are one part.
            self._assets.note(part, Path(QUrl(url).toLocalFile()).name)
        self.imageSettled(part, drawn)

    @slot(str, bool)
    def posterSettled(self, widget: str, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """QML has decoded the poster of a video, or failed to."""
        self.imageSettled(poster_part(widget), drawn)

    def _theme(self, widget: Widget) -> ResolvedTheme:
        """The widget's theme, its text in readable colours where the colours behind it are known."""
        theme = resolve_theme((self._scene.theme, widget.theme), locale=self._read_as(widget)[0].locale)
        panel, text_colors = theme.panel, TEXT_COLORS
        match widget:
            case MenuWidget() | GridWidget() | ItemWidget():
                pass
            case TickerWidget():
                text_colors = ("text", "accent")
            case TextWidget():
                panel, text_colors = NO_PANEL, ("accent",) if widget.role is TextRole.ACCENT else ("text",)
            case ClockWidget() | CountdownWidget():
                panel, text_colors = NO_PANEL, ("text",)
            case _:
                return theme
        theme, changed = readable_theme(theme, backdrops(self._scene, widget, panel), text_colors=text_colors)
        if changed:
            self._assets.report(widget.id, "contrast_low", "; ".join(changed))
        return theme

    def _cut(self, widget_id: str, text: str) -> str:
        if len(text) <= self._most_letters:
            return text
        self._assets.report(
            widget_id,
            "text_too_long",
            f"only its first {self._most_letters:,} letters are drawn:"
            f" the texts of a scene have at most {MOST_TEXT_LETTERS:,} together",
        )
        return text[: self._most_letters] + ELLIPSIS

    def _add_live_text(self, widget: TextWidget | TickerWidget, theme: ResolvedTheme, z: int) -> None:
        facts = LiveFacts(self)
        match widget:
            case TextWidget():
                self._live_texts.append(facts)
                self._live[widget.id] = (
                    facts,
                    lambda text: describe_text(replace(widget, text=text), theme, z, self._locality),
                )
            case TickerWidget():
                self._live_tickers.append(facts)
                self._live[widget.id] = (
                    facts,
                    lambda text: describe_ticker(replace(widget, text=text), theme, z, self._locality),
                )
            case _:
                assert_never(widget)

    def _add_text(self, widget: TextWidget | TickerWidget, theme: ResolvedTheme, z: int) -> None:
        match widget:
            case TextWidget():
                self._texts.append(describe_text(widget, theme, z, self._locality))
            case TickerWidget():
                self._tickers.append(describe_ticker(widget, theme, z, self._locality))
            case _:
                assert_never(widget)

    def _read_as(self, widget: Widget) -> tuple[Locality, ...]:
        """The languages of a widget, the first and perhaps a second one."""
        return self._localities.get(widget.id, (self._locality,))

    def _list_context(self, widget: ListWidget, theme: ResolvedTheme, z: int) -> ListContext:
        return ListContext(
            scene=self._scene,
            z=z,
            theme=theme,
            localities=self._read_as(widget),
            resume_pages=self._resume_pages,
            assets=self._assets,
            monotonic=self._monotonic,
        )

    def _menu(self, widget: MenuWidget, theme: ResolvedTheme, z: int) -> MenuViewModel:
        context = self._list_context(widget, theme, z)
        return MenuViewModel(widget, context, parent=self)

    def _grid(self, widget: GridWidget, theme: ResolvedTheme, z: int) -> GridViewModel:
        context = self._list_context(widget, theme, z)
        return GridViewModel(widget, context, parent=self)

    def _item(self, widget: ItemWidget, theme: ResolvedTheme, z: int) -> ItemViewModel:
        return ItemViewModel(
            widget,
            theme=theme,
            z=z,
            localities=self._read_as(widget),
            image_of=partial(self._assets.plan, widget.id),
            report=partial(self._assets.report, widget.id),
            withdraw=partial(self._assets.withdraw, widget.id),
            parent=self,
        )

    def _image(self, widget: ImageWidget, theme: ResolvedTheme, z: int) -> dict[str, object]:
        box, focus = widget.box, (widget.focus_x, widget.focus_y)
        plan = self._assets.plan(widget.id, widget.asset, box.width, box.height, fit=widget.fit, focus=focus)
        return {**geometry(widget, z), "image": plan, "placeholder": placeholder_color(theme)}

    def _video(
        self, widget: VideoWidget, theme: ResolvedTheme, z: int, path: Path, pixels_per_unit: float
    ) -> VideoViewModel:
        from player.display.widgets.video import VideoViewModel

        poster = None
        if widget.poster is not None:
            poster = self._assets.plan(
                poster_part(widget.id), widget.poster, widget.box.width, widget.box.height, fit=widget.fit
            )
        if poster is not None:
            self.expect(poster_part(widget.id))
        self.expect(widget.id)
        self._assets.note(widget.id, widget.asset)
        return VideoViewModel(
            widget,
            path=path,
            z=z,
            poster=poster,
            placeholder_color=placeholder_color(theme),
            pixels_per_unit=pixels_per_unit,
            decoders=self._decoders,
            crash_guard=self._crash_guard,
            monotonic=self._monotonic,
            report=partial(self._assets.report, widget.id),
            on_settled=partial(self.settle, widget.id),
            parent=self,
        )

    def _slideshow(
        self,
        widget: SlideshowWidget,
        theme: ResolvedTheme,
        z: int,
        asset_path: Callable[[str], Path],
        pixels_per_unit: float,
        now: datetime,
    ) -> SlideshowViewModel:
        return SlideshowViewModel(
            widget,
            z=z,
            placeholder_color=placeholder_color(theme),
            pixels_per_unit=pixels_per_unit,
            assets=self._assets,
            asset_path=asset_path,
            decoders=self._decoders,
            crash_guard=self._crash_guard,
            now=now,
            monotonic=self._monotonic,
            settled=partial(self.settle, widget.id),
            unsettled=partial(self.expect, widget.id),
            parent=self,
        )

    holdsImages = qml_property(bool, lambda self: self._holds_images, notify=holdsImagesChanged)
    base = qml_property("QVariantMap", lambda self: self._base)
    lists = qml_property("QVariantList", lambda self: [*self._menus.values(), *self._grids.values()])
    texts = qml_property("QVariantList", lambda self: self._texts)
    images = qml_property("QVariantList", lambda self: self._images)
    clocks = qml_property("QVariantList", lambda self: self._clocks)
    countdowns = qml_property("QVariantList", lambda self: self._countdowns)
    videos = qml_property("QVariantList", lambda self: self._videos)
    slideshows = qml_property("QVariantList", lambda self: self._slideshows)
    items = qml_property("QVariantList", lambda self: list(self._items.values()))
    tickers = qml_property("QVariantList", lambda self: self._tickers)
    liveTexts = qml_property("QVariantList", lambda self: self._live_texts)
    liveTickers = qml_property("QVariantList", lambda self: self._live_tickers)
    codes = qml_property("QVariantList", lambda self: self._codes)
    shapes = qml_property("QVariantList", lambda self: self._shapes)


def poster_part(widget: str) -> str:
    """The part that stands for a video's poster."""
    return f"{widget}/poster"
