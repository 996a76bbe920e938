"""Combos: what a part may be, and when a combo is sold out for players of every release."""

from decimal import Decimal
from typing import Any

from menu.documents.manifest import MAX_CHOICES, MAX_PARTS
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in, until

ITEMS = "/v1/content/items"
ONE, TWO = "2026-11-20T13:00:00.000Z", "2026-11-20T14:00:00.000Z"


async def make(owner: Caller, name: str, price: object = 3, **more: Any) -> dict[str, Any]:
    """An item in a category that no board lists."""
    return await owner.make(ITEMS, {"name": name, "category": "Kitchen", "price": price, **more})


def part(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"anyOf": [{"itemId": one["id"]} for one in items], **more}


async def large_fries(owner: Caller) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fries in two sizes, and a part that only the large ones fill."""
    fries = await make(owner, "Fries", variants=[{"name": "M", "price": 3}, {"name": "L", "price": 4}])
    return fries, {"anyOf": [{"itemId": fries["id"], "variantId": fries["variants"][1]["id"]}]}


async def combo_of(owner: Caller, cafe: Cafe, *parts: dict[str, Any]) -> str:
    """Makes the coffee, which is on the board, a combo."""
    body_of(await owner.patch(f"{ITEMS}/{cafe.coffee}", {"parts": list(parts)}))
    return f"{ITEMS}/{cafe.coffee}"


async def told(device: Device, item: str) -> dict[str, Any]:
    [found] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    return dict(found)


async def availability(device: Device, cafe: Cafe) -> tuple[bool, str | None]:
    found = await told(device, cafe.coffee)
    return found["eightySixed"], found.get("eightySixedUntil")


async def sell_out(owner: Caller, item: dict[str, Any], until: str | None = None) -> None:
    body_of(await owner.patch(f"{ITEMS}/{item['id']}", {"eightySixed": True, "eightySixedUntil": until}))


async def test_the_operator_sees_which_part_is_missing(
    owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    (fries, large), cola, water = await large_fries(owner), await make(owner, "Cola"), await make(owner, "Water")
    at = await combo_of(owner, cafe, large, part(cola, water))

    async def missing() -> list[int]:
        listed = [one for one in body_of(await owner.get(ITEMS))["data"] if one["id"] == cafe.coffee]
        alone = body_of(await owner.get(at))
        assert listed == [alone]
        assert (await availability(device, cafe))[0] is bool(alone["missingParts"])
        assert alone["eightySixed"] is False, "its own"
        return list(alone["missingParts"])

    assert await missing() == []
    await sell_out(owner, cola)
    assert await missing() == []
    await sell_out(owner, water, ONE)
    assert await missing() == [1]
    await owner.patch(f"{ITEMS}/{fries['id']}/variants/{fries['variants'][1]['id']}", {"eightySixed": True})
    assert await missing() == [0, 1]
    await clock.advance(3600)
    assert await missing() == [0]
    await owner.delete(f"{ITEMS}/{fries['id']}")
    assert await missing() == [0]
    changed = body_of(await owner.send("POST", f"{ITEMS}/bulk", [{"id": cafe.coffee, "price": 4}]))["data"]
    assert changed[0]["missingParts"] == [0]
    # What was read can be written again.
    parts = body_of(await owner.get(at))["parts"]
    assert (await owner.patch(at, {"parts": parts[1:]})).status_code == 200
    assert await missing() == []
    assert body_of(await owner.get(f"{ITEMS}/{cafe.cake}"))["missingParts"] == []


async def test_a_combo_and_its_parts_go_to_the_players(owner: Caller, cafe: Cafe, device: Device) -> None:
    (fries, large), cola, water = await large_fries(owner), await make(owner, "Cola"), await make(owner, "Water")
    at = await combo_of(owner, cafe, large, part(cola, water, name="Drink", quantity=2))

    assert body_of(await owner.get(at))["parts"] == [
        {"name": None, "quantity": 1, "anyOf": [{"itemId": fries["id"], "variantId": fries["variants"][1]["id"]}]},
        {
            "name": "Drink",
            "quantity": 2,
            "anyOf": [{"itemId": one["id"], "variantId": None} for one in (cola, water)],
        },
    ]
    assert (await told(device, cafe.coffee))["parts"] == [
        {"quantity": 1, "anyOf": [{"itemId": fries["id"], "variant": "L"}]},
        {"name": "Drink", "quantity": 2, "anyOf": [{"itemId": cola["id"]}, {"itemId": water["id"]}]},
    ]
    # No board lists the parts: a player needs them for what the combo saves.
    assert (await told(device, water["id"]))["price"] == Decimal(3)
    none = body_of(await owner.patch(at, {"parts": []}))
    assert none["parts"] == []
    assert "parts" not in await told(device, cafe.coffee)


async def test_a_combo_is_sold_out_with_a_part_that_nothing_fills(owner: Caller, cafe: Cafe, device: Device) -> None:
    fries, cola, water = await make(owner, "Fries"), await make(owner, "Cola"), await make(owner, "Water")
    at = await combo_of(owner, cafe, part(fries), part(cola, water))
    assert await availability(device, cafe) == (False, None)

    await sell_out(owner, cola)
    assert await availability(device, cafe) == (False, None), "water fills the part"
    await sell_out(owner, water)
    assert await availability(device, cafe) == (True, None)
    # The combo itself is not: it is back with its part.
    assert body_of(await owner.get(at))["eightySixed"] is False
    await owner.patch(f"{ITEMS}/{cola['id']}", {"eightySixed": False})
    assert await availability(device, cafe) == (False, None)
    await owner.delete(f"{ITEMS}/{fries['id']}")
    assert await availability(device, cafe) == (True, None)
    assert (await told(device, cafe.coffee))["parts"][0] == {"quantity": 1, "anyOf": []}


async def test_a_combo_is_back_when_the_last_of_its_parts_is(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    fries, cola, water = await make(owner, "Fries"), await make(owner, "Cola"), await make(owner, "Water")
    await combo_of(owner, cafe, part(fries), part(cola, water))
    await sell_out(owner, fries, ONE)
    assert await availability(device, cafe) == (True, ONE)
    await sell_out(owner, cola)
    await sell_out(owner, water, TWO)
    assert await availability(device, cafe) == (True, TWO)

    await clock.advance(7200)
    await service.pass_seconds(3)
    await until(lambda: service.services.due_values.next_at() is None)
    assert await availability(device, cafe) == (False, None)


async def test_a_variant_is_a_part(owner: Caller, cafe: Cafe, device: Device) -> None:
    fries = await make(owner, "Fries", variants=[{"name": "M", "price": 3}, {"name": "L", "price": 4}])
    medium, large = (one["id"] for one in fries["variants"])
    at = f"{ITEMS}/{fries['id']}"
    combo = await combo_of(owner, cafe, {"anyOf": [{"itemId": fries["id"], "variantId": medium}]})
    await owner.patch(f"{at}/variants/{medium}", {"eightySixed": True})
    assert await availability(device, cafe) == (True, None)
    # In whatever size: the other one fills it.
    await owner.patch(combo, {"parts": [part(fries)]})
    assert await availability(device, cafe) == (False, None)
    await owner.patch(f"{at}/variants/{large}", {"eightySixed": True})
    assert await availability(device, cafe) == (True, None)
    # A size that is no longer there is as one that is sold out.
    await owner.patch(combo, {"parts": [{"anyOf": [{"itemId": fries["id"], "variantId": medium}]}]})
    await owner.patch(at, {"variants": [{"name": "L", "price": 4, "eightySixed": False}]})
    assert await availability(device, cafe) == (True, None)


async def test_a_combo_is_no_part(owner: Caller, cafe: Cafe) -> None:
    fries, burger, box = await make(owner, "Fries"), await make(owner, "Burger"), await make(owner, "Box")
    await owner.patch(f"{ITEMS}/{box['id']}", {"parts": [part(burger)]})
    one = f"{ITEMS}/{cafe.coffee}"

    assert faults_in(await owner.patch(one, {"parts": [part(fries), part(fries, box)]})) == {
        "/parts/1/anyOf/1/itemId": "combo_in_combo"
    }
    assert faults_in(await owner.patch(f"{ITEMS}/{box['id']}", {"parts": [part(box)]})) == {
        "/parts/0/anyOf/0/itemId": "itself"
    }
    assert faults_in(await owner.patch(f"{ITEMS}/{burger['id']}", {"parts": [part(fries)]})) == {
        "/parts": "combo_in_combo"
    }
    # Nor by two entries of one call.
    entries = [{"id": fries["id"], "parts": [part(burger)]}, {"id": burger["id"], "parts": [part(fries)]}]
    assert faults_in(await owner.post(f"{ITEMS}/bulk", entries)) == {
        "/1/parts/0/anyOf/0/itemId": "combo_in_combo",
        "/1/parts": "combo_in_combo",
    }


async def test_bad_parts_are_refused(owner: Caller, cafe: Cafe) -> None:
    coffee = {"itemId": cafe.coffee}
    faulty: list[tuple[list[dict[str, Any]], dict[str, str]]] = [
        ([{"anyOf": []}], {"/parts/0/anyOf": "too_short"}),
        ([{"anyOf": [{"itemId": "itm_none"}]}], {"/parts/0/anyOf/0/itemId": "unknown_item"}),
        ([{"anyOf": [coffee, coffee]}], {"/parts/0/anyOf/1": "duplicate"}),
        ([{"anyOf": [coffee], "quantity": 0}], {"/parts/0/quantity": "out_of_range"}),
        ([{"anyOf": [coffee], "name": " "}], {"/parts/0/name": "blank"}),
        ([{"anyOf": [coffee | {"variantId": "var_none"}]}], {"/parts/0/anyOf/0/variantId": "unknown_variant"}),
        ([{"anyOf": [coffee]}] * (MAX_PARTS + 1), {"/parts": "too_long"}),
        ([{"anyOf": [{"itemId": str(n)} for n in range(MAX_CHOICES + 1)]}], {"/parts/0/anyOf": "too_long"}),
    ]
    for parts, faults in faulty:
        body = {"name": "Menu", "category": "Combos", "price": 9, "parts": parts}
        assert faults_in(await owner.post(ITEMS, body)) == faults
