"""Short constructors for the parts of a manifest, and a clock that tests move."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import read_manifest

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
"""A Friday; the test location's zone is UTC."""


class HandClock:
    """A Clock moved by hand: `pass_` moves wall and monotonic time, `step` wall time alone."""

    def __init__(self, start: datetime = NOON) -> None:
        self._wall = start
        self._monotonic = 1000.0

    def wall(self) -> datetime:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic

    def pass_(self, seconds: float) -> None:
        self._wall += timedelta(seconds=seconds)
        self._monotonic += seconds

    def step(self, span: timedelta) -> None:
        self._wall += span


def instant(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def asset(name: str) -> tuple[str, bytes]:
    """An asset made from a name: its hex digest and its bytes."""
    body = name.encode() * 7
    return hashlib.sha256(body).hexdigest(), body


def item(
    name: str, price: float = 3.5, *, category: str = "Coffee", sold_out: bool = False, until: datetime | None = None
) -> dict[str, Any]:
    """`until` is when a sold-out item is available again."""
    return {
        "id": f"itm_{name}",
        "name": name,
        "category": category,
        "price": price,
        "modifiers": [],
        "eightySixed": sold_out,
    } | ({} if until is None else {"eightySixedUntil": instant(until)})


def menu_scene(name: str, *categories: str, image: str | None = None, **fields: Any) -> dict[str, Any]:
    """A scene with one menu; `image` names an asset that it draws."""
    widgets: list[dict[str, Any]] = [
        {
            "id": "menu",
            "type": "menu",
            "x": 100,
            "y": 100,
            "width": 1720,
            "height": 880,
            "categories": list(categories),
        }
    ]
    if image is not None:
        box = {"x": 0, "y": 0, "width": 400, "height": 400}
        widgets.append({"id": "picture", "type": "image", "asset": f"sha256:{asset(image)[0]}", **box})
    return {"id": f"scn_{name}", "name": name, "width": 1920, "height": 1080, "widgets": widgets, **fields}


def override(
    name: str,
    *scenes: dict[str, Any],
    starts_at: datetime = NOON,
    until: datetime = NOON + timedelta(hours=1),
    entries: Sequence[dict[str, Any]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An override of these scenes."""
    shown = [entry(scene["id"].removeprefix("scn_")) for scene in scenes] if entries is None else list(entries)
    playlist = {
        "id": f"pl_{name}",
        "name": name,
        "version": 1,
        "publishedAt": instant(starts_at),
        "entries": shown,
    }
    return {
        "id": f"ovr_{name}",
        "reason": f"because of {name}",
        "startsAt": instant(starts_at),
        "until": instant(until),
        "playlist": playlist,
        "scenes": list(scenes),
        **more,
    }


def entry(scene: str, seconds: int = 10, **fields: Any) -> dict[str, Any]:
    return {"id": f"ent_{scene}", "sceneId": f"scn_{scene}", "durationSeconds": seconds, **fields}


def document(
    *,
    version: int | None = 1,
    scenes: Sequence[dict[str, Any]] = (),
    entries: Sequence[dict[str, Any]] | None = None,
    items: Sequence[dict[str, Any]] = (),
    images: Sequence[str] = (),
    revision: int = 1,
    revision_at: datetime = NOON,
    published_at: datetime = NOON,
    timezone: str = "UTC",
    playlist: str = "pl_1",
    settings: dict[str, int] | None = None,
    epoch: str = "",
    other_items: Sequence[dict[str, Any]] | None = None,
    other_versions: dict[str, list[int]] | None = None,
    without_playlist: dict[str, str] | None = None,
    hours: Sequence[dict[str, Any]] = (),
    spans: Sequence[Sequence[str]] = (),
    values: dict[str, dict[str, Any]] | None = None,
    overrides: Sequence[dict[str, Any]] = (),
) -> bytes:
    """The body of a manifest; `version` None means that no playlist is assigned. `other_items` None is a service that
    does not tell the items of earlier versions."""
    body = {
        "format": 1,
        "revision": revision,
        "revisionAt": instant(revision_at),
        "location": {
            "id": "loc_1",
            "name": "Corner Café",
            "timezone": timezone,
            "currency": "EUR",
            "locale": "en-IE",
            "openingHours": list(hours),
            "spans": [{"screens": list(screens)} for screens in spans],
        },
        "playlist": None
        if version is None
        else {
            "id": playlist,
            "name": "All day",
            "version": version,
            "publishedAt": instant(published_at),
            "entries": list(entries)
            if entries is not None
            else [entry(scene["id"].removeprefix("scn_")) for scene in scenes],
        },
        "scenes": list(scenes),
        "items": list(items),
        "assets": {asset(name)[0]: {"size": len(asset(name)[1]), "mediaType": "image/png"} for name in images},
        "settings": settings or {"waitSeconds": 25, "pollSeconds": 20, "heartbeatSeconds": 30},
    }
    if epoch:
        body["epoch"] = epoch
    if overrides:
        body["overrides"] = list(overrides)
    if values is not None:
        body["values"] = values
    if without_playlist is not None:
        body["withoutPlaylist"] = without_playlist
    if other_items is not None:
        body |= {"otherItems": list(other_items), "otherVersions": other_versions or {}}
    return json.dumps(body, ensure_ascii=False).encode()


def manifest(**fields: Any) -> tuple[Manifest, bytes]:
    """A manifest as the poller delivers it, and its body."""
    body = document(**fields)
    return read_manifest(body), body
