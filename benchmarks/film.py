"""Compares the player with a browser while a film fills the screen: CPU, memory, and the frames that are really shown.

The film is H.264, full HD, 30 frames a second and 6 Mbit/s. Each of its frames has a number in its corner, in boxes
that are black or white, and the measurement reads that number on the screen and so counts the frames that are shown.
The programs take turns, so that a disturbance of the machine affects both. Run alone as `python -m benchmarks.film`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from benchmarks import comparison, content
from benchmarks.comparison import CHROMIUM, PLAYER, Contender
from benchmarks.paired import SIZE, pair
from benchmarks.processes import Tree, cpu_seconds_of
from benchmarks.screen import Screen
from tests.support.programs import Player, Service

FILM_SECONDS = 10
FRAMES_A_SECOND = 30
BITS = 8
"""Bits of a frame's number: enough to tell any frame from those of the seconds around it."""
BOX, GAP, LEFT, TOP = 32, 40, 64, 64
BRIGHT = 128
ROUNDS = 2
WATCH_SECONDS = 30.0
SETTLE_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.004
MEMORY_POLL_SECONDS = 0.5
MOST_TO_CHROMIUM = 1.3
"""The goal: CPU of the player to that of Chromium."""

Say = Callable[[str], None]


def make_film(path: Path) -> Path:
    """Make the film: a moving test picture under noise, which takes the 6 Mbit/s, and the number of each frame."""
    source = f"size={content.WIDTH}x{content.HEIGHT}:rate={FRAMES_A_SECOND}:duration={FILM_SECONDS}"
    boxes = ",".join(
        f"drawbox=x={LEFT + GAP * bit}:y={TOP}:w={BOX}:h={BOX}:t=fill:c=black,"
        f"drawbox=x={LEFT + GAP * bit}:y={TOP}:w={BOX}:h={BOX}:t=fill:c=white:enable='bitand(n,{1 << bit})'"
        for bit in range(BITS)
    )
    command = [
        *("ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "lavfi", "-i", f"testsrc2={source}"),
        *("-vf", f"noise=alls=6:allf=t,{boxes},format=yuv420p"),
        *("-c:v", "libx264", "-profile:v", "high", "-preset", "veryfast", "-b:v", "6M", "-maxrate", "7M"),
        *("-bufsize", "8M", "-movflags", "+faststart", str(path)),
    ]
    subprocess.run(command, check=True)
    return path


def measure(service: Service, folder: Path, say: Say) -> dict[str, float]:
    """All figures, from turns of both programs."""
    say("a film that fills the screen, beside Chromium")
    folder.mkdir()
    film = make_film(folder / "film.mp4")
    location, playlist = content.publish_full_film(service, film)
    device = Player(folder, service.address, size=SIZE)
    try:
        pair(service, device, playlist, location)
        device.end()
    finally:
        device.kill()
    programs = (
        comparison.player(service=service.address, state=device.state_folder),
        comparison.browser(folder, content.write_film_page(folder, film)),
    )
    seen: dict[str, list[dict[str, float]]] = {program.name: [] for program in programs}
    with Screen() as screen:
        for _ in range(ROUNDS):
            for program in programs:
                seen[program.name].append(_watch(program, screen, folder))
    figures = {
        f"{name}: {what}": sum(one[what] for one in rounds) / ROUNDS
        for name, rounds in seen.items()
        for what in rounds[0]
    }
    cpu = f"CPU over {WATCH_SECONDS:g} s, s"
    ratio = figures[f"{PLAYER}: {cpu}"] / figures[f"{CHROMIUM}: {cpu}"]
    return {**figures, f"CPU, player / Chromium (goal {MOST_TO_CHROMIUM:g})": ratio}


def _watch(program: Contender, screen: Screen, folder: Path) -> dict[str, float]:
    tree = Tree(program.command, environment=comparison.environment(screen), log=folder / f"{program.name}.log")
    try:
        first, waited = _frame_number(screen), time.monotonic() + PATIENCE_SECONDS
        while _frame_number(screen) == first:
            if time.monotonic() > waited:
                raise RuntimeError(f"{program.name} shows no film; see {folder}")
            time.sleep(POLL_SECONDS)
        time.sleep(SETTLE_SECONDS)
        cpu, server = tree.cpu_seconds(), cpu_seconds_of(screen.server)
        changes, peak, last = [], 0.0, -1
        began = looked = time.monotonic()
        while (now := time.monotonic()) - began < WATCH_SECONDS:
            if (number := _frame_number(screen)) != last:
                changes.append(now)
                last = number
            if now - looked > MEMORY_POLL_SECONDS:
                peak, looked = max(peak, tree.pss_mib()), now
            time.sleep(POLL_SECONDS)
        share = WATCH_SECONDS / (time.monotonic() - began)
        return {
            f"CPU over {WATCH_SECONDS:g} s, s": (tree.cpu_seconds() - cpu) * share,
            f"the X server's CPU over {WATCH_SECONDS:g} s, s": (cpu_seconds_of(screen.server) - server) * share,
            "peak PSS, MiB": peak,
            "frames shown a second": len(changes) * share / WATCH_SECONDS,
            "longest time without a new frame, ms": 1000 * max(b - a for a, b in pairwise(changes)),
        }
    finally:
        tree.end()


def _frame_number(screen: Screen) -> int:
    """The number in the corner of the screen; any number where there is no film."""
    row = screen.area(LEFT, TOP + BOX // 2, GAP * BITS, 1)
    return sum((row[4 * (GAP * bit + BOX // 2)] > BRIGHT) << bit for bit in range(BITS))


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="menu-film-") as folder:
        service = Service(Path(folder))
        service.start()
        try:
            figures = measure(service, Path(folder) / "film", lambda words: print(f"… {words}", file=sys.stderr))
        finally:
            service.kill()
    for name, value in figures.items():
        print(f"  {name:<60}{value:>10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
