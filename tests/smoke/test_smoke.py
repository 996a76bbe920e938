"""A minute of both programs, as a shop sees them: on whatever libraries this Python has (`make smoke-lowest`)."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from PySide6.QtGui import QGuiApplication, QImage

from tests.player.display.views.golden import MOST_CHANGED, changed_share, golden_file, reduced
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Player, Service, on_glass

MENUS = Path(__file__).parents[1] / "data" / "kit_menus.json"
TEMPLATE = "allergens"
"""A scene that looks the same at every moment."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path)
    # A program of its own, with its imports.
    service.loaded = False
    service.start()
    yield service
    service.kill()


@pytest.fixture
def player(service: Service, tmp_path: Path) -> Iterator[Player]:
    player = Player(tmp_path, service.address)
    player.start()
    yield player
    player.kill()


def image_at(service: Service, path: str) -> QImage:
    asked = urllib.request.Request(service.address + path, headers={"Authorization": f"Bearer {service.key}"})
    with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
        return QImage.fromData(answer.read())


def offered(state: Mapping[str, Any]) -> set[str]:
    """Names of the items on the glass that are not sold out."""
    rows = [row for rows in state["ordered"]["menus"].values() for row in rows] if on_glass(state) else []
    return {row["name"] for row in rows if not row["soldOut"]}


def test_a_board_is_paired_shows_its_menu_and_loses_what_is_sold_out(
    service: Service, player: Player, qapp: QGuiApplication
) -> None:
    menu = json.loads(MENUS.read_text(encoding="utf-8"))[TEMPLATE]
    location = service.post("/locations", menu["location"])["id"]
    items = {item["name"]: service.post("/content/items", item)["id"] for item in menu["items"]}
    scene = service.post("/scenes", {"template": TEMPLATE, "orientation": "landscape"})["id"]
    playlist = service.post("/playlists", {"name": "All day"})["id"]
    service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 30})
    service.post(f"/playlists/{playlist}/publish")

    # The picture of the scene that the service has the player draw.
    preview = image_at(service, f"/v1/scenes/{scene}/preview.png?width=1920&location={location}")
    share = changed_share(reduced(preview), QImage(str(golden_file(TEMPLATE, "landscape", (1920, 1080)))))
    assert share <= MOST_CHANGED, f"{share:.2%} of the preview differs from its golden image"

    pair = {"code": player.code(), "playlist": playlist, "location": location, "name": "Counter"}
    screen = service.post("/screens/pair", pair)["id"]
    player.wait_for("the menu is on the glass", lambda state: offered(state) == set(items))

    gone = next(iter(items))
    before = player.glass()
    service.patch(f"/content/items/{items[gone]}", {"eightySixed": True})
    player.wait_for("it is shown as sold out", lambda state: offered(state) == set(items) - {gone})
    assert player.glass() != before

    link = subprocess.run(
        [
            *(sys.executable, "-m", "service", "desk-link", "--data", service.data, "--public-url", service.address),
            *("--email", "owner@example.com", "--name", "Owner", "--role", "Owner"),
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    with httpx.Client(follow_redirects=True, trust_env=False, timeout=PATIENCE_SECONDS) as browser:
        entered = browser.get(link)
        page = browser.get(f"{service.address}/desk/screens/{screen}")
    assert (entered.status_code, page.status_code) == (200, 200)
    assert "Counter" in page.text

    assert service.end() == 0
    assert player.end() == 0
