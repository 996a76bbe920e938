"""From an operator's call to the frame on the glass, with the real programs over HTTP."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from player.boot_file.document import Taken, read_boot_file
from tests.e2e.conftest import Shop
from tests.support.empty_version import publish_empty
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import HttpError, eventually, on_glass

OFFLINE_SECONDS = 120


def screen(shop: Shop, screen_id: str) -> dict[str, Any]:
    found: dict[str, Any] = shop.service.get(f"/screens/{screen_id}")
    return found


def variants_on_glass(state: dict[str, Any]) -> list[str]:
    """The names of the variants on the glass."""
    rows = [row for rows in state["ordered"]["menus"].values() for row in rows] if on_glass(state) else []
    return [variant["name"] for row in rows for variant in row["variants"]]


def test_pair_publish_sell_out_and_change_a_price(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    coffee = shop.scene("Coffee", "Coffee")
    playlist = shop.playlist("All day", (coffee, 2))

    # Pair by REST with the code that the player shows.
    screen_id = shop.pair(playlist)
    state = shop.player.wait_for("the menu is on the glass", on_glass)
    assert on_glass(state) == {"Flat white": "3,40 €", "Espresso": "2,20 €"}
    assert state["presented"]["version"] == 1
    eventually(
        lambda: (screen(shop, screen_id)["presented"] or {}).get("sceneId") == coffee,
        what="the operator sees what is presented",
    )
    assert screen(shop, screen_id)["status"] == "online"

    # An 86: the item is gone from the next frame, well within the minute, and the scene does not start again.
    before, image_before = state, shop.player.glass()
    shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"eightySixed": True})
    state = shop.player.wait_for("the sold-out item is off the glass", lambda s: on_glass(s) == {"Espresso": "2,20 €"})
    latency = state["presented"]["latencyMilliseconds"]
    with capsys.disabled():
        print(f"\n86 to presented frame: {latency} ms")  # noqa: T201
    assert 0 <= latency < 60_000
    assert state["presented"]["since"] == before["presented"]["since"]
    assert shop.player.glass() != image_before
    eventually(
        lambda: screen(shop, screen_id)["presented"].get("revision") == state["revision"],
        what="the operator sees that the 86 has reached the glass",
    )

    # A price changes in place; the item comes back.
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"price": 2.35})
    shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"eightySixed": False})
    shop.player.wait_for(
        "the new price and the item are on the glass",
        lambda s: on_glass(s) == {"Flat white": "3,40 €", "Espresso": "2,35 €"},
    )

    # A variant is sold out alone.
    at = f"/content/items/{shop.items['Espresso']}"
    sizes = [{"name": "Single", "price": 2.2}, {"name": "Double", "price": 3.1}]
    variants = shop.service.patch(at, {"variants": sizes})["variants"]
    shop.player.wait_for("the variants are on the glass", lambda s: variants_on_glass(s) == ["Single", "Double"])
    shop.service.patch(f"{at}/variants/{variants[1]['id']}", {"eightySixed": True})
    state = shop.player.wait_for("one variant is off the glass", lambda s: variants_on_glass(s) == ["Single"])
    assert 0 <= state["presented"]["latencyMilliseconds"] < 60_000


@pytest.mark.long
def test_a_board_with_an_enrolment_token_shows_its_menu_without_anybody_entering_a_code(shop: Shop) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 2))
    wanted = {"playlist": playlist, "location": shop.location, "name": "Queen Street"}
    token = shop.service.post("/enrolment-tokens", wanted)["token"]
    code = shop.player.code()
    shop.player.end()
    shop.player.environment["MENU_PLAYER_ENROLMENT_TOKEN"] = token
    shop.player.start()
    state = shop.player.wait_for("the menu is on the glass", on_glass)
    assert state["pairing"]["screenName"] == "Queen Street"
    assert code not in str(state)
    assert token not in str(state)


@pytest.mark.long
def test_a_board_with_a_card_has_its_name_at_once_and_its_menu_once_it_is_confirmed(shop: Shop, tmp_path: Path) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 2))
    (tmp_path / "boards.csv").write_text(f"location;name;playlist\nCorner Café;Queen Street;{playlist}\n")
    flags = ("--to", tmp_path / "cards", "--data", shop.service.data, "--public-url", shop.service.address, "--confirm")
    subprocess.run([sys.executable, "-m", "service", "cards", "create", tmp_path / "boards.csv", *flags], check=True)
    text = (tmp_path / "cards/Corner Café - Queen Street/menu-player.toml").read_text()
    settings = read_boot_file(text, folder=tmp_path, kept=Taken()).settings
    assert settings["service"] == shop.service.address

    shop.player.end()
    shop.player.environment["MENU_PLAYER_ENROLMENT_TOKEN"] = settings["enrolment_token"]
    shop.player.start()
    state = shop.player.wait_for("it is paired", lambda s: s["presented"].get("kind") == "house" and s["pairing"])
    assert state["pairing"]["screenName"] == "Queen Street"
    (waiting,) = shop.service.get("/screens?waiting=true")["data"]
    assert (waiting["name"], waiting["playlist"]) == ("Queen Street", playlist)

    shop.service.post("/screens/confirm", {"screens": [waiting["id"]]})
    shop.player.wait_for("the menu is on the glass", on_glass)


@pytest.mark.long
def test_a_claimed_code_is_on_the_glass_without_another_call_of_the_interval(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 2))
    code = shop.player.code()
    eventually(lambda: held_calls(shop), what="the player waits at the service")
    answered = token_calls(shop)
    claimed = time.monotonic()
    shop.service.post("/screens/pair", {"code": code, "playlist": playlist, "location": shop.location})
    state = shop.player.wait_for("the first scene is on the glass", on_glass)
    with capsys.disabled():
        print(f"\nclaim to first scene: {time.monotonic() - claimed:.2f} s")  # noqa: T201
    assert state["presented"]["kind"] == "scene"
    assert token_calls(shop) == answered | {"200": 1}, "the call that was held brought the token"


def metric(shop: Shop, pattern: str) -> list[tuple[str, ...]]:
    with urllib.request.urlopen(f"{shop.service.address}/metrics", timeout=PATIENCE_SECONDS) as answer:
        return re.findall(pattern, answer.read().decode(), re.MULTILINE)


def held_calls(shop: Shop) -> int:
    return int(float(metric(shop, r"^menu_held_requests (.*)$")[0]))


def token_calls(shop: Shop) -> dict[str, int]:
    """Counts the token calls by the status of their answer."""
    pattern = r'^menu_requests_total\{method="POST",route="/v1/player/token",status="(\d+)"\} (.*)$'
    return {status: int(float(count)) for status, count in metric(shop, pattern)}


def is_in_step(state: dict[str, Any]) -> bool:
    """Whether the showing began at a loop's end or 4 s from it."""
    since, anchor = (
        datetime.fromisoformat(text) for text in (state["showing"]["since"], state["program"]["publishedAt"])
    )
    return (since - anchor) % timedelta(seconds=4) == timedelta()


