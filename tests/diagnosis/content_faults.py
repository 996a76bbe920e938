"""Faults of what a screen is given to show: playlists, scenes, items, pictures and films."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from tests.diagnosis import servers
from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig
from tests.support.empty_version import publish_empty
from tests.support.films import film
from tests.support.menus import document, item, menu_scene

DRIBBLE_BYTES = 500
"""A second, of a file that comes slowly; a connection that gives less counts as dead."""

LONG_SECONDS = 600
"""Seconds of a scene that keeps the next version waiting."""


Sent = tuple[bytes, dict[str, bytes]]
"""A manifest, and files by their digests."""


# What an operator does


@contextmanager
def playing(rig: Rig, playlist: str | None) -> Iterator[None]:
    """The screen has another playlist, or none."""
    rig.service.patch(f"/screens/{rig.screen}", {"playlist": playlist})
    try:
        yield
    finally:
        rig.service.patch(f"/screens/{rig.screen}", {"playlist": rig.playlist})


def new_playlist(rig: Rig, *scenes: str, schedule: dict[str, Any] | None = None, seconds: int = 10) -> str:
    """The id of a playlist that is not published yet."""
    playlist = str(rig.service.post("/playlists", {"name": "Brunch"})["id"])
    for scene in scenes:
        body = {"sceneId": scene, "durationSeconds": seconds} | ({"schedule": schedule} if schedule else {})
        rig.service.post(f"/playlists/{playlist}/scenes", body)
    return playlist


def published(rig: Rig, playlist: str) -> str:
    rig.service.post(f"/playlists/{playlist}/publish")
    return playlist


@contextmanager
def _upright_scenes(rig: Rig) -> Iterator[None]:
    menu = {"id": "menu", "type": "menu", "x": 60, "y": 60, "width": 960, "height": 1800, "categories": ["Coffee"]}
    body = {"name": "Upright", "width": 1080, "height": 1920, "widgets": [menu]}
    scene = str(rig.service.post("/scenes", body)["id"])
    with playing(rig, published(rig, new_playlist(rig, scene))):
        yield


@contextmanager
def _never_published(rig: Rig) -> Iterator[None]:
    # A screen that plays something goes on with it until the next playlist is published.
    with playing(rig, None):
        rig.player.wait_for("nothing is assigned", lambda state: not rig.is_well(state))
        with playing(rig, new_playlist(rig, rig.scene("Brunch"))):
            rig.player.wait_for("it is heard of", lambda state: state["findings"][0]["code"] != "no_playlist")
            yield


@contextmanager
def _no_playlist(rig: Rig) -> Iterator[None]:
    with playing(rig, None):
        yield


@contextmanager
def _empty_playlist(rig: Rig) -> Iterator[None]:
    playlist = new_playlist(rig)
    publish_empty(rig.service.data, playlist)
    with playing(rig, playlist):
        yield


@contextmanager
def _sold_out(rig: Rig) -> Iterator[None]:
    items = [each["id"] for each in rig.service.get("/content/items")["data"]]
    for one in items:
        rig.service.patch(f"/content/items/{one}", {"eightySixed": True})
    yield
    for one in items:
        rig.service.patch(f"/content/items/{one}", {"eightySixed": False})


def _local(hours: float) -> datetime:
    return datetime.now(ZoneInfo("Europe/Berlin")) + timedelta(hours=hours)


@contextmanager
def nothing_now(rig: Rig) -> Iterator[None]:
    schedule = {"type": "daypart", "start": f"{_local(3):%H:%M}", "end": f"{_local(4):%H:%M}", "timezone": "location"}
    with playing(rig, published(rig, new_playlist(rig, rig.scene("Later"), schedule=schedule))):
        yield


@contextmanager
def _nothing_any_more(rig: Rig) -> Iterator[None]:
    schedule = {
        "type": "window",
        "startsAt": f"{_local(-48):%Y-%m-%dT%H:%M:%S}",
        "endsAt": f"{_local(-24):%Y-%m-%dT%H:%M:%S}",
        "timezone": "location",
    }
    scene = rig.scene("Last week")
    rig.service.post(f"/scenes/{scene}/schedules", schedule)
    with playing(rig, published(rig, new_playlist(rig, scene))):
        yield


@contextmanager
def _version_waits(rig: Rig) -> Iterator[None]:
    playlist = published(rig, new_playlist(rig, rig.scene("Long"), seconds=LONG_SECONDS))
    with playing(rig, playlist):
        rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] == "Long")
        published(rig, playlist)
        try:
            yield
        finally:
            # Else the board would play its scene to the end.
            rig.player.end()
            rig.service.patch(f"/screens/{rig.screen}", {"playlist": rig.playlist})
            for file in ("running", "staged", "previous"):
                (rig.player.state_folder / file).unlink(missing_ok=True)
            rig.player.start()


@contextmanager
def _removed(rig: Rig) -> Iterator[None]:
    rig.service.delete(f"/screens/{rig.screen}")
    yield


# What happens to files on the service


def _spoiled(spoil: Callable[[Path], object]) -> Callable[[Rig], AbstractContextManager[None]]:
    """A new version needs a picture that has been spoilt on the service's disk."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        before = set(rig.service.data.rglob("*"))
        scene = rig.scene_with_picture("Picture", colour=hash(spoil) % 250)
        (file,) = [
            path
            for path in rig.service.data.rglob("*")
            if path not in before and path.is_file() and re.fullmatch("[0-9a-f]{64}", path.name)
        ]
        spoil(file)
        with playing(rig, published(rig, new_playlist(rig, scene))):
            yield

    return inject


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.chmod(0o600)
    file.write_bytes(content)


