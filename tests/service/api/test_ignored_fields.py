"""The header `Ignored-Fields`: what a body says that the service does not know."""

import json
from typing import Any

import pytest

from service.api.http.ignored import MAX_CHARACTERS
from tests.service.support.application import Cafe, Caller, Device

HEADER = "Ignored-Fields"
HOURS = {"start": "08:00", "end": "20:00"}
WIDGET = {"id": "q", "type": "qr", "data": "x", "x": 0, "y": 0, "width": 9, "height": 9}


@pytest.mark.parametrize(
    ("method", "path", "body", "named"),
    [
        ("POST", "/v1/playlists/{playlist}/publish", {"at": "2027-01-01T00:00:00Z"}, '"/at"'),
        (
            "PATCH",
            "/v1/locations/{location}",
            {"openingHours": [HOURS, HOURS | {"date": "2026-12-24"}]},
            '"/openingHours/1/date"',
        ),
        (
            "POST",
            "/v1/scenes/{scene}/schedules",
            {"type": "daypart", "start": "08:00", "end": "09:00", "weight": 3},
            '"/weight"',
        ),
        ("PATCH", "/v1/content/items/{coffee}", {"locations": {"loc_1": {"price": 9}}}, '"/locations"'),
        (
            "POST",
            "/v1/content/items/bulk",
            [{"id": "{coffee}", "prise": 1, "modifiers": [{"name": "a", "priceDelta": 1, "x": 2}]}],
            '"/0/prise", "/0/modifiers/0/x"',
        ),
        (
            "POST",
            "/v1/scenes",
            {"name": "S", "widgets": [WIDGET, WIDGET | {"id": "r", "colour": "#ffffff"}], "theme": {"a": 1}},
            '"/widgets/1/colour", "/theme/a"',
        ),
        ("POST", "/v1/scenes", {"template": "bilingual", "name": "S", "color": 1}, '"/color"'),
        ("POST", "/v1/team/invites/preview", {"token": "x", "name": "y"}, '"/name"'),
        ("POST", "/v1/playlists", {"name": "a", "b/c~": 1, "é\r\n\u202e": 2}, '"/b~1c~0", "/%C3%A9%0D%0A%E2%80%AE"'),
        ("POST", "/v1/playlists", {"name": "", "nmae": "x"}, '"/nmae"'),
    ],
)
async def test_fields_that_are_ignored_are_named(
    owner: Caller, cafe: Cafe, method: str, path: str, body: Any, named: str
) -> None:
    raw = json.dumps(body).replace("{coffee}", cafe.coffee)
    response = await owner.raw(method, path.format(**vars(cafe)), raw.encode())
    assert response.headers[HEADER] == named, response.text


async def test_nothing_is_named_where_nothing_is_ignored(owner: Caller, cafe: Cafe, device: Device) -> None:
    for response in (
        await owner.post("/v1/playlists", {"name": "a"}),
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"translations": {"de": {"name": "Kaffee"}}}),
        await owner.post(f"/v1/playlists/{cafe.playlist}/publish"),
        await owner.raw("POST", f"/v1/playlists/{cafe.playlist}/publish", b"no JSON"),
        await owner.get("/v1/content/items"),
        await device.heartbeat(),
    ):
        assert response.is_success
        assert HEADER not in response.headers


async def test_a_retry_is_told_as_well(owner: Caller) -> None:
    for _ in range(2):
        response = await owner.send("POST", "/v1/playlists", {"name": "a", "at": 1}, **{"Idempotency-Key": "k"})
        assert response.headers[HEADER] == '"/at"'


async def test_the_header_is_bounded(owner: Caller) -> None:
    for more in ({f"field {number}": 1 for number in range(10_000)}, {"é" * 10_000: 1}):
        header = (await owner.post("/v1/playlists", {"name": "a", "x": 1} | more)).headers[HEADER]
        assert header.startswith('"/x", ')
        assert header.endswith("more")
        assert len(header) <= MAX_CHARACTERS