def test_a_new_version_shows_from_the_loop_boundary_on(shop: Shop) -> None:
    coffee, lunch = shop.scene("Coffee", "Coffee"), shop.scene("Lunch", "Lunch")
    # Longer than the least showing, 3 s: the first estimates of the service's time move a shorter one's end.
    playlist = shop.playlist("All day", (coffee, 4), (coffee, 4))
    shop.pair(playlist)
    shop.player.wait_for("version 1 is on the glass", lambda s: s["presented"]["version"] == 1)
    shop.append(playlist, lunch, 4)
    order = [entry["id"] for entry in shop.service.get(f"/playlists/{playlist}")["scenes"]]
    shop.service.patch(f"/playlists/{playlist}/order", {"order": [order[2], order[0], order[1]]})
    # Where it joined, the first showing may go over the end of a loop, and a take-over would wait for it.
    old = shop.player.wait_for("version 1 is in step", is_in_step)["program"]
    assert shop.publish(playlist) == 2

    staged = shop.player.wait_for("version 2 waits", lambda s: s["staged"] and s["staged"]["takesOverAt"])
    assert staged["program"]["version"] == 1, "nothing changes before the boundary"
    state = shop.player.wait_for("version 2 is on the glass", lambda s: s["presented"]["version"] == 2)
    boundary = datetime.fromisoformat(staged["staged"]["takesOverAt"])
    loops = (boundary - datetime.fromisoformat(old["publishedAt"])).total_seconds() / 8
    assert loops == pytest.approx(round(loops), abs=1e-6), "a loop of the old version had ended"
    assert datetime.fromisoformat(state["presented"]["since"]) >= boundary
    shop.player.wait_for("its first scene is on the glass", lambda s: on_glass(s) == {"Soup": "6,50 €"})


