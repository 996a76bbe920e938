"""Imports: which item a row is, by its id or its SKU, and which fields the feed decides."""

import json
from decimal import Decimal
from typing import Any

import pytest

from service.core.permissions import Role
from tests.service.support.application import Caller, Service, body_of, faults_in
from tests.service.support.feeds import sync_now

CONNECTIONS = "/v1/pos/connections"
ITEMS = "/v1/content/items"
ESPRESSO = {"id": "1", "name": "Espresso", "category": "Coffee", "price": 2.2, "sku": "E-1"}


@pytest.fixture
def admin(service: Service) -> Caller:
    return service.caller(Role.ADMIN)


async def connect(admin: Caller, **fields: object) -> str:
    body = {"name": "Till", "feed": "till.json", "format": "json", **fields}
    return f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, body))['id']}"


async def sync(service: Service, admin: Caller, connection: str, *rows: Any, file: str = "till.json") -> Any:
    folder = service.data / "feeds"
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(rows))
    return await sync_now(service, admin, connection)


async def items_of(caller: Caller) -> dict[str, Any]:
    return {item["name"]: item for item in body_of(await caller.get(ITEMS))["data"]}


def created(last: Any) -> tuple[int, int, int]:
    counts = last["counts"]
    return counts["created"], counts["updated"], counts["unchanged"]


async def test_a_sku_is_one_items_in_its_workspace(service: Service, admin: Caller) -> None:
    tea = await admin.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 2, "sku": "T-1"})
    pot = await admin.make(ITEMS, {"name": "Pot", "category": "Tea", "price": 4})
    assert (tea["sku"], pot["sku"]) == ("T-1", None)

    taken = {"name": "Again", "category": "Tea", "price": 2, "sku": "T-1"}
    for response, pointer in (
        (await admin.post(ITEMS, taken), "/sku"),
        (await admin.patch(f"{ITEMS}/{pot['id']}", {"sku": "T-1"}), "/sku"),
        (await admin.post(f"{ITEMS}/bulk", [{"id": pot["id"], "sku": "N"}, {"id": tea["id"], "sku": "N"}]), "/1/sku"),
    ):
        assert (response.status_code, faults_in(response)) == (422, {pointer: "sku_taken"})
    assert body_of(await admin.patch(f"{ITEMS}/{tea['id']}", {"sku": "T-1", "price": 3}))["price"] == 3
    assert [item["id"] for item in body_of(await admin.get(f"{ITEMS}?sku=T-1"))["data"]] == [tea["id"]]
    assert body_of(await admin.get(f"{ITEMS}?sku=none"))["data"] == []
    assert (await service.stranger().make(ITEMS, taken))["sku"] == "T-1", "another workspace has its own"

    assert body_of(await admin.patch(f"{ITEMS}/{tea['id']}", {"sku": None}))["sku"] is None
    assert body_of(await admin.patch(f"{ITEMS}/{pot['id']}", {"sku": "T-1"}))["sku"] == "T-1"
    for sku, code in (("x" * 101, "too_long"), ("", "too_short"), (" ", "blank"), (5, "wrong_type")):
        refused = await admin.patch(f"{ITEMS}/{tea['id']}", {"sku": sku})
        assert faults_in(refused) == {"/sku": code}


async def test_an_item_is_found_by_its_sku_and_not_made_twice(service: Service, admin: Caller) -> None:
    own = await admin.make(ITEMS, {"name": "Espresso by hand", "category": "Coffee", "price": 9, "sku": "E-1"})
    connection = await connect(admin)
    assert created(await sync(service, admin, connection, ESPRESSO)) == (0, 1, 0)
    assert (await items_of(admin))["Espresso"]["id"] == own["id"]

    # The connection is made again, the till has other ids, and a second till has the same items.
    await admin.delete(connection)
    connection = await connect(admin)
    assert created(await sync(service, admin, connection, ESPRESSO | {"id": "x9"})) == (0, 0, 1)
    assert created(await sync(service, admin, connection, ESPRESSO | {"id": "x10", "price": 3})) == (0, 1, 0)
    second = await connect(admin, feed="bar.json")
    assert created(await sync(service, admin, second, ESPRESSO | {"price": 3}, file="bar.json")) == (0, 0, 1)
    items = await items_of(admin)
    assert [(item["id"], item["price"]) for item in items.values()] == [(own["id"], 3)]


