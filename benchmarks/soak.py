"""Loops the content for hours of virtual time and checks every frame: growth of memory, blank frames, late frames.

Everything but time is real: state directory, conductor, window, QML. Each scene ends as soon as the next one is ready,
so an hour of scenes of 2 s, 1,800 changes, passes in minutes; fades take FADE_MILLISECONDS of real time. Run as
`python -m benchmarks.soak HOURS` (`make bench-soak HOURS=8`). With `--video` it loops two scenes, one with the sample
café's film, each for FILM_SECONDS of real time, so that the film plays.

A gap between two frames of a fade counts as ours if the Qt thread itself worked for longer than two refresh intervals.
If the thread was ready and the machine did not run it, no program could do better.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from benchmarks import content
from benchmarks.paired import paired_state
from benchmarks.processes import own_mib_of, pss_mib_of
from player.domain.view import SceneView, View

P = TypeVar("P", bound=View | None)

FADE_MILLISECONDS = 100
REFRESH_SECONDS = 1 / 60
WARM_CHANGES = 90
"""Before the first measurement of memory; a third of the changes if they are few."""
GRAB_EVERY = 10
"""Changes from one check of pixels to the next: each costs a frame."""
STUCK_SECONDS = 60.0
ENVIRONMENT = {
    "QT_QPA_PLATFORM": "offscreen",
    "QT_QUICK_BACKEND": "software",
    "QT_LOGGING_RULES": "qt.multimedia.*=false",
}
FILM_SECONDS = 0.5
"""How long each scene of the loop with a film shows."""


def measure(state: Path, *, hours: float, scene_seconds: float = 0.0) -> dict[str, float]:
    """The figures of so many hours, from a separate process. `state` is of a paired player that does not run.

    Every scene shows for `scene_seconds` of real time, or until the next one is ready if that takes longer.
    """
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.soak", "--state", str(state)),
            *("--scene-seconds", str(scene_seconds), str(hours)),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ENVIRONMENT},
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


class _HeldClock:
    """The wall clock stands still until it is moved; the monotonic clock is the machine's."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def wall(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic()


def loop(state: Path, hours: float, *, scene_seconds: float) -> dict[str, float]:
    """Loop in this process, which starts as `menu-player run` does. It must not have a QGuiApplication yet."""
    from player.display.qt.binding import load_binding

    gc.disable()
    load_binding()
    from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
    from PySide6.QtGui import QGuiApplication

    from player.app import restore
    from player.conductor import Conductor
    from player.display.views.view_model import ViewPhase
    from player.display.window.window import LETTERBOX, Display, DisplayMode
    from player.domain import actions as act
    from player.domain import events as ev
    from player.domain.state import Device
    from player.storage.store import StateStore

    application = QGuiApplication(sys.argv[:1])
    with StateStore.open(state) as store:
        credentials, _ = store.credentials.load()
        assert credentials is not None, "the state directory is not a paired player's"
        restored = restore(store.load(service=credentials.service), store)
        assert restored.running is not None, "the state directory holds no version"
        clock = _HeldClock(restored.running.anchor)
        wake: list[datetime] = []
        frames: list[tuple[float, float]] = []
        figures = {"changes": 0.0, "frames in fades": 0.0, "blank frames": 0.0, "gaps of ours": 0.0}
        longest = longest_ours = 0.0

        def emit(event: ev.Event) -> None:
            conductor.handle(event)

        display = Display(
            mode=DisplayMode.OFFSCREEN,
            size=(content.WIDTH, content.HEIGHT),
            asset_path=store.assets.path,
            emit=emit,
            monotonic=clock.monotonic,
            wall=clock.wall,
            on_close=lambda: None,
        )

        def issue(action: act.Action) -> None:
            match action:
                case act.Show():
                    order = action.order
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
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

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
        changes = round(hours * 3600 / content.SCENE_SECONDS)
        warm = min(WARM_CHANGES, changes // 3)
        first = 0.0
        for number in range(changes):
            if number == warm:
                first = own_mib_of(os.getpid())
            # The next one is prepared while this one shows; then it is due.
            due = time.monotonic() + scene_seconds
            wait(lambda: display.stage.is_prepared)
            wait(lambda due=due: time.monotonic() >= due)
            clock.at = max(clock.at + timedelta(milliseconds=1), wake[0])
            frames.clear()
            conductor.handle(ev.TimePassed())
            wait(lambda: display.stage.top is not None and display.stage.top.current_phase is ViewPhase.ENTERING)
            if number % GRAB_EVERY == 0:
                turn()
                image = display.grab_image()
                colors = {image.pixelColor(*at).name() for at in ((20, 20), (1900, 1060))}
                figures["blank frames"] += colors <= {LETTERBOX, "#000000"}
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
            "PSS at the end, MiB": pss_mib_of(os.getpid()),
        }
        figures["growth of its own memory, MiB"] = own_mib_of(os.getpid()) - first
        display.close()
        return figures


def _hasty(view: P) -> P:
    """The view with a transition of FADE_MILLISECONDS."""
    if not isinstance(view, SceneView):
        return view
    transition = replace(view.scene.transition, milliseconds=FADE_MILLISECONDS)
    return replace(view, scene=replace(view.scene, transition=transition))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Loop for hours of virtual time.")
    parser.add_argument("hours", type=float, help="of scenes of 2 s: 1,800 changes an hour")
    parser.add_argument("--video", action="store_true", help="loop two scenes, one with the sample café's film")
    parser.add_argument("--state", type=Path, help="loop in this process: the state directory of a paired player")
    parser.add_argument("--scene-seconds", type=float, default=0.0, help="for --state: real time of each scene")
    asked = parser.parse_args()
    if asked.state is not None:
        print(json.dumps(loop(asked.state, asked.hours, scene_seconds=asked.scene_seconds)))
        return 0
    with tempfile.TemporaryDirectory(prefix="menu-soak-") as folder:
        state = paired_state(Path(folder), film=asked.video)
        figures = measure(state, hours=asked.hours, scene_seconds=FILM_SECONDS if asked.video else 0.0)
    for name, value in figures.items():
        print(f"  {name:<32}{value:>12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