def _shorten(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1000])


def _make_page(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(b"<html>moved</html>")


@contextmanager
def _slow_file(rig: Rig) -> Iterator[None]:
    passing = rig.passing()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await passing(reader, cast("asyncio.StreamWriter", _Dribbling(writer)))

    with rig.answered_by(serve):
        scene = rig.scene_with_picture("Slow", colour=251)
        with playing(rig, published(rig, new_playlist(rig, scene))):
            yield


class _Dribbling:
    """Writes large answers slowly."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._head = b""

    def write(self, data: bytes) -> None:
        if data.startswith(b"HTTP/"):
            self._head = data
        if b"image/" not in self._head or data.startswith(b"HTTP/"):
            self._writer.write(data)
            return
        self._left = data

    async def drain(self) -> None:
        left, self._left = getattr(self, "_left", b""), b""
        for start in range(0, len(left), DRIBBLE_BYTES):
            self._writer.write(left[start : start + DRIBBLE_BYTES])
            await self._writer.drain()
            await asyncio.sleep(1.0)
        await self._writer.drain()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


# What a service sends that has a fault of its own, or is newer than the player


def sent(make: Callable[[Rig], Sent]) -> Callable[[Rig], AbstractContextManager[None]]:
    """The service sends this manifest, and these files."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        body, files = make(rig)
        stored = b"".join(path.read_bytes() for path in rig.player.state_folder.iterdir() if path.is_file())
        epoch = re.search(rb'"epoch":\s*"([^"]+)"', stored)
        assert epoch is not None
        told = json.loads(body) | {"epoch": epoch[1].decode()}
        told["location"]["id"] = rig.location
        body = json.dumps(told).encode()
        manifest = servers.page(
            200, body.decode(), kind="application/json", Menu_Display="1", ETag=f'"{hashlib.sha256(body).hexdigest()}"'
        )

        def rule(path: str) -> bytes | None:
            if "/manifest" in path:
                return manifest
            if "/heartbeat" in path:
                # The real service would say that another menu is the newest.
                answer = json.dumps({"serverTime": datetime.now(UTC).isoformat()})
                return servers.page(200, answer, kind="application/json", Menu_Display="1")
            found = next((content for digest, content in files.items() if digest in path), None)
            if found is None:
                return None
            return servers.page(200, found.decode(), kind="application/octet-stream", Menu_Display="1")

        with rig.answered_by(rig.passing(rule)):
            yield

    return inject


def _bad_widget() -> dict[str, Any]:
    return {"id": "hologram", "type": "hologram", "x": 0, "y": 0, "width": 100, "height": 100}


def _scenes(*scenes: dict[str, Any], items: Sequence[dict[str, Any]] = (), **more: Any) -> Sent:
    menu = list(items) or [item("Espresso"), item("Flat white")]
    return document(scenes=scenes, items=menu, playlist="pl_sent", **more), {}


def _every_scene_damaged(_: Rig) -> Sent:
    return _scenes(menu_scene("breakfast") | {"widgets": [_bad_widget()]}, menu_scene("lunch") | {"widgets": "none"})


def _older(rig: Rig) -> Sent:
    return document(scenes=[menu_scene("old")], playlist=rig.playlist, revision=0, items=[item("Tea")]), {}


def _with_file(widget: dict[str, Any], content: bytes, media_type: str) -> Sent:
    digest = hashlib.sha256(content).hexdigest()
    placed = {"x": 0, "y": 0, "width": 1920, "height": 1080, "asset": f"sha256:{digest}"} | widget
    scene = menu_scene("pictured") | {"widgets": [placed, *menu_scene("pictured")["widgets"]]}
    told = json.loads(document(scenes=[scene], items=[item("Espresso")], playlist="pl_file"))
    told["assets"] = {digest: {"size": len(content), "mediaType": media_type}}
    return json.dumps(told).encode(), {digest: content}


@contextmanager
def _film_not_decoded(rig: Rig) -> Iterator[None]:
    """No decoder here takes AV1."""
    widget = {"id": "film", "type": "video", "x": 0, "y": 0, "width": 1920, "height": 1080}
    asset = rig.service.upload(film("av1").read_bytes(), "video/x-matroska")
    with playing(rig, published(rig, new_playlist(rig, rig.scene("Film", widget | {"asset": asset})))):
        yield


@contextmanager
def _one_menu_sold_out(rig: Rig) -> Iterator[None]:
    """Another menu beside it has items."""
    tea = rig.service.post("/content/items", {"name": "Tea", "category": "Tea", "price": 2})["id"]
    place = {"type": "menu", "y": 60, "width": 800, "height": 960}
    left, right = ({"id": name, "x": x, "categories": [name]} | place for name, x in (("Tea", 100), ("Coffee", 1000)))
    with playing(rig, published(rig, new_playlist(rig, rig.scene("Both", left, right)))):
        rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] == "Both")
        rig.service.patch(f"/content/items/{tea}", {"eightySixed": True})
        yield
    rig.service.delete(f"/content/items/{tea}")
    rig.player.wait_for("it is told no more", lambda state: not state["findings"])


