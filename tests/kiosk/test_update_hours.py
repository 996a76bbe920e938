"""A board that updates itself: not before its location closes, and from no repository with another key."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.kiosk.board import SERVICE, Board
from tests.kiosk.machine import Machine, eventually
from tests.kiosk.repository import key, put, repository
from tests.kiosk.roots import built_packages
from tests.kiosk.test_update import OFTEN, has_display, is_watched_often, version, wait_for_good
from tests.kiosk.variants import variant

NOTES = "/var/lib/menu-player-guard/updates.json"
SOURCE = """\
Types: deb
URIs: file:/srv/repository
Suites: ./
Signed-By: /srv/repository/menu-player.gpg
"""

BEGINS_SECONDS = 30.0
"""From the end of the hours to the update, on a slow machine, which looks every other second here."""


def notes(machine: Machine) -> dict[str, Any]:
    found = machine.sh(f"cat {NOTES} 2>/dev/null", ok=False)
    document: dict[str, Any] = json.loads(found) if found else {}
    return document


@pytest.mark.proves("update-due-location")
def test_an_update_waits_until_the_location_closes(board: Board, tmp_path: Path, figures: dict[str, float]) -> None:
    machine = board.machine
    is_watched_often(machine)
    has_display(machine)
    board.play_sample()
    path = f"{SERVICE}/v1/locations/{board.sample['location']}"
    zone = ZoneInfo(board.machine.call("GET", path, key=board.key)["timezone"])
    wait_for_good(machine, version(machine).split()[0])

    variant(built_packages(), "9.1", tmp_path / "new")
    gpg = key(tmp_path, "key")
    made = repository(tmp_path / "made", (tmp_path / "new").glob("*.deb"), signed_by=gpg, with_key=gpg)
    put(made, machine, "/srv/repository")
    machine.sh("rm -f /etc/apt/sources.list")
    machine.write("/etc/apt/sources.list.d/menu-player.sources", SOURCE)
    now = datetime.now(zone)
    # Each machine begins in the first three quarters of the window, which are over.
    window = f"{now - timedelta(hours=10):%H:%M}-{now + timedelta(hours=2):%H:%M}"
    machine.write("/etc/menu-player/updates.toml", f'window = "{window}"\n')
    closes = now.replace(second=0, microsecond=0) + timedelta(minutes=2)
    hours = [{"start": f"{now - timedelta(hours=1):%H:%M}", "end": f"{closes:%H:%M}"}]
    board.machine.call("PATCH", path, key=board.key, body={"openingHours": hours})
    eventually(lambda: "hours" in board.machine.sh("cat /run/menu-player/board.json"), what="the board tells the hours")
    machine.write("/etc/systemd/system/menu-player-update.timer.d/test.conf", OFTEN)
    machine.sh("systemctl daemon-reload; systemctl restart menu-player-update.timer")
    eventually(lambda: notes(machine).get("hours"), what="the guard has seen the hours")
    assert datetime.now(zone) < closes, "it is open, and would begin"

    began = eventually(lambda: notes(machine).get("began"), what="it begins", seconds=120 + BEGINS_SECONDS)
    late = (datetime.fromisoformat(began) - closes).total_seconds()
    figures["end of the opening hours to the update that is due"] = late
    assert 0 <= late < BEGINS_SECONDS
    eventually(lambda: version(machine) == "9.1 ii", what="the new version is installed", seconds=600)
    board.wait_for_kind("scene", seconds=120)
    wait_for_good(machine, "9.1")


@pytest.mark.proves("update-other-key")
def test_a_repository_with_another_key_is_named_and_the_board_plays_on(board: Board, tmp_path: Path) -> None:
    machine = board.machine
    variant(built_packages(), "9.2", tmp_path / "new")
    another = key(tmp_path, "another")
    made = repository(tmp_path / "made", (tmp_path / "new").glob("*.deb"), signed_by=another, with_key=another)
    (made / "menu-player.gpg").unlink()
    put(made, machine, "/srv/repository")
    # As if nothing had begun in this window.
    machine.sh(f"rm {NOTES}")

    def refused() -> list[str]:
        return [each["what"] for each in board.state().get("findings", []) if each["code"] == "updates_refused"]

    said = eventually(refused, what="the board names the repository", seconds=300)
    assert said == ["The device takes no updates from file:/srv/repository."]
    assert "updates_refused" in machine.sh("menu-player doctor --json", ok=False)
    assert version(machine) == "9.1 ii"
    board.wait_for_kind("scene")
