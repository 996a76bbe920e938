"""Items: exact prices, the 86 and its expiry, and atomic bulk changes."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.manifest import MAX_MODIFIERS
from service.core.json_text import write_json
from service.core.prices import PRICE_LIMIT, price_of, price_units
from service.schema.content.item import MAX_BULK_ENTRIES
from service.services.content import items as items_module
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    png,
    until,
)

ITEMS = "/v1/content/items"
TEA = {"name": "Tea", "category": "Drinks", "price": Decimal("2.5")}


async def test_a_created_item_has_a_location_header(owner: Caller) -> None:
    response = await owner.post(
        ITEMS,
        {
            **TEA,
            "modifiers": [{"name": "Small", "priceDelta": Decimal("-0.30")}],
            "description": "Loose leaves",
            "tags": ["vegan"],
            "allergens": ["milk"],
            "imageFit": "contain",
            "imageFocus": {"x": Decimal("0.5"), "y": 1},
            "featured": True,
            "sortIndex": 3,
            "surprise": True,
        },
    )

    assert response.status_code == 201
    item = body_of(response)
    assert response.headers["Location"] == f"{ITEMS}/{item['id']}"
    assert item == body_of(await owner.get(f"{ITEMS}/{item['id']}"))
    assert item | {"id": ""} == {
        "id": "",
        "sku": None,
        "name": "Tea",
        "category": "Drinks",
        "price": Decimal("2.5"),
        "priceKind": "exact",
        "priceUnit": None,
        "regularPrice": None,
        "offerStartsAt": None,
        "offerEndsAt": None,
        "modifiers": [{"name": "Small", "priceDelta": Decimal("-0.3")}],
        "variants": [],
        "parts": [],
        "missingParts": [],
        "energy": None,
        "energyTo": None,
        "eightySixed": False,
        "eightySixedUntil": None,
        "restockAt": None,
        "description": "Loose leaves",
        "image": None,
        "imageFit": "contain",
        "imageFocus": {"x": Decimal("0.5"), "y": 1},
        "tags": ["vegan"],
        "allergens": ["milk"],
        "translations": {},
        "featured": True,
        "sortIndex": 3,
    }


PRICES: list[str] = [
    "0",
    "0.0001",
    "3.40",
    "12345678.9012",
    "99999999",
    "99999999.0000",
    "1e2",
    "0.1000000000",
    "-0.0",
]


async def test_a_price_is_stored_digit_for_digit(owner: Caller) -> None:
    for price in PRICES:
        raw = b'{"name": "Tea", "category": "Drinks", "price": ' + price.encode() + b"}"
        created = await owner.raw("POST", ITEMS, raw)

        assert body_of(created)["price"] == Decimal(price), price
        assert body_of(await owner.get(created.headers["Location"]))["price"] == Decimal(price), price


@given(st.decimals(min_value=-PRICE_LIMIT, max_value=PRICE_LIMIT, places=4))
def test_prices_survive_storage_and_the_wire(price: Decimal) -> None:
    stored = price_of(price_units(price))

    assert stored == price
    assert Decimal(write_json(stored).decode()) == price


NO_PRICES: list[tuple[bytes, str]] = [
    (b"1e400", "out_of_range"),
    (b"1e9999999", "out_of_range"),
    (b"1e99999999999999999999", "not_a_number"),
    (b"9" * 500, "not_a_number"),
    (b"-0.01", "negative"),
    (b"-1e9999999", "out_of_range"),
    (b"100000000", "out_of_range"),
    (b"99999999.0001", "out_of_range"),
    (b"0.00001", "too_precise"),
    (b"1e-9999999", "too_precise"),
    (b'"4.50"', "not_a_number"),
    (b"true", "not_a_number"),
    (b"null", "not_a_number"),
    (b"[]", "not_a_number"),
]


async def test_an_invalid_price_is_refused(owner: Caller) -> None:
    for case in NO_PRICES:
        price, code = case
        response = await owner.raw("POST", ITEMS, b'{"name": "Tea", "category": "Drinks", "price": ' + price + b"}")

        assert response.status_code == 422, case
        assert faults_in(response) == {"/price": code}, case
        assert body_of(await owner.get(ITEMS))["data"] == [], case


FAULTY_CHANGES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"name": ""}, {"/name": "too_short"}),
    ({"name": "  "}, {"/name": "blank"}),
    ({"name": "x" * 201}, {"/name": "too_long"}),
    ({"name": "a\0b"}, {"/name": "bad_text"}),
    ({"name": None}, {"/name": "wrong_type"}),
    ({"category": 7}, {"/category": "wrong_type"}),
    ({"modifiers": {}}, {"/modifiers": "wrong_type"}),
    ({"modifiers": [{"name": "a"}]}, {"/modifiers/0/priceDelta": "required"}),
    ({"modifiers": [{"name": "a", "priceDelta": "1"}]}, {"/modifiers/0/priceDelta": "not_a_number"}),
    ({"modifiers": [{"name": "a", "priceDelta": 1}] * (MAX_MODIFIERS + 1)}, {"/modifiers": "too_long"}),
    ({"variants": [{"name": "S"}]}, {"/variants/0/price": "required"}),
    ({"variants": [{"name": " ", "price": -1}]}, {"/variants/0/name": "blank", "/variants/0/price": "negative"}),
    ({"variants": [{"name": n, "price": 1} for n in "SMS"]}, {"/variants/2/name": "duplicate"}),
    ({"variants": [{"name": str(n), "price": 1} for n in range(40)]}, {"/variants": "too_long"}),
    ({"variants": [{"name": "S", "price": 1, "regularPrice": 1}]}, {"/variants/0/regularPrice": "not_above"}),
    (
        {"variants": [{"name": "S", "price": 1}, {"name": "M", "price": 1, "offerEndsAt": "2026-11-21T00:00:00Z"}]},
        {"/variants/1/offerEndsAt": "no_offer"},
    ),
    (
        {
            "variants": [
                {
                    "name": "S",
                    "price": 1,
                    "regularPrice": 2,
                    "offerStartsAt": "2026-11-22T00:00:00Z",
                    "offerEndsAt": "2026-11-21T00:00:00Z",
                }
            ]
        },
        {"/variants/0/offerEndsAt": "ends_before_it_begins"},
    ),
    ({"priceKind": "least"}, {"/priceKind": "not_allowed"}),
    ({"priceUnit": "dozen"}, {"/priceUnit": "not_allowed"}),
    ({"price": 3, "priceKind": "market"}, {"/price": "market_price"}),
    (
        {"price": 3, "priceKind": "market", "regularPrice": 4},
        {"/price": "market_price", "/regularPrice": "market_price"},
    ),
    (
        {"price": 3, "priceKind": "market", "variants": [{"name": "S", "price": 1}]},
        {"/price": "market_price", "/variants": "has_variants"},
    ),
    ({"priceUnit": "kg", "variants": [{"name": "S", "price": 1}]}, {"/priceUnit": "has_variants"}),
    ({"price": 3, "regularPrice": 3}, {"/regularPrice": "not_above"}),
    ({"regularPrice": -1}, {"/regularPrice": "negative"}),
    ({"offerEndsAt": "2026-11-21T00:00:00Z"}, {"/offerEndsAt": "no_offer"}),
    ({"regularPrice": 9, "offerEndsAt": "2026-11-20T11:59:59Z"}, {"/offerEndsAt": "not_in_the_future"}),
    (
        {"regularPrice": 9, "offerStartsAt": "2026-11-22T00:00:00Z", "offerEndsAt": "2026-11-21T00:00:00Z"},
        {"/offerEndsAt": "ends_before_it_begins"},
    ),
    ({"energy": -1}, {"/energy": "out_of_range"}),
    ({"energy": Decimal("1.5")}, {"/energy": "not_whole"}),
    (
        {"energy": 100_000, "variants": [{"name": "S", "price": 1, "energy": -1}]},
        {
            "/energy": "out_of_range",
            "/variants/0/energy": "out_of_range",
        },
    ),
    ({"energyTo": 500}, {"/energyTo": "not_above"}),
    ({"energy": 500, "energyTo": 500}, {"/energyTo": "not_above"}),
    ({"eightySixed": "yes"}, {"/eightySixed": "wrong_type"}),
    ({"eightySixed": 1}, {"/eightySixed": "wrong_type"}),
    ({"allergens": ["milk", "water"]}, {"/allergens/1": "not_allowed"}),
    ({"sortIndex": Decimal("1.5")}, {"/sortIndex": "not_whole"}),
    ({"featured": "yes"}, {"/featured": "wrong_type"}),
    ({"imageFit": "stretch"}, {"/imageFit": "not_allowed"}),
    (
        {"imageFocus": {"x": Decimal("1.2"), "y": -1}},
        {"/imageFocus/x": "out_of_range", "/imageFocus/y": "out_of_range"},
    ),
    ({"imageFocus": {"x": 1}}, {"/imageFocus/y": "required"}),
    ({"image": "hero.png"}, {"/image": "not_an_asset"}),
    ({"image": "sha256:" + "0" * 64}, {"/image": "unknown_asset"}),
    ({"eightySixedUntil": "tomorrow"}, {"/eightySixedUntil": "not_an_instant"}),
    ({"eightySixed": True, "eightySixedUntil": "2026-11-20T11:59:59Z"}, {"/eightySixedUntil": "not_in_the_future"}),
    ({"eightySixedUntil": "2026-11-21T00:00:00Z"}, {"/eightySixedUntil": "not_eighty_sixed"}),
    ({"name": "", "price": -1, "tags": [1]}, {"/name": "too_short", "/price": "negative", "/tags/0": "wrong_type"}),
]


async def test_every_fault_is_listed_and_nothing_changes(owner: Caller) -> None:
    item = await owner.make(ITEMS, TEA)
    before = (await owner.get(ITEMS)).content
    for change, faults in FAULTY_CHANGES:
        created = await owner.post(ITEMS, TEA | change)
        patched = await owner.patch(f"{ITEMS}/{item['id']}", change)

        assert (created.status_code, faults_in(created)) == (422, faults), change
        assert (patched.status_code, faults_in(patched)) == (422, faults), change
        assert (await owner.get(ITEMS)).content == before, change


async def test_a_patch_changes_only_what_it_names(owner: Caller) -> None:
    image = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    item = await owner.make(ITEMS, {**TEA, "description": "Hot", "image": image})

    changed = body_of(await owner.patch(f"{ITEMS}/{item['id']}", {"price": Decimal("2.75"), "description": None}))

    assert changed == item | {"price": Decimal("2.75"), "description": None, "leftBoards": []}


async def test_an_86_ends_at_its_time(service: Service, owner: Caller, clock: VirtualClock) -> None:
    item = await owner.make(ITEMS, TEA)
    path = f"{ITEMS}/{item['id']}"
    gone = body_of(await owner.patch(path, {"eightySixed": True, "eightySixedUntil": "2026-11-20T18:00:00+01:00"}))
    assert (gone["eightySixed"], gone["eightySixedUntil"]) == (True, "2026-11-20T17:00:00.000Z")

    await clock.advance(5 * 3600 - 1)
    assert body_of(await owner.get(path))["eightySixed"] is True
    await service.pass_seconds(3)
    await until(lambda: service.services.due_values.next_at() is None)

    back = body_of(await owner.get(path))
    assert (back["eightySixed"], back["eightySixedUntil"]) == (False, None)


async def test_a_new_86_drops_the_end_of_the_previous_one(owner: Caller) -> None:
    until_ = {"eightySixed": True, "eightySixedUntil": "2026-11-20T13:00:00Z"}
    item = await owner.make(ITEMS, {**TEA, **until_})

    again = body_of(await owner.patch(f"{ITEMS}/{item['id']}", {"eightySixed": True}))
    assert again["eightySixedUntil"] is None

    lifted = body_of(await owner.patch(f"{ITEMS}/{item['id']}", {"eightySixed": False}))
    assert (lifted["eightySixed"], lifted["eightySixedUntil"]) == (False, None)


async def test_bulk_changes_all(owner: Caller) -> None:
    items = [await owner.make(ITEMS, {**TEA, "name": f"Tea {number}"}) for number in range(3)]

    response = await owner.post(f"{ITEMS}/bulk", [{"id": item["id"], "price": 9} for item in items])

    assert response.status_code == 200
    assert [item["price"] for item in body_of(response)["data"]] == [9, 9, 9]
    assert [item["price"] for item in body_of(await owner.get(ITEMS))["data"]] == [9, 9, 9]


async def test_one_invalid_entry_changes_nothing_and_all_faults_are_listed(owner: Caller) -> None:
    first, second = [await owner.make(ITEMS, {**TEA, "name": name}) for name in ("First", "Second")]
    before = (await owner.get(ITEMS)).content

    by_shape = await owner.post(
        f"{ITEMS}/bulk", [{"id": first["id"], "price": 1}, {"price": 1}, {"id": "x", "name": 5}]
    )
    by_content = await owner.post(
        f"{ITEMS}/bulk",
        [
            {"id": first["id"], "price": 1},
            {"id": "itm_none", "price": 1},
            {"id": second["id"], "eightySixedUntil": "2027-01-01T00:00:00Z"},
            {"id": first["id"], "price": 2},
        ],
    )

    assert (by_shape.status_code, faults_in(by_shape)) == (422, {"/1/id": "required", "/2/name": "wrong_type"})
    assert by_content.status_code == 422
    assert faults_in(by_content) == {
        "/1/id": "unknown_item",
        "/2/eightySixedUntil": "not_eighty_sixed",
        "/3/id": "duplicate",
    }
    assert (await owner.get(ITEMS)).content == before


async def test_bulk_accepts_at_most_a_thousand_entries(service: Service, owner: Caller) -> None:
    item = await owner.make(ITEMS, TEA)
    entry = {"id": item["id"], "price": 1}

    too_many = await owner.post(f"{ITEMS}/bulk", [entry] * (MAX_BULK_ENTRIES + 1))
    as_many_as_allowed = await owner.post(f"{ITEMS}/bulk", [entry] * MAX_BULK_ENTRIES)

    assert (too_many.status_code, faults_in(too_many)) == (422, {"": "too_long"})
    # Every entry was checked: an item may occur only once.
    assert len(faults_in(as_many_as_allowed)) == MAX_BULK_ENTRIES - 1


async def test_a_deleted_item_is_gone(owner: Caller) -> None:
    item = await owner.make(ITEMS, TEA)

    assert (await owner.delete(f"{ITEMS}/{item['id']}")).status_code == 204
    assert (await owner.get(f"{ITEMS}/{item['id']}")).status_code == 404
    assert (await owner.delete(f"{ITEMS}/{item['id']}")).json()["code"] == "not_found"


async def test_the_number_of_items_is_limited(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items_module, "MAX_ITEMS", 1)
    await owner.make(ITEMS, TEA)

    full = await owner.post(ITEMS, TEA)

    assert (full.status_code, full.json()["code"]) == (409, "too_many_items")


async def test_a_change_tells_which_boards_the_item_left(owner: Caller, cafe: Cafe, device: Device) -> None:
    path = f"{ITEMS}/{cafe.coffee}"
    menu = {"id": "m", "type": "menu", "x": 0, "y": 0, "width": 9, "height": 9}
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [menu | {"categories": ["Coffee"]}]})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    unplayed = await owner.make("/v1/playlists", {"name": "Unplayed"})
    await owner.make(f"/v1/playlists/{unplayed['id']}/scenes", {"sceneId": cafe.scene, "durationSeconds": 9})
    await owner.post(f"/v1/playlists/{unplayed['id']}/publish")
    board = {"playlist": cafe.playlist, "name": "All day", "screens": 1}
    changes: list[tuple[dict[str, Any], list[Any]]] = [
        ({"price": 4}, []),
        ({"category": "Hot drinks"}, [board]),
        ({"category": "Warm drinks"}, []),
        ({"category": "Coffee"}, []),
        ({"eightySixed": True}, [board]),
        ({"eightySixed": True, "category": "Hot drinks"}, []),
        ({"eightySixed": False, "category": "Coffee"}, []),
        ({"variants": [{"name": "S", "price": 1, "eightySixed": True}]}, [board]),
    ]
    for change, left in changes:
        changed = await owner.patch(path, change)
        read = await owner.get(path)
        assert body_of(changed) == body_of(read) | {"leftBoards": left}, change
        assert changed.headers["ETag"] == read.headers["ETag"]

    cake = f"{ITEMS}/{cafe.cake}"
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [menu | {"itemIds": [cafe.cake]}]})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    assert body_of(await owner.patch(cake, {"category": "Pastry"}))["leftBoards"] == [], "it is named by its id"
