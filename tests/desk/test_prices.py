"""Prices in a browser: the question before one leaps, and the lines of a menu with all that is read and is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.desk.conftest import OpenPage
from tests.support.axe import violations
from tests.support.programs import Service

MENU = """Café Central

Coffee
Flat white ........ 3,40 €
  with two shots
Espresso € 2,20
Cappuccino EUR 3.90
Mocha 4,-

Grill
Steak ab 18,50
Lobster Tagespreis
Donuts 2 for 5
Wagyu 1.250
Fondue CHF 24.50
Latte 45 kr
Flat white 3.40 / 4.20
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    location = {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    started.post("/locations", location)
    started.post("/content/items", {"name": "Tea", "category": "Tea", "price": 3.4})
    yield started
    started.kill()


def test_a_price_that_leaps_is_asked_about_in_place_of_the_page(open_page: OpenPage, service: Service) -> None:
    page = open_page("/desk/menu")
    price = page.get_by_label("Price of Tea")
    price.fill("340")
    price.press("Enter")
    expect(page.get_by_role("heading", name="Is this price right?")).to_be_visible()
    expect(page.locator("main")).to_contain_text("€3.40 → €340.00")
    assert violations(page) == []
    page.get_by_role("link", name="No, leave it").click()
    expect(page.get_by_label("Price of Tea")).to_have_value("3.40")
    page.get_by_label("Price of Tea").fill("340")
    page.get_by_label("Price of Tea").press("Enter")
    page.get_by_role("button", name="Yes, change it").click()
    expect(page.get_by_text("Tea costs €340.00.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Price of Tea")).to_have_value("3.40")


def test_every_line_of_a_menu_is_read_or_shown(open_page: OpenPage, service: Service) -> None:
    page = open_page("/desk/menu/import")
    page.locator("#text").fill(MENU)
    page.get_by_role("button", name="See what changes").click()
    bad = page.get_by_role("region", name="Rows that cannot be read")
    for line in ("Café Central", "Wagyu 1.250", "Fondue CHF 24.50", "Latte 45 kr", "Flat white 3.40 / 4.20"):
        expect(bad.get_by_text(line, exact=True)).to_be_visible()
    expect(bad.get_by_text("This may be 1250 or 1.25: write the one that is meant.")).to_be_visible()
    expect(page.get_by_text("7 new items")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Import 7 items").click()
    expect(page.get_by_text("Imported: 7 new items, 0 changed; 5 rows were left.")).to_be_visible()
    items = {one["name"]: one for one in service.get("/content/items")["data"]}
    assert items["Flat white"]["description"] == "with two shots"
    assert (items["Steak"]["price"], items["Steak"]["priceKind"], items["Lobster"]["priceKind"]) == (
        18.5,
        "from",
        "market",
    )