async def test_a_row_with_the_sku_of_another_item_is_refused(service: Service, admin: Caller) -> None:
    scone = {"id": "2", "name": "Scone", "category": "Cake", "price": 3}
    connection = await connect(admin)
    await sync(service, admin, connection, ESPRESSO, scone)
    before = await items_of(admin)

    last = await sync(
        service,
        admin,
        connection,
        ESPRESSO,
        scone | {"sku": "E-1", "price": 99},
        {"id": "3", "name": "New", "category": "Cake", "price": 3, "sku": "N"},
        {"id": "4", "name": "New again", "category": "Cake", "price": 3, "sku": "N"},
    )
    assert [(bad["row"], bad["id"], bad["field"], bad["code"]) for bad in last["badRows"]] == [
        (2, "2", "sku", "duplicate"),
        (4, "4", "sku", "duplicate"),
    ]
    assert (created(last), last["counts"]["failed"]) == ((1, 0, 1), 2)
    last = await sync(service, admin, connection, scone | {"sku": "E-1", "price": 99})
    assert [(bad["row"], bad["code"]) for bad in last["badRows"]] == [(1, "sku_taken")]
    items = await items_of(admin)
    assert (items["Scone"], items["Espresso"]) == (before["Scone"], before["Espresso"])


async def test_a_deleted_item_comes_back_as_itself_while_the_feed_names_it(service: Service, admin: Caller) -> None:
    plain = {"id": "2", "name": "Scone", "category": "Cake", "price": 3, "soldOut": True}
    connection = await connect(admin)
    await sync(service, admin, connection, ESPRESSO, plain)
    before = await items_of(admin)
    menu = {"id": "a", "type": "item", "x": 0, "y": 0, "width": 9, "height": 9, "itemId": before["Scone"]["id"]}
    scene = await admin.make("/v1/scenes", {"name": "One", "widgets": [menu]})
    for item in before.values():
        await admin.delete(f"{ITEMS}/{item['id']}")

    assert created(await sync(service, admin, connection, ESPRESSO, plain)) == (2, 0, 0)
    assert await items_of(admin) == before
    kept = {"widgets": body_of(await admin.get(f"/v1/scenes/{scene['id']}"))["widgets"]}
    assert (await admin.patch(f"/v1/scenes/{scene['id']}", kept)).status_code == 200, "the scene names it again"

    # Gone from the feed as well: what comes later is another item.
    await admin.delete(f"{ITEMS}/{before['Scone']['id']}")
    await sync(service, admin, connection, ESPRESSO)
    await sync(service, admin, connection, ESPRESSO, plain)
    assert (await items_of(admin))["Scone"]["id"] != before["Scone"]["id"]


