"""Loops the content for hours of virtual time and checks every frame: growth of memory, blank frames, late frames.

Everything but time is real: state directory, conductor, window, QML. Each scene ends as soon as the next one is ready,
so an hour of scenes of 2 s, 1,800 changes, passes in minutes; fades take FADE_MILLISECONDS of real time. Run as
`python -m benchmarks.soak HOURS` (`make bench-soak HOURS=8`).

It loops the content of the comparison, and then the sample café, one of whose four scenes is a full-HD film, offscreen,
on an X server and in cage, each scene for FILM_SECONDS of real time so that the film plays. It fails if a player's own
memory grows by MOST_GROWTH_MIB in a day or its peak is above MOST_PSS_MIB. HOURS=24 is a day of loops; the growth of
less than FILLED_CHANGES is not judged, because caches still fill.

A gap between two frames of a fade counts as ours if the Qt thread itself worked for longer than two refresh intervals.
If the thread was ready and the machine did not run it, no program could do better.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression, median
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from benchmarks import content
from benchmarks.paired import benchmark_loop, paired_state, sample_cafe
from benchmarks.processes import memory_settings, own_mib_of, pss_mib_of
from benchmarks.screen import Screen
from player.domain.view import SceneView, View
from tests.support.compositor import Compositor

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

P = TypeVar("P", bound=View | None)

FADE_MILLISECONDS = 100
REFRESH_SECONDS = 1 / 60
WARM_CHANGES = 90
"""Before the first measurement of memory; a third of the changes if they are few."""
WINDOW_CHANGES = 24
"""Whose median of memory is one point of the growth; a sixtieth if there are many."""
SAMPLE_CHANGES = 240
"""Whose median of memory is told of a third of a run and of its end."""
FILLED_CHANGES = 6_000
"""In a third of so many the caches have filled: Python's free lists and type cache, and the heap of QML."""
GRAB_EVERY = 10
"""Changes from one check of pixels to the next: each costs a frame."""
STUCK_SECONDS = 60.0
ENVIRONMENT = {"QT_QUICK_BACKEND": "software", "QT_LOGGING_RULES": "qt.multimedia.*=false"}
FILM_SECONDS = 0.2
"""How long each scene of the sample café shows."""
CAFE_SCENE_SECONDS = 12.0
"""How long each of them shows on a board."""
MOST_GROWTH_MIB = 2.0
"""In a day of the café's loops."""
MOST_PSS_MIB = 180.0
GROWTH, PEAK = "growth of its own memory in a day, MiB", "peak PSS, MiB"
CAGE_SECONDS = 24 * 3600
"""More than any run takes."""
PLATFORMS = ("offscreen", "x11", "cage")


def measure(state: Path, *, changes: int, scene_seconds: float = 0.0, platform: str = PLATFORMS[0]) -> dict[str, float]:
    """The figures of so many changes, from a separate process. `state` is of a paired player that does not run.

    Every scene shows for `scene_seconds` of real time, or until the next one is ready if that takes longer.
    """
    with _screen(platform) as screen:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "benchmarks.soak", "--state", str(state)),
                *("--scene-seconds", str(scene_seconds), "--changes", str(changes)),
            ],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **memory_settings(), **ENVIRONMENT, **screen},
        )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measure_loop(hours: float) -> dict[str, float]:
    """The content of the comparison, offscreen."""
    with tempfile.TemporaryDirectory(prefix="menu-soak-") as folder:
        state = paired_state(Path(folder), benchmark_loop)
        return measure(state, changes=changes_in(hours))


def changes_in(hours: float) -> int:
    """Changes of the comparison's content in so many hours."""
    return round(hours * 3600 / content.SCENE_SECONDS)


def measure_cafe(hours: float, platform: str) -> dict[str, float]:
    """The sample café."""
    with tempfile.TemporaryDirectory(prefix="menu-soak-") as folder:
        state = paired_state(Path(folder), sample_cafe)
        changes = round(hours * 3600 / CAFE_SCENE_SECONDS)
        return measure(state, changes=changes, scene_seconds=FILM_SECONDS, platform=platform)


@contextlib.contextmanager
def _screen(platform: str) -> Iterator[dict[str, str]]:
    match platform:
        case "x11":
            with Screen() as screen:
                yield {"QT_QPA_PLATFORM": "xcb", "DISPLAY": screen.name}
        case "cage":
            cage = Compositor(seconds=CAGE_SECONDS)
            try:
                cage.start()
                yield cage.environment
            finally:
                cage.close()
        case _:
            yield {"QT_QPA_PLATFORM": "offscreen"}


