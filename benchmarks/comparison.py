"""Compares the player with a bare QML program and a browser: the same content, the same screen, one after the other.

A disturbance of the machine affects all of them, so the ratio of two figures of one run is what counts.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import content
from benchmarks.processes import Tree, cpu_seconds_of
from benchmarks.screen import Screen

STARTS = 7
LOOP_SECONDS = 30.0
FADE_SECONDS = 16.0
SETTLE_SECONDS = 4.0
START_PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.003
MEMORY_POLL_SECONDS = 0.15
"""Less than a fade: memory is highest while two scenes are on the screen."""

NOT_ON_A_DEVICE = {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "PYTHONDONTWRITEBYTECODE"}
"""Without byte code every start would compile changed modules; the start that does not count writes it."""

BARE, PLAYER, CHROMIUM = "bare QML", "player", "Chromium"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Contender:
    """A program that shows the content; `name` is its column in the tables."""

    name: str
    command: Sequence[str]


def contenders(folder: Path, *, service: str, state: Path) -> tuple[Contender, ...]:
    """The three programs in the order of the tables. `state` is the state directory of a paired player."""
    page = content.write_page(folder)
    return (
        Contender(BARE, (sys.executable, "-m", "benchmarks.floor", str(content.write_floor(folder)))),
        player(service=service, state=state),
        browser(folder, page),
    )


def player(*, service: str, state: Path) -> Contender:
    """The player with the state directory of one that is paired with the service."""
    return Contender(
        PLAYER,
        (
            *(sys.executable, "-m", "player", "run", "--service", service, "--state", str(state)),
            *("--windowed", "--size", f"{content.WIDTH}x{content.HEIGHT}", "--diagnostics-port", "0"),
        ),
    )


def browser(folder: Path, page: Path) -> Contender:
    """Chromium in kiosk mode, with a profile of its own."""
    return Contender(
        CHROMIUM,
        (
            *("chromium", "--kiosk", "--no-sandbox", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            # There is no window manager to make it fill the screen.
            *("--window-position=0,0", f"--window-size={content.WIDTH},{content.HEIGHT}"),
            *(f"--user-data-dir={folder / 'chromium'}", page.as_uri()),
        ),
    )


def measure(programs: Sequence[Contender], folder: Path, say: Say) -> dict[str, dict[str, float]]:
    """All figures by the name of the measurement, then of the program."""
    with Screen() as screen:
        say(f"start to whole first scene, {STARTS} starts each and one that does not count")
        starts: dict[str, list[float]] = {program.name: [] for program in programs}
        for number in range(STARTS + 1):
            for program in programs:
                tree, taken = _start(program, screen, folder)
                if number:
                    starts[program.name].append(taken)
                _end(tree, screen)
        say(f"{LOOP_SECONDS:g} s of looping, and fades, each")
        figures: dict[str, dict[str, float]] = {
            "process start to whole first scene, ms": {
                name: statistics.median(values) for name, values in starts.items()
            }
        }
        for program in programs:
            tree, _ = _start(program, screen, folder)
            for what, value in _looping(tree, screen).items():
                figures.setdefault(what, {})[program.name] = value
            screen.save(folder / f"{program.name}.png")
            _end(tree, screen)
    for values in figures.values():
        values |= {f"player / {name}": values[PLAYER] / values[name] for name in (BARE, CHROMIUM) if values.get(name)}
    return figures


def _start(program: Contender, screen: Screen, folder: Path) -> tuple[Tree, float]:
    """Milliseconds from the start of the process to a whole scene on the screen."""
    tree = Tree(program.command, environment=environment(screen), log=folder / f"{program.name}.log")
    while screen.whole_scene() is None:
        waited = time.monotonic() - tree.started
        if waited > START_PATIENCE_SECONDS or not tree.alive():
            screen.save(folder / f"{program.name}.png")
            tree.end()
            raise RuntimeError(f"{program.name} showed no whole scene; see {folder}, or {tree.log.read_text()[-2000:]}")
        time.sleep(POLL_SECONDS)
    return tree, 1000 * (time.monotonic() - tree.started)


def environment(screen: Screen) -> Mapping[str, str]:
    """The player as on a device, on this screen."""
    plain = {name: value for name, value in os.environ.items() if name not in NOT_ON_A_DEVICE}
    return {
        **plain,
        "DISPLAY": screen.name,
        "QT_QPA_PLATFORM": "xcb",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    }


def _end(tree: Tree, screen: Screen) -> None:
    tree.end()
    while screen.whole_scene() is not None:
        time.sleep(POLL_SECONDS)


def _looping(tree: Tree, screen: Screen) -> dict[str, float]:
    time.sleep(SETTLE_SECONDS)
    cpu, server, wakes = tree.cpu_seconds(), cpu_seconds_of(screen.server), tree.wakes()
    began, peak = time.monotonic(), 0.0
    while (lasted := time.monotonic() - began) < LOOP_SECONDS:
        peak = max(peak, tree.pss_mib())
        time.sleep(MEMORY_POLL_SECONDS)
    share = LOOP_SECONDS / lasted
    figures = {
        "peak PSS, MiB": peak,
        f"CPU over {LOOP_SECONDS:g} s, s": (tree.cpu_seconds() - cpu) * share,
        f"the X server's CPU over {LOOP_SECONDS:g} s, s": (cpu_seconds_of(screen.server) - server) * share,
        "waits of all threads, a second": (tree.wakes() - wakes) / lasted,
    }
    fades = screen.fades(FADE_SECONDS)
    return {
        **figures,
        "frames a second in fades": fades.frames_a_second,
        "longest gap in a fade, ms": fades.longest_gap_ms,
    }
