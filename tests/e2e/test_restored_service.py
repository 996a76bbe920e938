"""A service that was restored, from a backup or by a copied folder, is believed, and so is what it publishes next."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Shop
from tests.support.programs import on_glass


def service_command(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "service", *map(str, arguments)], check=True, capture_output=True)


@pytest.mark.long
@pytest.mark.proves("service-restored-backup")
def test_a_service_whose_folder_was_copied_back_is_followed_at_once(shop: Shop) -> None:
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 60)))
    shop.player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 2)
    shop.service.end()
    saved = shop.service.data.with_name("saved")
    shutil.copytree(shop.service.data, saved)
    shop.service.start()
    for price in (7, 8, 9):
        shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"price": price})
    shop.player.wait_for("the price shows", lambda s: on_glass(s).get("Espresso") == "9,00 €")

    shop.service.end()
    shutil.rmtree(shop.service.data)
    saved.rename(shop.service.data)
    shop.service.start()
    shop.player.wait_for("the board follows", lambda s: on_glass(s).get("Espresso") == "2,20 €")
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"eightySixed": True})
    shop.player.wait_for("it is off the glass", lambda s: "Espresso" not in on_glass(s))
    assert "put back" in shop.service.log.read_text()


@pytest.mark.proves("service-restored-backup")
@pytest.mark.long
def test_a_board_follows_a_service_that_was_restored_from_a_backup(shop: Shop, tmp_path: Path) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 2))
    shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 2)
    service_command("backup", "--data", shop.service.data, "--to", tmp_path / "backup")

    # Lost with the service: a version, and three changes.
    shop.append(playlist, shop.scene("Lunch", "Lunch"), 2)
    assert shop.publish(playlist) == 2
    for price in (7, 8, 9):
        shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"price": price})
    shop.player.wait_for("version 2 shows", lambda s: s["program"] and s["program"]["version"] == 2)
    shop.player.wait_for("the price shows", lambda s: on_glass(s).get("Espresso") == "9,00 €")

    shop.service.kill()
    shop.service.data = tmp_path / "restored"
    service_command("restore", "--data", shop.service.data, "--from", tmp_path / "backup")
    shop.service.start()
    old = {"Flat white": "3,40 €", "Espresso": "2,20 €"}
    shop.player.wait_for(
        "the restored menu is on the glass", lambda s: on_glass(s) == old and s["presented"]["version"] == 1
    )

    # Another version 2.
    shop.append(playlist, shop.scene("Evening", "Lunch"), 2)
    assert shop.publish(playlist) == 2
    shop.player.wait_for("its new scene is on the glass", lambda s: on_glass(s) == {"Soup": "6,50 €"})
