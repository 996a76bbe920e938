"""The process that the soak measures: a player's board in a loop, with the time held. Run by benchmarks/soak.py.

It imports nothing that a player would not: what it has in memory is measured.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from benchmarks.processes import own_mib_of, pss_mib_of
from player.device.heaps import bound_heaps
from player.domain.machine import WindowMode
from player.domain.view import SceneView, View

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from player.display.views.view_model import ViewModel
    from player.display.window.stage import Stage

P = TypeVar("P", bound=View | None)

SIZE = (1920, 1080)
FADE_MILLISECONDS = 100
REFRESH_SECONDS = 1 / 60
WARM_CHANGES = 90
"""Before the first measurement of memory; a third of the changes if they are few."""
GRAB_EVERY = 10
"""Changes from one check of pixels to the next: each costs a frame."""
STUCK_SECONDS = 60.0
DEFERRED_DELETE = 52
"""QEvent.Type.DeferredDelete, which a player does not use: the first use makes 178 members."""
PEAK = "peak PSS, MiB"


def _is_past(due: float) -> bool:
    return time.monotonic() >= due


def _has_left(stage: Stage, view: ViewModel | None) -> bool:
    return stage.top is not view


class _HeldClock:
    """The wall clock stands still until it is moved, and takes the monotonic clock along."""

    def __init__(self, at: datetime) -> None:
        self.at = self._began = at

    def wall(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - self._began).total_seconds()


def loop(state: Path, changes: int, *, scene_seconds: float) -> tuple[dict[str, float], Sequence[float]]:
    """Loop in this process, which starts as `menu-player run` does. It must not have a QGuiApplication yet.

    Returns figures, and the process's own memory at each change from the WARM_CHANGES on.
    """
    gc.disable()
    from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
    from PySide6.QtGui import QGuiApplication

    from player.display.views.view_model import ViewPhase
    from player.display.window.window import LETTERBOX, Display
    from player.domain import actions as act
    from player.domain import events as ev
    from player.domain.state import Device
    from player.runtime.conductor import Conductor
    from player.runtime.restore import restore
    from player.storage.store import StateStore

    application = QGuiApplication(sys.argv[:1])
    with StateStore.open(state) as store:
        credentials, _ = store.credentials.stored()
        assert credentials is not None, "the state directory is not a paired player's"
        restored = restore(store.load(service=credentials.service), store)
        running = restored.running.version if restored.running is not None else None
        assert running is not None, "the state directory holds no version"
        clock = _HeldClock(running.published_at)
        wake: list[datetime] = []
        serial = 0
        frames: list[tuple[float, float]] = []
        figures = {"changes": 0.0, "frames in fades": 0.0, "blank frames": 0.0, "gaps of ours": 0.0}
        longest = longest_ours = 0.0

        def emit(event: ev.Event) -> None:
            if isinstance(event, ev.FramePresented):
                # What the board shows for some seconds after a frame ends by the clock that is held.
                event = replace(event, at=clock.monotonic())
            conductor.handle(event)

        display = Display(
            mode=WindowMode.OFFSCREEN,
            size=SIZE,
            asset_path=store.assets.path,
            emit=emit,
            monotonic=time.monotonic,
            wall=clock.wall,
            on_close=lambda: None,
        )

        def issue(action: act.Action) -> None:
            nonlocal serial
            match action:
                case act.Show():
                    order = action.order
                    serial = order.serial
                    display.show(replace(order, view=_hasty(order.view), upcoming=_hasty(order.upcoming)))
                case act.WakeAt(instant=instant) if instant is not None:
                    wake[:] = [instant]
                case _:
                    pass

        device = Device(
            device_id=store.identity, boot_id="soak", app_version="soak", service="soak", started_at=clock.wall()
        )
        conductor = Conductor(device=device, clock=clock, restored=restored, issue=issue, publish=lambda _: None)

        def swapped() -> None:
            frames.append((time.monotonic(), time.thread_time()))

        def turn() -> None:
            events = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
            application.processEvents(events, 50)
            QCoreApplication.sendPostedEvents(None, DEFERRED_DELETE)

        def wait(holds: Callable[[], object]) -> None:
            deadline = time.monotonic() + STUCK_SECONDS
            while not holds():
                assert time.monotonic() < deadline, "the board is stuck"
                turn()

        conductor.begin()
        display.start()
        display.view.frameSwapped.connect(swapped)
        pulse = QTimer()
        pulse.start(20)
        wait(lambda: conductor.state.presented.serial)
        gc.freeze()
        gc.enable()
        warm = min(WARM_CHANGES, changes // 3)
        # Not a list of floats, which would be a part of the growth.
        own = array("d")
        peak = 0.0
        for number in range(changes):
            if number >= warm:
                own.append(own_mib_of(os.getpid()))
            # The next one is prepared while this one shows; then it is due.
            began = time.monotonic()
            wait(lambda: display.stage.is_prepared)
            wait(partial(_is_past, began + scene_seconds))
            if scene_seconds:
                # A film plays now. Not where frames are timed: it takes 5 ms.
                peak = max(peak, pss_mib_of(os.getpid()))
            frames.clear()
            before = display.stage.top
            shown = serial
            # Some wake-ups are not for a view, but for a strip or a banner over it.
            while serial == shown:
                clock.at = max(clock.at + timedelta(milliseconds=1), wake[0])
                conductor.handle(ev.TimePassed())
            wait(partial(_has_left, display.stage, before))
            if scene_seconds:
                # In a fade, when a film and the picture that fades are in memory.
                wait(lambda: len(frames) > 1)
            peak = max(peak, pss_mib_of(os.getpid()))
            if number % GRAB_EVERY == 0:
                turn()
                figures["blank frames"] += _corners(display.grab_image()) <= {LETTERBOX, "#000000"}
                frames.clear()
            wait(lambda: display.stage.top is not None and display.stage.top.current_phase is ViewPhase.SHOWING)
            for (one, worked), (other, worked_then) in pairwise(frames):
                longest = max(longest, other - one)
                longest_ours = max(longest_ours, worked_then - worked)
                figures["gaps of ours"] += worked_then - worked > 2 * REFRESH_SECONDS
            figures["frames in fades"] += len(frames)
            figures["changes"] += 1
        figures |= {
            "longest gap, ms": 1000 * longest,
            "longest of ours, ms": 1000 * longest_ours,
            PEAK: peak,
        }
        display.close()
        return figures, own


def _corners(image: QImage) -> set[str]:
    return {image.pixelColor(*at).name() for at in ((20, 20), (image.width() - 20, image.height() - 20))}


def _hasty(view: P) -> P:
    """The view with a transition of FADE_MILLISECONDS."""
    if not isinstance(view, SceneView):
        return view
    transition = replace(view.scene.transition, milliseconds=FADE_MILLISECONDS)
    return replace(view, scene=replace(view.scene, transition=transition))


def main() -> None:
    bound_heaps()
    state, changes, scene_seconds = sys.argv[1:]
    figures, own = loop(Path(state), int(changes), scene_seconds=float(scene_seconds))
    print(json.dumps({"figures": figures, "own": list(own)}))


if __name__ == "__main__":
    main()
