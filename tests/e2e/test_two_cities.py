"""A chain in two cities, with both programs: each board has the prices of its place, and what is sold out there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Shop
from tests.support.programs import Player, on_glass

NEW_YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
BERLIN_MENU = {"Flat white": "3,40 €", "Espresso": "2,20 €"}


@pytest.fixture
def york_player(shop: Shop, tmp_path: Path) -> Iterator[Player]:
    folder = tmp_path / "york"
    folder.mkdir()
    player = Player(folder, shop.service.address)
    player.start()
    yield player
    player.kill()


@pytest.mark.long
def test_prices_and_what_is_sold_out_differ_by_city(shop: Shop, york_player: Player) -> None:
    service, coffee = shop.service, shop.items["Flat white"]
    york = service.post("/locations", NEW_YORK)["id"]
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 20))
    shop.pair(playlist)
    body = {"code": york_player.code(), "playlist": playlist, "location": york}
    service.post("/screens/pair", body)
    york_player.wait_for("the menu is on the glass", lambda s: len(on_glass(s)) == 2)
    shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == BERLIN_MENU)

    # A group, and a location before it.
    group = service.post("/groups", {"name": "America", "locations": [york]})["id"]
    service.patch(f"/groups/{group}/items/{shop.items['Espresso']}", {"price": 3})
    service.patch(f"/locations/{york}/items/{coffee}", {"price": 5.5})
    york_player.wait_for(
        "the prices of New York are on the glass",
        lambda s: on_glass(s) == {"Flat white": "$5.50", "Espresso": "$3.00"},
    )

    # Sold out in New York alone, then in Berlin alone.
    berlin = shop.player.state()["presented"]
    service.patch(f"/locations/{york}/items/{coffee}", {"eightySixed": True})
    state = york_player.wait_for("it is off the glass there", lambda s: on_glass(s) == {"Espresso": "$3.00"})
    assert 0 <= state["presented"]["latencyMilliseconds"] < 60_000
    after = shop.player.state()
    assert on_glass(after) == BERLIN_MENU
    assert {name: after["presented"][name] for name in ("serial", "revision")} == {
        name: berlin[name] for name in ("serial", "revision")
    }, "nothing was ordered there"

    service.patch(f"/locations/{york}/items/{coffee}", {"eightySixed": False})
    service.patch(f"/content/items/{coffee}", {"eightySixed": True})
    shop.player.wait_for("it is off the glass in Berlin", lambda s: on_glass(s) == {"Espresso": "2,20 €"})
    york_player.wait_for("New York still has it", lambda s: on_glass(s) == {"Flat white": "$5.50", "Espresso": "$3.00"})

    # All comes back to what the workspace says.
    service.patch(f"/content/items/{coffee}", {"eightySixed": False})
    service.delete(f"/groups/{group}")
    service.patch(f"/locations/{york}/items/{coffee}", {"price": None, "eightySixed": None})
    shop.player.wait_for("Berlin is as before", lambda s: on_glass(s) == BERLIN_MENU)
    york_player.wait_for(
        "New York has the plain prices", lambda s: on_glass(s) == {"Flat white": "$3.40", "Espresso": "$2.20"}
    )
    assert [player.state()["rejections"] for player in (shop.player, york_player)] == [[], []]
