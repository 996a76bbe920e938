"""`menu-player demo`: a service with the sample café and a player paired with it, as two programs, over HTTP.

Acts as an operator, by the service's command line and public API, and the player's diagnostics. The service is started
as a program, never imported.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx
from msgspec import Struct

from player.runtime.demo_needs import installation, lacks_service_libraries, missing_families, qt_fault

HOST = "127.0.0.1"
OWNER_EMAIL = "owner@example.com"
OTHER_PORTS = range(16_000, 32_000)
"""Linux gives outgoing connections ports from 32768 on."""
START_SECONDS = 60.0
"""Timeout of each step of the start, for a slow machine with a cold disk."""
LOOK_SECONDS = 0.1
SIZES = {
    (False, False): "1920x1080",
    (False, True): "1280x720",
    (True, False): "1080x1920",
    (True, True): "540x960",
}
"""Sizes of the board, by whether it is upright and in a window."""


class DemoError(Exception):
    """Ends the demo; the message gives the reason and where to look."""


class NeedsError(DemoError):
    """Prevents the demo's start, because something is not installed; the message says how to install it."""


class Demo(Struct, frozen=True, kw_only=True):
    """Options of the demo: its state directory, and the form of its board."""

    folder: Path
    portrait: bool
    windowed: bool


def run_demo(demo: Demo) -> int:
    """Start both programs, print their addresses, and run until Ctrl-C, until the window closes or one fails."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _check_what_is_needed(demo)
    except NeedsError as error:
        print(f"demo: {error}", file=sys.stderr)  # noqa: T201
        return 2
    try:
        return _run(demo)
    except KeyboardInterrupt:
        _say("")
        return 0
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)  # noqa: T201
        return 1
    finally:
        _say("Both programs have ended.")


def _run(demo: Demo) -> int:
    try:
        demo.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DemoError(f"{demo.folder} cannot be made a folder: {error.strerror}") from error
    data = demo.folder / "service"
    sample = json.loads(_output_of([*_menu_service(), "demo-data", "--data", str(data)]))
    port = _port(demo.folder)
    address = f"http://{HOST}:{port}"
    with contextlib.ExitStack() as running:
        service = _start(
            running,
            "service",
            demo.folder / "service.log",
            [*_menu_service(), "serve", "--data", str(data), "--host", HOST, "--port", str(port)],
        )
        api = _Api(address=address, key="")
        _wait(lambda: api.call("GET", "/healthz"), "the service does not answer", service)
        # The first line: what a person opens.
        _say(f"Open the desk, signed in, with this link that works once: {_desk_link(data, address)}")
        api = _Api(address=address, key=_key(demo.folder / "api-key", data, address))

        glass = demo.folder / "glass.png"
        glass.unlink(missing_ok=True)
        page_port = _free_port()
        how = ["--windowed"] if demo.windowed else ["--offscreen", "--snapshot", str(glass)]
        _say("Starting the player")
        player = _start(
            running,
            "player",
            demo.folder / "player.log",
            [
                *(sys.executable, "-P", "-m", "player", "run"),
                *("--service", address, "--state", str(demo.folder / "player")),
                *("--diagnostics-port", str(page_port), "--size", SIZES[demo.portrait, demo.windowed], *how),
            ],
        )
        playlist = sample["playlists"]["portrait" if demo.portrait else "landscape"]
        board = _Api(address=f"http://{HOST}:{page_port}", key="")
        _pair_and_wait(board, api, sample["location"], playlist, [service, player])
        _print_summary(demo, api, board, glass)
        return _stay(service, player)


def _check_what_is_needed(demo: Demo) -> None:
    """Checks for the service, Qt and fonts. Raises NeedsError without the first two; reports missing fonts."""
    _menu_service()
    families: list[str] = []
    if fault := qt_fault(families, windowed=demo.windowed):
        raise NeedsError(f"Qt cannot be used here: {fault}. {installation()}")
    if missing := missing_families(families):
        fonts = installation(fonts_alone=True)
        _say(f"The board will look different, because fonts are missing: {', '.join(missing)}. {fonts}")


def _pair_and_wait(player: _Api, api: _Api, location: str, playlist: str, programs: Sequence[_Program]) -> None:
    """Pairs the player if it shows a code, and waits until a menu is on the display."""

    def phase() -> str | None:
        state = player.state()
        if state["pairing"]["phase"] == "paired" or state["pairing"]["code"]:
            return str(state["pairing"]["phase"])
        return None

    if _wait(phase, "the player shows no pairing code", *programs) == "waiting":
        code = player.state()["pairing"]["code"]
        _say(f"Pairing the screen that shows {code}")
        screen = api.call("POST", "/v1/screens/pair", {"code": code, "location": location, "playlist": playlist})
        api.call("PATCH", f"/v1/screens/{screen['id']}", {"name": "Counter"})
    else:
        _say("The screen is paired already")
        screen = _wait(lambda: player.state()["pairing"]["screenId"], "the player knows no screen", *programs)
        api.call("PATCH", f"/v1/screens/{screen}", {"location": location, "playlist": playlist})
    _wait(
        lambda: player.state()["presented"]["playlistId"] == playlist,
        "no menu has come onto the glass",
        *programs,
    )


def _print_summary(demo: Demo, api: _Api, player: _Api, glass: Path) -> None:
    where = "in the window; Esc leaves" if demo.windowed else f"{glass}, rewritten when the image changes"
    item_id, name = _shown_item(api, player)
    change = (
        f"  curl -X PATCH {api.address}/v1/content/items/{item_id} \\\n"
        f"    -H 'Authorization: Bearer {api.key}' -H 'Content-Type: application/json' -d '{{\"eightySixed\": %s}}'"
    )
    _say(
        f"\nThe board is on.\n\n"
        f"  picture      {where}\n"
        f"  service      {api.address}\n"
        f"  API key      {api.key}  (Owner; kept in {demo.folder / 'api-key'})\n"
        f"  diagnostics  {player.address}\n\n"
        f"Sell out “{name}”, and watch it leave the glass:\n\n{change % 'true'}\n\n"
        f"Have it back:\n\n{change % 'false'}\n\n"
        f"Ctrl-C ends both programs."
    )


def _shown_item(api: _Api, player: _Api) -> tuple[str, str]:
    """Returns id and name of an item that is on the display now; of any item while none is."""
    for rows in player.state()["ordered"]["menus"].values():
        for row in rows:
            if not row["soldOut"]:
                return row["itemId"], row["name"]
    item = next(iter(api.call("GET", "/v1/content/items?limit=1")["data"]))
    return item["id"], item["name"]


def _stay(*programs: _Program) -> int:
    while True:
        for program in programs:
            code = program.process.poll()
            if code == 0 and program.name == "player":
                return 0  # the window was closed
            if code is not None:
                raise DemoError(program.failure())
        time.sleep(LOOK_SECONDS)


# The two programs


class _Program(Struct, frozen=True):
    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def failure(self) -> str:
        """Returns the message on its end, with the last lines of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]
        ended = f"the {self.name} ended with code {self.process.poll()}; the end of {self.log}:"
        return "\n".join([ended, *(f"  {line}" for line in lines)])

    def end(self) -> None:
        """Terminate it; kill it if it does not end in time."""
        self.process.terminate()
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _start(running: contextlib.ExitStack, name: str, log: Path, command: Sequence[str]) -> _Program:
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            # This same player, also where it lies in a folder that Python does not search.
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            # A session of its own: Ctrl-C reaches the demo alone, which then ends both in order.
            start_new_session=True,
        )
    program = _Program(name, process, log)
    running.callback(program.end)
    return program