async def test_a_new_item_with_the_sku_of_a_deleted_one_takes_its_place(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await sync(service, admin, connection, ESPRESSO | {"soldOut": True})
    await admin.delete(f"{ITEMS}/{(await items_of(admin))['Espresso']['id']}")
    made = await admin.make(ITEMS, {"name": "Mine", "category": "Coffee", "price": 1, "sku": "E-1"})

    assert created(await sync(service, admin, connection, ESPRESSO | {"soldOut": True})) == (0, 1, 0)
    [item] = (await items_of(admin)).values()
    assert (item["id"], item["name"], item["eightySixed"]) == (made["id"], "Espresso", True)


FULL: dict[str, Any] = ESPRESSO | {
    "sortIndex": 3,
    "description": "Short and strong",
    "modifiers": [{"name": "Double", "priceDelta": 0.8}],
    "tags": ["hot"],
    "allergens": ["milk"],
    "variants": [{"name": "S", "price": 2.2}, {"name": "L", "price": 3}],
    "translations": {"de": {"name": "Espresso!"}},
}


async def test_a_feed_brings_order_description_modifiers_tags_and_allergens(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await sync(service, admin, connection, FULL)
    item = (await items_of(admin))["Espresso"]
    assert {name: item[name] for name in ("sku", "sortIndex", "description", "tags", "allergens", "modifiers")} == {
        "sku": "E-1",
        "sortIndex": 3,
        "description": "Short and strong",
        "tags": ["hot"],
        "allergens": ["milk"],
        "modifiers": [{"name": "Double", "priceDelta": Decimal("0.8")}],
    }
    assert created(await sync(service, admin, connection, FULL)) == (0, 0, 1)

    # What is left out stays, what is empty is taken away, with the translations of a description.
    german = {"de": {"name": "Espresso!", "description": "Stark"}}
    await admin.patch(f"{ITEMS}/{item['id']}", {"translations": german})
    await sync(service, admin, connection, ESPRESSO)
    assert (await items_of(admin))["Espresso"]["allergens"] == ["milk"]
    empty = {"description": "", "allergens": [], "tags": [], "modifiers": [], "variants": []}
    await sync(service, admin, connection, ESPRESSO | empty)
    item = (await items_of(admin))["Espresso"]
    assert {name: item[name] for name in empty} == empty
    assert item["translations"] == {"de": {"name": "Espresso!", "description": None}}


async def test_a_feed_changes_only_what_it_owns(service: Service, admin: Caller) -> None:
    connection = await connect(admin, owns=["price", "soldOut"])
    await sync(service, admin, connection, FULL)
    first = (await items_of(admin))["Espresso"]
    assert (first["description"], first["sku"]) == ("Short and strong", "E-1"), "the first import brings everything"

    by_hand = {"name": "Caffè", "category": "Hot", "description": "Mine", "tags": [], "sortIndex": 9}
    await admin.patch(f"{ITEMS}/{first['id']}", by_hand)
    sizes = [{"name": "S", "price": 2.5, "soldOut": True}, {"name": "XL", "price": 4}]
    told = {"price": 2.5, "soldOut": True, "variants": sizes, "sku": "E-2", "translations": {"fr": {"name": "Noir"}}}
    assert created(await sync(service, admin, connection, FULL | told)) == (0, 1, 0)

    item = (await items_of(admin))["Caffè"]
    assert {name: item[name] for name in by_hand} == by_hand
    assert (item["price"], item["eightySixed"], item["sku"]) == (Decimal("2.5"), True, "E-1")
    assert [(one["name"], one["price"], one["eightySixed"]) for one in item["variants"]] == [
        ("S", Decimal("2.5"), True),
        ("L", 3, False),
    ]
    assert set(item["translations"]) == {"de"}

    await admin.patch(connection, {"owns": ["variants"]})
    assert created(await sync(service, admin, connection, FULL | told | {"price": 9, "soldOut": False})) == (0, 1, 0)
    item = (await items_of(admin))["Caffè"]
    assert (item["price"], item["eightySixed"]) == (Decimal("2.5"), True)
    assert [(one["name"], one["price"]) for one in item["variants"]] == [("S", Decimal("2.5")), ("XL", 4)]

    await admin.patch(connection, {"owns": None})
    await sync(service, admin, connection, FULL | told)
    assert set(await items_of(admin)) == {"Espresso"}


async def test_what_a_connection_owns_and_how_its_feed_is_written_is_checked(admin: Caller) -> None:
    connection = await connect(admin)
    told = body_of(await admin.get(connection))
    assert (told["encoding"], told["columns"], told["owns"]) == (None, {}, None)
    for change, faults in (
        ({"owns": ["cost"]}, {"/owns/0": "not_allowed"}),
        ({"owns": ["price", "price"]}, {"/owns/1": "duplicate"}),
        ({"encoding": "latin-1"}, {"/encoding": "not_allowed"}),
        ({"columns": {"cost": "Preis"}}, {"/columns/cost": "unknown_field"}),
        ({"columns": {"price": ""}}, {"/columns/price": "too_short"}),
        ({"columns": {f"name:x{number}": "x" for number in range(31)}}, {"/columns": "too_long"}),
    ):
        for response in (
            await admin.patch(connection, change),
            await admin.post(CONNECTIONS, {"name": "Till", "feed": "b.csv", "format": "csv", **change}),
        ):
            assert (response.status_code, faults_in(response)) == (422, faults), change
    given = {"encoding": "windows-1252", "columns": {"price": "Preis"}, "owns": ["price"]}
    changed = body_of(await admin.patch(connection, given))
    assert {name: changed[name] for name in given} == given


async def test_the_result_names_the_encoding_row_and_column(service: Service, admin: Caller) -> None:
    folder = service.data / "feeds"
    folder.mkdir(exist_ok=True)
    raw = "Nr;Name;Gruppe;Preis\n1;Käse;Brot;8,50\n2;Wurst;Brot;1.250\n"
    (folder / "till.csv").write_bytes(raw.encode("cp1252"))
    columns = {"id": "Nr", "category": "Gruppe", "price": "Preis"}
    connection = await connect(admin, feed="till.csv", format="csv", columns=columns)

    last = await sync_now(service, admin, connection)
    assert (last["encoding"], last["counts"]["created"], last["counts"]["failed"]) == ("windows-1252", 1, 1)
    [bad] = last["badRows"]
    assert (bad["row"], bad["id"], bad["column"], bad["code"]) == (2, "2", "Preis", "ambiguous_number")
    assert (await items_of(admin))["Käse"]["price"] == Decimal("8.5")

    (folder / "till.csv").write_bytes(raw.replace("8,50", "8,50 each").encode("cp1252"))
    last = await sync_now(service, admin, connection)
    assert (last["status"], last["reason"], len(last["badRows"])) == ("failed", "no_good_row", 2)
    assert last["detail"].startswith("Row 1, Preis: ")
    assert (await items_of(admin))["Käse"]["price"] == Decimal("8.5"), "the board keeps its price"
