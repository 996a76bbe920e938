"""Loops the content for hours of virtual time and checks every frame: growth of memory, blank frames, late frames.

Everything but time is real: state directory, conductor, window, QML. Each scene ends as soon as the next one is ready,
so an hour of scenes of 2 s, 1,800 changes, passes in minutes; fades take 100 ms of real time. Run as
`python -m benchmarks.soak HOURS` (`make bench-soak HOURS=8`). What loops, and is measured, is benchmarks/soak_loop.py.

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
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import linear_regression, median

from benchmarks import content
from benchmarks.paired import benchmark_loop, paired_state, sample_cafe
from benchmarks.screen import Screen
from benchmarks.soak_loop import PEAK
from tests.support.compositor import Compositor

WINDOW_CHANGES = 24
"""Whose median of memory is one point of the growth; a sixtieth if there are many."""
SAMPLE_CHANGES = 240
"""Whose median of memory is told of a third of a run and of its end."""
FILLED_CHANGES = 6_000
"""In a third of so many the caches have filled: Python's free lists and type cache, and the heap of QML."""
ENVIRONMENT = {"QT_QUICK_BACKEND": "software", "QT_LOGGING_RULES": "qt.multimedia.*=false"}
COMPILE = (sys.executable, "-m", "compileall", "-q", "benchmarks", "player")
"""As packages do. What a start compiles by itself leaves 1.6 MiB of free pieces in its heaps."""
FILM_SECONDS = 0.2
"""The time for which each scene of the sample café shows."""
CAFE_SCENE_SECONDS = 12.0
"""The time for which each of them shows on a board."""
MOST_GROWTH_MIB = 2.0
"""In a day of the café's loops."""
MOST_PSS_MIB = 180.0
GROWTH = "growth of its own memory in a day, MiB"
CAGE_SECONDS = 24 * 3600
"""More than any run takes."""
PLATFORMS = ("offscreen", "x11", "cage")


def measure(state: Path, *, changes: int, scene_seconds: float = 0.0, platform: str = PLATFORMS[0]) -> dict[str, float]:
    """The figures of so many changes, from a separate process. `state` is of a paired player that does not run.

    Every scene shows for `scene_seconds` of real time, or until the next one is ready if that takes longer.
    """
    subprocess.run(COMPILE, check=True)
    with _screen(platform) as screen:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.soak_loop", str(state), str(changes), str(scene_seconds)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENVIRONMENT, **screen},
        )
    told = json.loads(done.stdout)
    own: list[float] = told["own"]
    figures: dict[str, float] = told["figures"]
    return figures | {
        "own memory after a third, MiB": median(own[len(own) // 3 :][:SAMPLE_CHANGES] or [0.0]),
        "own memory at the end, MiB": median(own[-SAMPLE_CHANGES:] or [0.0]),
        GROWTH: growth_in_a_day(own),
    }


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


def growth_in_a_day(own: Sequence[float]) -> float:
    """Growth of a process in a day of the café's loops, by its memory at each change.

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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Loop for hours of virtual time.")
    parser.add_argument("hours", type=float, nargs="?", default=1.0, help="of virtual time; 24 is a day")
    parser.add_argument("--only", choices=("loop", *PLATFORMS), help="one of the four runs")
    asked = parser.parse_args()
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
