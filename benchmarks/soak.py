"""Loops the content for hours of virtual time, and looks at every frame: what grows, what is blank, what comes late.

Everything but time is real: state directory, conductor, window, QML. Each scene ends as soon as the next one is ready,
so an hour of scenes of 2 s, 1,800 changes, passes in minutes; fades take FADE_MILLISECONDS of real time. Run as
`python -m benchmarks.soak HOURS` (`make bench-soak HOURS=8`).

A gap between two frames of a fade counts as ours when the Qt thread itself was at work for longer than two refresh
intervals; when it was ready and the machine did not let it run, no program could do better.
"""

from __future__ import annotations

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
from benchmarks.processes import own_mib_of, pss_mib_of
from player.domain.view import SceneView, View

P = TypeVar("P", bound=View | None)

FADE_MILLISECONDS = 100
REFRESH_SECONDS = 1 / 60
WARM_CHANGES = 90
"""Before memory is looked at for the first time."""
GRAB_EVERY = 10
"""Changes between two that are looked at by their pixels as well; that costs a frame."""
STUCK_SECONDS = 60.0


def measure(state: Path, *, hours: float) -> dict[str, float]:
    """The figures of so many hours, from a process of its own. `state` is a paired player's, and nobody else's now."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", "--state", str(state), str(hours)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_QUICK_BACKEND": "software"},
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


class _HeldClock:
    """Wall time stands until it is put forward; the monotonic clock is the machine's."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def wall(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return time.monotonic()


def loop(state: Path, hours: float) -> dict[str, float]:
    """Loop in this process, started as `menu-player run` starts one. Needs a QGuiApplication of its own."""
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
        assert restored.running is not None, "the state directory holds no program"
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
        first = 0.0
        for number in range(changes):
            if number == WARM_CHANGES:
                first = own_mib_of(os.getpid())
            # The next one is prepared while this one shows; then it is due.
            wait(lambda: display.stage.is_prepared)
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
    """The picture with its transition in FADE_MILLISECONDS."""
    if not isinstance(view, SceneView):
        return view
    transition = replace(view.scene.transition, milliseconds=FADE_MILLISECONDS)
    return replace(view, scene=replace(view.scene, transition=transition))


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--state"]:
        print(json.dumps(loop(Path(arguments[1]), float(arguments[2]))))
        return 0
    from benchmarks import board

    with tempfile.TemporaryDirectory(prefix="menu-soak-") as folder:
        for name, value in measure(board.paired_state(Path(folder)), hours=float(arguments[0])).items():
            print(f"  {name:<24}{value:>12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
