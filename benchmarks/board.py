"""Measures the real player with the real service: the latency of an 86, the cost of a still scene, and the comparison.

The name of a figure says what it is; the docstrings say where a measurement begins and ends.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import comparison, content, film, soak
from benchmarks.content import Published
from benchmarks.paired import SIZE, pair
from benchmarks.processes import cpu_seconds_of
from tests.support.programs import Player, Service

CHANGES = 50
STILL_SECONDS = 30.0

Say = Callable[[str], None]


def measure(folder: Path, say: Say, *, soak_hours: float) -> dict[str, dict[str, float]]:
    """All figures of the board by the name of the measurement."""
    service = Service(folder)
    service.start()
    player = Player(folder, service.address, size=SIZE)
    figures: dict[str, dict[str, float]] = {}
    try:
        published = content.publish(service)
        pair(service, player, published.loop, published.location)
        say(f"86 to presented frame, {CHANGES} changes")
        figures["86 to presented frame"] = _eighty_six(service, player, published.item)
        player.end()
        programs = comparison.contenders(folder, service=service.address, state=player.state_folder)
        figures |= comparison.measure(programs, folder, say)
        figures["a film that fills the screen"] = film.measure(service, folder / "film", say)
        figures["still scene"] = _still(service, folder, published, say)
    finally:
        player.kill()
        service.kill()
    say(f"{soak_hours:g} h of looping, accelerated")
    figures[f"{soak_hours:g} h of looping, accelerated"] = soak.measure(
        player.state_folder, changes=soak.changes_in(soak_hours)
    )
    return figures


def _is_newer(revision: int, state: dict[str, Any]) -> bool:
    return bool(state["presented"]["revision"] > revision)


def _eighty_six(service: Service, player: Player, item: str) -> dict[str, float]:
    """Milliseconds from the moment before the PATCH is sent to the swap of the first frame without the item."""
    taken = []
    for number in range(CHANGES):
        revision = player.state()["presented"]["revision"]
        sent = time.time()
        service.patch(f"/content/items/{item}", {"eightySixed": number % 2 == 0})
        state = player.wait_for("the change is on the glass", partial(_is_newer, revision))
        taken.append(1000 * (datetime.fromisoformat(state["presented"]["at"]).timestamp() - sent))
    taken.sort()
    return {"p50, ms": statistics.median(taken), "p99, ms": taken[int(len(taken) * 0.99)], "slowest, ms": taken[-1]}


def _still(service: Service, folder: Path, published: Published, say: Say) -> dict[str, float]:
    """CPU of a player whose playlist has one scene, in percent of a core, while nothing changes."""
    say(f"a still scene for {STILL_SECONDS:g} s")
    (folder / "still").mkdir()
    player = Player(folder / "still", service.address, size=SIZE)
    try:
        pair(service, player, published.still, published.location)
        time.sleep(comparison.SETTLE_SECONDS)
        before, began = cpu_seconds_of(player.pid), time.monotonic()
        time.sleep(STILL_SECONDS)
        used, lasted = cpu_seconds_of(player.pid) - before, time.monotonic() - began
        player.end()
    finally:
        player.kill()
    return {"CPU, % of a core": 100 * used / lasted}
