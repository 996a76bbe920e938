"""Runs the two programs as processes and calls them over HTTP, for end-to-end tests and benchmarks."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from tests.support.loaded import LoadedProcess
from tests.support.patience import PATIENCE_SECONDS

POLL_SECONDS = 0.02
TOLD_LINES = 60
"""Lines of a program's output that are shown when a wait was in vain."""

FIRST_PORT, PORTS = 16_000, 16_000
"""Linux gives outgoing connections ports from 32768 on."""

Found = TypeVar("Found")


def eventually(
    look: Callable[[], Found | None],
    *,
    what: str,
    seconds: float = PATIENCE_SECONDS,
    poll_seconds: float = POLL_SECONDS,
    players: Sequence[Player] = (),
) -> Found:
    """The first result of `look` that is true; fails after `seconds`, with `what` was waited for and what these
    `players` tell of themselves."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            told = "".join(f"\n{player.told()}" for player in players)
            raise AssertionError(f"in {seconds:g} s never: {what} (the last look gave {found!r}){told}")
        time.sleep(poll_seconds)


def free_port() -> int:
    """A port that nobody has, and that the kernel gives nobody while a program is on its way to it: one below those of
    outgoing connections."""
    while True:
        port = FIRST_PORT + secrets.randbelow(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class HttpError(Exception):
    """A response that is not a success: its `status`, and its problem document if it has one."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status}: {body.decode(errors='replace')}")
        self.status = status
        with contextlib.suppress(ValueError):
            self.problem = json.loads(body)


def call(
    method: str,
    url: str,
    *,
    body: object = None,
    key: str | None = None,
    content: bytes | None = None,
    content_type: str = "application/json",
) -> Any:
    """One HTTP call: the JSON of the response, or None if it has no body."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = content if content is not None else None if body is None else json.dumps(body).encode()
    if data is not None:
        headers["Content-Type"] = content_type
    request = urllib.request.Request(url, method=method, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            raw = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            raise HttpError(error.code, error.read()) from error
    return json.loads(raw) if raw else None


class Program:
    """One of the programs as a process. Its output goes to a file, which a failed test shows."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self.environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONFAULTHANDLER": "1"}
        self.prefix: tuple[str, ...] = ()
        self.folder: Path | None = None
        """Where it runs: a folder with a package of the program in it is preferred to the checkout."""
        self.process: subprocess.Popen[bytes] | LoadedProcess | None = None

    def launch(self, *arguments: str) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=self.environment,
                cwd=self.folder,
            )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def end(self) -> int:
        """Stop it as an operator does; the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(PATIENCE_SECONDS)

    def kill(self) -> None:
        """End it as a power cut does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(PATIENCE_SECONDS)

    def account(self) -> str:
        """Returns its last output and the stacks of its threads: ends the program, for a test that has failed."""
        if self.alive() and self.process is not None:
            self.process.send_signal(signal.SIGABRT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE_SECONDS)
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-TOLD_LINES:])

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