def test_the_board_goes_on_during_an_outage_of_the_service_and_catches_up(shop: Shop) -> None:
    coffee, lunch = shop.scene("Coffee", "Coffee"), shop.scene("Lunch", "Lunch")
    playlist = shop.playlist("All day", (coffee, 1), (lunch, 1))
    shop.pair(playlist)
    shop.player.wait_for("the menu is on the glass", on_glass)

    shop.service.kill()
    state = shop.player.wait_for("the outage is noticed", lambda s: s["contact"]["fault"])
    assert state["contact"]["fault"] == "connection_no_connection"
    for scene in (lunch, coffee, lunch):
        shop.player.wait_for("the loop goes on", lambda s, scene=scene: s["presented"]["sceneId"] == scene)

    # A power cut during the outage: the board comes back from the disk.
    shop.player.kill()
    shop.player.start()
    state = shop.player.wait_for("the menu is back from the disk", on_glass)
    assert state["contact"]["lastAnswerAt"] is None

    shop.service.start()
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"price": 9})
    shop.player.wait_for("the new price is on the glass", lambda s: on_glass(s).get("Espresso") == "9,00 €")
    # The menu may be answered before the report that has failed meanwhile.
    shop.player.wait_for("the outage is over", lambda s: s["contact"]["fault"] is None)


@pytest.mark.long
def test_a_screen_is_online_then_offline_after_two_minutes_then_online_again(shop: Shop) -> None:
    screen_id = shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5)))
    eventually(lambda: screen(shop, screen_id)["status"] == "online", what="the screen is online")

    shop.player.freeze()
    shop.service.turn_clock(OFFLINE_SECONDS - 60)
    assert screen(shop, screen_id)["status"] == "online", "a minute of silence is not offline"
    shop.service.turn_clock(OFFLINE_SECONDS + 60)
    eventually(lambda: screen(shop, screen_id)["status"] == "offline", what="the screen is offline")

    shop.player.thaw()
    eventually(lambda: screen(shop, screen_id)["status"] == "online", what="the screen is online again")


@pytest.mark.long
def test_a_deleted_screen_goes_on_until_the_refusal_is_confirmed(shop: Shop) -> None:
    screen_id = shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    shop.service.delete(f"/screens/{screen_id}")
    state = shop.player.wait_for("the refusal is noticed", lambda s: s["contact"]["fault"] == "screen_refused")
    assert state["pairing"]["phase"] == "paired"
    assert on_glass(state) == {"Flat white": "3,40 €", "Espresso": "2,20 €"}, "one 401 must not blank a board"


@pytest.mark.long
def test_a_part_that_is_rejected_is_reported_and_the_rest_shows(shop: Shop) -> None:
    unseen = {"id": "news", "type": "text", "x": 0, "y": 1000, "width": 1920, "height": 80, "text": "Fresh"}
    unseen["theme"] = {"textColor": "#101418"}
    menu = {"id": "menu", "type": "menu", "x": 0, "y": 0, "width": 1920, "height": 900, "categories": ["Coffee"]}
    scene = shop.service.post("/scenes", {"name": "Odd", "widgets": [menu, unseen]})["id"]
    playlist = shop.playlist("All day", (scene, 2))
    screen_id = shop.pair(playlist)
    state = shop.player.wait_for("the menu is on the glass", on_glass)
    assert [(part["code"], part["subject"]) for part in state["rejections"]] == [("contrast_low", f"{scene}/news")]
    eventually(
        lambda: any(error["code"] == "contrast_low" for error in screen(shop, screen_id).get("errors") or []),
        what="the operator sees it",
    )

    # An empty version: the last good one stays on, and the reason is there.
    publish_empty(shop.service.data, playlist)
    shop.service.patch(f"/locations/{shop.location}", {"name": "Corner"})
    state = shop.player.wait_for(
        "the empty version is reported", lambda s: "playlist_empty" in [part["code"] for part in s["rejections"]]
    )
    assert state["presented"]["version"] == 1
    # The newest items come with the empty version, in an order that is not on the glass at once.
    state = shop.player.wait_for("the last good version is on the glass with the newest items", on_glass)
    assert state["presented"]["version"] == 1


def test_a_wrong_code_pairs_nothing_and_says_so(shop: Shop) -> None:
    playlist = shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5))
    with pytest.raises(HttpError) as refused:
        shop.service.post("/screens/pair", {"code": "ZZZZZZ", "playlist": playlist, "location": shop.location})
    assert refused.value.status == 404
    assert refused.value.problem["code"]
    assert shop.player.state().get("pairing", {"phase": "waiting"})["phase"] != "paired"


def test_both_programs_end_cleanly_when_asked(shop: Shop) -> None:
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 5)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    assert shop.player.end() == 0
    assert shop.service.end() == 0
    said = shop.player.log.read_text() + shop.service.log.read_text()
    assert "Traceback" not in said, said
