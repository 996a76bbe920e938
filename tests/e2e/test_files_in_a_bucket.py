"""A real player gets the picture of its menu from the store that the service names by a signed link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.support.application import png
from tests.support.buckets import NAME, ObjectStore, object_store
from tests.support.programs import Player, Service


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as started:
        yield started


@pytest.mark.long
@pytest.mark.parametrize("refuses", [pytest.param(False, marks=pytest.mark.long), True])
def test_a_player_fetches_a_picture_by_a_signed_link_or_else_from_the_service(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuses: bool
) -> None:
    monkeypatch.setenv("MENU_SERVICE_ASSETS", store.url)
    store.refuses_links = refuses
    service = Service(tmp_path)
    player = Player(tmp_path, service.address)
    try:
        service.start()
        location = {"name": "Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
        place = service.post("/locations", location)["id"]
        asset = service.upload(png(60), "image/png")
        assert store.keys == [f"cafe/files/{asset.removeprefix('sha256:')}"]
        picture = {"id": "picture", "type": "image", "x": 0, "y": 0, "width": 900, "height": 900, "asset": asset}
        scene = service.post("/scenes", {"name": "Poster", "widgets": [picture]})["id"]
        playlist = service.post("/playlists", {"name": "All day"})["id"]
        service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 10})
        service.post(f"/playlists/{playlist}/publish")
        player.start()
        service.post("/screens/pair", {"code": player.code(), "playlist": playlist, "location": place})
        player.wait_for("the picture is on the glass", lambda state: state["presented"]["sceneId"] == scene)
        assert [one["PATH_INFO"] for one in store.by_link] == [f"/{NAME}/{store.keys[0]}"]
        assert "HTTP_AUTHORIZATION" not in store.by_link[0]
    finally:
        player.kill()
        service.kill()
