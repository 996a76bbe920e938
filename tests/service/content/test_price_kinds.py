"""Prices that are the least one or that of the market, and what they are for."""

from decimal import Decimal
from typing import Any

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, faults_in
from tests.service.support.feeds import sync_now

ITEMS = "/v1/content/items"
LOBSTER = {"name": "Lobster", "category": "Fish", "priceKind": "market"}


async def told(device: Device, item: str) -> dict[str, Any]:
    """The item's price in the manifest."""
    [found] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    names = ("price", "priceKind", "priceUnit", "regularPrice")
    return {name: found[name] for name in names if name in found}


async def test_a_player_is_told_what_a_price_says_and_what_it_is_for(owner: Caller, cafe: Cafe, device: Device) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    price = body_of(await owner.get(at))["price"]
    assert await told(device, cafe.coffee) == {"price": price}
    changed = body_of(await owner.patch(at, {"priceKind": "from", "priceUnit": "100g"}))
    assert (changed["price"], changed["priceKind"], changed["priceUnit"]) == (price, "from", "100g")
    assert await told(device, cafe.coffee) == {"price": price, "priceKind": "from", "priceUnit": "100g"}


async def test_the_market_price_takes_the_price_away(owner: Caller, cafe: Cafe, device: Device) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    await owner.patch(at, {"price": 2, "regularPrice": 3, "offerEndsAt": "2026-11-21T00:00:00Z"})
    market = body_of(await owner.patch(at, {"priceKind": "market"}))
    assert [market[name] for name in ("price", "regularPrice", "offerEndsAt")] == [None, None, None]
    # A player that knows no market price leaves the item out, rather than giving it away.
    assert await told(device, cafe.coffee) == {"priceKind": "market"}

    assert faults_in(await owner.patch(at, {"price": 4})) == {"/price": "market_price"}
    assert faults_in(await owner.patch(at, {"priceKind": "exact"})) == {"/price": "required"}
    variants = [{"name": "S", "price": 1}]
    assert faults_in(await owner.patch(at, {"variants": variants})) == {"/variants": "has_variants"}
    exact = body_of(await owner.patch(at, {"priceKind": "exact", "price": 4}))
    assert (exact["price"], exact["priceKind"]) == (Decimal(4), "exact")


async def test_a_flavour_has_no_price(owner: Caller, cafe: Cafe, device: Device) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    await owner.patch(at, {"price": 2, "regularPrice": 3})
    flavour = body_of(await owner.patch(at, {"priceKind": "none"}))
    assert [flavour[name] for name in ("price", "regularPrice", "priceKind")] == [None, None, "none"]
    assert await told(device, cafe.coffee) == {"priceKind": "none"}

    assert faults_in(await owner.patch(at, {"price": 4})) == {"/price": "market_price"}
    assert faults_in(await owner.patch(at, {"priceKind": "from"})) == {"/price": "required"}
    variants = [{"name": "S", "price": 1}]
    assert faults_in(await owner.patch(at, {"variants": variants})) == {"/variants": "has_variants"}
    made = await owner.make(ITEMS, {"name": "Pistachio", "category": "Flavours", "priceKind": "none"})
    assert made["price"] is None


async def test_only_at_the_market_price_a_new_item_has_none(owner: Caller) -> None:
    made = await owner.make(ITEMS, LOBSTER)
    assert (made["price"], made["priceKind"]) == (None, "market")
    assert faults_in(await owner.post(ITEMS, LOBSTER | {"priceKind": "from"})) == {"/price": "required"}


async def test_what_has_variants_gets_no_unit_and_no_market_price(owner: Caller) -> None:
    made = await owner.make(
        ITEMS, {"name": "Ham", "category": "Deli", "price": 1, "variants": [{"name": "S", "price": 1}]}
    )
    at = f"{ITEMS}/{made['id']}"
    assert faults_in(await owner.patch(at, {"priceKind": "market"})) == {"/priceKind": "has_variants"}
    assert faults_in(await owner.patch(at, {"priceUnit": "kg"})) == {"/priceUnit": "has_variants"}
    changed = body_of(await owner.patch(at, {"priceUnit": "kg", "variants": []}))
    assert changed["priceUnit"] == "kg"
    assert faults_in(await owner.patch(at, {"variants": [{"name": "S", "price": 1}]})) == {"/variants": "has_variants"}


async def test_a_feed_says_what_its_prices_say_and_are_for(service: Service) -> None:
    admin = service.caller(Role.ADMIN)
    (service.data / "feeds").mkdir()
    made = await admin.make("/v1/pos/connections", {"name": "Till", "feed": "till.csv", "format": "csv"})
    connection = f"/v1/pos/connections/{made['id']}"

    async def sync(*rows: str) -> dict[str, dict[str, Any]]:
        text = "\n".join(("id,name,category,price,price_kind,price unit", *rows))
        (service.data / "feeds" / "till.csv").write_text(text)
        await sync_now(service, admin, connection)
        return {item["name"]: item for item in body_of(await admin.get(ITEMS))["data"]}

    items = await sync("1,Ham,Deli,2.9,,100g", "2,Lobster,Fish,,market,", "3,Oysters,Fish,,,", "4,Cod,Fish,9,market,")
    assert (items["Ham"]["priceUnit"], items["Lobster"]["priceKind"]) == ("100g", "market")
    bad = body_of(await admin.get(connection))["lastSync"]["badRows"]
    assert [(row["row"], row["field"], row["code"]) for row in bad] == [
        (3, "price", "required"),
        (4, "price", "market_price"),
    ]

    items = await sync("1,Ham,Deli,3.1,,", "2,Lobster,Fish,48,,", "5,Pistachio,Flavours,,none,")
    assert (items["Pistachio"]["price"], items["Pistachio"]["priceKind"]) == (None, "none")
    assert (items["Ham"]["price"], items["Ham"]["priceUnit"]) == (Decimal("3.1"), "100g")
    assert items["Lobster"]["price"] is None, "a till's price of the day is not the board's"

    items = await sync("2,Lobster,Fish,48,from,kg")
    assert (items["Lobster"]["price"], items["Lobster"]["priceKind"], items["Lobster"]["priceUnit"]) == (
        48,
        "from",
        "kg",
    )
