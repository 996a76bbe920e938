"""Frames of the board's fades while its page is attacked: `python -m benchmarks.flood` (`make bench-flood`).

The real player shows the content of the comparison, a fade of half a second every two seconds, offscreen or on an X
server, in a network namespace with 254 addresses. It is measured at rest and under each attack of
`tests.support.flood`, which runs with the least priority: the machine's time is not what is measured.

On an X server the pixels are read from outside. Offscreen the player itself writes down its frames, which takes the
interpreter's lock at each, as its own code does at the ends of a fade only; from the time between two frames is taken
away what the thread that draws was ready and the machine ran something else. A row has what an attack on another
program of this machine does to the board.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks import content
from benchmarks.paired import SIZE, pair
from benchmarks.processes import cpu_seconds_of, own_mib_of
from benchmarks.screen import Screen
from tests.support.programs import Player, Service, free_port

CONTROL = "idle+requests"
"""Attacks on another program, which measure what the machine itself costs."""
HOST, NETWORK, PIN = "10.9.0.1", "10.9.0.", "271828"
KINDS = ("idle", "slow", "bodies", "requests", "pages", "pictures", "pins")
"""The guesses come last: after them nobody is let in for an hour."""
SECONDS = 20.0
SETTLE_SECONDS = 4.0
LONGEST = "longest gap, ms"
LATE_SECONDS = 2 / 60
STILL_SECONDS = 0.25
"""Without a frame: the fade before is over."""
LEAST_FRAMES = 10
"""Frames of a fade; a run of fewer is something else."""
MOST_TIMES_LATER = 2.0
"""The 99th percentile of the time between two frames under an attack, as a multiple of that at rest."""


def figures_of(lines: list[str]) -> dict[str, float]:
    """Reads the frames that the watched player writes."""
    frames = [(float(at), float(waited)) for at, _, waited in (line.partition(" ") for line in lines)]
    fades: list[list[float]] = [[]]
    wall = 0.0
    for (at, waited), (later, waited_then) in pairwise(frames):
        if later - at > STILL_SECONDS:
            fades.append([])
            continue
        wall = max(wall, later - at)
        fades[-1].append(max(0.0, later - at - (waited_then - waited)))
    fades = [fade for fade in fades if len(fade) >= LEAST_FRAMES]
    gaps = sorted(gap for fade in fades for gap in fade)
    if not gaps:
        return {}
    return {
        "fades": len(fades),
        "frames a fade": len(gaps) / len(fades),
        "p99, ms": 1000 * gaps[int(len(gaps) * 0.99)],
        LONGEST: 1000 * gaps[-1],
        "late, %": 100 * sum(gap > LATE_SECONDS for gap in gaps) / len(gaps),
        "longest with the machine, ms": 1000 * wall,
    }


def measure(folder: Path, screen: Screen | None, kinds: list[str], seconds: float) -> dict[str, dict[str, float]]:
    """The figures at rest and under each attack."""
    service = Service(folder)
    service.start()
    frames = folder / "frames"
    player = Player(folder, service.address, size=SIZE)
    frames.touch()
    player.environment |= {"MENU_FRAMES": str(frames), "MENU_PLAYER_PAGE_PIN": PIN}
    if screen is None:
        player.module = "benchmarks.watched_player"
    else:
        player.environment |= {"QT_QPA_PLATFORM": "xcb", "DISPLAY": screen.name, "QT_QUICK_BACKEND": "software"}
        player.display = ()
    figures: dict[str, dict[str, float]] = {}
    other = free_port()
    command = (sys.executable, "-m", "http.server", "--bind", HOST, "--directory", str(folder), str(other))
    control = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        published = content.publish(service)
        pair(service, player, published.loop, published.location)
        time.sleep(SETTLE_SECONDS)
        for kind in ("rest", "another program", *kinds):
            before, cpu = len(frames.read_text().splitlines()), cpu_seconds_of(player.pid)
            port, attacks = (other, CONTROL) if kind == "another program" else (player.port, kind)
            with _attack(port, [] if kind == "rest" else attacks.split("+"), seconds) as counts:
                if screen is not None:
                    seen = screen.fades(seconds)
                else:
                    time.sleep(seconds)
            used = cpu_seconds_of(player.pid) - cpu
            figures[kind] = (
                figures_of(frames.read_text().splitlines()[before:])
                if screen is None
                else {"fades": seen.seen, "frames a second": seen.frames_a_second, LONGEST: seen.longest_gap_ms}
            ) | {
                "CPU, % of a core": 100 * used / seconds,
                "memory of its own, MiB": own_mib_of(player.pid),
            }
            print(json.dumps({kind: figures[kind], "answered": counts}), file=sys.stderr, flush=True)
            time.sleep(SETTLE_SECONDS)
        player.end()
    finally:
        control.kill()
        control.wait()
        player.kill()
        service.kill()
    return figures


@contextlib.contextmanager
def _attack(port: int, kinds: list[str], seconds: float) -> Iterator[dict[str, int]]:
    """Attack meanwhile; afterwards, what was answered."""
    counts: dict[str, int] = {}
    if not kinds:
        yield counts
        return
    arguments = (*kinds, "--host", HOST, "--from", NETWORK, "--pin", PIN, "--seconds", str(seconds))
    command = ("nice", "-n", "39", sys.executable, "-m", "tests.support.flood", str(port), *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as attack:
        yield counts
        said, _ = attack.communicate()
        counts.update(json.loads(said.splitlines()[-1]))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.flood", description="Frames while the page is attacked."
    )
    parser.add_argument("kinds", nargs="*", default=[*KINDS, "+".join(KINDS)], help="attacks; a+b is both at once")
    parser.add_argument("--platform", choices=("offscreen", "x11"), default="offscreen")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each")
    parser.add_argument("--inside", action="store_true", help="this process is in the namespace already")
    asked = parser.parse_args()
    if not asked.inside:
        script = f'ip link set lo up && ip address add {HOST}/24 dev lo && exec "$@"'
        module = (sys.executable, "-m", "benchmarks.flood", "--inside", *sys.argv[1:])
        as_root = os.geteuid() == 0
        if as_root:
            # What else the machine does is not measured.
            os.nice(-15)
        os.execvp("unshare", ["unshare", "-n" if as_root else "-rn", "sh", "-c", script, "sh", *module])
    with tempfile.TemporaryDirectory(prefix="menu-flood-") as folder, contextlib.ExitStack() as stack:
        screen = stack.enter_context(Screen()) if asked.platform == "x11" else None
        figures = measure(Path(folder), screen, asked.kinds, asked.seconds)
    rest = figures["rest"]
    print(f"{'attack':<20}" + "".join(f"{name:>30}" for name in rest) + f"{'to rest':>14}")
    failed = False
    for kind, values in figures.items():
        ratio = values.get(LONGEST, float("inf")) / rest[LONGEST]
        failed |= ratio > MOST_TIMES_LATER
        print(f"{kind[:20]:<20}" + "".join(f"{values.get(name, 0):>30.1f}" for name in rest) + f"{ratio:>14.2f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
