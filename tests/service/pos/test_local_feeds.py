"""Points of sale of a location: their prices and 86s hold there, and nowhere else."""

from decimal import Decimal
from typing import Any

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Service, body_of, faults_in, pair
from tests.service.support.feeds import sync_now

CONNECTIONS = "/v1/pos/connections"
ITEMS = "/v1/content/items"
NEW_YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}


@pytest.fixture
def admin(service: Service) -> Caller:
    return service.caller(Role.ADMIN)


@pytest.fixture
async def pizza(admin: Caller, cafe: Cafe) -> Any:
    """An item with sizes and an extra, of which the tills know the SKU."""
    return await admin.make(
        ITEMS,
        {
            "name": "Margherita",
            "category": "Coffee",
            "price": 8,
            "sku": "P-1",
            "variants": [{"name": "S", "price": 8}, {"name": "L", "price": 12}],
            "modifiers": [{"name": "Olives", "priceDelta": 1}],
        },
    )


async def connect(admin: Caller, location: str | None, **fields: object) -> str:
    body = {"name": "Till", "format": "json", "location": location, **fields}
    return f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, body))['id']}"


def row(**fields: object) -> dict[str, Any]:
    return {"id": "1", "name": "Till name", "category": "Till", "price": 8, "sku": "P-1", **fields}


async def at(admin: Caller, location: str, item: Any) -> Any:
    return body_of(await admin.get(f"/v1/locations/{location}/items/{item['id']}"))


async def test_a_till_changes_prices_and_86s_of_its_location_alone(
    service: Service, admin: Caller, cafe: Cafe, pizza: Any
) -> None:
    there = (await admin.make("/v1/locations", NEW_YORK))["id"]
    here = await pair(service, admin, cafe, device_id="a" * 32)
    other = await pair(service, admin, cafe, device_id="b" * 32)
    assert (await admin.patch(f"/v1/screens/{other.screen}", {"location": there})).status_code == 200
    before = body_of(await here.manifest())
    till = await connect(admin, there)

    sizes = [{"name": "S", "price": 9, "soldOut": True}, {"name": "L", "price": 13}, {"name": "XL", "price": 20}]
    extras = [{"name": "Olives", "priceDelta": 1.5}, {"name": "Ham", "priceDelta": 2}]
    told = row(price=9.5, soldOut=False, variants=sizes, modifiers=extras, description="Till", sortIndex=9)
    preview = body_of(await admin.post(f"{till}/preview"))
    assert preview["code"] == "no_feed"
    result = body_of(await admin.send("PUT", f"{till}/items", [told, row(id="2", sku="none", name="Only here")]))

    assert (result["counts"]["updated"], result["counts"]["failed"]) == (1, 1)
    assert [(bad["row"], bad["code"]) for bad in result["badRows"]] == [(2, "unknown_item")]
    assert body_of(await admin.get(f"{ITEMS}/{pizza['id']}")) == pizza, "everywhere else it is as it was"
    assert body_of(await here.manifest()) == before
    local = await at(admin, there, pizza)
    assert (local["price"], local["eightySixed"], local["name"]) == (Decimal("9.5"), False, "Margherita")
    assert [(one["name"], one["price"], one["eightySixed"]) for one in local["variants"]] == [
        ("S", 9, True),
        ("L", 13, False),
    ]
    assert [(one["name"], one["priceDelta"]) for one in local["modifiers"]] == [("Olives", Decimal("1.5"))]
    assert (local["sources"]["price"], local["sources"]["eightySixed"]) == ("location", "workspace")
    [shown] = [item for item in body_of(await other.manifest())["items"] if item["id"] == pizza["id"]]
    assert shown["price"] == Decimal("9.5")

    again = body_of(await admin.send("PUT", f"{till}/items", [told]))
    assert again["counts"]["unchanged"] == 1


async def test_stock_of_a_location_follows_its_till(admin: Caller, cafe: Cafe, pizza: Any) -> None:
    till = await connect(admin, cafe.location, owns=["soldOut"])
    await admin.send("PUT", f"{till}/items", [row(price=99, soldOut=True)])
    local = await at(admin, cafe.location, pizza)
    assert (local["price"], local["eightySixed"], local["sources"]["eightySixed"]) == (8, True, "location")
    assert body_of(await admin.get(f"{ITEMS}/{pizza['id']}"))["eightySixed"] is False

    # Lifted by hand there: what the till goes on saying does not count.
    await admin.patch(f"/v1/locations/{cafe.location}/items/{pizza['id']}", {"eightySixed": None})
    assert body_of(await admin.patch(f"{till}/items", [{"id": "1", "soldOut": True}]))["counts"]["unchanged"] == 1
    await admin.patch(f"{till}/items", [{"id": "1", "soldOut": False}])
    await admin.patch(f"{till}/items", [{"id": "1", "soldOut": True}])
    assert (await at(admin, cafe.location, pizza))["eightySixed"] is True

    # To be had at the till, and sold out everywhere: that counts.
    await admin.patch(f"{till}/items", [{"id": "1", "soldOut": False}])
    await admin.patch(f"{ITEMS}/{pizza['id']}", {"eightySixed": True})
    local = await at(admin, cafe.location, pizza)
    assert (local["eightySixed"], local["sources"]["eightySixed"]) == (True, "workspace")


async def test_a_price_of_a_till_is_the_regular_one_of_an_offer_there(admin: Caller, cafe: Cafe, pizza: Any) -> None:
    await admin.patch(f"{ITEMS}/{pizza['id']}", {"price": 6, "regularPrice": 8})
    till = await connect(admin, cafe.location)
    await admin.send("PUT", f"{till}/items", [row(price=8.5)])
    local = await at(admin, cafe.location, pizza)
    assert (local["price"], local["regularPrice"]) == (6, Decimal("8.5"))
    await admin.send("PUT", f"{till}/items", [row(price=5)])
    local = await at(admin, cafe.location, pizza)
    assert (local["price"], local["regularPrice"]) == (5, None)


