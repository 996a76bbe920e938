"""Hindrances of a start stand on the board's glass, and it starts once they are mended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.kiosk.board import CONFIG, Board
from tests.kiosk.machine import eventually
from tests.kiosk.test_board import seen
from tests.support.wrong_settings import EIGHT_WRONG_SETTINGS


@pytest.fixture(autouse=True)
def _stopped(board: Board) -> Iterator[None]:
    yield
    board.machine.sh("systemctl stop menu-player; rm -f /etc/systemd/system/menu-player.service.d/test.conf")
    board.machine.sh("systemctl daemon-reload; systemctl reset-failed", ok=False)
    board.configure(CONFIG)


def goes_on(board: Board) -> None:
    """The unit has not been started again: it waits."""
    unit = board.machine.unit("menu-player")
    assert (unit["ActiveState"], unit["NRestarts"]) == ("active", "0")


def says(board: Board, words: str) -> bool:
    return words in board.machine.unit("menu-player")["StatusText"]


def is_mended(board: Board, figures: dict[str, float], what: str) -> None:
    began = time.monotonic()
    board.wait_for_kind("pairing", seconds=30)
    figures[f"{what} to the pairing card"] = time.monotonic() - began
    goes_on(board)


def test_a_board_that_is_not_set_up_says_so_and_starts_once_it_is(
    board: Board, figures: dict[str, float], pictures: Path
) -> None:
    board.machine.sh("rm /etc/menu-player/config.toml")
    board.start()
    eventually(partial(says, board, "Write the address of the menu service"), what="it is told")
    time.sleep(1)
    seen(board.picture(pictures / "not-set-up.png"))
    goes_on(board)
    board.configure(CONFIG)
    is_mended(board, figures, "a configuration that is written")


@pytest.mark.proves("settings-wrong-missing")
def test_every_wrong_setting_stands_on_the_glass(board: Board, figures: dict[str, float], pictures: Path) -> None:
    board.machine.write(
        "/etc/systemd/system/menu-player.service.d/test.conf", "[Service]\nEnvironment=LANG=de_DE.UTF-8\n"
    )
    board.machine.sh("systemctl daemon-reload")
    board.configure(EIGHT_WRONG_SETTINGS)
    board.start()
    eventually(partial(says, board, "cannot start: "), what="it is told")
    why = board.machine.unit("menu-player")["StatusText"]
    for line in range(1, 9):
        assert f"line {line}: " in why
    time.sleep(1)
    seen(board.picture(pictures / "wrong-settings.png"))
    goes_on(board)
    board.configure(CONFIG)
    is_mended(board, figures, "wrong settings that are corrected")


def test_a_board_whose_directory_another_player_uses_waits_for_it(board: Board, figures: dict[str, float]) -> None:
    board.machine.sh("install -d -o menu-player -g menu-player -m 700 /var/lib/menu-player")
    as_player = "setpriv --reuid=menu-player --regid=menu-player --clear-groups"
    board.machine.sh(
        f"{as_player} menu-player run --offscreen --service http://127.0.0.1:9 --diagnostics-port 8090 --no-announce"
        " >/dev/null 2>&1 & sleep 5"
    )
    board.start()
    eventually(partial(says, board, "Another player on this device uses this folder"), what="it is told")
    goes_on(board)
    board.machine.sh("pkill -f '[d]iagnostics-port'")
    is_mended(board, figures, "a directory that is free again")


@pytest.mark.proves("package-python-player")
def test_a_package_that_is_missing_is_named(board: Board, figures: dict[str, float], pictures: Path) -> None:
    packages = "/usr/lib/python3/dist-packages"
    for name in ("httpx", "msgspec"):
        board.machine.sh(f"mv {packages}/{name} {packages}/{name}-gone")
        board.start()
        wanted = f"{name}: This part of the program cannot be found"
        eventually(partial(says, board, wanted), what="it is told")
        time.sleep(1)
        seen(board.picture(pictures / f"without-{name}.png"))
        goes_on(board)
        board.machine.sh(f"mv {packages}/{name}-gone {packages}/{name}")
        is_mended(board, figures, f"{name} that is installed again")
        board.machine.sh("systemctl stop menu-player")


def test_a_file_of_the_display_that_is_missing_leaves_the_safe_card_on_the_glass(board: Board, pictures: Path) -> None:
    module = "/usr/lib/menu-player/player/display/qml/Stage.qml"
    board.machine.sh(f"mv {module} {module}-gone")
    try:
        board.start()
        eventually(
            lambda: "safe_card" in [one["code"] for one in board.state().get("findings", ())],
            what="the safe card shows",
        )
        seen(board.picture(pictures / "safe-card.png"))
        restarts = board.machine.unit("menu-player")["NRestarts"]
        time.sleep(10)
        assert board.machine.unit("menu-player")["NRestarts"] == restarts, "it is no loop"
    finally:
        board.machine.sh(f"mv {module}-gone {module}; rm -f /var/lib/menu-player/failures")


@pytest.mark.proves("display-device-comes")
def test_a_board_without_a_display_waits_for_one(board: Board) -> None:
    board.machine.write("/etc/systemd/system/menu-player.service.d/test.conf", "[Service]\nEnvironment=WLR_BACKENDS=\n")
    board.machine.sh("systemctl daemon-reload")
    board.start()
    time.sleep(5)
    goes_on(board)
    assert "waiting" in board.machine.unit("menu-player")["StatusText"]
    board.machine.sh("systemctl stop menu-player")
    assert board.machine.unit("menu-player")["Result"] == "success"


@pytest.mark.proves("cage-dies-over")
def test_a_compositor_that_dies_over_the_gpu_is_on_the_glass_without_it(
    board: Board, figures: dict[str, float]
) -> None:
    """A stand-in for a GPU: it dies unless it is told to draw by itself."""
    cage = '#!/bin/sh\n[ "$WLR_RENDERER" = pixman ] || kill -SEGV $$\nexec /usr/bin/cage "$@"\n'
    board.machine.write("/usr/local/bin/cage", cage, mode="0755")
    board.machine.write(
        "/etc/systemd/system/menu-player.service.d/test.conf", "[Service]\nEnvironment=QT_QUICK_BACKEND=rhi\n"
    )
    board.machine.sh("systemctl daemon-reload")
    began = time.monotonic()
    board.machine.sh("systemctl start --no-block menu-player")
    board.wait_for_kind("pairing", seconds=30)
    figures["start with a GPU that kills cage to the pairing card"] = time.monotonic() - began
    assert board.machine.unit("menu-player")["NRestarts"] == "2"
    board.machine.sh("rm /usr/local/bin/cage")
