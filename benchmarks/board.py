"""Measures the real player beside the real service, and beside the least that a Qt Quick board can be (floor.py).

What a figure is, its name says; the docstrings say from when to when it is taken. Everything runs on one machine, the
board offscreen at full HD, so figures that two programs share belong together only as a ratio.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.programs import Player, Service, eventually, on_glass

CHANGES = 50
STARTS = 5
LOOP_SECONDS = 30.0
SCENE_SECONDS = 2
SIZE = "1920x1080"
SAMPLE = Path(__file__).resolve().parent.parent / "service" / "sample"
TICKS = os.sysconf("SC_CLK_TCK")

Say = Callable[[str], None]


def measure(folder: Path, say: Say) -> dict[str, dict[str, float]]:
    """All figures of a board, by the name of the measurement."""
    service = Service(folder)
    sample = json.loads(
        subprocess.run(
            [sys.executable, "-m", "service.main", "demo-data", "--data", str(service.data)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    service.start()
    player = Player(folder, service.address, size=SIZE)
    try:
        playlist = _looping_playlist(service, sample)
        player.start()
        code = player.code()
        service.post("/screens/pair", {"code": code, "playlist": playlist, "location": sample["location"]})
        player.wait_for("the menu is on the glass", on_glass)
        say(f"86 to presented frame, {CHANGES} changes")
        eighty_six = _eighty_six(service, player, sample)
        player.end()

        say(f"process start to first menu frame from cache, {STARTS} starts each")
        floor = _Floor(folder / "floor", sample)
        ours: list[float] = []
        bare: list[float] = []
        for _ in range(STARTS):
            bare.append(floor.start())
            floor.end()
            ours.append(_start(player))
            player.end()

        say(f"{LOOP_SECONDS:g} s of looping three scenes, each")
        floor.start()
        bare_cost = _cost(floor.pid)
        floor.end()
        _start(player)
        our_cost = _cost(player.pid)
        player.end()
    finally:
        player.kill()
        service.kill()
    first_frame = {"player_ms": statistics.median(ours), "bare_qml_ms": statistics.median(bare)}
    loop = {f"player_{name}": value for name, value in our_cost.items()}
    loop |= {f"bare_qml_{name}": value for name, value in bare_cost.items()}
    return {
        "86 to presented frame": eighty_six,
        "first menu frame from cache": {**first_frame, "ratio": first_frame["player_ms"] / first_frame["bare_qml_ms"]},
        "looping three scenes": {
            **loop,
            "pss_ratio": our_cost["peak_pss_mib"] / bare_cost["peak_pss_mib"],
            "cpu_ratio": our_cost["cpu_s"] / bare_cost["cpu_s"],
        },
    }


def _looping_playlist(service: Service, sample: dict[str, Any]) -> str:
    playlist = str(service.post("/playlists", {"name": "Benchmark"})["id"])
    for scene in ("breakfast", "lunch", "afternoon"):
        body = {"sceneId": sample["scenes"][scene], "durationSeconds": SCENE_SECONDS}
        service.post(f"/playlists/{playlist}/scenes", body)
    service.post(f"/playlists/{playlist}/publish")
    return playlist


def _eighty_six(service: Service, player: Player, sample: dict[str, Any]) -> dict[str, float]:
    """Milliseconds from the moment before the PATCH is sent to the swap of the first frame without the dish."""
    item = next(iter(sample["items"].values()))
    taken = []
    for number in range(CHANGES):
        revision = player.state()["presented"]["revision"]
        sent = time.time()
        service.patch(f"/content/items/{item}", {"eightySixed": number % 2 == 0})
        state = player.wait_for("the change is on the glass", lambda s, old=revision: s["presented"]["revision"] > old)
        taken.append(1000 * (datetime.fromisoformat(state["presented"]["at"]).timestamp() - sent))
    taken.sort()
    return {"p50_ms": statistics.median(taken), "p99_ms": taken[int(len(taken) * 0.99)], "max_ms": taken[-1]}


def _start(player: Player) -> float:
    """Milliseconds from the start of the process to the swap of its first frame, which must be a menu's."""
    started = time.time()
    player.start()
    state = player.wait_for("the first frame", lambda s: s["presented"]["serial"])
    first = state["presented"]
    assert first["kind"] == "scene", "the first frame is the menu from the disk"
    return 1000 * (datetime.fromisoformat(first["since"]).timestamp() - started)


def _cost(pid: int) -> dict[str, float]:
    """Peak PSS, and user and system CPU seconds of the process, over LOOP_SECONDS."""
    time.sleep(2)
    before, peak, deadline = _cpu(pid), 0.0, time.monotonic() + LOOP_SECONDS
    while time.monotonic() < deadline:
        peak = max(peak, _pss(pid))
        time.sleep(1)
    return {"peak_pss_mib": peak, "cpu_s": _cpu(pid) - before}


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


class _Floor:
    """The bare QML program, with pictures and dishes of the sample café."""

    def __init__(self, folder: Path, sample: dict[str, Any]) -> None:
        folder.mkdir()
        self._folder = folder
        cafe = json.loads((SAMPLE / "cafe.json").read_text())
        rows = [{"name": item["name"], "price": f"{item['price']:.2f}"} for item in cafe["items"]]
        pictures = sorted(cafe["assets"].values())
        content = [
            {
                "title": title,
                "background": background,
                "picture": (SAMPLE / pictures[number % len(pictures)]).as_uri(),
                "rows": rows[number * 8 : number * 8 + 12],
            }
            for number, (title, background) in enumerate(
                (("Breakfast", "#101820"), ("Lunch", "#20141a"), ("Afternoon", "#14201a"))
            )
        ]
        (folder / "content.json").write_text(json.dumps(content))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> float:
        """Milliseconds from the start of the process to the swap of its first frame."""
        mark = self._folder / "first-frame"
        mark.unlink(missing_ok=True)
        started = time.time()
        self._process = subprocess.Popen([sys.executable, "-m", "benchmarks.floor", str(self._folder), SIZE])
        eventually(lambda: mark.exists() and mark.read_text(), what="the bare program's first frame")
        return 1000 * (float(mark.read_text()) - started)

    def end(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()
