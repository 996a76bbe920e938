"""Runs `menu-service` as a process of its own."""

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.core.clock import SystemClock
from service.core.permissions import Role
from service.services.registry import Services
from service.settings import Settings
from tests.support.loaded import LoadedProcess, run_loaded
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually

STOP_SECONDS = 50
"""Shorter than the longest held poll (60 s): a program that waited for its polls would not stop in time."""

_numbers = itertools.count(1)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "service", *arguments]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_loaded("service", *arguments, environment={**os.environ, **environment}, timeout=PATIENCE_SECONDS)


def make_key(data: Path) -> str:
    """An Owner's key for a data directory that is made with it, without a start of the program."""
    services = Services(Settings(data=data), clock=SystemClock())
    key = services.keys.create(role=Role.OWNER, name="")
    services.database.close()
    return key


@dataclass
class Server:
    """A running `menu-service serve`."""

    process: LoadedProcess
    address: str
    messages: socket.socket

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def notifications(path: Path) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as channel:
        channel.bind(str(path))
        channel.settimeout(PATIENCE_SECONDS)
        yield channel


@contextmanager
def serving(data: Path, *more: str) -> Iterator[Server]:
    number = next(_numbers)
    channel, log = (data.parent / f"{kind}-{number}" for kind in ("notify", "log"))
    log.touch()
    with notifications(channel) as messages:
        process = LoadedProcess(
            ("service", "serve", "--data", str(data), "--port", "0", *more),
            log=log,
            environment={**os.environ, "NOTIFY_SOCKET": str(channel)},
        )

        def address() -> str | None:
            words = log.read_text()
            assert process.poll() is None, words
            found = re.search(r"^menu-service listens on (http://127\.0\.0\.1:\d+)$", words, re.MULTILINE)
            return found and found[1]

        try:
            yield Server(process, eventually(address, what="it listens"), messages)
        finally:
            process.kill()
            process.wait(PATIENCE_SECONDS)
            channel.unlink()
