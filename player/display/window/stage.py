"""Owns which pictures are on the stage, and when one gives way to the next; knows no window and no threads."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Signal,
)

from player.display.layout.page_turns import Bookmarks
from player.display.media.crash_guard import CrashGuard
from player.display.media.decoders import Decoders
from player.display.qt.constants import USER_ROLE
from player.display.qt.qml_property import qml_property
from player.display.qt.single_shot import single_shot_timer
from player.display.qt.slot import slot
from player.display.views.cards import HouseViewModel, PairingViewModel
from player.display.views.scene import SceneViewModel
from player.display.views.view_model import ViewModel, ViewPhase
from player.display.window.panel import Panel
from player.domain.events import PartUndrawable
from player.domain.scene import Scene, Transition, TransitionKind
from player.domain.view import DisplayOrder, HouseCard, PairingCard, SceneView, View

IMAGES_FIRST_SECONDS = 0.5
"""How long the first picture's images have the processor for themselves, before what comes next is built."""
READY_WITHIN_SECONDS = 2.0
"""A picture that nobody prepared comes in after this time even if an image of it is still being decoded."""
MOST_CACHED = 2
"""Scenes that are kept behind the stage because a loop soon comes back to them."""
MOST_PIXELS_CACHED = 2 * 1920 * 1080
"""Of images in all of these together: 16 MB. A scene that does not fit is made anew each time."""
MOST_VIEWS = 3 + MOST_CACHED
"""One that leaves, one that enters, one being prepared, and those put by."""
CUT = Transition(kind=TransitionKind.CUT, milliseconds=0)
VIEW_ROLE = USER_ROLE

_log = logging.getLogger(__name__)


