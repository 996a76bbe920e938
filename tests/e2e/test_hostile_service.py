"""Something other than the service responds at its address: the board goes on, and reports why."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.e2e.conftest import Shop
from tests.support.hostile import Answer, Request, document, hostile_server, raw, whole
from tests.support.programs import eventually, on_glass

MENU = {"Flat white": "3,40 €", "Espresso": "2,20 €"}

HTML = whole(200, b"<html><title>Welcome to the guest Wi-Fi</title>", kind="text/html")


OF_THE_SERVICE = {"Menu-Display": "1"}

# One of each kind: tests/player/link/test_api.py tells the kinds apart.
ANSWERS = (
    ("a log-in page", HTML, "connection_portal"),
    (
        "half a document of the service",
        whole(200, b'{"format": 1, "revision":', headers=OF_THE_SERVICE),
        "connection_not_understood",
    ),
    ("nothing", raw(b""), "connection_no_connection"),
)


@pytest.mark.long
def test_the_menu_stays_on_the_glass_whatever_responds(shop: Shop) -> None:
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 1)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    shop.service.kill()

    async def meet(what: str, answer: Callable[[Request], Answer], fault: str) -> Mapping[str, Any]:
        def reported(state: Mapping[str, Any]) -> bool:
            return state["contact"]["fault"] == fault and state["contact"]["failures"] > failures

        async with hostile_server(port=shop.service.port) as hostile:
            failures = shop.player.state()["contact"]["failures"]
            hostile.on("/manifest", answer)
            hostile.on("/heartbeat", answer)
            return await asyncio.to_thread(shop.player.wait_for, f"{what} is reported as {fault}", reported)

    for what, answer, fault in ANSWERS:
        state = asyncio.run(meet(what, answer, fault))
        assert on_glass(state) == MENU, what
        assert fault in shop.player.log.read_text(), f"{what}: the reason is in the log"
    shop.player.wait_for("the board goes on", lambda later: on_glass(later) == MENU and later["at"] > state["at"])


def manifest(image: bytes) -> bytes:
    digest = hashlib.sha256(image).hexdigest()
    box = {"x": 0, "y": 0, "width": 1920, "height": 1080}
    scene = {
        "id": "scn_2",
        "name": "New",
        "width": 1920,
        "height": 1080,
        "widgets": [{"id": "hero", "type": "image", "asset": f"sha256:{digest}", **box}],
    }
    entries = [{"id": "ent_2", "sceneId": "scn_2", "durationSeconds": 5}]
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps(
        {
            "format": 1,
            "revision": 99,
            "revisionAt": now,
            "location": {
                "id": "loc",
                "name": "Corner Café",
                "timezone": "Europe/Berlin",
                "currency": "EUR",
                "locale": "de-DE",
            },
            "playlist": {"id": "pl_9", "name": "New", "version": 1, "publishedAt": now, "entries": entries},
            "scenes": [scene],
            "items": [],
            "assets": {digest: {"size": len(image), "mediaType": "image/png"}},
            "settings": {"waitSeconds": 5, "pollSeconds": 5, "heartbeatSeconds": 10},
        }
    ).encode()


@pytest.mark.long
def test_an_image_with_a_wrong_hash_holds_the_new_version_back(shop: Shop) -> None:
    shop.pair(shop.playlist("All day", (shop.scene("Coffee", "Coffee"), 1)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    shop.service.kill()
    image = b"\x89PNG, as it should be"
    body = manifest(image)
    errors: list[Any] = []

    async def meet() -> Mapping[str, Any]:
        async with hostile_server(port=shop.service.port) as hostile:
            etag = hashlib.sha256(body).hexdigest()
            hostile.on("/manifest", whole(200, body, headers={"ETag": f'"{etag}"'}))
            answer = {"serverTime": json.loads(body)["revisionAt"], "screen": {"id": "s", "name": "S"}}
            hostile.on("/heartbeat", document(200, {**answer, "settings": {"heartbeatSeconds": 10}, "commands": []}))
            path = f"/assets/sha256:{hashlib.sha256(image).hexdigest()}"
            hostile.on(path, whole(200, image[::-1], kind="image/png"))
            state = await asyncio.to_thread(
                shop.player.wait_for,
                "the image is reported",
                lambda found: "asset_lacking" in [part["code"] for part in found["rejections"]],
            )
            await asyncio.to_thread(
                eventually,
                lambda: [beat for beat in hostile.asked("/heartbeat") if beat.json["errors"]],
                what="a heartbeat reports it",
            )
            errors.extend(hostile.asked("/heartbeat")[-1].json["errors"])
            return state

    state = asyncio.run(meet())
    assert state["staged"]["playlistId"] == "pl_9"
    assert state["staged"]["takesOverAt"] is None
    assert on_glass(shop.player.wait_for("the menu is on the glass still", on_glass)) == MENU
    reason = next(error["detail"] for error in errors if error["code"] == "asset_lacking")
    assert "hash" in reason
