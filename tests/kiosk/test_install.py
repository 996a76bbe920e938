"""packaging/install.sh on a machine with systemd: its last line is what the screen shows.

The packages' dependencies are there already, for this machine has no network; without them it is tested by
tests/packaging/test_packages.py.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kiosk.board import HEADLESS, Board
from tests.kiosk.machine import CHECKOUT, Machine
from tests.kiosk.roots import built_packages

INSTALL = "/root/packages/install.sh"


@pytest.fixture
def board(installed: Path) -> Iterator[Board]:
    """One that knows no service."""
    machine = Machine(installed)
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.without("menu-player", "menu-service")
    try:
        machine.boot()
        machine.sh("mkdir /root/packages")
        for file in (*built_packages(), CHECKOUT / "packaging/install.sh"):
            put = machine.command("sh", "-c", f"cat > /root/packages/{file.name}; chmod 755 /root/packages/{file.name}")
            subprocess.run(put, input=file.read_bytes(), check=True)
        yield Board(machine)
    finally:
        machine.throw_away()


def last_line(said: str) -> str:
    return said.splitlines()[-1]


def test_the_last_line_says_what_the_screen_shows(board: Board) -> None:
    machine = board.machine
    shown = last_line(machine.sh(f"{INSTALL} --service-here"))
    code = re.fullmatch(r"The screen shows the code (\S+)\. Enter it at http://127\.0\.0\.1:8080/pair", shown)
    assert code is not None, shown
    assert board.state()["pairing"]["code"] == code[1]
    assert machine.sh("stat -c '%a %U' /etc/menu-player/service.key") == "600 root"
    key = machine.sh("cat /etc/menu-player/service.key")

    machine.sh("echo 'overscan = 2' >> /etc/menu-player/config.toml")
    assert last_line(machine.sh(f"{INSTALL} --service-here")) == shown, "a second run changes nothing"
    assert machine.sh("cat /etc/menu-player/service.key") == key

    board.start_service()
    board.load_sample()
    board.pair()
    board.wait_for_kind("scene")
    assert last_line(machine.sh(f"{INSTALL} --service-here")).startswith("The screen shows ")

    said = machine.sh(f"{INSTALL} --uninstall")
    assert last_line(said).startswith("The board is gone. Its menus, pairing and settings are kept")
    assert 'service = "http://127.0.0.1:8080"' in machine.sh("cat /etc/menu-player/config.toml")
    assert last_line(machine.sh(f"{INSTALL} --uninstall --purge")) == "The board is gone from this machine."
    assert machine.sh("ls -d /usr/lib/menu-* 2>/dev/null", ok=False) == ""


def test_another_service_keeps_the_other_settings(board: Board) -> None:
    machine = board.machine
    board.configure('overscan = 2\nservice = "https://old.example.com"\n')
    shown = last_line(machine.sh(f"{INSTALL} --service https://menu.example.com"))
    assert shown.startswith("The screen shows that it waits for the service."), shown
    assert machine.sh("cat /etc/menu-player/config.toml") == 'overscan = 2\nservice = "https://menu.example.com"'