class Stage(QAbstractListModel):
    """The pictures, bottom to top. `show` takes orders; `changed` says that the next frame carries order `serial`, and
    `settled`, once, that the first picture is on the glass with its images, or has had its time.

    At most one picture enters at a time: what is ordered meanwhile waits until the transition has ended, and the latest
    order wins. The next scene is built while the one before it shows. A scene that was built for another number of
    pixels is built anew in the same way, and takes its own place.
    """

    changed = Signal(int)
    settled = Signal()
    bannerChanged = Signal()
    turnChanged = Signal()
    escaped = Signal()

    def __init__(
        self,
        *,
        asset_path: Callable[[str], Path],
        emit: Callable[[PartUndrawable], None],
        now: Callable[[], datetime],
        monotonic: Callable[[], float],
        size: Callable[[], tuple[int, int]],
        panel: Panel,
        crash_guard: CrashGuard,
        parent: QObject | None = None,
    ) -> None:
        """`size` tells how many pixels the window has."""
        super().__init__(parent)
        self._asset_path = asset_path
        self._emit = emit
        self._now = now
        self._monotonic = monotonic
        self._decoders = Decoders()
        self._crash_guard = crash_guard
        self._bookmarks = Bookmarks()
        self._size = size
        self._panel = panel
        self._location_turn = 0
        self._models: list[ViewModel] = []
        self._top: ViewModel | None = None
        self._waiting: ViewModel | None = None
        self._prepared: SceneViewModel | None = None
        self._cached: list[SceneViewModel] = []
        self._order: DisplayOrder | None = None
        self._settled = False
        self._banner = ""
        self._patience = single_shot_timer(READY_WITHIN_SECONDS, self._lose_patience, self)
        self._idle = single_shot_timer(0, self._prepare, self)
        self._images_first = single_shot_timer(IMAGES_FIRST_SECONDS, self._settle, self)
        # In a turn of its own: the picture below goes only after QML has drawn the last step of the transition.
        self._covered = single_shot_timer(0, self._entered, self)

    @property
    def top(self) -> ViewModel | None:
        """The picture that shows, or comes in."""
        return self._top

    @property
    def is_prepared(self) -> bool:
        """Whether what comes next is built and decoded."""
        return self._prepared is not None and self._prepared.is_ready

    # -- orders

    def show(self, order: DisplayOrder) -> None:
        """Bring the order onto the stage: in place where its picture is already there, otherwise as a new one."""
        self._order = order
        if order.rotation != self._location_turn:
            self._location_turn = order.rotation
            self.turnChanged.emit()
            self._drop_misfits()
        if order.identify != self._banner:
            self._banner = order.identify
            self.bannerChanged.emit()
        self._place(order)
        self._idle.start()

    def refit(self) -> None:
        """The window has another size: what was built for the one before is built anew."""
        if self._order is not None and any(self._is_misfit(model) for model in self._models):
            self._drop_misfits()
            self._place(self._order)
            self._idle.start()

    def seen(self) -> None:
        """A frame of this stage is on the glass: when it is whole, there is time for other things."""
        if self._settled:
            return
        if self._top is not None and self._top.is_ready:
            self._settle()
        elif not self._images_first.isActive():
            self._images_first.start()

    def _settle(self) -> None:
        self._images_first.stop()
        self._settled = True
        self.settled.emit()
        self._idle.start()

    def tick(self) -> None:
        """A second has passed."""
        wall, monotonic = self._now(), self._monotonic()
        for model in self._models:
            model.tick(wall=wall, monotonic=monotonic)

    def close(self) -> None:
        """The glass closes: let go of what the pictures hold, what is being prepared first."""
        for model in self._models:
            model.leave()
        self._crash_guard.close()

    @property
    def is_at_rest(self) -> bool:
        """Whether one picture covers the stage, whole, and none waits to come in."""
        top = self._top
        return top is not None and top.is_ready and top.at is ViewPhase.SHOWING and self._waiting is None

    # -- one picture after the other

    def _place(self, order: DisplayOrder) -> None:
        if self._top is None or not self._change_in_place(self._top, order.view):
            self._await(order.view)
            return
        if self._is_misfit(self._top):
            self._await(order.view)
        else:
            self._drop_waiting()
        self.changed.emit(order.serial)

    def _await(self, view: View) -> None:
        if self._waiting is not None and self._change_in_place(self._waiting, view):
            return
        self._drop_waiting()
        if self._prepared is not None and self._change_in_place(self._prepared, view):
            self._waiting, self._prepared = self._prepared, None
        else:
            self._drop_prepared()
            self._waiting = self._take_cached(view) or self._build(view, patient=self._top is not None)
        self._patience.start()
        self._advance()

    def _advance(self) -> None:
        """Let the waiting picture in, if it is ready and the stage is free."""
        waiting = self._waiting
        if waiting is None or (self._top is not None and self._top.at is ViewPhase.ENTERING):
            self._note_whole()
            return
        if self._top is None or waiting.is_ready or (not self._patience.isActive() and self._may_enter(waiting)):
            self._enter(waiting)

    def _note_whole(self) -> None:
        """The first picture's images are there: no order asks for the frame that they are in."""
        if self._order is not None and not self._settled and self._top is not None and self._top.is_ready:
            self.changed.emit(self._order.serial)

    def _may_enter(self, waiting: ViewModel) -> bool:
        """Whether what is not ready may come in as it is."""
        takes_its_own_place = self._order is not None and self._is_on_top(self._order.view)
        if takes_its_own_place and isinstance(waiting, SceneViewModel):
            return waiting.is_built and waiting.lacks_only_videos
        return waiting.is_built

    def _enter(self, model: ViewModel) -> None:
        self._patience.stop()
        transition = model.transition
        if self._order is not None and self._is_on_top(self._order.view):
            # It takes its own place, and nobody is to notice.
            transition = CUT
        below, self._top, self._waiting = self._top, model, None
        self._move_to_top(model)
        if below is not None:
            below.set_phase(ViewPhase.LEAVING)
        if below is None or transition.kind is TransitionKind.CUT or transition.milliseconds == 0:
            model.set_phase(ViewPhase.SHOWING)
            self._sweep()
            self._idle.start()
        else:
            model.set_phase(ViewPhase.ENTERING)
            model.enterRequested.emit(str(transition.kind), transition.milliseconds)
        if self._order is not None:
            self.changed.emit(self._order.serial)

    def _entered(self) -> None:
        self._sweep()
        self._advance()
        self._idle.start()

    def _lose_patience(self) -> None:
        _log.warning("a picture takes longer than %s s to prepare: it comes in as it is", READY_WITHIN_SECONDS)
        self._advance()

    def _prepare(self) -> None:
        """Build what comes next, while nothing moves; before the first whole frame it would only be late by that."""
        if (
            not self._settled
            or self._order is None
            or self._waiting is not None
            or (self._top and self._top.at is ViewPhase.ENTERING)
        ):
            return
        upcoming = self._order.upcoming
        if upcoming is None or self._is_on_top(upcoming):
            self._drop_prepared()
        elif self._prepared is None or not self._change_in_place(self._prepared, upcoming):
            self._drop_prepared()
            self._prepared = self._take_cached(upcoming) or self._build_scene(upcoming, patient=True)

    def _is_on_top(self, view: View) -> bool:
        top = self._top
        return isinstance(top, SceneViewModel) and isinstance(view, SceneView) and top.shows(view)

    def _change_in_place(self, model: ViewModel, view: View) -> bool:
        match model, view:
            case SceneViewModel(), SceneView() if model.shows(view):
                model.update_lists(view)
            case PairingViewModel(), PairingCard():
                model.update(view, monotonic=self._monotonic())
            case HouseViewModel(), HouseCard():
                model.update(view, now=self._now())
            case _:
                return False
        return True

    # -- building and letting go

    def _build(self, view: View, *, patient: bool) -> ViewModel:
        match view:
            case SceneView():
                return self._build_scene(view, patient=patient)
            case PairingCard():
                return self._add(PairingViewModel(view, monotonic=self._monotonic(), parent=self))
            case HouseCard():
                return self._add(HouseViewModel(view, now=self._now(), parent=self))
            case _:
                assert_never(view)

    def _build_scene(self, view: SceneView, *, patient: bool) -> SceneViewModel:
        scene = SceneViewModel(
            view,
            asset_path=self._asset_path,
            pixels_a_unit=self._pixels_a_unit(view.scene),
            emit=self._emit,
            decoders=self._decoders,
            crash_guard=self._crash_guard,
            now=self._now(),
            monotonic=self._monotonic,
            bookmarks=self._bookmarks,
            patient=patient,
            parent=self,
        )
        self._add(scene)
        return scene

    def _pixels_a_unit(self, scene: Scene) -> float:
        width, height = self._panel.room(*self._size(), location=self._location_turn)
        return min(width / scene.width, height / scene.height)

    def _add(self, model: ViewModel) -> ViewModel:
        model.progressed.connect(self._advance)
        model.entered.connect(self._covered.start)
        # Below all others until it enters: a picture that is being prepared covers nothing.
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._models.insert(0, model)
        self.endInsertRows()
        return model

    def _move_to_top(self, model: ViewModel) -> None:
        at, last = self._models.index(model), len(self._models) - 1
        if at < last:
            self.beginMoveRows(QModelIndex(), at, at, QModelIndex(), last + 1)
            self._models.append(self._models.pop(at))
            self.endMoveRows()

    def _sweep(self) -> None:
        upcoming = self._order.upcoming if self._order else None
        if upcoming is not None and self._prepared is None:
            # First, so that it makes room behind the stage.
            self._prepared = self._take_cached(upcoming)
        kept = {id(model) for model in (self._top, self._waiting, self._prepared, *self._cached)}
        for model in [model for model in self._models if id(model) not in kept]:
            self._put_away(model)
        if not isinstance(self._top, SceneViewModel):
            # A card is for long, and perhaps because the scenes are no longer this screen's.
            while self._cached:
                self._remove(self._cached.pop())

    def _put_away(self, model: ViewModel) -> None:
        """Let the picture go, or put it by if a loop may come back to it as it is."""
        if not (isinstance(model, SceneViewModel) and self._is_worth_keeping(model)):
            self._remove(model)
            return
        model.set_phase(ViewPhase.PREPARING)
        self._cached.append(model)
        if len(self._cached) > MOST_CACHED:
            self._remove(self._cached.pop(0))

    def _is_worth_keeping(self, model: SceneViewModel) -> bool:
        beside = self._cached[1 - MOST_CACHED :]
        fits = model.pixels + sum(other.pixels for other in beside) <= MOST_PIXELS_CACHED
        return fits and model.is_ready and model.may_return and not self._is_misfit(model)

    def _take_cached(self, view: View) -> SceneViewModel | None:
        """The picture from behind the stage, brought up to date, if it is there."""
        for model in self._cached:
            if self._change_in_place(model, view):
                self._cached.remove(model)
                return model
        return None

    def _is_misfit(self, model: ViewModel) -> bool:
        """Whether it was built for another number of pixels."""
        return isinstance(model, SceneViewModel) and not model.suits(self._pixels_a_unit(model.scene))

    def _drop_misfits(self) -> None:
        """Let go of those that do not show."""
        if self._waiting is not None and self._is_misfit(self._waiting):
            self._drop_waiting()
        if self._prepared is not None and self._is_misfit(self._prepared):
            self._drop_prepared()
        for model in [model for model in self._cached if self._is_misfit(model)]:
            self._cached.remove(model)
            self._remove(model)

    def _drop_waiting(self) -> None:
        self._patience.stop()
        if self._waiting is not None:
            self._put_away(self._waiting)
            self._waiting = None

    def _drop_prepared(self) -> None:
        if self._prepared is not None:
            self._put_away(self._prepared)
            self._prepared = None

    def _remove(self, model: ViewModel) -> None:
        at = self._models.index(model)
        self.beginRemoveRows(QModelIndex(), at, at)
        del self._models[at]
        self.endRemoveRows()
        model.leave()
        # QML lets go of its items later: the view model must outlive them.
        model.deleteLater()

    # -- for QML

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 -- Qt's default
        """How many pictures are alive."""
        return 0 if parent.isValid() else len(self._models)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = VIEW_ROLE) -> object:
        """The picture's view model."""
        return self._models[index.row()] if role == VIEW_ROLE and index.isValid() else None

    def roleNames(self) -> dict[int, QByteArray]:
        """The one role."""
        return {VIEW_ROLE: QByteArray(b"view")}

    @slot()
    def escape(self) -> None:
        """Someone pressed Escape."""
        self.escaped.emit()

    turn = qml_property(int, lambda self: self._panel.turned(self._location_turn), notify=turnChanged)
    """Degrees by which everything is turned clockwise."""
    overscan = qml_property(float, lambda self: self._panel.overscan)
    """Percent of each side that is kept free."""
    banner = qml_property(str, lambda self: self._banner, notify=bannerChanged)