class Service(Program):
    """`menu-service serve`, and the calls of an operator with an Owner's key."""

    loaded = False
    """Whether it is started without its imports, which the tests do and what measures it does not."""

    def __init__(self, folder: Path) -> None:
        super().__init__("service", folder)
        self.data = folder / "service-data"
        self.port = free_port()
        self.clock_offset = folder / "service-clock-offset"
        self.address = f"http://127.0.0.1:{self.port}"
        data, self.key = _new_data()
        shutil.copytree(data, self.data)

    def start(self) -> None:
        self.launch(
            *("service", "serve", "--data", str(self.data), "--port", str(self.port)),
            *("--clock-offset-file", str(self.clock_offset)),
        )
        try:
            eventually(self.answers, what=f"the service answers; see {self.log}")
        except BaseException:
            # Left running it would burden and then fail the tests that follow.
            self.kill()
            raise

    def launch(self, *arguments: str) -> None:
        if self.loaded and not self.prefix and self.folder is None:
            self.process = LoadedProcess(arguments, log=self.log, environment=self.environment)
        else:
            super().launch(*arguments)

    def answers(self) -> bool:
        try:
            call("GET", f"{self.address}/healthz")
        except OSError:
            assert self.alive(), self.log.read_text()
            return False
        return True

    def turn_clock(self, seconds: float) -> None:
        """Set the service's clock so many seconds ahead of the machine's."""
        self.clock_offset.write_text(str(seconds))

    def get(self, path: str) -> Any:
        return call("GET", f"{self.address}/v1{path}", key=self.key)

    def post(self, path: str, body: object = None) -> Any:
        return call("POST", f"{self.address}/v1{path}", body=body, key=self.key)

    def patch(self, path: str, body: object) -> Any:
        return call("PATCH", f"{self.address}/v1{path}", body=body, key=self.key)

    def delete(self, path: str) -> None:
        call("DELETE", f"{self.address}/v1{path}", key=self.key)

    def upload(self, content: bytes, media_type: str) -> str:
        answer = call("POST", f"{self.address}/v1/assets", key=self.key, content=content, content_type=media_type)
        return str(answer["id"])


@cache
def _new_data() -> tuple[Path, str]:
    """A data directory to be copied, made by the program, and an Owner's key: one start instead of many."""
    folder = Path(tempfile.mkdtemp(prefix="menu-data-"))
    atexit.register(shutil.rmtree, folder)
    data = folder / "data"
    made = subprocess.run(
        [sys.executable, "-m", "service", "keys", "create", "--data", str(data), "--role", "Owner"],
        check=True,
        capture_output=True,
        text=True,
    )
    return data, made.stdout.strip()


class Player(Program):
    """`menu-player run --offscreen`, and its diagnostics."""

    def __init__(self, folder: Path, service: str, *, size: str = "960x540") -> None:
        super().__init__("player", folder)
        self.state_folder = folder / "player-state"
        self.snapshot = folder / "glass.png"
        self.service = service
        self.module = "player"
        self.display: tuple[str, ...] = ("--offscreen", "--size", size)
        self.port = free_port()

    def start(self, *, snapshot: bool = False) -> None:
        self.launch(
            *(self.module, "run", "--service", self.service, "--state", str(self.state_folder)),
            *(*self.display, "--diagnostics-port", str(self.port)),
            *(("--snapshot", str(self.snapshot)) if snapshot else ()),
        )

    def state(self) -> dict[str, Any]:
        """The snapshot of its state; empty until the diagnostics respond."""
        try:
            found: dict[str, Any] = call("GET", f"http://127.0.0.1:{self.port}/state.json")
        except OSError:
            assert self.alive(), self.log.read_text()
            return {}
        return found

    def glass(self) -> bytes:
        """The image on the glass, as PNG."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/glass.png", timeout=PATIENCE_SECONDS) as answer:
            png: bytes = answer.read()
            return png

    def told(self) -> str:
        """Its state, the file with its last picture, and its output: ends the program, for a test that has failed."""
        state, picture = {}, self.log.with_name("last-picture.png")
        with contextlib.suppress(OSError, HttpError, AssertionError):
            state = self.state()
            picture.write_bytes(self.glass())
        return f"its state: {json.dumps(state)}\nits picture: {picture}\nits output:\n{self.account()}"

    def wait_for(self, what: str, look: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The first state for which `look` is true."""

        def looked() -> dict[str, Any] | None:
            state = self.state()
            return state if state and look(state) else None

        return eventually(looked, what=what, players=[self])

    def code(self) -> str:
        """The pairing code on the screen."""
        return str(self.wait_for("a pairing code shows", lambda state: state["pairing"]["code"])["pairing"]["code"])


def on_glass(state: Mapping[str, Any]) -> dict[str, str]:
    """Names and prices of the items on the glass; empty while an order is not presented yet."""
    if not state or state["ordered"]["serial"] != state["presented"]["serial"]:
        return {}
    return {
        row["name"]: row["price"].replace("\xa0", " ") for rows in state["ordered"]["menus"].values() for row in rows
    }
