"""Offers: a lower price beside the regular one, for a time; players of every release show the price of the moment."""

import json
from decimal import Decimal
from typing import Any

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in, until
from tests.service.support.feeds import sync_now

ITEMS = "/v1/content/items"
ONE, TWO = "2026-11-20T13:00:00.000Z", "2026-11-20T14:00:00.000Z"


async def told(device: Device, item: str) -> dict[str, Any]:
    """The item's price in the manifest."""
    [found] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    names = ("price", "regularPrice", "offerPrice", "offerStartsAt", "offerEndsAt")
    return {name: found[name] for name in names if name in found}


async def test_an_offer_begins_and_ends_by_itself(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    regular = body_of(await owner.get(at))["price"]
    offer = {"price": Decimal("2.5"), "regularPrice": regular, "offerStartsAt": ONE, "offerEndsAt": TWO}

    item = body_of(await owner.patch(at, offer))
    assert {name: item[name] for name in offer} == offer
    planned = {"regularPrice": regular, "offerPrice": Decimal("2.5"), "offerStartsAt": ONE, "offerEndsAt": TWO}
    assert await told(device, cafe.coffee) == planned | {"price": regular}

    await clock.advance(3599)
    await service.pass_seconds(3)
    await until(lambda: body_of_start(service) is False)
    running = {name: value for name, value in planned.items() if name != "offerStartsAt"}
    assert await told(device, cafe.coffee) == running | {"price": Decimal("2.5")}

    await clock.advance(3600)
    await service.pass_seconds(3)
    await until(lambda: service.services.due_values.next_at() is None)
    assert await told(device, cafe.coffee) == {"price": regular}
    ended = body_of(await owner.get(at))
    assert (ended["price"], ended["regularPrice"], ended["offerEndsAt"]) == (regular, None, None)


def body_of_start(service: Service) -> bool:
    """Whether the offer is still to begin."""
    upcoming = service.services.due_values.next_at()
    return upcoming is None or upcoming.hour < 14


async def test_an_offer_is_taken_back(owner: Caller, cafe: Cafe) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    await owner.patch(at, {"price": 1, "regularPrice": 5, "offerEndsAt": ONE})
    back = body_of(await owner.patch(at, {"price": 5, "regularPrice": None}))
    assert (back["price"], back["regularPrice"], back["offerEndsAt"]) == (Decimal(5), None, None)


async def test_a_till_changes_the_regular_price_of_an_offer(service: Service) -> None:
    admin = service.caller(Role.ADMIN)
    (service.data / "feeds").mkdir()

    async def sync(price: float) -> dict[str, Any]:
        row = {"id": "1", "name": "Tea", "category": "Tea", "price": price}
        (service.data / "feeds" / "till.json").write_text(json.dumps([row]))
        await sync_now(service, admin, connection)
        [item] = body_of(await admin.get(ITEMS))["data"]
        return dict(item)

    made = await admin.make("/v1/pos/connections", {"name": "Till", "feed": "till.json", "format": "json"})
    connection = f"/v1/pos/connections/{made['id']}"
    tea = await sync(3)
    await admin.patch(f"{ITEMS}/{tea['id']}", {"price": 2, "regularPrice": 3})
    dearer = await sync(4)
    assert (dearer["price"], dearer["regularPrice"]) == (Decimal(2), Decimal(4))
    cheaper = await sync(1.5)
    assert (cheaper["price"], cheaper["regularPrice"]) == (Decimal("1.5"), None)


SIZES = [
    {"name": "S", "price": 3},
    {"name": "L", "price": 4, "regularPrice": 5, "offerStartsAt": ONE, "offerEndsAt": TWO},
]


async def sizes_told(device: Device, item: str) -> list[dict[str, Any]]:
    """The prices of an item's variants in the manifest."""
    [found] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    names = ("price", "regularPrice", "offerPrice", "offerStartsAt", "offerEndsAt")
    return [{name: one[name] for name in names if name in one} for one in found["variants"]]


async def test_the_offer_of_a_variant_begins_and_ends_by_itself(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    small, large = body_of(await owner.patch(at, {"variants": SIZES}))["variants"]
    assert (small["regularPrice"], large["regularPrice"]) == (None, 5)
    assert (large["price"], large["offerStartsAt"], large["offerEndsAt"]) == (4, ONE, TWO)
    planned = {"regularPrice": 5, "offerPrice": 4, "offerStartsAt": ONE, "offerEndsAt": TWO}
    assert await sizes_told(device, cafe.coffee) == [{"price": 3}, planned | {"price": 5}]

    await clock.advance(3599)
    await service.pass_seconds(3)
    await until(lambda: body_of_start(service) is False)
    running = {name: value for name, value in planned.items() if name != "offerStartsAt"}
    assert await sizes_told(device, cafe.coffee) == [{"price": 3}, running | {"price": 4}]

    clock.set(clock.now().replace(hour=14))
    over = body_of(await owner.get(at))["variants"][1]
    assert (over["price"], over["regularPrice"], over["offerEndsAt"]) == (5, None, None), "before the timer acts"
    await service.pass_seconds(3)
    await until(lambda: service.services.due_values.next_at() is None)
    assert await sizes_told(device, cafe.coffee) == [{"price": 3}, {"price": 5}]


async def test_one_variant_alone_gets_an_offer(owner: Caller, cafe: Cafe) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    made = body_of(await owner.patch(at, {"variants": [{"name": "S", "price": 3}, {"name": "L", "price": 5}]}))
    large = f"{at}/variants/{made['variants'][1]['id']}"
    on = body_of(await owner.patch(large, {"price": 4, "regularPrice": 5, "offerEndsAt": TWO}))["variants"]
    assert [(one["price"], one["regularPrice"], one["offerEndsAt"]) for one in on] == [(3, None, None), (4, 5, TWO)]
    faulty = await owner.patch(large, {"price": 6})
    assert faults_in(faulty) == {"/regularPrice": "not_above"}
    assert faults_in(await owner.patch(large, {"offerEndsAt": "2026-11-20T11:00:00Z"})) == {
        "/offerEndsAt": "not_in_the_future"
    }
    # A list that is written anew leaves an offer that it does not speak of.
    kept = body_of(await owner.patch(at, {"variants": [{"name": "L", "price": 4}]}))["variants"]
    assert [(one["price"], one["regularPrice"], one["offerEndsAt"]) for one in kept] == [(4, 5, TWO)]
    off = body_of(await owner.patch(large, {"price": 5, "regularPrice": None}))["variants"]
    assert [(one["price"], one["regularPrice"], one["offerEndsAt"]) for one in off] == [(5, None, None)]


async def test_a_till_changes_the_regular_price_of_a_variant_on_offer(service: Service) -> None:
    admin = service.caller(Role.ADMIN)
    (service.data / "feeds").mkdir()
    made = await admin.make("/v1/pos/connections", {"name": "Till", "feed": "till.json", "format": "json"})
    connection = f"/v1/pos/connections/{made['id']}"

    async def sync(price: float) -> dict[str, Any]:
        variants = [{"name": "S", "price": 3}, {"name": "L", "price": price}]
        row = {"id": "1", "name": "Tea", "category": "Tea", "price": 3, "variants": variants}
        (service.data / "feeds" / "till.json").write_text(json.dumps([row]))
        await sync_now(service, admin, connection)
        [item] = body_of(await admin.get(ITEMS))["data"]
        return dict(item)

    tea = await sync(5)
    large = f"{ITEMS}/{tea['id']}/variants/{tea['variants'][1]['id']}"
    await admin.patch(large, {"price": 4, "regularPrice": 5, "eightySixed": True})
    dearer = (await sync(6))["variants"][1]
    assert (dearer["price"], dearer["regularPrice"], dearer["eightySixed"]) == (4, 6, True)
    cheaper = (await sync(3.5))["variants"][1]
    assert (cheaper["price"], cheaper["regularPrice"], cheaper["eightySixed"]) == (Decimal("3.5"), None, True)
