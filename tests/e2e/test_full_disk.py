"""The real programs on a disk that is full: what is sold out stays so after a power cut without the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Shop
from tests.support.programs import eventually, on_glass
from tests.support.small_disk import fill, small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", megabytes=32) as folder:
        yield folder


@pytest.mark.proves("disk-full-dish")
@pytest.mark.long
def test_a_dish_sold_out_on_a_full_disk_stays_off_after_a_power_cut_without_the_service(shop: Shop, disk: Path) -> None:
    shop.player.kill()
    shop.player.state_folder = disk / "state"
    shop.player.start()
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5)))
    shop.player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 2)
    shop.player.wait_for("the menu is stored", lambda _: (disk / "state" / "running").exists())
    filler = fill(disk)

    for name in ("Espresso", "Flat white"):
        shop.service.patch(f"/content/items/{shop.items[name]}", {"eightySixed": True})
        shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"price": 3.6})
    shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"eightySixed": False})
    newest = {"Flat white": "3,60 €"}
    state = shop.player.wait_for("the newest menu is on the glass", lambda s: on_glass(s) == newest)
    revision = f'"revision":{state["revision"]},'.encode()
    reserve = [disk / "state" / f"reserve-{number}" for number in range(2)]
    eventually(lambda: any(revision in file.read_bytes() for file in reserve), what="the newest facts are stored")
    shop.player.wait_for("the fault is reported", lambda s: "disk_full" in [part["code"] for part in s["rejections"]])

    shop.player.kill()
    shop.service.kill()
    shop.player.start()
    state = shop.player.wait_for("the menu is back from the disk", on_glass)
    assert on_glass(state) == newest
    assert state["contact"]["lastAnswerAt"] is None

    filler.unlink()
    shop.player.kill()
    shop.player.start()
    running = disk / "state" / "running"
    shop.player.wait_for("what was in the reserve is in its place", lambda _: revision in running.read_bytes())
    state = shop.player.wait_for("the menu shows", on_glass)
    assert on_glass(state) == newest
    assert "disk_full" not in [part["code"] for part in state["rejections"]]
