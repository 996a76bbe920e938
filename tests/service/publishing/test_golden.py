"""The golden manifest: the service composes the document that the player's tests read.

`python -m tests.service.publishing.test_golden` writes it again after an intended change.
"""

import asyncio
import json
import tempfile
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from service.core.json_text import read_json
from service.core.permissions import Role
from tests.service.support.application import (
    START,
    Cafe,
    VirtualClock,
    numbered_ids,
    pair,
    png,
    running,
)

GOLDEN = Path(__file__).parents[2] / "data" / "manifest.json"
FILM = GOLDEN.with_name("film.mp4")
"""Five green frames."""
SEALED = {"history": "LQNo1EEVFMw3mG6zN7zobqrl6dGnWiA1"}
"""Sealed with a secret of the database."""


def frame(name: str, kind: str, x: int, y: int, width: int, height: int, **fields: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "x": x, "y": y, "width": width, "height": height, **fields}


async def compose(data: Path) -> bytes:
    """Creates everything that a manifest can contain, through the public API."""
    clock = VirtualClock(START - timedelta(hours=4))
    async with running(data, clock=clock, new_id=numbered_ids()) as service:
        owner = service.caller(Role.OWNER)
        hero, cup = [
            (await owner.raw("POST", "/v1/assets", png(shade), "image/png")).json()["id"] for shade in (40, 200)
        ]
        film = (await owner.raw("POST", "/v1/assets", FILM.read_bytes(), "video/mp4")).json()["id"]
        location = await owner.make(
            "/v1/locations",
            {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"},
        )
        items = [
            (await owner.make("/v1/content/items", item))["id"]
            for item in (
                {
                    "name": "Flat white",
                    "category": "Coffee",
                    "price": Decimal("3.40"),
                    "modifiers": [
                        {"name": "Oat milk", "priceDelta": Decimal("0.50")},
                        {"name": "Own cup", "priceDelta": Decimal("-0.20")},
                    ],
                    "description": "Double ristretto, silky milk",
                    "translations": {"ar": {"name": "فلات وايت"}, "ja": {"name": "フラットホワイト"}},
                    "energy": 130,
                    "image": cup,
                    "allergens": ["milk"],
                },
                {
                    "name": "Filter coffee",
                    "category": "Coffee",
                    "price": Decimal("2.9"),
                    "tags": ["vegan"],
                    "variants": [
                        {
                            "name": "Tasse",
                            "price": Decimal("2.9"),
                            "regularPrice": Decimal("3.2"),
                            "offerEndsAt": "2026-12-31T22:00:00Z",
                            "energy": 4,
                        },
                        {"name": "Becher", "price": Decimal("3.8"), "eightySixed": True},
                    ],
                },
                {
                    "name": "Zimtschnecke",
                    "category": "Bakery",
                    "price": 3,
                    "regularPrice": Decimal("3.5"),
                    "offerEndsAt": "2026-12-31T22:00:00Z",
                    "allergens": ["gluten", "eggs", "milk"],
                },
                {
                    "name": "Soup of the day",
                    "category": "Lunch",
                    "price": Decimal("6.75"),
                    "priceKind": "from",
                    "priceUnit": "piece",
                    "tags": ["vegan", "new"],
                },
                {
                    "name": "Today's special",
                    "category": "Specials",
                    "price": Decimal("0.0125"),
                    "sortIndex": -1,
                    "featured": True,
                },
            )
        ]
        [cup_size, _] = (await owner.get(f"/v1/content/items/{items[1]}")).json()["variants"]
        parts = [
            {"anyOf": [{"itemId": items[1], "variantId": cup_size["id"]}]},
            {"name": "Gebäck", "quantity": 2, "anyOf": [{"itemId": items[2]}, {"itemId": items[3]}]},
        ]
        await owner.patch(f"/v1/content/items/{items[4]}", {"parts": parts})
        await owner.patch("/v1/content/words", {"words": {"Coffee": {"ar": "قهوة", "de": "Kaffee", "ja": "コーヒー"}}})
        values = {
            "temperature": {"value": Decimal("-2.5"), "expiresAt": "2026-11-20T13:00:00+01:00"},
            "soup": {"value": "Linsensuppe", "expiresAt": "2099-11-20T17:00:00Z"},
        }
        await owner.patch(f"/v1/locations/{location['id']}/values", {"values": values})
        breakfast = await owner.make(
            "/v1/scenes",
            {
                "name": "Breakfast",
                "languages": ["de", "ar"],
                "languageMode": "together",
                "mirrorBoxes": True,
                "background": {"asset": hero, "fit": "cover", "scrim": "#99101418"},
                "theme": {"titleFamily": "Serif", "textColor": "#F5EFE6", "accentColor": "#E0A458", "scale": 1},
                "transition": {"type": "fade", "milliseconds": 500},
                "widgets": [
                    frame("title", "text", 80, 40, 1200, 140, text="Guten Morgen", role="title", size=96),
                    frame("menu", "menu", 80, 200, 1200, 800, title="Frühstück", categories=["Coffee", "Bakery"]),
                    frame("hero", "image", 1360, 200, 480, 480, asset=cup, focus={"x": Decimal("0.5"), "y": 0}),
                    frame("clock", "clock", 1560, 40, 280, 100, pattern="HH:mm", align="right"),
                ],
            },
        )
        for schedule in (
            {"type": "daypart", "days": ["mon", "tue", "wed", "thu", "fri"], "start": "06:00", "end": "11:00"},
            {
                "type": "window",
                "startsAt": "2026-12-24T07:00",
                "endsAt": "2026-12-26T12:00",
                "timezone": "Europe/Berlin",
            },
        ):
            await owner.make(f"/v1/scenes/{breakfast['id']}/schedules", schedule)
        everything = await owner.make(
            "/v1/scenes",
            {
                "name": "Everything",
                "width": 1080,
                "height": 1920,
                "background": {"gradient": {"from": "#1B2A41", "to": "#0C1821", "angle": 90}},
                "transition": {"type": "cut"},
                "widgets": [
                    frame(
                        "all",
                        "menu",
                        40,
                        40,
                        1000,
                        900,
                        columns=2,
                        groupByCategory=False,
                        soldOut="mark",
                        energyNote="Kalorien",
                    ),
                    frame(
                        "cards", "grid", 40, 1720, 1000, 110, categories=["Bakery"], columns=4, showDescriptions=False
                    ),
                    frame("special", "item", 40, 960, 500, 300, itemId=items[4], insteadItemId=items[3]),
                    frame("film", "video", 560, 960, 480, 300, asset=film, poster=cup),
                    frame(
                        "zone",
                        "slideshow",
                        560,
                        1400,
                        480,
                        300,
                        slides=[
                            {"asset": hero, "durationSeconds": 8},
                            {"asset": film, "durationSeconds": 5, "fit": "contain"},
                        ],
                        fadeMilliseconds=700,
                    ),
                    frame(
                        "news",
                        "ticker",
                        0,
                        1840,
                        1080,
                        80,
                        text="Alles hausgemacht\nDraußen {{temperature}} °C",
                        speed=90,
                    ),
                    frame("happy", "countdown", 560, 1300, 480, 80, start="17:00", end="19:00", text="Noch {time}"),
                    frame("code", "qr", 40, 1300, 300, 300, data="https://example.com/menu", caption="Karte"),
                    frame("line", "shape", 40, 1280, 1000, 4, shape="line", color="#33FFFFFF", opacity=Decimal("0.5")),
                ],
            },
        )
        playlist = await owner.make("/v1/playlists", {"name": "All day"})
        for entry in (
            {"sceneId": breakfast["id"], "durationSeconds": 15},
            {
                "sceneId": everything["id"],
                "durationSeconds": 10,
                "schedule": {"type": "daypart", "start": "11:00", "end": "24:00"},
            },
            {"sceneId": breakfast["id"], "durationSeconds": 5},
        ):
            await owner.make(f"/v1/playlists/{playlist['id']}/scenes", entry)
        await owner.post(f"/v1/playlists/{playlist['id']}/publish")
        cafe = Cafe(location["id"], items[0], items[1], breakfast["id"], playlist["id"])
        device = await pair(service, owner, cafe)
        await device.manifest()
        clock.set(START)
        await owner.patch(f"/v1/content/items/{items[3]}", {"eightySixed": True})
        return (await device.manifest()).content


async def test_the_service_makes_the_golden_manifest(tmp_path: Path) -> None:
    composed = read_json(await compose(tmp_path / "data"))
    assert composed | SEALED == read_json(GOLDEN.read_bytes())


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        document = json.loads(asyncio.run(compose(Path(folder) / "data"))) | SEALED
    GOLDEN.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    _write()
