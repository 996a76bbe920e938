"""A board as it is installed, from its first start to a loss of power. The tests stand in the order of its life."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from player.display.window.screenshot import is_flat
from tests.kiosk.board import Board
from tests.kiosk.machine import eventually

BACK_SECONDS = 30.0
"""Whatever dies or stands still: the menu is back on the glass by then."""

START_SECONDS = 20.0
STOP_SECONDS = 5.0


def seen(picture: Path) -> QImage:
    """The picture, which is not of one colour."""
    image = QImage(str(picture))
    assert not image.isNull()
    assert not is_flat(image), f"there is nothing on {picture}"
    return image


def test_the_first_start_ends_with_a_pairing_code(board: Board, figures: dict[str, float], pictures: Path) -> None:
    board.start_service()
    began = time.monotonic()
    figures["start of the unit to READY"] = board.start()
    board.wait_for_kind("pairing", seconds=START_SECONDS)
    eventually(lambda: board.state()["pairing"]["code"], what="a code shows", seconds=START_SECONDS)
    figures["start of the unit to the pairing code"] = time.monotonic() - began
    seen(board.picture(pictures / "pairing.png"))


def test_a_sample_that_root_loads_plays_with_all_its_images(
    board: Board, figures: dict[str, float], pictures: Path
) -> None:
    board.load_sample()
    began = time.monotonic()
    board.pair()
    board.wait_for_kind("scene")
    figures["pairing to the menu"] = time.monotonic() - began
    state = eventually(lambda: board.state_without("asset_missing"), what="all files are there")
    assert state["presented"]["kind"] == "scene"
    assert board.machine.sh("find /var/lib/menu-service ! -user menu-service") == ""
    assert " 500 " not in board.machine.log("menu-service")
    time.sleep(3)  # a fade
    seen(board.picture(pictures / "menu.png"))


def test_nothing_that_a_board_does_not_need_runs(board: Board, figures: dict[str, float]) -> None:
    for whom, pid in (("the player", board.player), ("cage", board.compositor)):
        kib = board.machine.sh(f"awk '/^Pss:/ {{print $2}}' /proc/{pid}/smaps_rollup")
        figures[f"MiB of {whom} (PSS)"] = int(kib) / 1024
    assert board.machine.pids("Xwayland") == []
    assert board.machine.unit("menu-player")["NRestarts"] == "0"


@pytest.mark.proves("player-stands-still", "player-cage-killed")
@pytest.mark.parametrize(
    ("what", "signal", "whom"),
    [
        ("kill -9 of the player", "KILL", "player"),
        ("kill -9 of cage", "KILL", "compositor"),
        ("SIGSTOP of the player", "STOP", "player"),
        ("SIGSTOP of cage", "STOP", "compositor"),
    ],
)
def test_the_menu_is_back_within_half_a_minute(
    board: Board, figures: dict[str, float], what: str, signal: str, whom: str
) -> None:
    pid, before = getattr(board, whom), board.started
    began = time.monotonic()
    board.machine.sh(f"kill -{signal} {pid}")
    eventually(lambda: board.started not in ("", before), what="another run answers")
    board.wait_for_kind("scene")
    figures[f"{what} to the menu"] = took = time.monotonic() - began
    assert took < BACK_SECONDS, board.machine.log("menu-player")[-4000:]
    assert len(board.machine.pids("^cage ")) == 1
    # The compositor is not blamed for it.
    assert board.machine.unit("menu-player")["ActiveState"] == "active"


def test_a_service_that_dies_costs_the_glass_nothing(board: Board, figures: dict[str, float]) -> None:
    before = board.started
    began = time.monotonic()
    board.machine.sh("kill -9 $(systemctl show -P MainPID menu-service)")
    eventually(lambda: board.machine.get("http://127.0.0.1:8080/healthz"), what="the service is back")
    figures["kill -9 of the service to its answer"] = time.monotonic() - began
    eventually(lambda: board.state().get("contact", {"fault": "?"})["fault"] is None, what="it is in contact")
    assert board.started == before
    assert board.state()["presented"]["kind"] == "scene"


def test_a_loss_of_power_costs_a_start_and_no_more(board: Board, figures: dict[str, float]) -> None:
    board.machine.cut_power()
    figures["power to a system that takes commands"] = board.machine.boot()
    began = time.monotonic()
    board.start()
    board.wait_for_kind("scene", seconds=START_SECONDS)
    figures["start of the unit to the stored menu, without the service"] = time.monotonic() - began
    board.start_service()
    eventually(lambda: board.state()["revision"] is not None, what="it follows its service")


def test_a_backup_that_root_restores_is_the_services(board: Board) -> None:
    machine, data = board.machine, "/var/lib/menu-service"
    machine.sh(f"menu-service backup --data {data} --to /root/saved; systemctl stop menu-service; mv {data} {data}.old")
    machine.sh(f"menu-service restore --data {data} --from /root/saved && systemctl start menu-service")
    assert machine.get("http://127.0.0.1:8080/healthz")
    assert machine.sh(f"find {data} ! -user menu-service") == ""


def test_a_stop_is_clean(board: Board, figures: dict[str, float]) -> None:
    began = time.monotonic()
    board.machine.sh("systemctl stop menu-player")
    figures["stop of the unit"] = took = time.monotonic() - began
    assert took < STOP_SECONDS
    unit = board.machine.unit("menu-player")
    assert (unit["Result"], unit["ActiveState"]) == ("success", "inactive")
    assert board.machine.pids("cage|menu-player run") == []
    assert board.machine.sh("ls -A /run/menu-player 2>/dev/null", ok=False) == ""
