"""The canvas of a board in a browser: what is dragged there is what the glass shows there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from PySide6.QtGui import QImage

from tests.desk.conftest import OpenPage
from tests.support.programs import Player, Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    started.post(
        "/locations", {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    )
    yield started
    started.kill()


@pytest.mark.long
def test_a_text_is_added_dragged_and_saved_and_the_glass_shows_it_there(
    open_page: OpenPage, service: Service, tmp_path: Path
) -> None:
    shape = {"id": "band", "type": "shape", "shape": "rectangle", "color": "#204060", "x": 0, "y": 0}
    board = {"name": "Door", "transition": {"type": "cut"}, "widgets": [{**shape, "width": 1920, "height": 200}]}
    scene = service.post("/scenes", board)["id"]
    page = open_page(f"/desk/boards/{scene}")
    page.get_by_text("Add to the board").click()
    page.get_by_role("button", name="Text", exact=True).click()
    box = page.get_by_role("button", name="Text New text")
    expect(box).to_have_attribute("aria-pressed", "true")
    left, top = (page.locator(f"[name='widgets.text-1.{key}']") for key in ("x", "y"))
    before = (left.input_value(), top.input_value())

    at = box.bounding_box()
    assert at is not None
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y - 60, steps=4)
    page.mouse.up()
    moved = (left.input_value(), top.input_value())
    assert moved != before
    page.keyboard.press("Control+z")
    assert (left.input_value(), top.input_value()) == before
    page.keyboard.press("Control+Shift+z")
    assert (left.input_value(), top.input_value()) == moved
    page.keyboard.press("Shift+ArrowRight")
    page.locator("[name='widgets.text-1.text']").fill("Open till late")
    expect(page.get_by_text("Not saved yet")).to_be_visible()

    # The session ends in mid-edit: nothing is lost.
    page.reload()
    expect(page.get_by_text("There are changes of yours to this board that are not saved.")).to_be_visible()
    page.get_by_role("button", name="Bring them back").click()
    expect(page.locator("[name='widgets.text-1.text']")).to_have_value("Open till late")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Door is saved.")).to_be_visible()
    expect(page.get_by_text("Not saved yet")).to_be_hidden()
    text = service.get(f"/scenes/{scene}")["widgets"][1]
    assert (text["x"], text["y"]) == (float(moved[0]) + 10, float(moved[1]))

    playlist = service.post("/playlists", {"name": "Door"})["id"]
    service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 60})
    service.post(f"/playlists/{playlist}/publish")
    player = Player(tmp_path, service.address)
    player.start()
    location = service.get("/locations")["data"][0]["id"]
    service.post("/screens/pair", {"code": player.code(), "location": location, "playlist": playlist})
    player.wait_for("the board", lambda state: scene in str(state["presented"]))
    glass = QImage.fromData(player.glass())
    player.kill()
    units = 1920 / glass.width()
    # Below that the player tells the technician its address.
    bright = [
        (across * units, down * units)
        for across in range(0, glass.width(), 2)
        for down in range(0, glass.height() * 3 // 4, 2)
        if glass.pixelColor(across, down).lightness() > 150
    ]
    assert len(bright) > 50
    assert all(0 <= across - text["x"] <= text["width"] for across, _ in bright)
    assert all(0 <= down - text["y"] <= text["height"] for _, down in bright)
