"""Variants of items: their prices, and the 86 of one alone."""

from decimal import Decimal
from typing import Any

from menu.documents.manifest import MAX_VARIANTS
from tests.service.support.application import Caller, Device, body_of, faults_in

ITEMS = "/v1/content/items"
SIZES = [{"name": "S", "price": Decimal("8.50")}, {"name": "M", "price": Decimal("10.50")}]
PIZZA = {"name": "Margherita", "category": "Pizza", "price": Decimal("8.50"), "variants": SIZES}


def sizes_of(item: dict[str, Any]) -> list[tuple[str, Decimal, bool]]:
    return [(part["name"], part["price"], part["eightySixed"]) for part in item["variants"]]


async def test_an_item_has_variants(owner: Caller) -> None:
    item = await owner.make(ITEMS, PIZZA)

    assert sizes_of(item) == [("S", Decimal("8.5"), False), ("M", Decimal("10.5"), False)]
    assert len({part["id"] for part in item["variants"]}) == 2
    most = [{"name": str(number), "price": number} for number in range(MAX_VARIANTS)]
    assert len(body_of(await owner.patch(f"{ITEMS}/{item['id']}", {"variants": most}))["variants"]) == MAX_VARIANTS


async def test_one_variant_is_sold_out_alone(owner: Caller, device: Device) -> None:
    item = await owner.make(ITEMS, PIZZA)
    small, medium = item["variants"]
    before = body_of(await device.manifest())["revision"]

    changed = body_of(await owner.patch(f"{ITEMS}/{item['id']}/variants/{small['id']}", {"eightySixed": True}))

    assert changed == item | {"variants": [small | {"eightySixed": True}, medium]}
    manifest = body_of(await device.manifest())
    [told] = [one for one in manifest["items"] if one["id"] == item["id"]]
    assert manifest["revision"] > before
    assert (sizes_of(told), told["eightySixed"]) == (
        [("S", Decimal("8.5"), True), ("M", Decimal("10.5"), False)],
        False,
    )


async def test_new_prices_do_not_bring_a_variant_back(owner: Caller) -> None:
    item = await owner.make(ITEMS, PIZZA)
    at = f"{ITEMS}/{item['id']}"
    small = item["variants"][0]["id"]
    await owner.patch(f"{at}/variants/{small}", {"eightySixed": True})

    dearer = [{"name": "S", "price": 9}, {"name": "L", "price": 13}]
    changed = body_of(await owner.patch(at, {"variants": dearer}))
    assert sizes_of(changed) == [("S", Decimal(9), True), ("L", Decimal(13), False)]
    assert changed["variants"][0]["id"] == small
    back = body_of(await owner.patch(at, {"variants": [{"name": "S", "price": 9, "eightySixed": False}]}))
    assert sizes_of(back) == [("S", Decimal(9), False)]


async def test_an_item_and_its_variants_have_energies(owner: Caller, device: Device) -> None:
    sizes = [SIZES[0] | {"energy": 640}, SIZES[1]]
    item = await owner.make(ITEMS, PIZZA | {"energy": 0, "energyTo": 900, "variants": sizes})
    at = f"{ITEMS}/{item['id']}"
    assert (item["energy"], item["energyTo"], [one["energy"] for one in item["variants"]]) == (0, 900, [640, None])
    [told] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item["id"]]
    assert (told["energy"], told["energyTo"], told["variants"][0]["energy"]) == (0, 900, 640)

    # As a till writes prices, which knows no energies.
    cheaper = body_of(await owner.patch(at, {"variants": [{"name": "S", "price": 8}]}))
    assert cheaper["variants"][0]["energy"] == 640
    medium = body_of(await owner.patch(f"{at}/variants/{item['variants'][0]['id']}", {"energy": None}))
    assert medium["variants"][0]["energy"] is None
    plain = body_of(await owner.patch(at, {"energy": 700, "energyTo": None}))
    assert (plain["energy"], plain["energyTo"]) == (700, None)


async def test_a_variant_is_changed_by_its_id(owner: Caller) -> None:
    item = await owner.make(ITEMS, PIZZA)
    at = f"{ITEMS}/{item['id']}/variants/{item['variants'][0]['id']}"

    changed = body_of(await owner.patch(at, {"name": "26 cm", "price": Decimal("8.90")}))
    assert sizes_of(changed)[0] == ("26 cm", Decimal("8.9"), False)

    for change, faults in (
        ({"name": "M"}, {"/name": "duplicate"}),
        ({"price": -1}, {"/price": "negative"}),
        ({"eightySixed": None}, {"/eightySixed": "wrong_type"}),
    ):
        refused = await owner.patch(at, change)
        assert (refused.status_code, faults_in(refused)) == (422, faults)
    assert (await owner.patch(f"{ITEMS}/{item['id']}/variants/var_none", {"price": 1})).status_code == 404
