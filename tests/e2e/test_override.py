"""Christmas in place of lunch, and an override on the glass of a real player: at once, after a restart without the
service, and until its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from tests.e2e.conftest import Shop
from tests.service.support.application import png
from tests.support.programs import eventually, on_glass

MENU = {"Flat white": "3,40 €", "Espresso": "2,20 €"}
TEXT = {"id": "text", "type": "text", "x": 100, "y": 100, "width": 1720, "height": 200, "text": "Closed early"}


def later(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def overridden(shop: Shop, *, seconds: float) -> dict[str, Any]:
    """An override of so many seconds, which shows again after a restart of the player without the service."""
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5))
    screen = shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == MENU)
    picture = {"id": "picture", "type": "image", "x": 0, "y": 0, "width": 90, "height": 90}
    picture["asset"] = shop.service.upload(png(60), "image/png")
    notice = shop.service.post("/scenes", {"name": "Closed early", "widgets": [TEXT, picture]})["id"]

    body = {"scene": notice, "target": {"screens": [screen]}, "until": later(3600), "reason": "The oven is broken"}
    made = shop.service.post("/overrides", body)
    state = shop.player.wait_for("the notice is on the glass", lambda s: s["presented"]["sceneId"] == notice)
    assert state["presented"]["override"] == made["id"]
    assert [one["code"] for one in state["findings"]][-1:] == ["override_shows"]
    shop.service.delete(f"/overrides/{made['id']}")
    shop.player.wait_for("the menu is back", lambda s: on_glass(s) == MENU)

    made = shop.service.post("/overrides", body | {"until": later(seconds)})
    shop.player.wait_for("the second one is on the glass", lambda s: s["presented"]["override"] == made["id"])
    eventually(
        lambda: shop.service.get(f"/screens/{screen}")["presented"].get("override") == made["id"],
        what="the service knows what shows",
    )
    shop.service.kill()
    shop.player.kill()
    shop.player.start()
    state = shop.player.wait_for("it is back from the disk", lambda s: s["presented"]["override"] == made["id"])
    assert state["contact"]["lastAnswerAt"] is None
    return cast("dict[str, Any]", made)


@pytest.mark.long
def test_an_override_shows_at_once_and_survives_a_restart_without_the_service(shop: Shop) -> None:
    overridden(shop, seconds=3600)


@pytest.mark.long
def test_an_override_ends_at_its_time_without_the_service(shop: Shop) -> None:
    # Long enough for a restart on a busy machine.
    made = overridden(shop, seconds=90)
    shop.player.wait_for("it has ended by itself", lambda s: on_glass(s) == MENU)
    assert datetime.now(UTC) >= datetime.fromisoformat(made["until"])


@pytest.mark.long
def test_a_scene_of_a_higher_priority_plays_in_place_of_the_others(shop: Shop) -> None:
    coffee, christmas = shop.scene("Coffee", "Coffee"), shop.scene("Christmas", "Lunch")
    playlist = shop.playlist("All day", (coffee, 2), (christmas, 2))
    all_day = {"type": "daypart", "start": "00:00", "end": "24:00", "priority": 50}
    shop.service.post(f"/scenes/{christmas}/schedules", all_day)
    shop.publish(playlist)
    shop.pair(playlist)
    state = shop.player.wait_for("Christmas is on the glass", lambda s: on_glass(s) == {"Soup": "6,50 €"})
    (other,) = state["showing"]["others"]
    assert (other["reason"], other["displacedBy"], other["sceneName"]) == ("displaced", "Christmas", "Coffee")
    shop.service.patch(f"/content/items/{shop.items['Soup']}", {"eightySixed": True})
    shop.player.wait_for("never dark: the menu is back", lambda s: on_glass(s) == MENU)