@contextmanager
def _one_scene_sold_out(rig: Rig) -> Iterator[None]:
    tea = rig.service.post("/content/items", {"name": "Tea", "category": "Tea", "price": 2})["id"]
    place = {"x": 100, "y": 60, "width": 1720, "height": 960}
    menu = {"id": "menu", "type": "menu", **place, "categories": ["Tea"]}
    with playing(rig, published(rig, new_playlist(rig, rig.scene("Coffee"), rig.scene("Tea", menu)))):
        rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] in ("Coffee", "Tea"))
        rig.service.patch(f"/content/items/{tea}", {"eightySixed": True})
        yield
    rig.service.delete(f"/content/items/{tea}")
    rig.player.wait_for("it is told no more", lambda state: not state["findings"])


FAULTS = (
    Fault("playlist never published", _never_published, "never_published", within=5.0),
    Fault("no playlist assigned", _no_playlist, "no_playlist", within=5.0),
    Fault("playlist for upright screens on one that lies across", _upright_scenes, "display_turned"),
    Fault("playlist without a scene", _empty_playlist, "playlist_empty", quick=True),
    Fault("everything sold out", _sold_out, "all_sold_out"),
    Fault("items of one menu sold out", _one_menu_sold_out, "menu_sold_out"),
    Fault("items of one scene sold out", _one_scene_sold_out, "menu_sold_out"),
    Fault("nothing scheduled now", nothing_now, "nothing_scheduled"),
    Fault("nothing scheduled any more", _nothing_any_more, "nothing_scheduled"),
    Fault("version waits for its turn", _version_waits, "version_waits"),
    Fault("picture gone from the service", _spoiled(Path.unlink), "files_failing"),
    Fault("picture damaged on the service", _spoiled(_flip), "files_failing"),
    Fault("picture cut short on the service", _spoiled(_shorten), "files_failing"),
    Fault("page in place of a picture", _spoiled(_make_page), "files_failing"),
    Fault("picture comes slowly", _slow_file, "files_on_their_way"),
    Fault("every scene damaged", sent(_every_scene_damaged), "version_unshowable"),
    Fault(
        "one scene damaged",
        sent(lambda _: _scenes(menu_scene("good"), menu_scene("bad") | {"widgets": "none"})),
        "scenes_rejected",
    ),
    Fault(
        "an item without a price",
        sent(lambda _: _scenes(menu_scene("good"), items=[item("Espresso"), item("Tea") | {"price": "dear"}])),
        "parts_rejected",
    ),
    Fault(
        "a widget of a later release",
        sent(lambda _: _scenes(menu_scene("good") | {"widgets": [*menu_scene("good")["widgets"], _bad_widget()]})),
        "parts_rejected",
    ),
    Fault("zone unknown", sent(lambda _: _scenes(menu_scene("good"), timezone="Mars/Base")), "zone_unknown"),
    Fault(
        "picture that cannot be read",
        sent(lambda _: _with_file({"id": "image", "type": "image"}, b"no picture at all" * 99, "image/png")),
        "parts_rejected",
    ),
    Fault(
        "film that cannot be decoded",
        sent(lambda _: _with_file({"id": "film", "type": "video"}, b"no film at all" * 99, "video/mp4")),
        "parts_rejected",
    ),
    # It is taken off the glass after ten seconds without a picture.
    Fault("film in a codec that is not decoded", _film_not_decoded, "film_fails"),
    Fault(
        "an older menu",
        sent(_older),
        "older_menu",
    ),
    Fault("screen removed", _removed, "screen_refused", spoils=True),
)
