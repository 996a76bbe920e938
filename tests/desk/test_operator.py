"""An operator's day in a browser: prices by the hundred, a publish taken back, an approval, a delivery sent again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from tests.desk.conftest import PHONE, OpenPage, link_for, pair
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Player, Service, eventually, on_glass

ROWS = 200
BAD = {"Dish 7": "free", "Dish 90": "1.2.3", "Dish 150": "-4"}
"""Rows without a price, by their name."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.environment["MENU_SERVICE_WEBHOOKS_ALLOW_PRIVATE"] = "yes"
    started.start()
    started.post("/locations", {"name": "Pier", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"})
    for name in ("Dish 1", "Dish 2"):
        started.post("/content/items", {"name": name, "category": "Dishes", "price": 5})
    playlist = started.post("/playlists", {"name": "Counter"})["id"]
    for name in ("Lunch", "Dinner"):
        menu = {"id": "menu", "type": "menu", "x": 100, "y": 60, "width": 1720, "height": 960, "title": name}
        scene = started.post("/scenes", {"name": name, "widgets": [{**menu, "categories": ["Dishes"]}]})["id"]
        if name == "Lunch":
            started.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 5})
    started.post(f"/playlists/{playlist}/publish")
    yield started
    started.kill()


@pytest.fixture(scope="module")
def player(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    started = Player(tmp_path_factory.mktemp("player"), service.address)
    started.start()
    pair(service, started)
    yield started
    started.kill()


@pytest.mark.long
def test_two_hundred_prices_are_pasted_and_bad_rows_named_and_all_taken_back(
    open_page: OpenPage, player: Player
) -> None:
    player.wait_for("the menu", lambda state: on_glass(state).get("Dish 1") == "5,00 €")
    names = [f"Dish {number}" for number in range(1, ROWS + 1)]
    table = "\n".join(["Name\tCategory\tPrice", *(f"{name}\tDishes\t{BAD.get(name, '8.40')}" for name in names)])
    page = open_page("/desk/menu/import")
    page.get_by_label("Paste a table").fill(table)
    page.get_by_role("button", name="See what changes").click()
    for name in BAD:
        expect(page.get_by_text(name).first).to_be_visible()
    page.get_by_role("button", name=f"Import {ROWS - len(BAD)} items").click()
    player.wait_for("the new price", lambda state: on_glass(state).get("Dish 1") == "8,40 €")

    page.goto(page.url.partition("/desk")[0] + "/desk/menu/import")
    page.get_by_role("button", name="Undo this import").click()
    player.wait_for("the former price", lambda state: on_glass(state).get("Dish 1") == "5,00 €")
    page.goto(page.url.partition("/desk")[0] + "/desk/menu?search=Dish")
    expect(page.locator(".item")).to_have_count(2)


@pytest.mark.long
def test_a_publish_is_taken_back_by_restoring_the_version_before(
    open_page: OpenPage, service: Service, player: Player
) -> None:
    page = open_page("/desk/playlists", size=PHONE)
    page.get_by_role("link", name="Counter").click()
    page.get_by_label("Board", exact=True).select_option("Dinner")
    page.get_by_role("button", name="Add", exact=True).first.click()
    expect(page.get_by_text("Changes that are not live")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    dinner = next(one["id"] for one in service.get("/scenes")["data"] if one["name"] == "Dinner")
    player.wait_for("its second board", lambda state: state["presented"].get("sceneId") == dinner)

    page.goto(page.url)
    page.locator("li", has_text="Version 1").get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Version 3 is live: it is as version 1 was.")).to_be_visible()
    player.wait_for("the version of before", lambda state: state["presented"].get("version") == 3)


@pytest.mark.long
def test_an_editor_asks_and_the_owner_approves_by_pictures(
    open_page: OpenPage, service: Service, chromium: Browser, player: Player
) -> None:
    editor = chromium.new_context(locale="en").new_page()
    editor.goto(link_for(service, "Editor", "lee@example.com"))
    editor.goto(service.address + "/desk/playlists")
    editor.get_by_role("link", name="Counter").click()
    seconds = editor.get_by_label("Seconds of Lunch")
    seconds.fill("6")
    seconds.blur()
    editor.get_by_role("button", name="Ask for approval").click()
    expect(editor.get_by_text("A publisher is asked to approve this.")).to_be_visible()
    editor.context.close()

    page = open_page("/desk/approvals")
    page.get_by_role("link", name="Counter").first.click()
    for side in ("Lunch, now", "Lunch, as asked"):
        picture = page.get_by_role("img", name=side)
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("one => one.naturalWidth") > 0
    before = service.get("/playlists")["data"][0]["version"]
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.get_by_role("heading", name="What you see is live")).to_be_visible()
    player.wait_for("the new version", lambda state: state["presented"].get("version", 0) > before)


@pytest.fixture
def receiver() -> Iterator[type[BaseHTTPRequestHandler]]:
    """A program that is told of events, and refuses them while its `answer` says so."""

    class Receiver(BaseHTTPRequestHandler):
        answer, got, port = 500, 0, 0

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            type(self).got += 1
            self.send_response(type(self).answer)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        Receiver.port = server.server_address[1]
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield Receiver
        server.shutdown()
        thread.join(PATIENCE_SECONDS)


@pytest.mark.long
def test_a_delivery_that_failed_is_sent_again(
    open_page: OpenPage, service: Service, receiver: type[BaseHTTPRequestHandler]
) -> None:
    page = open_page("/desk/settings/webhooks/new")
    page.get_by_label("Address").fill(f"http://127.0.0.1:{receiver.port}/events")  # type: ignore[attr-defined]
    page.get_by_label("content.published").check()
    page.get_by_role("button", name="Make the webhook").click()
    page.goto(page.url.partition("/desk")[0] + "/desk/settings/webhooks")
    page.get_by_role("link", name=re.compile("127.0.0.1")).click()
    page.get_by_role("button", name="Send a test").click()
    webhook = service.get("/public/webhooks")["data"][0]["id"]
    deliveries = f"/public/webhooks/{webhook}/deliveries?status=failed"
    eventually(lambda: service.get(deliveries)["data"], what="it has failed")
    receiver.answer = 204  # type: ignore[attr-defined]
    page.reload()
    row = page.locator(".rows > li").first
    expect(row).to_contain_text("500")
    row.get_by_role("button", name="Deliver again").click()
    eventually(lambda: receiver.got == 2, what="it is told again")  # type: ignore[attr-defined]
    page.reload()
    expect(page.locator(".rows > li").first).to_contain_text("204")
