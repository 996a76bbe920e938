"""The desk in a browser: a menu board is run by thumb, and every page is sound at every size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from tests.desk.conftest import PHONE, WIDE, OpenPage, link_for, pair
from tests.support.axe import violations
from tests.support.films import still
from tests.support.programs import Player, Service, on_glass


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    location = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    started.post("/locations", location)
    for name, category, price in (("Flat white", "Coffee", 3.4), ("Espresso", "Coffee", 2.2), ("Soup", "Lunch", 6.5)):
        started.post("/content/items", {"name": name, "category": category, "price": price})
    started.upload(still("jpg").read_bytes(), "image/jpeg")
    menu = {"id": "menu", "type": "menu", "x": 100, "y": 60, "width": 1720, "height": 960, "categories": ["Coffee"]}
    scene = started.post("/scenes", {"name": "Coffee", "widgets": [menu]})["id"]
    playlist = started.post("/playlists", {"name": "Counter"})["id"]
    started.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 60})
    started.post(f"/playlists/{playlist}/publish")
    started.post("/rollouts", {"version": "9.0.0", "tags": ["canary"]})
    yield started
    started.kill()


@pytest.fixture(scope="module")
def player(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    started = Player(tmp_path_factory.mktemp("player"), service.address)
    started.start()
    yield started
    started.kill()


def test_a_screen_is_paired_and_an_item_sold_out_by_thumb_until_the_glass_has_it(
    open_page: OpenPage, player: Player
) -> None:
    page = open_page("/desk/screens", size=PHONE)
    page.get_by_role("link", name="Pair a screen").first.click()
    page.get_by_label("The code that the screen shows").fill(player.code())
    page.get_by_label("Name", exact=True).fill("Counter, left")
    page.get_by_role("button", name="Pair").click()
    expect(page.get_by_text("Counter, left is paired.")).to_be_visible()
    player.wait_for("the menu", lambda state: "Flat white" in on_glass(state))
    # The page follows the screen by itself.
    expect(page.get_by_text("Shows its menu")).to_be_visible(timeout=10_000)

    page.get_by_role("link", name="Menu", exact=True).click()
    page.get_by_role("searchbox").press_sequentially("flat")
    row = page.locator(".item")
    expect(row).to_have_count(1)
    expect(page).to_have_url(re.compile("search=flat"))
    row.get_by_role("button", name="Sold out").click()
    expect(page.get_by_text("Flat white is sold out everywhere.")).to_be_visible()
    expect(row.get_by_text("On 1 board")).to_be_visible(timeout=10_000)
    assert "Flat white" not in on_glass(player.state())

    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Flat white can be had again.")).to_be_visible()
    expect(row.get_by_text("On 1 board")).to_be_visible(timeout=10_000)
    assert "Flat white" in on_glass(player.state())

    price = row.get_by_label("Price of Flat white")
    price.fill("3,75")
    price.press("Enter")
    expect(page.get_by_text("Flat white costs €3.75.")).to_be_visible()
    player.wait_for("the price", lambda state: "3,75" in on_glass(state).get("Flat white", ""))
    price.fill("free")
    price.blur()
    expect(page.get_by_text("This must be a price, such as 3.40.")).to_be_visible()


@pytest.mark.long
def test_a_board_is_made_of_a_template_put_first_by_drag_and_shown_on_the_glass_now(
    open_page: OpenPage, service: Service, player: Player
) -> None:
    pair(service, player)
    page = open_page("/desk/boards/new/burgers")
    page.get_by_label("Name", exact=True).fill("Soup of the day")
    page.locator("fieldset").first.get_by_label("Lunch").check()
    page.get_by_role("button", name="Create the board").click()
    expect(page.get_by_text("Soup of the day is there.")).to_be_visible()
    expect(page.get_by_role("img", name="Picture of the board")).to_have_js_property("complete", value=True)

    page.goto(service.address + "/desk/playlists")
    page.get_by_role("link", name="Counter").click()
    page.get_by_label("Board", exact=True).select_option("Soup of the day")
    page.get_by_role("button", name="Add", exact=True).first.click()
    expect(page.get_by_text("1:15 in all")).to_be_visible()
    rows = page.locator(".entry")
    expect(rows.nth(1)).to_contain_text("Soup of the day")
    rows.nth(1).locator("img").drag_to(rows.nth(0).locator("img"), target_position={"x": 20, "y": 3})
    expect(page.get_by_text("The order is changed.")).to_be_visible()
    expect(rows.nth(0)).to_contain_text("Soup of the day")
    page.get_by_role("button", name="Undo").click()
    expect(rows.nth(0)).to_contain_text("Coffee")

    page.goto(service.address + "/desk/overrides")
    page.get_by_label("What").select_option("Soup of the day")
    page.get_by_label("Why").fill("Rain")
    page.get_by_role("button", name="Show now").click()
    player.wait_for("the soup", lambda state: "Soup" in on_glass(state))
    page.get_by_role("button", name="Withdraw").click()
    player.wait_for("the menu again", lambda state: "Flat white" in on_glass(state))


@pytest.mark.long
def test_an_item_is_dragged_before_another_and_the_glass_follows(
    open_page: OpenPage, service: Service, player: Player
) -> None:
    pair(service, player)
    player.wait_for("the menu", lambda state: list(on_glass(state)) == ["Flat white", "Espresso"])
    page = open_page("/desk/menu?category=Coffee")
    page.get_by_role("link", name="Order", exact=True).click()
    rows = page.locator(".entry")
    rows.nth(1).locator(".grip").drag_to(rows.nth(0).locator(".grip"), target_position={"x": 5, "y": 1})
    expect(page.get_by_text("Espresso is moved. The boards follow.")).to_be_visible()
    player.wait_for("the new order", lambda state: list(on_glass(state)) == ["Espresso", "Flat white"])
    page.get_by_role("button", name="Undo").click()
    player.wait_for("the former order", lambda state: list(on_glass(state)) == ["Flat white", "Espresso"])
    page.get_by_role("button", name="Move Espresso up").click()
    player.wait_for("the new order", lambda state: list(on_glass(state)) == ["Espresso", "Flat white"])


@pytest.mark.long
def test_a_row_follows_a_change_from_elsewhere_and_no_other_row_is_fetched(
    open_page: OpenPage, service: Service
) -> None:
    page = open_page("/desk/menu")
    rows: list[str] = []
    page.on("request", lambda request: rows.append(request.url) if "/row?" in request.url else None)
    soup = next(item for item in service.get("/content/items")["data"] if item["name"] == "Soup")
    service.patch(f"/content/items/{soup['id']}", {"price": 7.25})
    expect(page.locator(f"#item-{soup['id']}").get_by_role("textbox")).to_have_value("7.25")
    service.patch(f"/content/items/{soup['id']}", {"price": 6.5})
    expect(page.locator(f"#item-{soup['id']}").get_by_role("textbox")).to_have_value("6.50")
    assert {url for url in rows if soup["id"] not in url} == set()


class Held:
    """The first answer to such a request, which the page gets when it is released; those after it pass."""

    def __init__(self, page: Page, address: str) -> None:
        self._page = page
        self._held: list[tuple[Route, APIResponse]] = []
        page.route(address, lambda route: self._held.append((route, route.fetch())), times=1)

    def wait(self) -> None:
        """Until the service has answered."""
        while not self._held:
            self._page.wait_for_timeout(10)

    def release(self) -> None:
        route, answer = self._held[0]
        route.fulfill(response=answer)


@pytest.mark.long
def test_a_second_change_while_a_row_is_being_fetched_is_shown(service: Service, open_page: OpenPage) -> None:
    espresso = next(item["id"] for item in service.get("/content/items")["data"] if item["name"] == "Espresso")
    page = open_page("/desk/menu?search=Espresso")
    price, held = page.get_by_label("Price of Espresso"), Held(page, "**/row?*")
    page.evaluate(
        "new EventSource(document.body.dataset.liveFrom).addEventListener('changed', () => { told++ }); told = 0"
    )
    service.patch(f"/content/items/{espresso}", {"price": 4.1})
    held.wait()
    told = page.evaluate("told")
    service.patch(f"/content/items/{espresso}", {"price": 4.2})
    while page.evaluate("told") == told:
        page.wait_for_timeout(10)
    held.release()
    expect(price).to_have_value("4.20")


@pytest.mark.long
def test_what_an_act_answers_takes_the_place_of_a_row_that_was_fetched_meanwhile(
    service: Service, open_page: OpenPage
) -> None:
    page = open_page("/desk/menu?search=Espresso")
    # No stream would mend it.
    page.route("**/desk/live*", lambda route: route.fulfill(status=204))
    page.reload()
    row, act = Held(page, "**/row?*"), Held(page, "**/sold-out")
    page.evaluate("htmx.trigger(document.querySelector('.item'), 'live')")
    row.wait()
    page.get_by_role("button", name="Sold out").click()
    act.wait()
    with page.expect_response("**/row?*"):
        row.release()
    act.release()
    expect(page.get_by_text("Espresso is sold out everywhere.")).to_be_visible()
    expect(page.get_by_role("button", name="Have it again")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Espresso can be had again.")).to_be_visible()


@pytest.mark.long
def test_what_changes_while_a_page_is_loaded_is_shown(service: Service, open_page: OpenPage) -> None:
    page = open_page("/desk/screens", size=PHONE)
    soup = next(item["id"] for item in service.get("/content/items")["data"] if item["name"] == "Soup")

    def sell_out_first(route: Route) -> None:
        service.patch(f"/content/items/{soup}", {"eightySixed": True})
        route.continue_()

    page.route("**/desk/live*", sell_out_first)
    page.goto(f"{service.address}/desk/menu?search=Soup")
    expect(page.get_by_role("button", name="Have it again")).to_be_visible()
    page.unroute_all()
    service.patch(f"/content/items/{soup}", {"eightySixed": False})


@pytest.mark.long
def test_a_rollout_follows_what_others_do_and_what_is_typed_beside_it_stays(
    open_page: OpenPage, service: Service
) -> None:
    rollout = service.get("/rollouts")["data"][0]["id"]
    page = open_page(f"/desk/rollouts/{rollout}")
    page.get_by_label("So many percent of them").fill("40")
    service.patch(f"/rollouts/{rollout}", {"stopped": True})
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.get_by_label("So many percent of them")).to_have_value("40")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("The rollout of 9.0.0 goes on.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("The rollout of 9.0.0 is held.")).to_be_visible()


@pytest.mark.long
def test_time_follows_the_thumb_and_a_playlist_plays_by_keys(
    open_page: OpenPage, service: Service, player: Player
) -> None:
    scene = service.get("/scenes")["data"][0]["id"]
    text = {"id": "t", "type": "text", "x": 100, "y": 60, "width": 1720, "height": 300, "text": "Dinner"}
    dinner = service.post("/scenes", {"name": "Dinner", "widgets": [text]})["id"]
    hours = {"type": "daypart", "start": "18:00", "end": "22:00", "timezone": "location", "priority": 5}
    service.post(f"/scenes/{dinner}/schedules", hours)
    playlist = service.post("/playlists", {"name": "Evenings"})["id"]
    for one in (scene, dinner):
        service.post(f"/playlists/{playlist}/scenes", {"sceneId": one, "durationSeconds": 40})
    service.post(f"/playlists/{playlist}/publish")
    pair(service, player)
    screen = service.get("/screens")["data"][0]
    service.patch(f"/screens/{screen['id']}", {"playlist": playlist})
    tomorrow = datetime.now(ZoneInfo("Europe/Berlin")).date() + timedelta(days=1)

    page = open_page(f"/desk/screens/{screen['id']}/moment?date={tomorrow}&time=12:00", size=PHONE)
    shows = page.locator(".whys .shows b")
    expect(shows).to_have_text("Coffee")
    slider = page.get_by_role("slider", name="Time of day")
    slider.fill("222")  # 18:30, in steps of five minutes
    expect(shows).to_have_text("Dinner")
    expect(page.get_by_text("Dinner shows in its place")).to_be_visible()
    expect(page).to_have_url(re.compile("time=18%3A30"))
    picture = page.get_by_role("img", name="Picture of the screen at this time")
    expect(picture).to_have_js_property("complete", value=True, timeout=15_000)
    assert picture.evaluate("one => one.naturalWidth") == 960
    page.get_by_role("link", name="Next change").click()
    expect(shows).to_have_text("Coffee")
    expect(page.get_by_label("Time", exact=True)).to_have_value("22:00")

    page.goto(f"{service.address}/desk/playlists/{playlist}/play")
    begun = re.compile(r"0:(0[1-9]|[1-3]\d) / 1:20")
    expect(page.get_by_text(begun)).to_be_visible(timeout=15_000)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Dinner")).to_be_visible()
    expect(page).to_have_url(re.compile("step=2"))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    service.patch(f"/screens/{screen['id']}", {"playlist": screen["playlist"]})


@pytest.mark.long
def test_selling_out_works_without_scripts(chromium: Browser, service: Service, open_page: OpenPage) -> None:
    state = open_page("/desk/menu").context.storage_state()
    plain = chromium.new_context(java_script_enabled=False, storage_state=state)  # type: ignore[arg-type]
    page = plain.new_page()
    page.goto(f"{service.address}/desk/menu?search=espresso")
    page.get_by_role("button", name="Sold out").click()
    expect(page.get_by_text("Espresso is sold out everywhere.")).to_be_visible()
    assert page.url.endswith("/desk/menu?search=espresso")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Espresso can be had again.")).to_be_visible()
    plain.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "dark", "language"),
    [
        (PHONE, True, "ar"),
        pytest.param(WIDE, False, "en", marks=pytest.mark.long),
        pytest.param(WIDE, True, "ar", marks=pytest.mark.long),
        pytest.param(PHONE, False, "de", marks=pytest.mark.long),
    ],
)
def test_every_page_is_sound(
    open_page: OpenPage, service: Service, player: Player, size: tuple[int, int], dark: bool, language: str
) -> None:
    screens = service.get("/screens")["data"]
    paths = ["/desk/screens", "/desk/screens/pair", "/desk/menu", "/desk/profile", "/desk/sign-in"]
    item, place = (service.get(path)["data"][0]["id"] for path in ("/content/items", "/locations"))
    paths += [
        f"/desk/menu/{item}",
        f"/desk/menu/{item}/at?place=location:{place}",
        "/desk/menu/import",
        "/desk/menu/order",
    ]
    paths += [f"/desk/screens/{one['id']}{page}" for one in screens[:1] for page in ("", "/moment", "/week")]
    paths += ["/desk/rollouts", "/desk/rollouts/new", f"/desk/rollouts/{service.get('/rollouts')['data'][0]['id']}"]
    paths += ["/desk/planned", f"/desk/planned/new?item={item}"]
    lists = ("locations", "groups", "team", "keys", "webhooks", "alerts", "points-of-sale", "subscription", "audit")
    forms = (
        "locations/new",
        "groups/new",
        "team/invite",
        "keys/new",
        "webhooks/new",
        "alerts/new",
        "points-of-sale/new",
    )
    paths += [f"/desk/settings/{one}" for one in (*lists, *forms)]
    scene, playlist = (service.get(of)["data"][0]["id"] for of in ("/scenes", "/playlists"))
    paths += ["/desk/pictures", f"/desk/pictures/{service.get('/assets')['data'][0]['id']}"]
    paths += ["/desk/boards", "/desk/boards/new/burgers", f"/desk/boards/{scene}", "/desk/playlists", "/desk/overrides"]
    paths += [f"/desk/playlists/{playlist}", f"/desk/playlists/{playlist}/versions/1", "/desk/approvals"]
    paths += [f"/desk/playlists/{playlist}/play"]
    page = open_page("/desk/profile", size=size, dark=dark, language=language)
    begin = page.locator("form[action$='second-factor/begin'] button")
    begin.click()
    page.wait_for_url("**/second-factor")
    paths += ["/desk/profile/second-factor"]
    stranger = open_page("/desk/sign-in", size=size, dark=dark, language=language, signed_in=False)
    for path in paths:
        shown = stranger if path == "/desk/sign-in" else page
        shown.goto(service.address + path)
        assert violations(shown) == [], path
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        if size == PHONE:
            small = "[...document.querySelectorAll('button, select, .rail a')].filter(one => one.offsetParent)"
            assert shown.evaluate(f"{small}.every(one => one.offsetHeight >= 44)"), path
        if folder := os.environ.get("MENU_PICTURES"):
            name = re.sub(r"(scr|scn|pl|itm|loc)_\w+", "one", path.partition("?")[0].strip("/")).replace("/", "-")
            shown.screenshot(path=Path(folder) / f"{name}-{size[0]}-{language}-{'dark' if dark else 'light'}.png")


@pytest.mark.long
def test_a_page_says_that_the_service_is_gone_and_goes_on(chromium: Browser, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.start()
    service.post("/content/items", {"name": "Tea", "category": "Tea", "price": 3})
    context = chromium.new_context()
    page = context.new_page()
    page.goto(link_for(service, "Owner"))
    page.goto(f"{service.address}/desk/menu")
    expect(page.locator(".item")).to_have_count(1)
    service.kill()
    expect(page.get_by_text("The service does not answer.")).to_be_visible(timeout=10_000)
    service.start()
    service.patch(f"/content/items/{service.get('/content/items')['data'][0]['id']}", {"name": "Green tea"})
    expect(page.get_by_role("link", name="Green tea")).to_be_visible(timeout=15_000)
    expect(page.get_by_text("The service does not answer.")).to_be_hidden()
    context.close()
    service.kill()
