"""Measures the real service over HTTP on SQLite and on PostgreSQL: calls a second, held polls, deliveries.

Run as `python -m benchmarks.service [PLAYERS] [large]` (`make bench-service`). The load comes from this process, which
shares the cores with the service (the processor time of the players of held polls is told): compare the two engines,
and take no figure as absolute. That a heartbeat and a held poll cost no SQL statement is not measured but tested
(tests/service/devices/test_screens.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import large_menu
from benchmarks.held import HELD_SECONDS, Players
from service.core.clock import SystemClock
from service.core.ids import digest_of
from service.services.registry import Services
from service.settings import Settings
from service.storage.tables.menus import PlaylistRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow
from tests.service.support.postgres import running_cluster
from tests.support.programs import call, eventually, free_port

CONNECTIONS = 16
SECONDS = 5.0
PLAYERS = 5_000
ROUNDS = 3
"""86s of which the median is told."""
LISTED = 50
"""Items of a list; a third of them have variants."""
PUBLISHES = 50
ENDPOINTS = 8
"""Each gets a delivery for each publish, one after the other; the endpoints are served in parallel."""
NO_LIMITS = "reads=0,writes=0,bulk=0,pairing=0"
RESULTS = Path("build/bench-service.json")

Request = Callable[[int], bytes]


@dataclass(frozen=True)
class Installation:
    """A running service, a key, an item and a playlist of the sample café, and a token for each player."""

    port: int
    pid: int
    key: str
    item: str
    playlist: str
    tokens: list[str]

    def call(self, method: str, path: str, body: object = None) -> Any:
        return call(method, f"http://127.0.0.1:{self.port}{path}", body=body, key=self.key)


def measure(folder: Path, database: str | None, players: int) -> dict[str, float]:
    """All figures of one engine with the sample café."""
    with contextlib.ExitStack() as stack:
        there = install(stack, folder, database, players)
        return asyncio.run(_measure(there))


def measure_large(folder: Path, database: str | None) -> dict[str, float]:
    """All figures of one engine with a large workspace; "restarted" is a service whose boards had manifests before."""
    tokens = [secrets.token_urlsafe(32) for _ in range(large_menu.SCREENS)]
    with contextlib.ExitStack() as stack:
        there = install(stack, folder, database, 0)
        ids = large_menu.fill(
            Settings(data=folder, database=database), tokens, f"http://127.0.0.1:{there.port}", there.key
        )
    figures: dict[str, float] = {}
    for name in ("first", "restarted"):
        with contextlib.ExitStack() as stack:
            port, pid = _serve(stack, _data(folder, database))
            figures |= asyncio.run(large_menu.cold(pid, port, tokens, name))
            if name == "restarted":
                figures |= asyncio.run(large_menu.changes(pid, port, there.key, tokens, ids))
    return {f"large_{name}": figure for name, figure in figures.items()}


async def _measure(there: Installation) -> dict[str, float]:
    item = f"/v1/content/items/{there.item}"
    beat = json.dumps({"sequence": 1, "bootId": "b", "appVersion": "0", "presented": {"kind": "house"}}).encode()
    kinds: tuple[tuple[str, Request], ...] = (
        ("read", lambda _: request("GET", item, there.key)),
        ("screen", lambda _: request("GET", "/v1/screens/scr_bench_0", there.key)),
        ("list", lambda _: request("GET", "/v1/content/items?limit=50", there.key)),
        ("write", lambda n: request("PATCH", item, there.key, b'{"price": %d.5}' % (n % 1000))),
        ("heartbeat", lambda n: request("POST", "/v1/player/heartbeat", there.tokens[n % len(there.tokens)], beat)),
    )
    await asyncio.to_thread(fill_items, there)
    figures: dict[str, float] = {}
    for name, make in kinds:
        before = cpu_seconds(there.pid)
        for what, value in (await load(there.port, make)).items():
            figures[f"{name}_{what}"] = value
        calls = figures[f"{name}_per_s"] * SECONDS
        figures[f"{name}_cpu_ms"] = 1000 * (cpu_seconds(there.pid) - before) / calls
    figures |= await asyncio.to_thread(_held, there)
    figures |= await _deliveries(there)
    return figures


def fill_items(there: Installation) -> None:
    """Make the items of a list."""
    for number in range(LISTED):
        words = {"category": "Bench", "translations": {"de": {"name": "Gericht"}}}
        dish = {"name": f"Dish {number}", "price": 4.5, **words}
        sizes = [{"name": "S", "price": 3}, {"name": "L", "price": 5.5, "regularPrice": 6}] if number % 3 == 0 else []
        there.call("POST", "/v1/content/items", {**dish, "variants": sizes})


async def load(
    port: int, make: Request, *, connections: int = CONNECTIONS, seconds: float = SECONDS
) -> dict[str, float]:
    """Callers for some seconds; each sends the next request when it has its response."""
    taken: list[float] = []
    numbers = iter(range(10**9))
    end = time.perf_counter() + seconds

    async def caller() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while (sent := time.perf_counter()) < end:
            writer.write(make(next(numbers)))
            status = await _answer(reader)
            assert status == 200, f"answered {status}"
            taken.append(time.perf_counter() - sent)
        writer.close()

    await asyncio.gather(*(caller() for _ in range(connections)))
    taken.sort()
    return {"per_s": len(taken) / seconds, "p99_ms": 1000 * taken[int(len(taken) * 0.99)]}


def _held(there: Installation) -> dict[str, float]:
    """One held poll for each player, then an 86: the time until the last response. The first time while the first
    contacts of the players are still being written, then several times without."""
    first, *later = (_eighty_six(there, sold_out=number % 2 == 0) for number in range(1 + ROUNDS))
    names = "eighty_six_to_first_answer_ms", "eighty_six_to_last_answer_ms"
    figures = {f"{name}_at_once": first[name] for name in names}
    figures |= {name: statistics.median(one[name] for one in later) for name in later[0]}
    return {**figures, "memory_per_held_poll_kib": first["memory_per_held_poll_kib"]}


def _eighty_six(there: Installation, *, sold_out: bool) -> dict[str, float]:
    before = _pss(there.pid)
    players = Players(there.port, manifest_tag(there), there.tokens)
    deadline = time.monotonic() + HELD_SECONDS
    while _holding(there) < len(there.tokens):
        assert time.monotonic() < deadline, "the polls are not all held in time"
    memory = _pss(there.pid) - before
    worked, own = cpu_seconds(there.pid), time.process_time()
    sent = time.monotonic()
    with ThreadPoolExecutor(1) as caller:
        change = caller.submit(there.call, "PATCH", f"/v1/content/items/{there.item}", {"eightySixed": sold_out})
        answered = players.answered()
        change.result()
    return {
        "held_polls": float(len(answered)),
        "memory_per_held_poll_kib": memory * 1024 / len(answered),
        "eighty_six_to_first_answer_ms": 1000 * (min(answered) - sent),
        "eighty_six_to_last_answer_ms": 1000 * (max(answered) - sent),
        "eighty_six_cpu_ms": 1000 * (cpu_seconds(there.pid) - worked),
        "eighty_six_cpu_of_the_players_ms": 1000 * (time.process_time() - own),
    }


def manifest_tag(there: Installation) -> str:
    """The entity tag of the manifest of the players, quoted."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{there.port}/v1/player/manifest", headers={"Authorization": f"Bearer {there.tokens[0]}"}
    )
    with urllib.request.urlopen(request) as answer:
        return str(answer.headers["ETag"])


