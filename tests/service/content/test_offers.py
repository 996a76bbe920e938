"""Offers: a lower price beside the regular one, for a time; players of every release show the price of the moment."""

import json
from decimal import Decimal
from typing import Any

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, until

ITEMS = "/v1/content/items"
ONE, TWO = "2026-11-20T13:00:00.000Z", "2026-11-20T14:00:00.000Z"


async def told(device: Device, item: str) -> dict[str, Any]:
    """What a player is told of the item's price."""
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
    await until(lambda: service.services.items.next_expiry() is None)
    assert await told(device, cafe.coffee) == {"price": regular}
    ended = body_of(await owner.get(at))
    assert (ended["price"], ended["regularPrice"], ended["offerEndsAt"]) == (regular, None, None)


def body_of_start(service: Service) -> bool:
    """Whether the offer is still to begin."""
    upcoming = service.services.items.next_expiry()
    return upcoming is None or upcoming.hour < 14


async def test_an_offer_is_over_before_the_timer_acts(owner: Caller, cafe: Cafe, clock: VirtualClock) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    regular = body_of(await owner.get(at))["price"]
    await owner.patch(at, {"price": 1, "regularPrice": regular, "offerEndsAt": ONE})
    clock.set(clock.now().replace(hour=13))
    over = body_of(await owner.get(at))
    assert (over["price"], over["regularPrice"], over["offerEndsAt"]) == (regular, None, None)


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
        before = body_of(await admin.get(connection))["lastSync"]
        await admin.post(f"{connection}/sync")
        for _ in range(30):
            await service.pass_seconds(1)
            if body_of(await admin.get(connection))["lastSync"] != before:
                break
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
