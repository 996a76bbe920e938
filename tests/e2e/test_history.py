"""A bad publish is taken back, and a broken board is replaced, with the real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Shop
from tests.support.programs import Player, eventually, on_glass

COFFEE = {"Flat white": "3,40 €", "Espresso": "2,20 €"}


@pytest.mark.long
def test_a_bad_publish_is_taken_back(shop: Shop) -> None:
    scene = shop.scene("Coffee", "Coffee")
    playlist = shop.playlist("All day", (scene, 2))
    shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == COFFEE)
    [menu] = shop.service.get(f"/scenes/{scene}")["widgets"]
    shop.service.patch(f"/scenes/{scene}", {"widgets": [menu | {"categories": ["Lunch"]}]})
    assert shop.publish(playlist) == 2
    shop.player.wait_for("the wrong menu is on the glass", lambda s: on_glass(s) == {"Soup": "6,50 €"})
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"price": 2.35})

    assert shop.service.post(f"/playlists/{playlist}/versions/1/restore")["version"] == 3

    state = shop.player.wait_for("the menu is back", lambda s: on_glass(s) == COFFEE | {"Espresso": "2,35 €"})
    assert state["presented"]["version"] == 3
    assert shop.service.get(f"/scenes/{scene}")["widgets"][0]["categories"] == ["Lunch"], "the draft can be mended"
    assert shop.service.get(f"/playlists/{playlist}")["hasUnpublishedChanges"] is True


@pytest.mark.long
def test_a_new_device_plays_in_the_place_of_another(shop: Shop, tmp_path: Path) -> None:
    screen = shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 2)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    shop.service.patch(f"/screens/{screen}", {"name": "Window", "tags": ["front"]})
    (tmp_path / "spare").mkdir()
    spare = Player(tmp_path / "spare", shop.service.address)
    spare.start()
    try:
        replaced = shop.service.post(f"/screens/{screen}/replace", {"code": spare.code()})
        assert (replaced["id"], replaced["name"], replaced["tags"]) == (screen, "Window", ["front"])
        state = spare.wait_for("the menu is on the glass of the new device", lambda s: on_glass(s) == COFFEE)
        assert state["pairing"]["screenName"] == "Window"
        eventually(
            lambda: (shop.service.get(f"/screens/{screen}")["presented"] or {}).get("kind") == "scene",
            what="the operator sees what the new device presents",
        )
        # As after a removal: it goes on with its menu until the refusal is confirmed, and then shows a code.
        old = shop.player.wait_for("the old device is refused", lambda s: s["contact"]["fault"] == "screen_refused")
        assert old["pairing"]["phase"] == "paired"
        assert [one["id"] for one in shop.service.get("/screens")["data"]] == [screen]
    finally:
        spare.kill()
