"""86s that end by a rule: when a location opens tomorrow, or at the item's time of restocking, by each location's
clock."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.services.content.eighty_six import opening_tomorrow
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair_device,
)

ITEMS = "/v1/content/items"
NEW_YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
WEEK = [{"start": "11:00", "end": "14:00"}, {"start": "17:00", "end": "22:00"}]
BAR = [{"start": "18:00", "end": "04:00"}]
NIGHTS = [{"start": "18:00", "end": "04:00"}, {"start": "03:00", "end": "10:00"}]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "said", "opens"),
    [
        (WEEK, "2026-11-20T12:00", "2026-11-21T10:00"),
        (WEEK, "2026-11-20T08:00", "2026-11-21T10:00"),
        (WEEK, "2026-03-28T20:00", "2026-03-29T09:00"),
        (BAR, "2026-11-21T01:00", "2026-11-21T17:00"),
        (BAR, "2026-11-21T05:00", "2026-11-22T17:00"),
        ([{"start": "08:00", "end": "20:00", "days": ["mon"]}], "2026-11-20T12:00", "2026-11-23T07:00"),
        ([{"start": "08:00", "end": "20:00", "except": ["2026-11-21"]}], "2026-11-20T12:00", "2026-11-22T07:00"),
        # After midnight, outside of hours: who closes up means the opening of this morning.
        (WEEK, "2026-11-20T23:30", "2026-11-21T10:00"),
        (WEEK, "2026-11-21T03:59", "2026-11-21T10:00"),
        (WEEK, "2026-11-21T04:00", "2026-11-22T10:00"),
        # Hours of two days hold at once: the later day counts, once it has begun.
        (NIGHTS, "2026-11-21T01:30", "2026-11-21T02:00"),
        (NIGHTS, "2026-11-21T02:30", "2026-11-22T02:00"),
        # Those of the day have passed in part, while the night before still holds.
        ([*BAR, {"start": "02:00", "end": "02:30"}], "2026-11-21T02:00", "2026-11-21T17:00"),
        ([], "2026-11-20T12:00", "2026-11-21T04:00"),
        ([], "2026-11-20T23:30", "2026-11-21T04:00"),
        ([], "2026-11-21T04:00", "2026-11-22T04:00"),
    ],
)
def test_opening_tomorrow(hours: list[Any], said: str, opens: str) -> None:
    assert opening_tomorrow(at(said), "Europe/Berlin", hours) == at(opens)


async def told(device: Device, item: str) -> tuple[bool, str | None]:
    (one,) = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    return one["eightySixed"], one.get("eightySixedUntil")


async def test_sold_out_everywhere_until_opening_tomorrow_ends_at_each_location(
    service: Service, owner: Caller, clock: VirtualClock, cafe: Cafe, device: Device
) -> None:
    york = (await owner.make("/v1/locations", NEW_YORK | {"openingHours": [{"start": "08:00", "end": "20:00"}]}))["id"]
    board = service.device("e" * 32)
    await pair_device(board, owner, Cafe(york, cafe.coffee, cafe.cake, cafe.scene, cafe.playlist))
    await owner.patch(f"/v1/locations/{cafe.location}", {"openingHours": WEEK})
    changed = await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": True, "eightySixedUntil": "openingTomorrow"})
    assert body_of(changed)["eightySixedUntil"] == "2026-11-21T13:00:00.000Z", "the last of them"
    assert await told(device, cafe.coffee) == (True, "2026-11-21T10:00:00.000Z")
    assert await told(board, cafe.coffee) == (True, "2026-11-21T13:00:00.000Z")
    clock.set(at("2026-11-21T10:00"))
    await service.pass_seconds(2)
    await owner.patch(f"{ITEMS}/{cafe.cake}", {"price": 5})
    assert await told(device, cafe.coffee) == (False, None)
    assert await told(board, cafe.coffee) == (True, "2026-11-21T13:00:00.000Z")
    here = body_of(await owner.get(f"/v1/locations/{cafe.location}/items/{cafe.coffee}"))
    assert here["eightySixed"] is False
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": False})
    assert await told(board, cafe.coffee) == (False, None)


async def test_an_item_is_back_at_its_time_of_restocking(
    service: Service, owner: Caller, clock: VirtualClock, cafe: Cafe, device: Device
) -> None:
    item, here = f"{ITEMS}/{cafe.coffee}", f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    assert body_of(await owner.patch(item, {"restockAt": "06:00"}))["restockAt"] == "06:00"
    for path in (item, here):
        await owner.patch(path, {"eightySixed": True})
        assert await told(device, cafe.coffee) == (True, "2026-11-21T05:00:00.000Z")
    await owner.patch(here, {"eightySixed": True, "eightySixedUntil": None})
    assert await told(device, cafe.coffee) == (True, None), "an end that is null is none"
    await owner.patch(here, {"eightySixed": None})
    clock.set(at("2026-11-21T05:00") + timedelta(seconds=1))
    await service.pass_seconds(2)
    assert await told(device, cafe.coffee) == (False, None)
    group = (await owner.make("/v1/groups", {"name": "All", "locations": [cafe.location]}))["id"]
    await owner.patch(f"/v1/groups/{group}/items/{cafe.coffee}", {"eightySixed": True})
    assert await told(device, cafe.coffee) == (True, "2026-11-22T05:00:00.000Z")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"eightySixedUntil": "openingTomorrow", "eightySixed": False}, {"/eightySixedUntil": "not_eighty_sixed"}),
        ({"eightySixedUntil": "opening", "eightySixed": True}, {"/eightySixedUntil": "not_an_instant"}),
        ({"restockAt": "6"}, {"/restockAt": "not_a_time"}),
    ],
)
async def test_a_bad_rule_is_refused(owner: Caller, cafe: Cafe, body: dict[str, Any], fault: dict[str, str]) -> None:
    answer = await owner.patch(f"{ITEMS}/{cafe.coffee}", body)
    assert (answer.status_code, faults_in(answer)) == (422, fault)
    plan = {
        "name": "x",
        "at": "2027-01-01T05:00",
        "changes": [{"item": cafe.coffee, "eightySixedUntil": "openingTomorrow"}],
    }
    assert faults_in(await owner.post("/v1/planned-changes", plan)) == {"/changes/0": "not_an_instant"}
