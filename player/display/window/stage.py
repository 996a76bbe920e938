"""Stage: decides which views exist and when one replaces another; knows no window and no threads."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from menu.documents.scene import Transition, TransitionKind
from player.display.media.first_images import forget_first_images
from player.display.media.image_provider import hold
from player.display.media.resources import Resources
from player.display.qt.typed import qml_property, single_shot_timer, slot
from player.display.views.scene import SceneViewModel
from player.display.views.view_model import ViewModel, ViewPhase
from player.display.window.panel import Panel
from player.display.window.view_builder import ViewBuilder
from player.display.window.view_list import ViewList
from player.domain.view import DisplayOrder, SceneView, View

MOST_CACHED = 2
"""Scenes that are cached because a loop soon returns to them."""
MOST_PIXELS_CACHED = 2 * 1920 * 1080
"""Pixels of the images of all cached scenes together: 16 MB. A scene that does not fit is built anew each time."""


class Stage(ViewList):
    """Views, bottom to top. `show` takes orders. `changed` is emitted when the next frame will carry order `serial`;
    `refused` when QML cannot create the view of order `serial`; `firstViewShown`, once, when the first view is
    displayed with its images, or after IMAGES_FIRST_SECONDS.

    At most one view enters at a time: an order that comes meanwhile waits until the transition has ended, and the
    latest order wins. The next scene is built while the previous one is displayed. When the resolution changes, the
    current scene is rebuilt in the same way and replaced.
    """

    changed = Signal(int)
    refused = Signal(int)
    firstViewShown = Signal()
    rotationChanged = Signal()

    def __init__(
        self,
        resources: Resources,
        *,
        size: Callable[[], tuple[int, int]],
        panel: Panel,
        grab: Callable[[], QImage] | None,
        parent: QObject,
    ) -> None:
        """`size` returns the window's size in pixels. With `grab`, which returns the displayed picture, a fade removes
        that picture from over the view that enters; without it, the view fades in over the living one below."""
        super().__init__(parent)
        self._grab = grab
        self._resources = resources
        self.builder = ViewBuilder(resources, add=self._add, size=size, mounting=panel.mounting(0), parent=self)
        """Builds the views."""
        self._panel = panel
        self._top: ViewModel | None = None
        self._waiting: ViewModel | None = None
        self._prepared: SceneViewModel | None = None
        self._cache = SceneCache(self._remove, is_outdated=self.builder.is_outdated)
        self._order: DisplayOrder | None = None
        self._first_view_shown = False
        self.changes = 0
        """The number of times that a view has replaced another."""
        self._ready_timeout = single_shot_timer(READY_WITHIN_SECONDS, self._enter_unready, self)
        self._prepare_timer = single_shot_timer(0, self._prepare, self)
        self._images_first = single_shot_timer(IMAGES_FIRST_SECONDS, self._note_first_view, self)
        # In the next turn of the event loop: QML draws the last step of the transition before the view below is
        # removed.
        self._after_entering = single_shot_timer(0, self._finish_entering, self)
        # Likewise: the view's items are being created when it fails.
        self._drop_failed = single_shot_timer(0, self._refuse, self)
        # Likewise: a signal of QML tells that the view is outdated.
        self._refit = single_shot_timer(0, self.refit, self)

    @property
    def top(self) -> ViewModel | None:
        """View that is displayed, or enters."""
        return self._top

    @property
    def is_prepared(self) -> bool:
        """Whether the next scene is built and decoded."""
        return self._prepared is not None and self._prepared.is_ready

    # -- orders

    def show(self, order: DisplayOrder) -> None:
        """Shows the order's view: in place if its scene or card is there already, otherwise as a new view."""
        self._order = order
        mounting = self._panel.mounting(order.rotation, order.overscan, order.place)
        if mounting != self.builder.mounting:
            self.builder.mounting = mounting
            self.rotationChanged.emit()
            self._drop_outdated()
        self._banners.show(order)
        self._show(order)
        self._prepare_timer.start()

    def refit(self) -> None:
        """Rebuilds scenes that are outdated by a new window size or by a file that has come."""
        if self._order is not None and any(self.builder.is_outdated(model) for model in self._models):
            self._drop_outdated()
            self._show(self._order)
            self._prepare_timer.start()

    def frame_presented(self) -> None:
        if self._first_view_shown:
            return
        if self._top is not None and self._top.is_ready:
            self._note_first_view()
        elif not self._images_first.isActive():
            self._images_first.start()

    def _note_first_view(self) -> None:
        self._images_first.stop()
        self._first_view_shown = True
        forget_first_images()
        self.firstViewShown.emit()
        self._prepare_timer.start()

    @property
    def wants_ticks(self) -> bool:
        """Whether the next second may change anything, or a view is being prepared."""
        is_busy = not self._first_view_shown or self._after_entering.isActive() or self._prepare_timer.isActive()
        return is_busy or not self.is_at_rest or any(model.wants_ticks for model in self._models)

    def tick(self) -> None:
        """Called each second."""
        for model in self._models:
            model.tick()

    def close(self) -> None:
        """Releases the resources of all views, because the display closes; the one being prepared first."""
        for model in self._models:
            model.release()
        self._resources.fonts.close()
        self._resources.crash_guard.close()

    @property
    def is_at_rest(self) -> bool:
        """Whether one view covers the stage, whole, and none waits to enter."""
        top = self._top
        return top is not None and top.is_ready and top.current_phase is ViewPhase.SHOWING and self._waiting is None

    # -- from one view to the next

    def _show(self, order: DisplayOrder) -> None:
        if self._top is None or not self.builder.change_in_place(self._top, order.view):
            self._wait_for(order.view)
            return
        if self.builder.is_outdated(self._top):
            self._wait_for(order.view)
        else:
            self._drop_waiting()
        self.changed.emit(order.serial)

    def _wait_for(self, view: View) -> None:
        if self._waiting is not None and self.builder.bring_up_to_date(self._waiting, view):
            return
        self._drop_waiting()
        if self._prepared is not None and self.builder.bring_up_to_date(self._prepared, view):
            self._waiting, self._prepared = self._prepared, None
        else:
            self._drop_prepared()
            self._waiting = self._cached(view) or self.builder.view(view, asynchronous=self._top is not None)
        self._ready_timeout.start()
        self._enter_if_ready()

    def _enter_if_ready(self) -> None:
        """Lets the waiting view enter if it is ready and no transition runs or has to be finished."""
        waiting = self._waiting
        is_entering = self._top is not None and self._top.current_phase is ViewPhase.ENTERING
        if waiting is None or is_entering or self._after_entering.isActive():
            if self._order is not None and not self._first_view_shown and self._top is not None and self._top.is_ready:
                # The first view's images have loaded, for which no order requests a frame.
                self.changed.emit(self._order.serial)
            return
        is_overdue = not self._ready_timeout.isActive()
        if self._top is None or waiting.is_ready or (is_overdue and self._may_enter(waiting)):
            self._enter(waiting)
        elif is_overdue:
            # Beside what moves Qt builds for some milliseconds a frame, which a film makes seconds on a slow machine.
            waiting.build_now()

    def _may_enter(self, waiting: ViewModel) -> bool:
        """Whether a view that is not ready may enter: no scene that replaces itself, unless the old one has the decoder
        of its film."""
        replaces_itself = self._order is not None and self._is_on_top(self._order.view)
        holds_film = isinstance(waiting, SceneViewModel) and waiting.holds_film
        return waiting.is_built and (holds_film or not replaces_itself)

    def _enter(self, model: ViewModel) -> None:
        self._ready_timeout.stop()
        transition = model.transition
        if self._order is not None and self._is_on_top(self._order.view):
            # The same scene built anew: the change must not be visible.
            transition = CUT
        kind = TransitionKind.FADE if transition.kind is TransitionKind.WIPE else transition.kind
        below, self._top, self._waiting = self._top, model, None
        self.changes += 1
        is_cut = below is None or kind is TransitionKind.CUT or transition.milliseconds == 0
        if kind is TransitionKind.FADE and not is_cut and self._grab is not None:
            if isinstance(below, SceneViewModel):
                # Before its picture is taken, which needs memory too.
                below.freeze_films()
            self._set_leaving_picture(hold(self._grab()))
        self._move_to_top(model)
        if below is not None:
            below.set_phase(ViewPhase.LEAVING)
        if is_cut:
            model.set_phase(ViewPhase.SHOWING)
            self._remove_unused()
            self._prepare_timer.start()
        else:
            model.set_phase(ViewPhase.ENTERING)
            model.enterRequested.emit(str(kind), transition.milliseconds)
            if self._leaving_picture:
                # Its picture stands for the view below; a film's memory is free for what enters.
                self._remove_unused()
        if self._order is not None:
            self.changed.emit(self._order.serial)

    @slot()
    def _finish_entering_soon(self) -> None:
        self._after_entering.start()

    @slot()
    def _refuse_soon(self) -> None:
        self._drop_failed.start()

    @slot()
    def _refit_soon(self) -> None:
        self._refit.start()

    def _finish_entering(self) -> None:
        self._set_leaving_picture("")
        self._remove_unused()
        self._enter_if_ready()
        self._prepare_timer.start()

    def _enter_unready(self) -> None:
        _log.warning("a view takes longer than %s s to prepare: it is shown as it is", READY_WITHIN_SECONDS)
        self._enter_if_ready()

    def _prepare(self) -> None:
        """Builds the next scene while nothing moves; not before the first view is whole, which it would delay."""
        if (
            not self._first_view_shown
            or self._order is None
            or self._waiting is not None
            or (self._top and self._top.current_phase is ViewPhase.ENTERING)
        ):
            return
        upcoming = self._order.upcoming
        if upcoming is None or self._is_on_top(upcoming):
            self._drop_prepared()
        elif self._prepared is None or not self.builder.bring_up_to_date(self._prepared, upcoming):
            self._drop_prepared()
            self._prepared = self._cached(upcoming) or self.builder.scene(upcoming, asynchronous=True)

    def _refuse(self) -> None:
        """Drops the views that QML could not create, and reports it if one of them was ordered."""
        if self._prepared is not None and self._prepared.has_failed:
            self._drop_prepared()
        is_ordered = False
        if self._waiting is not None and self._waiting.has_failed:
            is_ordered = True
            self._drop_waiting()
        # The one on top stays, empty, until another enters.
        if self._top is not None and self._top.has_failed and self._waiting is None:
            is_ordered = True
        if is_ordered and self._order is not None:
            self.refused.emit(self._order.serial)

    def _is_on_top(self, view: View) -> bool:
        top = self._top
        return (
            isinstance(top, SceneViewModel) and isinstance(view, SceneView) and not top.has_failed and top.shows(view)
        )

    # -- adding, caching, removing

    def _add(self, model: ViewModel) -> None:
        model.progressed.connect(self._enter_if_ready)
        # Methods of ours, not those of the timers: each connection to one of Qt's own leaves a name behind in PySide.
        model.entered.connect(self._finish_entering_soon)
        model.failed.connect(self._refuse_soon)
        model.outdated.connect(self._refit_soon)
        self._insert(model)

    def _remove_unused(self) -> None:
        # First, so that it makes room in the cache.
        self._take_upcoming()
        in_use = {id(model) for model in (self._top, self._waiting, self._prepared, *self._cache.scenes)}
        for model in [model for model in self._models if id(model) not in in_use]:
            self._cache.add_or_remove(model)
        # Perhaps it is the one that has just left.
        self._take_upcoming()
        # A film needs the memory; a card shows for long, and perhaps because the scenes are no longer this screen's.
        if not isinstance(self._top, SceneViewModel) or self._top.holds_film:
            self._cache.drop(lambda _: True)

    def _take_upcoming(self) -> None:
        """Takes the next scene from the cache if it is there."""
        upcoming = self._order.upcoming if self._order else None
        if upcoming is not None and self._prepared is None:
            self._prepared = self._cached(upcoming)

    def _cached(self, view: View) -> SceneViewModel | None:
        """Returns the cached scene of `view`, brought up to date, if there is one."""
        return self._cache.take(lambda model: self.builder.bring_up_to_date(model, view))

    def _drop_outdated(self) -> None:
        """Removes outdated scenes, except the current one."""
        if self._waiting is not None and self.builder.is_outdated(self._waiting):
            self._drop_waiting()
        if self._prepared is not None and self.builder.is_outdated(self._prepared):
            self._drop_prepared()
        self._cache.drop(self.builder.is_outdated)

    def _drop_waiting(self) -> None:
        self._ready_timeout.stop()
        if self._waiting is not None:
            self._cache.add_or_remove(self._waiting)
            self._waiting = None

    def _drop_prepared(self) -> None:
        if self._prepared is not None:
            self._cache.add_or_remove(self._prepared)
            self._prepared = None

    # -- for QML

    rotation = qml_property(int, lambda self: self.builder.mounting.rotation, notify=rotationChanged)
    """Degrees by which everything is rotated clockwise."""
    overscan = qml_property(float, lambda self: self.builder.mounting.overscan, notify=rotationChanged)
    """Margin at each side, in percent."""


