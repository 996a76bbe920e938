"""A café is run from the desk of the demo, as on a machine that has only the README."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.test_demo import interrupt, run_demo
from tests.support.programs import call, eventually, on_glass


@pytest.mark.long
def test_the_first_line_leads_to_a_desk_that_sells_out_prices_publishes_and_overrides(
    chromium: Browser, tmp_path: Path
) -> None:
    process, said = run_demo(tmp_path / "demo")
    try:
        link = said.partition("\n")[0].rpartition(" ")[2]
        page = re.search(r"diagnostics +(http\S+)", said)
        assert page is not None
        state = f"{page[1]}/state.json"
        desk = chromium.new_page(locale="en")
        desk.goto(link)
        expect(desk.get_by_role("heading", name="Screens")).to_be_visible()
        base = desk.url.partition("/desk")[0]

        def glass() -> dict[str, Any]:
            found: dict[str, Any] = call("GET", state)
            return found

        name = next(iter(eventually(lambda: on_glass(glass()), what="a scene with a menu")))
        desk.goto(f"{base}/desk/menu?search={name}")
        row = desk.locator(".item").first
        row.get_by_role("button", name="Sold out").click()
        eventually(lambda: (shown := on_glass(glass())) and name not in shown, what="it is off the glass")
        desk.get_by_role("button", name="Undo").click()
        eventually(lambda: name in on_glass(glass()), what="it is back")

        row.get_by_role("textbox").fill("7.77")
        row.get_by_role("textbox").press("Enter")
        eventually(lambda: "7.77" in on_glass(glass()).get(name, "").replace(",", "."), what="its price is new")

        version = glass()["presented"]["version"]
        desk.goto(f"{base}/desk/playlists")
        desk.locator("main a[href*='/desk/playlists/pl_']").first.click()
        seconds = desk.locator("input[name=seconds]").first
        seconds.fill("7")
        seconds.blur()
        desk.get_by_role("button", name="Publish").click()
        eventually(lambda: glass()["presented"].get("version") == version + 1, what="the new version plays")

        desk.goto(f"{base}/desk/overrides")
        desk.get_by_label("Why").fill("Closed early")
        desk.get_by_role("button", name="Show now").click()
        eventually(lambda: glass()["presented"].get("override"), what="the override shows")
        desk.get_by_role("button", name="Withdraw").click()
        eventually(lambda: not glass()["presented"].get("override"), what="the menu is back")
        desk.context.close()
    finally:
        interrupt(process)
