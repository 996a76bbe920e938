"""A planned price on the glass of a real player at its time without the service, which stores it when it is back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.conftest import Shop
from tests.support.programs import eventually, on_glass

MENU = {"Flat white": "3,40 €", "Espresso": "2,20 €"}


@pytest.mark.long
def test_a_planned_price_shows_at_its_time_without_the_service_and_is_stored_once_it_is_back(shop: Shop) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5))
    shop.pair(playlist)
    state = shop.player.wait_for("the menu is on the glass", lambda s: on_glass(s) == MENU)
    at = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
    wall = at.astimezone(ZoneInfo("Europe/Berlin")).replace(tzinfo=None).isoformat()
    coffee, espresso = shop.items["Flat white"], shop.items["Espresso"]
    changes = [{"item": coffee, "price": 3.9}, {"item": espresso, "location": shop.location, "hidden": True}]
    made = shop.service.post("/planned-changes", {"name": "New prices", "at": wall, "changes": changes})
    shop.player.wait_for("the board knows", lambda s: s["revision"] > state["revision"])

    shop.service.kill()
    shop.player.kill()
    shop.player.turnable_clock()
    shop.player.start()
    shop.player.wait_for("it is back from the disk", lambda s: on_glass(s) == MENU)
    ahead = (at - datetime.now(UTC)).total_seconds() - 3
    shop.player.turn_clock(ahead)
    state = shop.player.wait_for("the price has changed by itself", lambda s: on_glass(s) == {"Flat white": "3,90 €"})
    assert datetime.now(UTC) + timedelta(seconds=ahead) >= at
    assert state["contact"]["lastAnswerAt"] is None
    assert [one["code"] for one in state["rejections"]] == []

    shop.service.turn_clock(ahead)
    shop.service.start()
    eventually(lambda: shop.service.get(f"/planned-changes/{made['id']}")["status"] == "done", what="it is stored")
    assert shop.service.get(f"/content/items/{coffee}")["price"] == 3.9
    shop.player.wait_for("the service says the same", lambda s: s["contact"]["lastAnswerAt"] is not None)
    assert on_glass(shop.player.state()) == {"Flat white": "3,90 €"}