def _menu_service() -> list[str]:
    installed = Path(sys.executable).with_name("menu-service")
    # Beside this Python it is a name alone, if its libraries were not asked for.
    beside = installed.exists() and not lacks_service_libraries()
    found = str(installed) if beside else shutil.which("menu-service")
    if found is None or (found == str(installed) and not beside):
        raise NeedsError(
            "menu-service is not installed here:  apt-get install menu-service  or  pip install 'menu-player[service]'"
        )
    return [found]


def _output_of(command: Sequence[str]) -> str:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DemoError(f"{' '.join(command[:2])} failed:\n{done.stderr.strip()}")
    return done.stdout.strip()


def _desk_link(data: Path, address: str) -> str:
    """Returns a link that signs the demo's owner in."""
    person = ("--email", OWNER_EMAIL, "--name", "Demo", "--role", "Owner")
    return _output_of([*_menu_service(), "desk-link", "--data", str(data), *person, "--public-url", address])


def _key(path: Path, data: Path, address: str) -> str:
    """Returns the key of the last run if it still works, a new one otherwise."""
    with contextlib.suppress(FileNotFoundError, DemoError):
        key = path.read_text(encoding="utf-8").strip()
        _Api(address=address, key=key).call("GET", "/v1/screens?limit=1")
        return key
    command = [*_menu_service(), "keys", "create", "--data", str(data), "--role", "Owner", "--name", "demo"]
    key = _output_of(command)
    path.touch(mode=0o600)
    path.write_text(key + "\n", encoding="utf-8")
    return key


def _port(folder: Path) -> int:
    """Returns the port of the last run if it is free: the player's pairing is with that address."""
    path = folder / "port"
    last = 8080
    with contextlib.suppress(FileNotFoundError, ValueError):
        last = int(path.read_text(encoding="ascii"))
    port = _free_port(last)
    path.write_text(f"{port}\n", encoding="ascii")
    return port


def _free_port(wanted: int | None = None) -> int:
    """Returns this port, or any other if that is taken: one that the kernel gives no outgoing connection meanwhile."""
    while True:
        port = secrets.choice(OTHER_PORTS) if wanted is None else wanted
        with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
            return port
        wanted = None


# Calls to them


class _Api(Struct, frozen=True, kw_only=True):
    address: str
    key: str

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Makes one call; raises DemoError with the service's message."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            answer = httpx.request(
                method, self.address + path, json=body, headers=headers, timeout=10.0, trust_env=False
            )
            document: dict[str, Any] = {} if answer.is_error else answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise DemoError(f"{method} {self.address}{path} failed: {error}") from error
        if answer.is_error:
            raise DemoError(f"{method} {path} was answered {answer.status_code}: {answer.text}")
        return document

    def state(self) -> dict[str, Any]:
        """Returns the player's snapshot."""
        return self.call("GET", "/state.json")


Found = TypeVar("Found")


def _wait(look: Callable[[], Found | None], otherwise: str, *programs: _Program) -> Found:
    """Poll until `look` finds something. Raises DemoError when a program ends, or after START_SECONDS."""
    deadline = time.monotonic() + START_SECONDS
    trouble = ""
    while time.monotonic() < deadline:
        for program in programs:
            if program.process.poll() is not None:
                raise DemoError(program.failure())
        try:
            if found := look():
                return found
        except DemoError as error:
            trouble = f" ({error})"
        time.sleep(LOOK_SECONDS)
    logs = ", ".join(str(program.log) for program in programs)
    raise DemoError(f"{otherwise} after {START_SECONDS:g} s{trouble}; see {logs}")


def has_screen() -> bool:
    """True if there is a desktop to open a window on."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _say(words: str) -> None:
    print(words, flush=True)  # noqa: T201
