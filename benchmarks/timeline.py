"""Measures the timeline at a size that no shop reaches: 1,000 entries and 10,000 different schedules.

As a script it prints its figures.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from menu.documents.manifest import Entry, PlaylistVersion, VersionKey
from menu.documents.scene import Scene
from menu.documents.schedule import Daypart
from menu.rules.timeline import Timeline

ENTRIES = 1_000
SCHEDULES_AN_ENTRY = 10
ANCHOR = datetime(2026, 9, 1, tzinfo=UTC)
ASKED = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPEATS = 5
QUESTIONS = 500
SEED = 20


def measure() -> dict[str, float]:
    """Milliseconds: to build a timeline, its first answer, each change after it, and a question asked again; medians of
    `REPEATS`. `change_max_ms` is the slowest of all the changes."""
    menu = _version(random.Random(SEED))
    berlin = ZoneInfo("Europe/Berlin")
    build, cold, changes, again = [], [], [], []
    for _ in range(REPEATS):
        started = time.perf_counter()
        line = Timeline(menu, ANCHOR, berlin)
        build.append(time.perf_counter() - started)
        started = time.perf_counter()
        line.at(ASKED)
        cold.append(time.perf_counter() - started)
        changes += _walk(line)
        again.append(_repeat(line))
    return {
        "build_ms": 1000 * statistics.median(build),
        "cold_ms": 1000 * statistics.median(cold),
        "change_ms": 1000 * statistics.median(changes),
        "change_max_ms": 1000 * max(changes),
        "again_ms": 1000 * statistics.median(again),
    }


def _version(draw: random.Random) -> PlaylistVersion:
    scenes, entries = {}, []
    for number in range(ENTRIES):
        schedules = tuple(
            Daypart(
                days=frozenset(draw.sample(range(7), draw.randint(1, 5))),
                start=(start := draw.randrange(24 * 60)),
                end=(start + draw.randrange(30, 240)) % (24 * 60),
            )
            for _ in range(SCHEDULES_AN_ENTRY)
        )
        scene = Scene(id=f"scene-{number}", name="", schedules=schedules)
        scenes[scene.id] = scene
        entries.append(Entry(id=f"entry-{number}", scene_id=scene.id, duration_seconds=10))
    return PlaylistVersion(
        key=VersionKey(playlist_id="benchmark", version=1),
        name="",
        published_at=ANCHOR,
        entries=tuple(entries),
        scenes=scenes,
        assets={},
    )


def _walk(line: Timeline) -> list[float]:
    """Seconds for each of the changes that follow `ASKED`."""
    taken = []
    t = ASKED
    for _ in range(QUESTIONS):
        started = time.perf_counter()
        until = line.at(t).until
        taken.append(time.perf_counter() - started)
        if until is None:
            break
        t = until
    return taken


def _repeat(line: Timeline) -> float:
    """Seconds a question, asked again and again within one showing."""
    showing = line.at(ASKED)
    started = time.perf_counter()
    for number in range(QUESTIONS):
        line.at(showing.at + timedelta(microseconds=number))
    return (time.perf_counter() - started) / QUESTIONS


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
