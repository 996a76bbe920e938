"""Makes the pictures of docs/desk.md, by `make desk-pictures`. Look at them before a commit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.desk.conftest import PHONE, WIDE, pages
from tests.support.programs import Player, Service, eventually

DRAWN = """[...document.images].every(one => !one.checkVisibility() || one.getBoundingClientRect().top > innerHeight
  || one.complete && one.naturalWidth > 0)"""
DAYPARTS = {"Breakfast": ("06:00", "11:30"), "Lunch": ("11:30", "17:00"), "Cakes and cold drinks": ("14:00", "19:00")}
LOW = (1440, 480)
SCREENS = ("Counter, left", "Counter, right", "Window")
MOST_BYTES = 160_000
"""Of one picture; tests/test_docs.py bounds all of them together."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """The sample café."""
    started = Service(tmp_path)
    command = [sys.executable, "-m", "service", "demo-data", "--data", str(started.data)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    started.start()
    yield started
    started.kill()


@pytest.fixture
def screens(service: Service, tmp_path: Path) -> Iterator[list[str]]:
    """The ids of screens of the café that show its menu, which has parts of the day."""
    location, playlist = (service.get(of)["data"][0]["id"] for of in ("/locations", "/playlists"))
    for scene in service.get("/scenes")["data"]:
        if scene["name"] in DAYPARTS:
            start, end = DAYPARTS[scene["name"]]
            hours = {"type": "daypart", "start": start, "end": end, "timezone": "location", "priority": 1}
            service.post(f"/scenes/{scene['id']}/schedules", hours)
    service.post(f"/playlists/{playlist}/publish")
    players = []
    for name in SCREENS:
        folder = tmp_path / name
        folder.mkdir()
        players.append(Player(folder, service.address))
        players[-1].start()
    for name, player in zip(SCREENS, players, strict=True):
        service.post("/screens/pair", {"code": player.code(), "name": name, "location": location, "playlist": playlist})
        player.wait_for("the menu", lambda state: state["presented"].get("sceneId"))
    yield [screen["id"] for screen in service.get("/screens")["data"]]
    for player in players:
        player.kill()


@pytest.mark.long
def test_the_pages_are_drawn_for_the_documentation(
    chromium: Browser, service: Service, screens: list[str], tmp_path: Path
) -> None:
    folder = Path(os.environ.get("MENU_DESK_PICTURES") or tmp_path)
    screen, playlist = screens[0], service.get("/playlists")["data"][0]["id"]
    scene = next(one for one in service.get("/scenes")["data"] if "menu" in str(one["widgets"]))
    item = service.get("/content/items")["data"][1]["id"]
    service.patch(f"/content/items/{item}", {"eightySixed": True})
    zone = ZoneInfo(service.get("/locations")["data"][0]["timezone"])
    tomorrow = datetime.now(zone).date() + timedelta(days=1)
    with pages(chromium, service) as open_page:
        for name, path, size in (
            ("screens", "/desk/screens", LOW),
            ("screen-phone", f"/desk/screens/{screen}", PHONE),
            ("menu", "/desk/menu", WIDE),
            ("menu-phone", "/desk/menu", PHONE),
            ("board", f"/desk/boards/{scene['id']}", WIDE),
            ("playlist", f"/desk/playlists/{playlist}", WIDE),
            ("moment", f"/desk/screens/{screen}/moment?date={tomorrow}&time=14:30", WIDE),
            ("week", f"/desk/screens/{screen}/week", WIDE),
        ):
            keep(open_page(path, size=size), folder / f"{name}.jpg")


def keep(page: Page, file: Path) -> None:
    """Keep the page once its pictures are drawn; one that the service was too busy to draw is asked for again."""

    def drawn() -> bool:
        if page.evaluate(DRAWN):
            return True
        page.evaluate("for (const one of document.images) if (one.complete && !one.naturalWidth) one.src = one.src")
        return False

    eventually(drawn, what=f"the pictures of {file.name}", poll_seconds=0.5)
    expect(page.locator("h1")).to_be_visible()
    page.screenshot(path=file, type="jpeg", quality=72)
    assert file.stat().st_size < MOST_BYTES, file
