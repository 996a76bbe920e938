"""The panel of a whole board by the opening hours of its location. The tests stand in the order of a day."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from player.device.panel import LOOK_SECONDS
from player.domain.panel.panel import AWAKE_SECONDS
from tests.kiosk.board import SERVICE, Board
from tests.kiosk.machine import eventually
from tests.kiosk.test_board import seen

FOLLOWS_SECONDS = 25.0
"""From a change of the hours to the panel, on a slow machine, where it obeys at the third time."""

MENU_SECONDS = 10.0
"""From the hours' begin to the menu on the glass."""

UNIT_SECONDS = 30.0
"""Longer than the watchdog of the unit waits."""

DEAF = """#!/bin/sh
case "$*" in
*--off*|*--on*)
  echo "$*" >> /run/menu-player/asked
  [ "$(wc -l < /run/menu-player/asked)" -gt 2 ] || exit 1
esac
exec /usr/bin/wlr-randr "$@"
"""
"""A wlr-randr whose first two wishes are not followed."""


def open_from(board: Board, begin: timedelta) -> datetime:
    """Give the location hours that begin so long after this minute; returns when they do."""
    path = f"{SERVICE}/v1/locations/{board.sample['location']}"
    zone = ZoneInfo(board.machine.call("GET", path, key=board.key)["timezone"])
    start = datetime.now(zone).replace(second=0, microsecond=0) + begin
    hours = [{"start": f"{start:%H:%M}", "end": f"{start + timedelta(hours=2):%H:%M}"}]
    board.machine.call("PATCH", path, key=board.key, body={"openingHours": hours})
    return start


def screen_of(board: Board) -> dict[str, Any]:
    """The screen as the service shows it."""
    (found,) = board.machine.call("GET", f"{SERVICE}/v1/screens", key=board.key)["data"]
    assert isinstance(found, dict)
    return found


def enabled(board: Board) -> bool:
    """Whether the compositor drives the output."""
    where = "XDG_RUNTIME_DIR=/run/menu-player WAYLAND_DISPLAY=wayland-0"
    (output,) = json.loads(board.machine.sh(f"{where} /usr/bin/wlr-randr --json"))
    return bool(output["enabled"])


@pytest.mark.proves("location-closed")
def test_the_panel_is_off_when_the_hours_end_and_the_board_goes_on(board: Board) -> None:
    board.machine.write("/usr/local/bin/wlr-randr", DEAF, mode="0755")
    board.play_sample()
    before = board.started
    assert enabled(board)

    open_from(board, timedelta(hours=3))
    eventually(lambda: not enabled(board), what="the panel is off", seconds=AWAKE_SECONDS + FOLLOWS_SECONDS)
    assert board.machine.sh("grep -c -- --off /run/menu-player/asked") == "3", "it is asked until it obeys"
    eventually(lambda: screen_of(board)["displayPower"] == "off_by_schedule", what="the service shows it")

    time.sleep(UNIT_SECONDS)
    screen = screen_of(board)
    assert (screen["status"], screen["presented"]["kind"], screen["errors"]) == ("online", "nothing", [])
    assert [finding["code"] for finding in screen["findings"]] == ["off_by_schedule"]
    lately = datetime.fromisoformat(screen["lastSeen"]).timestamp()
    assert time.time() - lately < UNIT_SECONDS, "it is heard of"
    assert (board.started, board.machine.unit("menu-player")["NRestarts"]) == (before, "0")
    command(board, "screenshot")


def command(board: Board, kind: str) -> None:
    """Send the screen a command, and wait until it is done."""
    path = f"{SERVICE}/v1/screens/{screen_of(board)['id']}/commands"
    given = board.machine.call("POST", path, key=board.key, body={"type": kind})

    def is_done() -> bool:
        state = board.machine.call("GET", f"{path}/{given['id']}", key=board.key)["state"]
        assert state in ("waiting", "sent", "done"), state
        return bool(state == "done")

    eventually(is_done, what=f"{kind} is done", seconds=FOLLOWS_SECONDS)


@pytest.mark.proves("location-closed")
def test_the_menu_is_back_when_the_hours_begin(board: Board, figures: dict[str, float], pictures: Path) -> None:
    begin = open_from(board, timedelta(minutes=1)).timestamp()
    eventually(lambda: enabled(board), what="the panel is on", seconds=60 + FOLLOWS_SECONDS)
    assert time.time() >= begin, "no sooner"
    board.wait_for_kind("scene")
    figures["beginning of the opening hours to the menu"] = took = time.time() - begin
    assert took < MENU_SECONDS
    seen(board.picture(pictures / "opened.png"))
    eventually(lambda: screen_of(board)["displayPower"] == "on", what="the service shows it")


def test_a_screen_that_comes_back_is_switched_off_again(board: Board) -> None:
    open_from(board, timedelta(hours=3))
    eventually(lambda: not enabled(board), what="the panel is off", seconds=FOLLOWS_SECONDS)
    where = "XDG_RUNTIME_DIR=/run/menu-player WAYLAND_DISPLAY=wayland-0"
    board.machine.sh(f"{where} /usr/bin/wlr-randr --output HEADLESS-1 --on")
    eventually(lambda: not enabled(board), what="it is off again", seconds=LOOK_SECONDS + FOLLOWS_SECONDS)


def test_it_wakes_to_show_which_screen_it_is(board: Board, pictures: Path) -> None:
    command(board, "identify")
    assert enabled(board)
    seen(board.picture(pictures / "woken.png"))
