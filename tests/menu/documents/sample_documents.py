"""A valid manifest with every part, for tests to introduce faults."""

import copy
from typing import Any

import msgspec

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import read_manifest

HERO = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
CAKE = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

Document = dict[str, Any]

_WHOLE: Document = {
    "format": 1,
    "revision": 42,
    "revisionAt": "2026-11-20T11:58:03.120Z",
    "location": {
        "id": "loc_1",
        "name": "Corner Café",
        "timezone": "Europe/Berlin",
        "currency": "EUR",
        "locale": "de-DE",
    },
    "playlist": {
        "id": "pl_1",
        "name": "All day",
        "version": 3,
        "publishedAt": "2026-11-20T08:00:00.000Z",
        "entries": [
            {
                "id": "ent_1",
                "sceneId": "scn_1",
                "durationSeconds": 15,
                "schedule": {"type": "daypart", "start": "06:00", "end": "11:00", "timezone": "location"},
            },
            {"id": "ent_2", "sceneId": "scn_2", "durationSeconds": 86400, "schedule": None},
        ],
    },
    "scenes": [
        {
            "id": "scn_1",
            "name": "Breakfast",
            "width": 1920,
            "height": 1080,
            "background": {
                "gradient": {"from": "#101418", "to": "#80FFFFFF", "angle": 45},
                "asset": f"sha256:{HERO}",
                "fit": "contain",
                "scrim": "#40000000",
            },
            "theme": {"fontFamily": "Inter", "accentColor": "#FFAA00", "scale": 1.25, "priceSymbol": False},
            "transition": {"type": "slide", "milliseconds": 750},
            "widgets": [
                {
                    "id": "menu-1", "type": "menu", "x": 40, "y": 40.5, "width": 900, "height": 1000,
                    "title": "Coffee", "categories": ["Coffee", "Tea"], "itemIds": ["itm_2"], "columns": 2,
                    "groupByCategory": False, "showImages": True, "leader": True, "soldOut": "mark",
                    "emptyText": "Back soon", "minTextSize": 30, "maxTextSize": 50, "opacity": 0.9,
                    "theme": {"textColor": "#FFFFFF"},
                },
                {
                    "id": "image-1", "type": "image", "x": 960, "y": 0, "width": 960, "height": 540,
                    "asset": f"sha256:{HERO}", "fit": "stretch", "focus": {"x": 0.25, "y": 1},
                },
                {
                    "id": "text-1", "type": "text", "x": 960, "y": 540, "width": 960, "height": 200,
                    "text": "Good morning\nall", "align": "center", "verticalAlign": "top", "size": 80,
                    "weight": "bold", "role": "title",
                },
                {
                    "id": "clock-1", "type": "clock", "x": 1600, "y": 980, "width": 300, "height": 80,
                    "pattern": "EEEE HH:mm", "timezone": "Asia/Tokyo", "align": "right", "size": 60,
                },
            ],
            "schedules": [
                {"id": "sch_1", "type": "daypart", "days": ["mon", "sun"], "start": "22:00", "end": "24:00",
                 "timezone": "location"},
                {"id": "sch_2", "type": "window", "startsAt": "2026-12-24T10:00", "endsAt": "2026-12-26T22:00:00",
                 "timezone": "America/New_York"},
            ],
        },
        {"id": "scn_2", "name": "Plain", "widgets": [], "schedules": []},
    ],
    "items": [
        {
            "id": "itm_1", "name": "Flat white", "category": "Coffee", "price": 3.40,
            "modifiers": [{"name": "Oat milk", "priceDelta": 0.50}, {"name": "Small", "priceDelta": -0.4}],
            "variants": [{"name": "S", "price": 3.2}, {"name": "L", "price": 4.1, "eightySixed": True}],
            "eightySixed": False,
        },
        {
            "id": "itm_2", "name": "Cake", "category": "Sweet", "price": 4, "modifiers": [], "eightySixed": True,
            "description": "With cream", "image": f"sha256:{CAKE}", "tags": ["new"], "allergens": ["milk", "eggs"],
            "sortIndex": 7, "eightySixedUntil": "2026-11-21T08:00:00Z",
        },
    ],
    "assets": {
        HERO: {"size": 48211, "mediaType": "image/png"},
        CAKE: {"size": 1, "mediaType": "image/jpeg"},
    },
    "settings": {"waitSeconds": 20, "pollSeconds": 15, "heartbeatSeconds": 25},
}  # fmt: skip


def whole() -> Document:
    return copy.deepcopy(_WHOLE)


def encoded(document: object) -> bytes:
    return msgspec.json.encode(document)


def read(document: object) -> Manifest:
    return read_manifest(encoded(document))