class SceneCache:
    """Cached scenes, the oldest first; `remove` takes a view off the stage."""

    def __init__(self, remove: Callable[[ViewModel], None], *, is_outdated: Callable[[ViewModel], bool]) -> None:
        self._remove = remove
        self._is_outdated = is_outdated
        self.scenes: list[SceneViewModel] = []

    def add_or_remove(self, model: ViewModel) -> None:
        """Cache the view if a loop may return to it, else remove it."""
        if not (isinstance(model, SceneViewModel) and self._is_cacheable(model)):
            self._remove(model)
            return
        model.set_phase(ViewPhase.PREPARING)
        self.scenes.append(model)
        if len(self.scenes) > MOST_CACHED:
            self._remove(self.scenes.pop(0))

    def take(self, suits: Callable[[SceneViewModel], bool]) -> SceneViewModel | None:
        """Removes the first scene that suits from the cache and returns it."""
        for model in self.scenes:
            if suits(model):
                self.scenes.remove(model)
                return model
        return None

    def drop(self, is_dropped: Callable[[SceneViewModel], bool]) -> None:
        for model in [model for model in self.scenes if is_dropped(model)]:
            self.scenes.remove(model)
            self._remove(model)

    def _is_cacheable(self, model: SceneViewModel) -> bool:
        beside = self.scenes[1 - MOST_CACHED :]
        fits = model.pixels + sum(other.pixels for other in beside) <= MOST_PIXELS_CACHED
        return fits and model.is_ready and model.is_cacheable and not self._is_outdated(model)


IMAGES_FIRST_SECONDS = 0.5
"""The first view's images have the processor for so long for themselves before the next view is built."""
READY_WITHIN_SECONDS = 2.0
"""A view that was not prepared enters after this time even if its images are still being decoded."""
CUT = Transition(kind=TransitionKind.CUT, milliseconds=0)

_log = logging.getLogger(__name__)
