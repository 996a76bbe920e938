"""The first run, as a new owner has it: from an empty service to the board on the glass."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.desk.conftest import PHONE, link_for
from tests.support.axe import violations
from tests.support.programs import Player, Service, on_glass


def check(page: Page, name: str) -> None:
    """The step has no fault of accessibility, nothing wider than the window, and its picture is kept if asked for."""
    assert violations(page) == [], name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    if folder := os.environ.get("MENU_PICTURES"):
        page.screenshot(path=Path(folder) / f"start-{name}.png", full_page=True)


@pytest.mark.long
def test_an_empty_service_becomes_a_board_on_the_glass(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "player").mkdir()
    service = Service(tmp_path)
    service.start()
    player = Player(tmp_path / "player", service.address)
    player.start()
    context = chromium.new_context(
        locale="de-AT",
        timezone_id="Europe/Vienna",
        viewport={"width": PHONE[0], "height": PHONE[1]},
        reduced_motion="reduce",
    )
    page = context.new_page()
    try:
        page.goto(link_for(service, "Owner"))
        expect(page).to_have_url(re.compile("/desk/start/location"))
        check(page, "location")
        expect(page.locator("#timezone")).to_have_value("Europe/Vienna")
        page.locator("#name").fill("Eckcafé")
        page.locator("form.card button").click()
        check(page, "template")
        page.locator("button[value=coffee-bar]").click()
        page.locator("#text").fill("Kaffee\nFlat White 3,40\nEspresso 2,20\n\nKuchen\nApfelstrudel 4,90")
        check(page, "menu")
        page.locator("button[value=apply]").click()
        expect(page).to_have_url(re.compile("/desk/start/pair"))
        expect(page.locator("img.shot")).to_have_js_property("naturalWidth", 640, timeout=60_000)
        check(page, "pair")
        # Left, and gone on with.
        page.goto(f"{service.address}/desk/start")
        page.locator("#code").fill(player.code())
        page.locator("form.card button").click()
        expect(page).to_have_url(re.compile("/desk/start/done"))
        player.wait_for("the menu", lambda state: "Apfelstrudel" in on_glass(state))
        expect(page.locator("#start-screen img")).to_have_js_property("naturalWidth", 640, timeout=60_000)
        check(page, "done")
    finally:
        context.close()
        player.kill()
        service.kill()