async def _deliveries(there: Installation) -> dict[str, float]:
    """The time from the first publish to the last delivery."""
    got: list[float] = []
    done = asyncio.Event()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                await _read(reader)
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
                got.append(time.perf_counter())
                if len(got) == ENDPOINTS * PUBLISHES:
                    done.set()
        writer.close()

    server = await asyncio.start_server(receive, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for number in range(ENDPOINTS):
        body = {"url": f"http://127.0.0.1:{port}/{number}", "events": ["content.published"]}
        await asyncio.to_thread(there.call, "POST", "/v1/public/webhooks", body)
    began = time.perf_counter()
    for _ in range(PUBLISHES):
        await asyncio.to_thread(there.call, "POST", f"/v1/playlists/{there.playlist}/publish")
    async with asyncio.timeout(120):
        await done.wait()
    server.close()
    return {"deliveries_per_s": len(got) / (got[-1] - began)}


def install(stack: contextlib.ExitStack, folder: Path, database: str | None, players: int) -> Installation:
    """Start a service with the sample café and so many paired players."""
    data = _data(folder, database)
    sample = json.loads(_run("demo-data", *data))
    key = _run("keys", "create", *data, "--role", "Owner").strip()
    tokens = [secrets.token_urlsafe(32) for _ in range(players)]
    _seat(Settings(data=folder, database=database), sample, tokens)
    port, pid = _serve(stack, data)
    item = next(iter(sample["items"].values()))
    return Installation(port, pid, key, item, sample["playlists"]["landscape"], tokens)


def _data(folder: Path, database: str | None) -> list[str]:
    return ["--data", str(folder), *([] if database is None else ["--database", database])]


def _serve(stack: contextlib.ExitStack, data: list[str]) -> tuple[int, int]:
    """Starts the service until the stack is closed; returns its port and process."""
    port = free_port()
    program = subprocess.Popen(
        [
            *(sys.executable, "-m", "service", "serve", *data, "--port", str(port)),
            *("--rate-limits", NO_LIMITS, "--webhooks-allow-private"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(program.wait)
    stack.callback(program.terminate)

    def answers() -> bool:
        try:
            call("GET", f"http://127.0.0.1:{port}/healthz")
        except OSError:
            assert program.poll() is None, "the service has ended"
            return False
        return True

    eventually(answers, what="the service answers")
    return port, program.pid


def _run(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "service", *arguments], check=True, capture_output=True, text=True
    ).stdout


def _seat(settings: Settings, sample: dict[str, Any], tokens: list[str]) -> None:
    """Insert paired screens: pairing thousands over HTTP would run into its rate limits."""
    services = Services(settings, clock=SystemClock())
    with services.database.write() as unit:
        location = unit.session.query(LocationRow).filter_by(id=sample["location"]).one()
        playlist = unit.session.query(PlaylistRow).filter_by(id=sample["playlists"]["landscape"]).one()
        unit.session.add_all(
            ScreenRow(
                id=f"scr_bench_{number}",
                workspace_id=location.workspace_id,
                name=f"Screen {number}",
                device_id=f"{number:032x}",
                location_id=location.id,
                playlist_id=playlist.id,
                token_digest=digest_of(token),
                token_used=True,
                created_at=unit.now,
                changed_at=unit.now,
            )
            for number, token in enumerate(tokens)
        )
    services.database.close()


def _holding(there: Installation) -> int:
    """The held requests, from the service's metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{there.port}/metrics") as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith("menu_held_requests "):
                return int(float(line.split()[1]))
    raise AssertionError("the metrics do not count held polls")


def request(method: str, path: str, secret: str, body: bytes = b"", *, headers: dict[str, str] | None = None) -> bytes:
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {secret}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _answer(reader: asyncio.StreamReader) -> int:
    head, _ = await _read(reader)
    return int(head.split(" ", 2)[1])


async def _read(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = next((int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
    return head, await reader.readexactly(length)


def cpu_seconds(pid: int) -> float:
    """The processor's time of the process so far, which other programs on the machine do not lengthen much."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss(pid: int) -> float:
    """MiB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> int:
    """`large` measures the large workspace alone, a number is of the players of the small one."""
    arguments = sys.argv[1:]
    only_large = "large" in arguments
    players = next((int(one) for one in arguments if one.isdecimal()), PLAYERS)
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="menu-bench-") as folder, running_cluster() as cluster:
        for engine in ("sqlite", "postgresql"):
            figures[engine] = {}
            for case in ("large",) if only_large else ("small", "large"):
                print(f"… {engine}, {case}", file=sys.stderr, flush=True)
                place = Path(folder) / f"{engine}-{case}"
                with contextlib.nullcontext() if engine == "sqlite" else cluster.database() as database:
                    figures[engine] |= (
                        measure(place, database, players) if case == "small" else measure_large(place, database)
                    )
    print(f"\n{'':<42}{'SQLite':>12}{'PostgreSQL':>12}")
    for name, value in figures["sqlite"].items():
        print(f"{name:<42}{value:>12.1f}{figures['postgresql'][name]:>12.1f}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(figures, indent=2))
    print(f"\nwritten to {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
