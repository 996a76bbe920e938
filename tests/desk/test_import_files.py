"""Files of real shops in a browser: each row of them is on the menu, or is named on the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.desk.conftest import PHONE, WIDE, OpenPage
from tests.desk.menu_files import TILLS, MenuFile, Price, owner, word
from tests.support.axe import violations
from tests.support.programs import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    location = {"name": "Bistro", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    started.post("/locations", location)
    yield started
    started.kill()


def preview(page: Page, file: MenuFile) -> None:
    page.locator("#file").set_input_files(
        {"name": file.name, "mimeType": "application/octet-stream", "buffer": file.raw}
    )
    page.locator("form#import button.primary").click()


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("MENU_PICTURES"):
        page.screenshot(path=Path(folder) / f"import-{name}.png", full_page=True)


def price_of(item: dict[str, Any]) -> Price:
    if item["variants"]:
        return {one["name"]: f"{one['price']:.2f}" for one in item["variants"]}
    if item["priceKind"] == "market":
        return "market"
    return ("from " if item["priceKind"] == "from" else "") + f"{item['price']:.2f}"


FILES = [owner(), word(), *TILLS[:6]]
LONG = [pytest.param(one, marks=pytest.mark.long) for one in TILLS[6:]]


@pytest.mark.parametrize("file", [*FILES, *LONG], ids=lambda file: file.name)
def test_every_row_is_on_the_menu_or_named(open_page: OpenPage, service: Service, file: MenuFile) -> None:
    before = {one["id"] for one in service.get("/content/items?limit=100")["data"]}
    page = open_page("/desk/menu/import")
    preview(page, file)
    state = page.locator("div.state")
    expect(state.get_by_text(f"{len(file.items)} new items", exact=True)).to_be_visible()
    told = [text.strip() for text in state.locator("section.card ul.lines li bdi").all_inner_texts()]
    for row in file.named:
        assert any(text.startswith(row) for text in told), (row, told)
    if file.hidden:
        expect(state.get_by_text(f"{file.hidden} rows that are hidden or filtered out")).to_be_visible()
    # A row that is read makes an item, or a size of one.
    read = sum(len(price) if isinstance(price, dict) else 1 for price in file.items.values())
    assert file.rows == read + len(file.named) + file.hidden + file.heads
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, file.name)
    page.locator("form#import button.primary").click()
    page.wait_for_load_state()
    new = [one for one in service.get("/content/items?limit=100")["data"] if one["id"] not in before]
    assert {(one["category"], one["name"]): price_of(one) for one in new} == dict(file.items)


@pytest.mark.parametrize(("language", "size"), [("ar", WIDE), ("de", PHONE)])
def test_an_import_is_told_in_the_language_of_the_person(
    open_page: OpenPage, service: Service, language: str, size: tuple[int, int]
) -> None:
    page = open_page("/desk/menu/import", language=language, size=size)
    preview(page, owner())
    expect(page.locator("#bad-title")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{language}-{size[0]}")
