"""A board on such a machine: service and player as their units run them, cage without a screen of its own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.kiosk.machine import Machine, eventually

PAGE = "http://127.0.0.1:8085"
SERVICE = "http://127.0.0.1:8080"

HEADLESS = """[Service]
Environment=WLR_BACKENDS=headless
"""

CONFIG = f'service = "{SERVICE}"\n'


class Board:
    """A board as tests use it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.key = ""
        self.sample: dict[str, Any] = {}

    def configure(self, text: str) -> None:
        self.machine.write("/etc/menu-player/config.toml", text)

    def start(self) -> float:
        """Start the player's unit; returns the seconds until systemd calls it ready."""
        began = time.monotonic()
        self.machine.sh("systemctl start menu-player")
        return time.monotonic() - began

    def start_service(self) -> None:
        """Start the service, and get an operator's key."""
        self.machine.sh("systemctl start menu-service")
        said = self.machine.sh("menu-service keys create --data /var/lib/menu-service --role Owner")
        self.key = said.splitlines()[-1]

    def state(self) -> dict[str, Any]:
        """The player's snapshot; empty while it does not answer."""
        found = self.machine.get(f"{PAGE}/state.json")
        return found if isinstance(found, dict) else {}

    def wait_for_kind(self, kind: str, *, seconds: float = 60.0) -> dict[str, Any]:
        """The state when this kind of view is on the glass."""

        def presented() -> dict[str, Any] | None:
            state = self.state()
            return state if state.get("presented", {}).get("kind") == kind else None

        return eventually(presented, what=f"{kind} is on the glass", seconds=seconds)

    def state_without(self, code: str) -> dict[str, Any] | None:
        """The state, once nothing of this code is wrong."""
        state = self.state()
        return None if any(part["code"] == code for part in state.get("rejections", [{"code": code}])) else state

    def load_sample(self) -> None:
        """Load the sample café, as root."""
        said = self.machine.sh("menu-service demo-data --data /var/lib/menu-service 2>/dev/null")
        self.sample = json.loads(said.splitlines()[-1])

    def pair(self) -> None:
        """Pair the screen with the sample by the code on its glass."""
        code = self.state()["pairing"]["code"]
        playlist = self.sample["playlists"]["landscape"]
        body = {"code": code, "name": "Counter", "location": self.sample["location"], "playlist": playlist}
        self.machine.call("POST", f"{SERVICE}/v1/screens/pair", key=self.key, body=body)

    def play_sample(self) -> None:
        """Start service and player, and have the sample play on a board that has never been paired."""
        self.start_service()
        self.start()
        self.wait_for_kind("pairing")
        self.load_sample()
        eventually(lambda: self.state()["pairing"]["code"], what="a code shows")
        self.pair()
        self.wait_for_kind("scene")

    def picture(self, to: Path) -> Path:
        """Takes a picture of the compositor, by its own protocol."""
        where = "XDG_RUNTIME_DIR=/run/menu-player WAYLAND_DISPLAY=wayland-0"
        self.machine.sh(f"{where} timeout 60 grim /root/glass.png")
        return self.machine.fetch("/root/glass.png", to)

    def pid_of(self, pattern: str) -> int:
        """The one process of this command line."""
        found = self.machine.pids(pattern)
        assert len(found) == 1, (pattern, found)
        return found[0]

    @property
    def player(self) -> int:
        return self.pid_of("^/usr/bin/python3 .*menu-player run")

    @property
    def compositor(self) -> int:
        return self.pid_of("^cage ")

    @property
    def started(self) -> str:
        return str(self.state().get("device", {}).get("startedAt", ""))
