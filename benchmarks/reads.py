"""Measures reads of items beside a bare FastAPI route that reads the same rows, by turns in one run, on SQLite.

Run as `python -m benchmarks.reads [ROUNDS]` (`make bench-service` does, too). The load comes from this process, on the
other core; processor time is that of the service's process alone. Goals: at 16 connections at least the rate of one; a
list at most 1.5 times, an item at most 2.5 times the processor time of the bare route.
"""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.service import LISTED, Installation, cpu_seconds, fill_items, install, load, request
from service.settings import Settings
from tests.support.programs import eventually, free_port

ROUNDS = 5
SECONDS = 2.0
CONNECTIONS = (1, 16)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="menu-reads-")))
        there = install(stack, folder, None, 0)
        fill_items(there)
        bare_port, bare_pid = _bare(stack, Settings(data=folder).database_file)
        figures = asyncio.run(_measure(there, bare_port, bare_pid, rounds))
    _print(figures)
    return 0


def _bare(stack: contextlib.ExitStack, database: Path) -> tuple[int, int]:
    port = free_port()
    program = subprocess.Popen([sys.executable, "-m", "benchmarks.bare_route", str(database), str(port)])
    stack.callback(program.wait)
    stack.callback(program.terminate)

    def answers() -> bool:
        import socket

        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    eventually(answers, what="the bare route answers")
    return port, program.pid


Figures = dict[tuple[str, str, int], list[tuple[float, float]]]
"""Calls a second, and milliseconds of processor time a call, by what is read, who answers and connections."""


async def _measure(there: Installation, bare_port: int, bare_pid: int, rounds: int) -> Figures:
    figures: Figures = defaultdict(list)
    paths = {"item": f"/v1/content/items/{there.item}", "list": f"/v1/content/items?limit={LISTED}"}
    for _ in range(rounds + 1):
        for what, path in paths.items():
            for connections in CONNECTIONS:
                for who, port, pid in (("service", there.port, there.pid), ("bare", bare_port, bare_pid)):
                    before = cpu_seconds(pid)
                    rate = (
                        await load(
                            port,
                            lambda _, path=path: request("GET", path, there.key),  # type: ignore[misc]
                            connections=connections,
                            seconds=SECONDS,
                        )
                    )["per_s"]
                    spent = 1000 * (cpu_seconds(pid) - before) / (rate * SECONDS)
                    figures[what, who, connections].append((rate, spent))
    # The first round warms up.
    return {key: of_rounds[1:] for key, of_rounds in figures.items()}


def _print(figures: Figures) -> None:
    print(f"{'':<24}{'a second':>10}{'CPU ms':>10}{'bare':>10}{'CPU ms':>10}{'ratio of CPU':>16}")
    for what in ("item", "list"):
        for connections in CONNECTIONS:
            ours, bare = figures[what, "service", connections], figures[what, "bare", connections]
            ratio = statistics.median(mine[1] / floor[1] for mine, floor in zip(ours, bare, strict=True))
            cells = [statistics.median(one[at] for one in of) for of in (ours, bare) for at in (0, 1)]
            print(
                f"{f'{what}, {connections} connections':<24}{cells[0]:>10.0f}{cells[1]:>10.2f}"
                f"{cells[2]:>10.0f}{cells[3]:>10.2f}{ratio:>16.2f}"
            )


if __name__ == "__main__":
    sys.exit(main())