class _HeldClock:
    """The wall clock stands still until it is moved, and takes the monotonic clock along."""

    def __init__(self, at: datetime) -> None:
        self.at = self._began = at

    def wall(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return (self.at - self._began).total_seconds()


def loop(state: Path, changes: int, *, scene_seconds: float) -> dict[str, float]:
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
            mode=DisplayMode.OFFSCREEN,
            size=(content.WIDTH, content.HEIGHT),
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
        warm = min(WARM_CHANGES, changes // 3)
        # Not a list of floats, which would be a part of the growth.
        own = array("d")
        peak = 0.0
        for number in range(changes):
            if number >= warm:
                own.append(own_mib_of(os.getpid()))
            # The next one is prepared while this one shows; then it is due.
            due = time.monotonic() + scene_seconds
            wait(lambda: display.stage.is_prepared)
            wait(lambda due=due: time.monotonic() >= due)
            frames.clear()
            before = display.stage.top
            shown = serial
            # Some wake-ups are not for a view, but for a strip or a banner over it.
            while serial == shown:
                clock.at = max(clock.at + timedelta(milliseconds=1), wake[0])
                conductor.handle(ev.TimePassed())
            wait(lambda before=before: display.stage.top is not before)
            if scene_seconds:
                # In a fade, when two scenes and a layer are in memory. Not where frames are timed: it takes 5 ms.
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
            "own memory after a third, MiB": median(own[len(own) // 3 :][:SAMPLE_CHANGES] or [0.0]),
            "own memory at the end, MiB": median(own[-SAMPLE_CHANGES:] or [0.0]),
            GROWTH: growth_in_a_day(own),
        }
        display.close()
        return figures


def _corners(image: QImage) -> set[str]:
    return {image.pixelColor(*at).name() for at in ((20, 20), (image.width() - 20, image.height() - 20))}


def growth_in_a_day(own: Sequence[float]) -> float:
    """What a process grows by in a day of the café's loops, by its memory at each change.

    It is the slope of a line through the median of each window, in which each scene is as often as in the others, over
    the last two thirds: what fills and then stays is none. Not the least: now and then a change is measured just after
    the display has tidied up, and one such change would move a point by some 4 MiB.
    """
    window = max(WINDOW_CHANGES, len(own) // 60)
    medians = [median(own[at : at + window]) for at in range(0, len(own) - window + 1, window)]
    late = medians[len(medians) // 3 :]
    if len(late) < 2:
        return 0.0
    changes_a_day = 24 * 3600 / CAFE_SCENE_SECONDS
    return linear_regression(range(len(late)), late).slope / window * changes_a_day


def _hasty(view: P) -> P:
    """The view with a transition of FADE_MILLISECONDS."""
    if not isinstance(view, SceneView):
        return view
    transition = replace(view.scene.transition, milliseconds=FADE_MILLISECONDS)
    return replace(view, scene=replace(view.scene, transition=transition))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Loop for hours of virtual time.")
    parser.add_argument("hours", type=float, nargs="?", default=1.0, help="of virtual time; 24 is a day")
    parser.add_argument("--only", choices=("loop", *PLATFORMS), help="one of the four runs")
    parser.add_argument("--state", type=Path, help="loop in this process: the state directory of a paired player")
    parser.add_argument("--changes", type=int, default=0, help="for --state: how many changes of scenes")
    parser.add_argument("--scene-seconds", type=float, default=0.0, help="for --state: real time of each scene")
    asked = parser.parse_args()
    if asked.state is not None:
        print(json.dumps(loop(asked.state, asked.changes, scene_seconds=asked.scene_seconds)))
        return 0
    failed = False
    if asked.only in (None, "loop"):
        _print("the comparison's content, offscreen", measure_loop(asked.hours))
    for platform in PLATFORMS:
        if asked.only in (None, platform):
            figures = measure_cafe(asked.hours, platform)
            _print(f"the sample café, {platform}", figures)
            failed |= not _judge(figures)
    return int(failed)


def _print(what: str, figures: dict[str, float]) -> None:
    print(f"{what}:")
    for name, value in figures.items():
        print(f"  {name:<40}{value:>12.2f}", flush=True)


def _judge(figures: dict[str, float]) -> bool:
    holds = True
    bounds = {GROWTH: MOST_GROWTH_MIB, PEAK: MOST_PSS_MIB}
    if figures["changes"] < FILLED_CHANGES:
        del bounds[GROWTH]
        print(f"  growth is not judged: caches fill in the first {FILLED_CHANGES // 3:,} changes")
    for name, most in bounds.items():
        passed = figures[name] < most
        print(f"  {'pass' if passed else 'FAIL'}: {name[:-5]} is {figures[name]:.1f} MiB, goal: less than {most:g}")
        holds &= passed
    return holds


if __name__ == "__main__":
    sys.exit(main())
