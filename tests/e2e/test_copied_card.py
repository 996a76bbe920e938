"""Two real players from one state directory, as two boards from one card, or one card in a replacement device."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Shop
from tests.e2e.test_end_to_end import screen
from tests.support.programs import Player, on_glass

MENU = {"Flat white": "3,40 €", "Espresso": "2,20 €"}


def machine(folder: Path, serial: str) -> dict[str, str]:
    """The environment of a player on a machine whose board has this serial number."""
    (folder / "proc/device-tree").mkdir(parents=True)
    (folder / "proc/device-tree/serial-number").write_text(serial)
    return {"MENU_TEST_MACHINE": str(folder)}


def copy_of(shop: Shop, folder: Path) -> Player:
    """Another player, with a copy of the state directory."""
    folder.mkdir()
    copy = Player(folder, shop.service.address)
    shutil.copytree(shop.player.state_folder, copy.state_folder, ignore=shutil.ignore_patterns("lock"))
    return copy


@pytest.mark.proves("card-copied-moved")
@pytest.mark.long
def test_a_copied_card_becomes_a_screen_of_its_own_on_another_board(shop: Shop, tmp_path: Path) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 60))
    shop.player.end()
    shop.player.module = "tests.support.player_on_hardware"
    shop.player.environment |= machine(tmp_path / "first", "10000000a1b2c3d4")
    shop.player.start()
    first = shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == MENU)
    copy = copy_of(shop, tmp_path / "copy")
    copy.module = shop.player.module
    copy.environment |= machine(tmp_path / "second", "10000000e5f60718")
    try:
        copy.start()
        state = copy.wait_for("the copy has a code", lambda s: s["pairing"]["code"])
        assert on_glass(state) == MENU, "the stored menu goes on"
        assert "copied_card" in [one["code"] for one in state["findings"]]
        second = shop.pair(playlist, copy)
        copy.wait_for("the copy is paired", lambda s: s["pairing"]["phase"] == "paired")
        state = copy.wait_for("its menu goes on", lambda s: on_glass(s) == MENU)
        assert [one["code"] for one in state["findings"] if one["code"] == "copied_card"] == []

        assert first != second
        assert screen(shop, first)["status"] == "online"
        assert shop.player.state()["pairing"]["phase"] == "paired"
        # After a restart on its own board it is the same screen.
        copy.end()
        copy.start()
        copy.wait_for("it is paired still", lambda s: s["pairing"]["phase"] == "paired" and on_glass(s) == MENU)
    finally:
        copy.end()


@pytest.mark.proves("copies-hardware-tells")
@pytest.mark.long
def test_the_service_says_that_two_boards_are_one_screen(shop: Shop, tmp_path: Path) -> None:
    """Nothing tells the machines apart: the operator hears of it, and so does the technician at either board."""
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 60)))
    shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == MENU)
    copy = copy_of(shop, tmp_path / "copy")
    try:
        copy.start()
        for board in (shop.player, copy):
            board.wait_for(
                "its page says that there are two", lambda s: "two_devices" in [one["code"] for one in s["findings"]]
            )
        assert len(shop.service.get("/screens?finding=two_devices")["data"]) == 1
    finally:
        copy.end()
