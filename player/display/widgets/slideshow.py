"""View model of a slideshow widget: the current slide, and the one that comes or leaves."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from menu.documents.scene import Fit, Slide, SlideshowWidget, VideoWidget
from player.display.media.asset_format import VIDEOS, format_of
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.scene_graph import is_software
from player.display.qt.typed import qml_property, single_shot_timer, slot
from player.display.typography.theme import placeholder_color
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel, geometry
from player.domain.playing.slideshow import slide_at
from player.domain.view import SceneView

if TYPE_CHECKING:
    from player.display.widgets.video import VideoViewModel

PREPARED_FOR = timedelta(seconds=3)
"""A slide is decoded so long before its turn; no slide is shorter."""
RETRY_SECONDS = 300.0
"""Between attempts at a slide that could not be shown."""
FAULTS = (
    *("asset_missing", "asset_unreadable", "asset_undecodable", "asset_too_large", "asset_slow"),
    *("video_stalled", "video_crashes"),
)


class SlideViewModel(QObject):
    """One existing slide: the plan of its image, or its film. `progressed`: it is ready, has failed or is gone."""

    timed = Signal()
    turned = Signal()
    progressed = Signal()

    def __init__(self, number: int, part: str, *, z: int, covers: bool, since: float, parent: QObject) -> None:
        """`part` is its part of the scene. `covers`: nothing behind it is seen; `since`: when its decoding began."""
        super().__init__(parent)
        self.number = number
        self.part_of_scene = part
        self.z = z
        self.covers = covers
        self.since = since
        self.image: dict[str, object] | None = None
        self.film: VideoViewModel | None = None
        self.is_ready = self.has_failed = self.is_started = self.is_frozen = self.is_gone = False
        self._shown, self._fade, self._pause = False, 0, 0

    def turn(self, *, shown: bool, fade: int, pause: int = 0) -> None:
        """Fades in or out in so many milliseconds, after a pause."""
        self._fade, self._pause, self.is_gone = fade, pause, False
        self.timed.emit()
        self._shown = shown
        self.turned.emit()

    def freeze(self) -> None:
        """Leaves the last frame of its film on the display, and its decoder to another."""
        if self.film is not None and not self.is_frozen:
            self.is_frozen = True
            self.film.freeze_films()

    @slot()
    def fail(self) -> None:
        """Marks the slide as failed; the fault has been reported."""
        self.has_failed = True
        self.progressed.emit()

    @slot()
    def filmChanged(self) -> None:
        """Called when the film has a frame, or no longer has one."""
        if self.film is not None and self.film.drawn:
            self.imageSettled(drawn=True)

    @slot(bool)
    def imageSettled(self, drawn: bool) -> None:  # noqa: FBT001 -- called from QML
        """Called by QML when it has decoded the image, or failed to."""
        self.is_ready, self.has_failed = drawn, not drawn
        self.progressed.emit()

    @slot()
    def fadedOut(self) -> None:
        """Called when QML no longer draws it."""
        self.is_gone = True
        self.progressed.emit()

    plan = qml_property("QVariant", lambda self: self.image)
    films = qml_property("QVariantList", lambda self: [] if self.film is None else [self.film])
    part = qml_property(str, lambda self: self.part_of_scene)
    order = qml_property(int, lambda self: self.z)
    shown = qml_property(bool, lambda self: self._shown, notify=turned)
    fade = qml_property(int, lambda self: self._fade, notify=timed)
    pause = qml_property(int, lambda self: self._pause, notify=timed)


MOST_SLIDESHOWS = 4
"""Slideshows of a scene: each may have two images in memory, and fade one of them."""


class SlideshowViewModel(WidgetViewModel):
    """One slideshow. At most two of its slides exist: the current one, and one that comes or leaves; at most one of
    them has a decoder. The display keeps its content until the next slide can be drawn. It is settled when the first
    slide is there, or none can be shown."""

    file_name = "SlideshowWidget.qml"
    kind, most = "slideshow", MOST_SLIDESHOWS
    is_drawn_for_pixels = True
    wants_ticks = True
    is_patient = True

    def __init__(self, widget: SlideshowWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._widget = widget
        self._context = context
        self._monotonic = context.resources.monotonic
        self._facts = {**geometry(widget), "placeholder": placeholder_color(context.theme), "empty": False}
        self._now = context.resources.now()
        self._span: tuple[datetime, datetime] | None = None
        self._model = KeyedModel(self)
        self._made = 0
        self._current: SlideViewModel | None = None
        self._coming: SlideViewModel | None = None
        self._leaving: SlideViewModel | None = None
        self._failed_at: dict[int, float] = {}
        self._on_glass = self._plays = self._built = False
        # In the next turn of the event loop: QML and the decoders are in the middle of something when they report.
        self._soon = single_shot_timer(0, self._follow_slides, self)

    # -- from the scene

    def update(self, view: SceneView, shares: Shares) -> None:
        """Counts from the instant at which it began; the showing may begin later."""
        del shares
        span = (view.counted_from or view.started_at, view.started_at)
        if span != self._span:
            self._span = span
            self._look()

    def enter_phase(self, *, seen: bool, on_glass: bool, plays: bool) -> None:
        del seen
        left = self._on_glass and not on_glass
        self._on_glass, self._plays = on_glass, plays
        if left:
            self._drop(self._coming, self._leaving)
        self._play_or_pause()
        if on_glass:
            self._look()

    def built(self) -> None:
        """Starts film drawing: QML has created the scene's items."""
        self._built = True
        self._start_film()

    def tick(self) -> None:
        self._now = self._context.resources.now()
        for slide in self._slides():
            if slide.film is not None and not slide.is_frozen:
                slide.film.tick()
        coming = self._coming
        is_image = coming is not None and coming.film is None and not coming.is_ready
        # An image that takes longer to decode is passed over.
        patience = 10.0 * self._context.resources.decoders.slowness
        if coming is not None and is_image and self._monotonic() - coming.since >= patience:
            self._assets.report(coming.part_of_scene, "asset_slow", f"it is not decoded after {patience:.0f} s")
            coming.fail()
        if self._on_glass:
            self._look()

    def freeze_films(self) -> None:
        for slide in self._slides():
            slide.freeze()

    def release(self) -> None:
        self._soon.stop()
        for slide in self._slides():
            if slide.film is not None:
                slide.film.release()
        # It refers back to the scene that owns this, and Python cannot free such a cycle through Qt's objects.
        self._context = replace(self._context, settle=_ignore, expect=_ignore, parent=QObject())

    # -- from slide to slide

    def _slides(self) -> list[SlideViewModel]:
        return [slide for slide in (self._leaving, self._current, self._coming) if slide is not None]

    def _due(self, *, ahead: timedelta = timedelta()) -> int | None:
        if self._span is None:
            return None
        counted_from, starts_at = self._span
        t = max(self._now, starts_at) + ahead
        return slide_at(self._widget, t, counted_from=counted_from, showable=self._may_show)

    def _may_show(self, number: int) -> bool:
        failed_at = self._failed_at.get(number)
        return failed_at is None or self._monotonic() - failed_at >= RETRY_SECONDS

    def _follow_slides(self) -> None:
        """Called when a slide has arrived, failed or gone."""
        for slide in self._slides():
            if slide.has_failed:
                slide.has_failed, self._failed_at[slide.number] = False, self._monotonic()
        if self._leaving is not None and self._leaving.is_gone:
            self._drop(self._leaving)
        self._start_film()
        self._look()

    def _look(self) -> None:
        """Shows the slide that is due as soon as it can be shown, and decodes the one after it in time."""
        due = self._due()
        while due is not None and not self._shows(due) and not self._decodes(due, is_due=True):
            due = self._due()
        if due is None:
            self._drop(*self._slides())
            self._context.settle(self.part)
        elif self._shows(due):
            self._context.settle(self.part)
            soon = self._due(ahead=PREPARED_FOR) if self._on_glass else due
            if soon is None or soon == due or not self._decodes(soon, is_due=False):
                self._drop(self._coming)
        elif self._coming is not None and self._coming.is_ready:
            self._enter(self._coming)
        elif not self._on_glass:
            self._context.expect(self.part)
        self._show({**self._facts, "empty": due is None})
        self._play_or_pause()

    def _shows(self, number: int) -> bool:
        return self._current is not None and self._current.number == number and not self._current.is_frozen

    def _decodes(self, number: int, *, is_due: bool) -> bool:
        """Decodes a slide as the coming one, unless it is that already; False if it cannot be shown, or not yet be
        decoded: a film takes over the previous decoder, and a slide that leaves has its time."""
        if self._coming is not None and self._coming.number == number:
            return True
        slide, current = self._widget.slides[number], self._current
        is_film = _is_film(self._context.resources.asset_path(slide.asset))
        if not is_due and (self._leaving is not None or (is_film and current is not None and current.film is not None)):
            return False
        self._drop(self._coming, self._leaving)
        plan, part, box = None, f"{self.part}/slides/{number}", self._widget.box
        if not is_film:
            plan = self._assets.plan(part, slide.asset, box.width, box.height, fit=slide.fit, focus=slide.focus)
            if plan is None:
                self._failed_at[number] = self._monotonic()
                return False
        elif current is not None:
            current.freeze()
        self._made += 1
        coming = SlideViewModel(
            number, part, z=self._made, covers=slide.fit is Fit.COVER, since=self._monotonic(), parent=self
        )
        coming.image = plan
        coming.progressed.connect(self._soon_follow)
        if is_film:
            coming.film = self._film(slide, part, coming)
        self._coming = coming
        self._publish()
        if is_film:
            self._soon.start()
        return True

    def _film(self, slide: Slide, part: str, parent: SlideViewModel) -> VideoViewModel:
        from player.display.widgets.video import VideoViewModel

        box = replace(self._widget.box, x=0, y=0)
        widget = VideoWidget(id=part, box=box, asset=slide.asset, fit=slide.fit)
        film = VideoViewModel(widget, replace(self._context, settle=_ignore, parent=parent))
        film.drawnChanged.connect(parent.filmChanged)
        film.gaveUp.connect(parent.fail)
        return film

    def _start_film(self) -> None:
        coming = self._coming
        if self._built and coming is not None and coming.film is not None and not coming.is_started:
            coming.is_started = True
            coming.film.built()

    def _enter(self, slide: SlideViewModel) -> None:
        self._drop(self._leaving)
        self._leaving, self._current, self._coming = self._current, slide, None
        leaving = self._leaving
        fade = self._widget.fade_milliseconds if self._on_glass and leaving is not None else 0
        slide.turn(shown=True, fade=fade)
        if leaving is not None and fade > 0:
            # Below one that covers it, it stays until that is opaque: the background must not shine through.
            leaving.turn(shown=False, fade=fade, pause=fade if slide.covers else 0)
        else:
            self._drop(leaving)
        if self._failed_at.pop(slide.number, None) is not None:
            self._assets.withdraw(slide.part_of_scene, *FAULTS)
        self._context.settle(self.part)

    def _play_or_pause(self) -> None:
        """Plays or pauses films: without a GPU they cannot play during a fade."""
        is_still = self._leaving is not None and is_software()
        for slide in self._slides():
            if slide.film is not None and not slide.is_frozen:
                seen = self._on_glass and slide is not self._coming
                slide.film.enter_phase(seen=seen, on_glass=seen, plays=seen and self._plays and not is_still)

    def _drop(self, *slides: SlideViewModel | None) -> None:
        dropped = [slide for slide in slides if slide is not None]
        if not dropped:
            return
        self._current = None if self._current in dropped else self._current
        self._coming = None if self._coming in dropped else self._coming
        self._leaving = None if self._leaving in dropped else self._leaving
        self._publish()
        for slide in dropped:
            if slide.film is not None:
                slide.film.release()
                slide.film = None
            self._assets.free(slide.part_of_scene)
            # QML deletes its items later: the view model must outlive them.
            slide.deleteLater()

    def _publish(self) -> None:
        self.holds_film = any(slide.film is not None for slide in self._slides())
        self._model.apply([(str(slide.z), {"slide": slide}) for slide in self._slides()])

    @slot()
    def _soon_follow(self) -> None:
        self._soon.start()

    slides = qml_property(QObject, lambda self: self._model)


def _is_film(path: Path) -> bool:
    try:
        return format_of(path) in VIDEOS
    except OSError:
        return False


def _ignore(_part: str) -> None:
    pass
