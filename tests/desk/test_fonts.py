"""A chain's own font, from a file that is chosen in a browser to the letters on the glass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from PySide6.QtGui import QImage

from tests.desk.conftest import OpenPage
from tests.support.fonts import font_file
from tests.support.programs import Player, Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    place = {"name": "Souq", "timezone": "Asia/Kuwait", "currency": "KWD", "locale": "ar-KW"}
    started.post("/locations", place)
    yield started
    started.kill()


@pytest.mark.long
def test_a_font_is_uploaded_chosen_and_drawn_with(open_page: OpenPage, service: Service, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("brand.ttf", "broken.ttf")}
    files["brand.ttf"].write_bytes(font_file(family="Brand Sans", weight=700))
    files["broken.ttf"].write_bytes(font_file()[:-100])
    page = open_page("/desk/pictures")
    page.set_input_files("#file", list(files.values()))
    expect(page.get_by_text("Screens cannot draw with this font.")).to_be_visible(timeout=15_000)
    page.reload()
    expect(page.get_by_text("Brand Sans 700")).to_be_visible()
    folder = os.environ.get("MENU_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / "desk-fonts.png")

    text = {"id": "t", "type": "text", "text": "II غداء", "x": 0, "y": 0, "width": 1920, "height": 400}
    text |= {"size": 200, "theme": {"textColor": "#FFFFFF"}}
    scene = service.post("/scenes", {"name": "Door", "transition": {"type": "cut"}, "widgets": [text]})["id"]
    page.goto(f"{service.address}/desk/boards/{scene}")
    page.get_by_text("Theme", exact=True).first.click()
    page.locator("[name='theme.fontFamily']").fill("Brand Sans 700")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Door is saved.")).to_be_visible()
    expect(page.get_by_text("The font Brand Sans has no letters of these scripts: Arabic.")).to_be_visible()
    if folder:
        page.screenshot(path=Path(folder) / "desk-board-font.png", full_page=True)

    playlist = service.post("/playlists", {"name": "Door"})["id"]
    service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 60})
    service.post(f"/playlists/{playlist}/publish")
    player = Player(tmp_path, service.address)
    player.start()
    location = service.get("/locations")["data"][0]["id"]
    service.post("/screens/pair", {"code": player.code(), "location": location, "playlist": playlist})
    state = player.wait_for("the board", lambda state: scene in str(state["presented"]))
    glass = QImage.fromData(player.glass())
    player.kill()
    if folder:
        glass.save(str(Path(folder) / "glass-font.png"))
    assert state["rejections"] == []
    points = ((x, y) for x in range(0, glass.width(), 2) for y in range(0, glass.height() // 2, 2))
    white = sum(glass.pixelColor(x, y).lightness() > 200 for x, y in points)
    # Two boxes of 140 units are far more than two strokes.
    side = 140 * glass.width() / 1920
    assert white > 2 * (side / 2) ** 2
