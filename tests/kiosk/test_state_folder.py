"""Whatever stands in the place of the state directory, the board shows and says it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kiosk.board import Board
from tests.kiosk.machine import eventually
from tests.kiosk.test_board import seen

STATE = "/var/lib/menu-player"
CACHE = "/var/cache/menu-player"
START_SECONDS = 30.0


@pytest.fixture(autouse=True)
def _as_it_was(board: Board) -> Iterator[None]:
    yield
    machine = board.machine
    machine.sh("systemctl stop menu-player; systemctl reset-failed", ok=False)
    for folder in (STATE, "/var/lib", CACHE):
        machine.sh(f"umount {folder}", ok=False)
    machine.sh(f"rm -rf {STATE}* {CACHE}*")


def faults(board: Board) -> str:
    return " ".join(finding["what"] for finding in board.state().get("findings", []))


@pytest.mark.proves("file-link-nowhere")
@pytest.mark.parametrize(
    ("what", "damage", "said"),
    [
        ("a file in its place", f"rm -rf {STATE}; echo hello > {STATE}", ""),
        ("a link to nowhere in its place", f"rm -rf {STATE}; ln -s /nowhere {STATE}", ""),
        ("a file in the place of the cache", f"rm -rf {CACHE}; echo hello > {CACHE}", ""),
        ("all of it is root's", f"chown -R root:root {STATE}; chmod -R go= {STATE}", ""),
        ("all in it is root's", f"chown -R root:root {STATE}/*; chmod -R go= {STATE}/*", ""),
        ("an empty disk", f"mount -t tmpfs tmpfs {STATE}", ""),
        ("a read-only disk", f"mount -t tmpfs tmpfs {STATE} && mount -o remount,ro {STATE}", "write-protected"),
        ("nowhere to make it", f"rm -rf {STATE}; mount -t tmpfs -o ro tmpfs /var/lib", "cannot write"),
        (
            "a full disk",
            f"mount -t tmpfs -o size=64k tmpfs {STATE}; dd if=/dev/zero of={STATE}/full 2>/dev/null || true",
            "disk is full",
        ),
    ],
)
def test_the_board_shows(
    board: Board, figures: dict[str, float], pictures: Path, what: str, damage: str, said: str
) -> None:
    board.start()
    board.wait_for_kind("pairing")
    board.machine.sh("systemctl stop menu-player")
    board.machine.sh(damage)
    began = time.monotonic()
    board.machine.sh("systemctl start --no-block menu-player")
    board.wait_for_kind("pairing", seconds=START_SECONDS)
    figures[f"{what}: to the pairing card"] = time.monotonic() - began
    assert board.machine.unit("menu-player")["NRestarts"] == "0"
    if said:
        eventually(lambda: said in faults(board), what=f"it is told: {said}; {faults(board)}")
        seen(board.picture(pictures / f"state-{what.replace(' ', '-')}.png"))
    else:
        assert board.machine.sh(f"stat -Lc '%U %a' {STATE} {CACHE}").splitlines() == ["menu-player 700"] * 2


def test_what_stood_in_its_place_is_kept(board: Board) -> None:
    board.machine.sh(f"echo hello > {STATE}")
    board.start()
    board.wait_for_kind("pairing")
    assert board.machine.sh(f"cat {STATE}.aside-1") == "hello"


@pytest.mark.proves("file-link-nowhere")
def test_a_pairing_that_root_has_copied_back_counts(board: Board) -> None:
    """As from a backup, by somebody who knows nothing of owners."""
    board.start_service()
    board.start()
    eventually(lambda: board.state()["pairing"].get("code"), what="a code shows")
    board.load_sample()
    board.pair()
    board.wait_for_kind("scene")
    board.machine.sh(
        f"systemctl stop menu-player; cp -r {STATE} /root/saved; rm -rf {STATE}; cp -r /root/saved {STATE}"
    )
    board.start()
    board.wait_for_kind("scene")
    assert board.state()["pairing"]["phase"] == "paired"
