"""A shop: the real service and the real player as two processes, a location and some items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import Player, Service


@dataclass(frozen=True)
class Shop:
    """The two programs, and what the operator has created."""

    service: Service
    player: Player
    location: str
    items: dict[str, str]
    """Item ids by name."""

    def scene(self, name: str, *categories: str, **fields: Any) -> str:
        """Create a scene with one menu; its id."""
        menu = {
            "id": "menu",
            "type": "menu",
            "x": 100,
            "y": 60,
            "width": 1720,
            "height": 960,
            "categories": list(categories),
        }
        created = self.service.post("/scenes", {"name": name, "widgets": [menu], **fields})
        return str(created["id"])

    def playlist(self, name: str, *scenes: tuple[str, int]) -> str:
        """Create and publish a playlist of scenes with their seconds; its id."""
        playlist = str(self.service.post("/playlists", {"name": name})["id"])
        for scene, seconds in scenes:
            self.append(playlist, scene, seconds)
        self.publish(playlist)
        return playlist

    def append(self, playlist: str, scene: str, seconds: int) -> None:
        self.service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": seconds})

    def publish(self, playlist: str) -> int:
        return int(self.service.post(f"/playlists/{playlist}/publish")["version"])

    def pair(self, playlist: str, player: Player | None = None) -> str:
        """Pair a player with the code that it shows; the id of the screen."""
        body = {"code": (player or self.player).code(), "playlist": playlist, "location": self.location}
        return str(self.service.post("/screens/pair", body)["id"])


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    service = Service(tmp_path)
    service.start()
    player = Player(tmp_path, service.address)
    try:
        location = service.post(
            "/locations",
            {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"},
        )
        items = {
            name: service.post("/content/items", {"name": name, "category": category, "price": price})["id"]
            for name, category, price in (
                ("Flat white", "Coffee", 3.4),
                ("Espresso", "Coffee", 2.2),
                ("Soup", "Lunch", 6.5),
            )
        }
        player.start()
        yield Shop(service=service, player=player, location=location["id"], items=items)
    finally:
        player.kill()
        service.kill()
