"""Simulates a fleet on PostgreSQL behind a proxy: held polls on two processes of the service, and on three.

Run as `python -m benchmarks.fleet [PLAYERS]` (`make bench-service`); needs nginx. The players, the proxy, the database
and the processes share the cores: take the processor's seconds, which do not depend on
the rest, and no rate as absolute.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.held import HELD_SECONDS, Players
from benchmarks.service import (
    RESULTS,
    Installation,
    _holding,
    _run,
    _seat,
    _serve,
    load,
    manifest_tag,
    request,
)
from service.settings import Settings
from tests.service.support.postgres import running_cluster
from tests.support.programs import free_port

PLAYERS = 20_000
PLAYERS_OF_A_CALLER = 10_000
"""A process may open some twenty thousand files."""
PROCESSES = (2, 3)

NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log error;
worker_processes 4;
worker_rlimit_nofile {files};
events {{ worker_connections {files}; }}
http {{
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    upstream service {{
        least_conn;
        keepalive 64;
        {servers}
    }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://service;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_read_timeout 60s;
        }}
    }}
}}
"""


@dataclass(frozen=True)
class Fleet:
    """A proxy, and the processes of the service behind it."""

    port: int
    services: tuple[Installation, ...]
    proxy: int

    @property
    def cpu(self) -> tuple[float, float]:
        """The processor's seconds of the service, and of the proxy, so far."""
        return sum(_seconds(one.pid) for one in self.services), sum(map(_seconds, _children(self.proxy)))


def simulate(players: int, processes: int) -> dict[str, float]:
    """The figures of a fleet with so many players and processes."""
    with (
        contextlib.ExitStack() as stack,
        tempfile.TemporaryDirectory(prefix="menu-fleet-") as folder,
        running_cluster() as cluster,
        cluster.database() as database,
    ):
        data = ["--data", folder, "--database", database]
        sample = json.loads(_run("demo-data", *data))
        key = _run("keys", "create", *data, "--role", "Owner").strip()
        tokens = [secrets.token_urlsafe(32) for _ in range(players)]
        _seat(Settings(data=Path(folder), database=database), sample, tokens)
        item, playlist = next(iter(sample["items"].values())), sample["playlists"]["landscape"]
        services = tuple(
            Installation(*_serve(stack, data), key=key, item=item, playlist=playlist, tokens=tokens)
            for _ in range(processes)
        )
        port, proxy = stack.enter_context(_proxy([one.port for one in services]))
        return asyncio.run(_measure(Fleet(port, services, proxy)))


async def _measure(fleet: Fleet) -> dict[str, float]:
    first = fleet.services[0]
    beat = json.dumps({"sequence": 1, "bootId": "b", "appVersion": "0", "presented": {"kind": "house"}}).encode()
    before, _ = fleet.cpu
    beats = await load(
        fleet.port, lambda n: request("POST", "/v1/player/heartbeat", first.tokens[n % len(first.tokens)], beat)
    )
    figures = {"heartbeats_per_s": beats["per_s"], "heartbeat_p99_ms": beats["p99_ms"]}
    figures["heartbeat_cpu_ms"] = (fleet.cpu[0] - before) * 1000 / (beats["per_s"] * 5)
    etag = await asyncio.to_thread(manifest_tag, first)
    callers = [
        await _caller(fleet.port, etag, first.tokens[start : start + PLAYERS_OF_A_CALLER])
        for start in range(0, len(first.tokens), PLAYERS_OF_A_CALLER)
    ]
    before, _ = fleet.cpu
    began = time.monotonic()
    while (held := sum([await asyncio.to_thread(_holding, one) for one in fleet.services])) < len(first.tokens):
        assert time.monotonic() < began + 4 * HELD_SECONDS, f"{held} of the polls are held"
        await asyncio.sleep(0.2)
    figures["held_polls"] = float(held)
    service, proxy = fleet.cpu
    sent = time.monotonic()
    await asyncio.to_thread(first.call, "PATCH", f"/v1/content/items/{first.item}", {"eightySixed": True})
    answered = sorted([at for caller in callers for at in json.loads((await caller.communicate())[0])])
    figures |= {
        "eighty_six_to_first_s": answered[0] - sent,
        "eighty_six_to_median_s": answered[len(answered) // 2] - sent,
        "eighty_six_to_last_s": answered[-1] - sent,
        "answers_per_s": len(answered) / (answered[-1] - answered[0]),
        "cpu_of_the_service_s": fleet.cpu[0] - service,
        "cpu_of_the_proxy_s": fleet.cpu[1] - proxy,
    }
    return figures


async def _caller(port: int, etag: str, tokens: list[str]) -> asyncio.subprocess.Process:
    """A process with these players; it writes when each had its answer."""
    caller = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.fleet", "hold", str(port), etag),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    assert caller.stdin is not None
    caller.stdin.write(json.dumps(tokens).encode())
    caller.stdin.write_eof()
    return caller


@contextlib.contextmanager
def _proxy(ports: list[int]) -> Iterator[tuple[int, int]]:
    """nginx as docs/install.md has it, in front of the processes at these ports: its port and its process."""
    port = free_port()
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with tempfile.TemporaryDirectory(prefix="menu-nginx-") as folder:
        servers = " ".join(f"server 127.0.0.1:{one} max_fails=0;" for one in ports)
        site = Path(folder) / "nginx.conf"
        site.write_text(NGINX.format(folder=folder, files=files, port=port, servers=servers))
        # The workers of a server that root starts are another user's.
        Path(folder).chmod(0o755)
        program = subprocess.Popen(["/usr/sbin/nginx", "-c", str(site)])
        try:
            time.sleep(1)
            assert program.poll() is None, "nginx has ended"
            yield port, program.pid
        finally:
            program.terminate()
            program.wait()


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _seconds(pid: int) -> float:
    """The processor's time of the process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """A number is of the players; `hold` is a process that this one starts."""
    if sys.argv[1:2] == ["hold"]:
        print(json.dumps(Players(int(sys.argv[2]), sys.argv[3], json.load(sys.stdin)).answered()))
        return 0
    players = int(sys.argv[1]) if len(sys.argv) > 1 else PLAYERS
    figures = {processes: simulate(players, processes) for processes in PROCESSES}
    print(f"{'processes':<30}" + "".join(f"{processes:>12}" for processes in PROCESSES))
    for name in figures[PROCESSES[0]]:
        print(f"{name:<30}" + "".join(f"{figures[processes][name]:>12.2f}" for processes in PROCESSES))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.with_name("bench-fleet.json").write_text(json.dumps(figures, indent=2))
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