async def test_one_feed_serves_everywhere_and_a_location(
    service: Service, admin: Caller, cafe: Cafe, pizza: Any
) -> None:
    (service.data / "feeds").mkdir(exist_ok=True)
    csv = "id;name;category;price;sku\n1;Pizza;Pizza;{price};P-1\n"
    (service.data / "feeds" / "till.csv").write_text(csv.format(price="7,50"))
    wide = await connect(admin, None, feed="till.csv", format="csv")
    local = await connect(admin, cafe.location, feed="till.csv", format="csv")
    again = {"name": "x", "feed": "till.csv", "format": "csv", "location": cafe.location}
    refused = await admin.post(CONNECTIONS, again)
    assert (refused.status_code, body_of(refused)["code"]) == (409, "feed_connected")
    refused = await admin.patch(local, {"location": None})
    assert (refused.status_code, body_of(refused)["code"]) == (409, "feed_connected")

    assert (await sync_now(service, admin, wide))["counts"]["updated"] == 1
    (service.data / "feeds" / "till.csv").write_text(csv.format(price="9,90"))
    preview = body_of(await admin.post(f"{local}/preview"))
    [one] = preview["updated"]
    assert [(change["field"], change["from"], change["to"]) for change in one["changes"]] == [
        ("price", Decimal("7.5"), Decimal("9.9"))
    ]
    assert (await at(admin, cafe.location, pizza))["price"] == Decimal("7.5"), "a preview changes nothing"
    await sync_now(service, admin, local)
    assert (await at(admin, cafe.location, pizza))["price"] == Decimal("9.9")
    assert body_of(await admin.get(f"{ITEMS}/{pizza['id']}"))["price"] == Decimal("7.5")


async def test_the_location_of_a_till_is_checked_and_kept(service: Service, admin: Caller, pizza: Any) -> None:
    there = (await admin.make("/v1/locations", NEW_YORK))["id"]
    stranger = service.stranger()
    for body in ({"location": "none"}, {"location": there}):
        response = await stranger.post(CONNECTIONS, {"name": "x", "format": "json", **body})
        assert (response.status_code, faults_in(response)) == (422, {"/location": "unknown_location"})
    till = await connect(admin, there)
    assert body_of(await admin.get(till))["location"] == there
    refused = await admin.delete(f"/v1/locations/{there}")
    assert (refused.status_code, body_of(refused)["code"]) == (409, "in_use")

    # Moved to another location, the till tells all it knows anew.
    await admin.send("PUT", f"{till}/items", [row(soldOut=True)])
    elsewhere = (await admin.make("/v1/locations", NEW_YORK | {"name": "Boston"}))["id"]
    await admin.patch(till, {"location": elsewhere})
    await admin.send("PUT", f"{till}/items", [row(soldOut=True)])
    assert (await at(admin, elsewhere, pizza))["eightySixed"] is True
    assert (await admin.delete(f"/v1/locations/{there}")).status_code == 204


async def test_a_narrowed_key_pushes_to_its_location_alone(
    service: Service, owner: Caller, cafe: Cafe, pizza: Any
) -> None:
    there = (await owner.make("/v1/locations", NEW_YORK))["id"]
    tills = [await connect(owner, location) for location in (cafe.location, there, None)]
    key = await owner.make("/v1/keys", {"name": "Till", "role": "Editor", "locations": [cafe.location]})
    narrow = Caller(service.client, key["key"])

    answers = [await narrow.send("PUT", f"{till}/items", [row(price=7)]) for till in tills]

    assert [one.status_code for one in answers] == [200, 404, 403]
    assert (await at(owner, cafe.location, pizza))["price"] == 7
    assert (await at(owner, there, pizza))["price"] == 8


async def test_texts_are_read_in_the_currency_of_the_location(
    service: Service, admin: Caller, cafe: Cafe, pizza: Any
) -> None:
    tokyo = {"name": "Tokyo", "timezone": "Asia/Tokyo", "currency": "JPY", "locale": "ja-JP"}
    there = (await admin.make("/v1/locations", tokyo))["id"]
    parts = {"variants": [{"name": "L", "price": "12,800"}], "modifiers": [{"name": "Olives", "priceDelta": "¥1,250"}]}
    till = await connect(admin, there)
    assert (await admin.send("PUT", f"{till}/items", [row(price="12,800", **parts)])).status_code == 200
    found = await at(admin, there, pizza)
    assert found["modifiers"][0]["priceDelta"] == 1250
    assert next(one for one in found["variants"] if one["name"] == "L")["price"] == 12800
    refused = await admin.send("PUT", f"{till}/items", [row(price="12.8")])
    assert (refused.status_code, faults_in(refused)) == (422, {"/0/price": "no_decimals"})
    # Everywhere it is that of the first location: euros, in German.
    folder = service.data / "feeds"
    folder.mkdir(exist_ok=True)
    (folder / "till.csv").write_text(
        "id;name;category;price\n1;Wagyu;Grill;1,250\n2;Caviar;Grill;1.250\n3;Tea;Tea;¥3\n"
    )
    common = await connect(admin, None, feed="till.csv", format="csv")
    last = await sync_now(service, admin, common)
    assert [(one["id"], one["code"], one["readings"]) for one in last["badRows"]] == [
        ("2", "ambiguous_number", ["1250", "1.25"]),
        ("3", "other_currency", []),
    ]
    assert last["badRows"][0]["text"] == "2;Caviar;Grill;1.250"
