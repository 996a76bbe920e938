"""Items at a location and in a group: what counts where, what each change does, and what is refused."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from service.core.changes import Change, ContentChanged
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair_device,
    start,
    until,
)

ITEMS = "/v1/content/items"
NEW_YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
SIZES = [{"name": "Small", "price": 3}, {"name": "Large", "price": 5}]


@dataclass
class Chain:
    """The café in Berlin, and one in New York, each with a board of the same playlist."""

    owner: Caller
    cafe: Cafe
    york: str
    berlin_board: Device
    york_board: Device

    def at(self, place: str, item: str | None = None) -> str:
        kind = "groups" if place.startswith("grp") else "locations"
        return f"/v1/{kind}/{place}/items/{item or self.cafe.coffee}"

    async def group(self, name: str, precedence: int, *locations: str) -> str:
        body = {"name": name, "precedence": precedence, "locations": list(locations)}
        return str((await self.owner.make("/v1/groups", body))["id"])

    async def set(self, place: str, body: Any, item: str | None = None) -> Any:
        answer = await self.owner.patch(self.at(place, item), body)
        assert answer.status_code == 200, answer.text
        return body_of(answer)

    async def shown(self, item: str | None = None) -> list[Any]:
        """The item on the boards in Berlin and New York; None where it is not."""
        boards = [body_of(await board.manifest())["items"] for board in (self.berlin_board, self.york_board)]
        return [next((one for one in items if one["id"] == (item or self.cafe.coffee)), None) for items in boards]


@pytest.fixture
async def chain(service: Service, owner: Caller, cafe: Cafe, device: Device) -> AsyncIterator[Chain]:
    york = (await owner.make("/v1/locations", NEW_YORK))["id"]
    board = service.device("e" * 32)
    await pair_device(board, owner, Cafe(york, cafe.coffee, cafe.cake, cafe.scene, cafe.playlist))
    return Chain(owner, cafe, york, device, board)


async def test_a_location_counts_before_its_groups_and_they_before_the_workspace(chain: Chain) -> None:
    berlin = chain.cafe.location
    low = await chain.group("All", 1, berlin, chain.york)
    high = await chain.group("Europe", 2, berlin)
    older = await chain.group("Also", 0, berlin)
    await chain.group("Last", 0, berlin)
    plain = body_of(await chain.owner.get(chain.at(berlin)))
    assert (plain["price"], plain["eightySixed"], plain["hidden"]) == (Decimal("3.4"), False, False)
    assert set(plain["sources"].values()) == {"workspace"}
    assert plain["modifiers"] == [{"name": "Oat milk", "priceDelta": Decimal("0.5"), "source": "workspace"}]

    async def prices() -> list[Any]:
        return [one["price"] for one in await chain.shown()]

    for place, price, shown in (
        (older, Decimal("3.1"), [Decimal("3.1"), Decimal("3.4")]),
        (low, Decimal("3.2"), [Decimal("3.2"), Decimal("3.2")]),
        (high, Decimal("3.3"), [Decimal("3.3"), Decimal("3.2")]),
        (berlin, Decimal("4.5"), [Decimal("4.5"), Decimal("3.2")]),
    ):
        told = await chain.set(place, {"price": price})
        assert told["sources"]["price"] == ("location" if place == berlin else place)
        assert await prices() == shown
    await chain.set(berlin, {"price": None})
    assert body_of(await chain.owner.get(chain.at(berlin)))["sources"]["price"] == high
    assert await prices() == [Decimal("3.3"), Decimal("3.2")]
    # The item itself goes on to mean everywhere.
    for place in (high, low, older):
        await chain.set(place, {"price": None})
    await chain.owner.patch(f"{ITEMS}/{chain.cafe.coffee}", {"price": 9})
    assert await prices() == [9, 9]


async def test_what_a_place_says_of_one_field_leaves_the_others_alone(chain: Chain) -> None:
    item, berlin = f"{ITEMS}/{chain.cafe.coffee}", chain.cafe.location
    sizes = body_of(await chain.owner.patch(item, {"variants": SIZES}))["variants"]
    small, large = (one["id"] for one in sizes)
    group = await chain.group("Europe", 1, berlin)
    await chain.set(group, {"variants": [{"id": small, "price": 2}, {"id": large, "price": 4}], "hidden": False})
    told = await chain.set(
        berlin,
        {
            "variants": [{"id": small, "price": Decimal("2.5"), "eightySixed": True}],
            "modifiers": [{"name": "Oat milk", "priceDelta": 1}],
        },
    )
    assert [(one["price"], one["eightySixed"]) for one in told["variants"]] == [(Decimal("2.5"), True), (4, False)]
    assert told["variants"][0]["sources"] == {
        "price": "location",
        "regularPrice": "location",
        "eightySixed": "location",
    }
    assert told["variants"][1]["sources"] == {"price": group, "regularPrice": group, "eightySixed": "workspace"}
    assert told["modifiers"] == [{"name": "Oat milk", "priceDelta": 1, "source": "location"}]
    here, there = await chain.shown()
    assert [one["price"] for one in here["variants"]] == [Decimal("2.5"), 4]
    assert [one["price"] for one in there["variants"]] == [3, 5]
    assert [one["modifiers"][0]["priceDelta"] for one in (here, there)] == [1, Decimal("0.5")]

    # Variants and modifiers that are not named stay; null of one field gives that back, null of all gives all.
    told = await chain.set(berlin, {"variants": [{"id": small, "price": None}]})
    assert (told["variants"][0]["price"], told["variants"][0]["eightySixed"]) == (2, True)
    told = await chain.set(berlin, {"variants": None, "modifiers": [{"name": "Oat milk", "priceDelta": None}]})
    assert not told["variants"][0]["eightySixed"]
    assert told["modifiers"][0]["source"] == "workspace"
    assert await chain.set(berlin, {}) == told
    listed = body_of(await chain.owner.get(f"/v1/locations/{berlin}/items?local=true"))["data"]
    assert listed == [], "nothing is left of it"


async def test_sold_out_at_one_location_and_still_to_be_had_at_another(chain: Chain) -> None:
    berlin = chain.cafe.location
    told = await chain.set(berlin, {"eightySixed": True})
    assert (told["eightySixed"], told["sources"]["eightySixed"]) == (True, "location")
    assert told["leftBoards"] == [{"playlist": chain.cafe.playlist, "name": "All day", "screens": 1}]
    assert [one["eightySixed"] for one in await chain.shown()] == [True, False]

    item = f"{ITEMS}/{chain.cafe.coffee}"
    await chain.set(chain.york, {"eightySixed": False})
    left = body_of(await chain.owner.patch(item, {"eightySixed": True}))["leftBoards"]
    assert left == [], "Berlin had it no more, and New York keeps it"
    assert [one["eightySixed"] for one in await chain.shown()] == [True, False]
    await chain.set(berlin, {"eightySixed": None})
    told = await chain.set(chain.york, {"eightySixed": None})
    assert told["leftBoards"][0]["screens"] == 1
    assert [one["eightySixed"] for one in await chain.shown()] == [True, True]


async def test_a_group_is_told_of_the_boards_that_the_item_left(chain: Chain) -> None:
    both = await chain.group("All", 1, chain.cafe.location, chain.york)
    await chain.set(chain.york, {"eightySixed": False})
    assert (await chain.set(both, {"eightySixed": True}))["leftBoards"][0]["screens"] == 1
    await chain.set(both, {"eightySixed": None})
    await chain.set(chain.york, {"eightySixed": None})
    assert (await chain.set(both, {"hidden": True}))["leftBoards"][0]["screens"] == 2
    assert (await chain.set(both, {"eightySixed": True}))["leftBoards"] == []


async def test_an_86_at_a_place_expires(service: Service, clock: VirtualClock, chain: Chain) -> None:
    berlin = chain.cafe.location
    at = (clock.now() + timedelta(seconds=10)).strftime("%Y-%m-%dT%H:%M:%SZ")
    told = await chain.set(berlin, {"eightySixed": True, "eightySixedUntil": at})
    assert told["eightySixedUntil"] == at.replace("Z", ".000Z")
    call = start(chain.berlin_board.held((await chain.berlin_board.manifest()).headers["ETag"]))
    await service.holding()
    clock.set(clock.now() + timedelta(seconds=10))
    assert not body_of(await chain.owner.get(chain.at(berlin)))["eightySixed"]
    await service.pass_seconds(1)
    items = body_of(await call)["items"]
    assert [one["eightySixed"] for one in items if one["id"] == chain.cafe.coffee] == [False]
    await until(lambda: service.services.due_values.next_at() is None)
    assert body_of(await chain.owner.get(f"/v1/locations/{berlin}/items?local=true"))["data"] == []


async def test_a_hidden_item_is_on_no_board_there_and_fills_no_part(chain: Chain) -> None:
    berlin, coffee = chain.cafe.location, chain.cafe.coffee
    combo = await chain.owner.make(
        ITEMS, {"name": "Set", "category": "Set", "price": 6, "parts": [{"anyOf": [{"itemId": coffee}]}]}
    )
    await chain.set(berlin, {"hidden": True})
    here, there = await chain.shown()
    assert here is None
    assert there is not None
    here, there = await chain.shown(combo["id"])
    assert (here["eightySixed"], there["eightySixed"]) == (True, False)
    at = body_of(await chain.owner.get(chain.at(berlin, combo["id"])))
    assert (at["missingParts"], at["eightySixed"]) == ([0], False)
    await chain.set(berlin, {"hidden": None})
    assert [one["eightySixed"] for one in await chain.shown(combo["id"])] == [False, False]


async def test_a_combo_is_sold_out_where_its_part_is(chain: Chain) -> None:
    combo = await chain.owner.make(
        ITEMS, {"name": "Set", "category": "Set", "price": 6, "parts": [{"anyOf": [{"itemId": chain.cafe.coffee}]}]}
    )
    await chain.set(chain.york, {"eightySixed": True})
    assert [one["eightySixed"] for one in await chain.shown(combo["id"])] == [False, True]
    listed = body_of(await chain.owner.get(f"/v1/locations/{chain.york}/items"))["data"]
    assert [one["missingParts"] for one in listed] == [[], [], [0]]


async def test_an_offer_at_a_place(clock: VirtualClock, service: Service, chain: Chain) -> None:
    item, berlin = f"{ITEMS}/{chain.cafe.coffee}", chain.cafe.location
    told = await chain.set(berlin, {"price": 3, "regularPrice": 4})
    assert (told["price"], told["regularPrice"]) == (3, 4)
    here, there = await chain.shown()
    assert (here["price"], here["regularPrice"], here["offerPrice"]) == (3, 4, 3)
    assert "regularPrice" not in there
    # The offer of the workspace begins and ends it; a place with a price of its own strikes none of the workspace's.
    ends = (clock.now() + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    await chain.owner.patch(item, {"price": 2, "regularPrice": Decimal("3.4"), "offerEndsAt": ends})
    await chain.set(chain.york, {"price": 5})
    here, there = await chain.shown()
    assert (here["price"], here["regularPrice"], here["offerEndsAt"]) == (3, 4, ends.replace("Z", ".000Z"))
    assert (there["price"], "regularPrice" in there, "offerEndsAt" in there) == (5, False, False)
    await clock.advance(300)
    await service.pass_seconds(1)
    here, there = await chain.shown()
    assert (here["price"], "regularPrice" in here, there["price"]) == (4, False, 5)
    assert body_of(await chain.owner.get(item))["price"] == Decimal("3.4")


async def test_an_offer_of_a_variant_at_a_place_ends_with_that_of_the_variant(
    clock: VirtualClock, service: Service, chain: Chain
) -> None:
    item, berlin = f"{ITEMS}/{chain.cafe.coffee}", chain.cafe.location
    ends = (clock.now() + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    sizes = [{"name": "Small", "price": 3, "regularPrice": 4, "offerEndsAt": ends}]
    [small] = body_of(await chain.owner.patch(item, {"variants": sizes}))["variants"]
    await chain.set(berlin, {"variants": [{"id": small["id"], "price": 5, "regularPrice": 6}]})
    await clock.advance(300)
    await service.pass_seconds(1)
    here, there = await chain.shown()
    assert [(one["variants"][0]["price"], "regularPrice" in one["variants"][0]) for one in (here, there)] == [
        (6, False),
        (4, False),
    ]


async def test_the_market_price_has_no_amount_anywhere(chain: Chain) -> None:
    item, berlin = f"{ITEMS}/{chain.cafe.coffee}", chain.cafe.location
    await chain.set(berlin, {"price": 5})
    await chain.owner.patch(item, {"priceKind": "market"})
    refused = await chain.owner.patch(chain.at(berlin), {"price": 6, "regularPrice": 7})
    assert faults_in(refused) == {"/price": "market_price", "/regularPrice": "market_price"}
    told = body_of(await chain.owner.get(chain.at(berlin)))
    assert (told["price"], told["sources"]["price"]) == (None, "workspace")
    assert "price" not in (await chain.shown())[0]


async def test_faults_are_named_and_nothing_changes(chain: Chain, clock: VirtualClock) -> None:
    berlin, item = chain.cafe.location, f"{ITEMS}/{chain.cafe.coffee}"
    [size] = body_of(await chain.owner.patch(item, {"variants": SIZES[:1]}))["variants"]
    [other] = body_of(await chain.owner.patch(f"{ITEMS}/{chain.cafe.cake}", {"variants": SIZES[:1]}))["variants"]
    before = await chain.set(berlin, {"price": 3, "variants": [{"id": size["id"], "price": 2}]})
    past = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    for body, faults in (
        ({"price": Decimal("1.00001")}, {"/price": "too_precise"}),
        ({"price": -1}, {"/price": "negative"}),
        ({"price": "3"}, {"/price": "not_a_number"}),
        ({"price": 100_000_000}, {"/price": "out_of_range"}),
        ({"price": 1, "regularPrice": 1}, {"/regularPrice": "not_above"}),
        ({"regularPrice": 3}, {"/regularPrice": "not_above"}),
        ({"variants": [{"id": other["id"], "price": 1}]}, {"/variants/0/id": "unknown_variant"}),
        ({"variants": [{"id": size["id"]}] * 2}, {"/variants/1/id": "duplicate"}),
        ({"variants": [{"id": size["id"], "regularPrice": 2}]}, {"/variants/0/regularPrice": "not_above"}),
        ({"variants": [{"id": str(at)} for at in range(13)]}, {"/variants": "too_long"}),
        ({"modifiers": [{"name": "Soy milk", "priceDelta": 1}]}, {"/modifiers/0/name": "unknown_modifier"}),
        ({"modifiers": [{"name": "Oat milk"}]}, {"/modifiers/0/priceDelta": "required"}),
        ({"eightySixedUntil": "2099-01-01T00:00:00Z"}, {"/eightySixedUntil": "not_eighty_sixed"}),
        ({"eightySixed": False, "eightySixedUntil": "2099-01-01T00:00:00Z"}, {"/eightySixedUntil": "not_eighty_sixed"}),
        ({"eightySixed": True, "eightySixedUntil": past}, {"/eightySixedUntil": "not_in_the_future"}),
        ({"hidden": "yes", "eightySixed": 1}, {"/hidden": "wrong_type", "/eightySixed": "wrong_type"}),
    ):
        refused = await chain.owner.patch(chain.at(berlin), body)
        assert (refused.status_code, faults_in(refused)) == (422, faults), body
    assert body_of(await chain.owner.get(chain.at(berlin))) == {
        name: value for name, value in before.items() if name != "leftBoards"
    }
    for path in (chain.at(berlin, "itm_none"), chain.at("loc_none"), chain.at("grp_none")):
        for answer in (await chain.owner.get(path), await chain.owner.patch(path, {"price": 1})):
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_lists_are_paged_and_filtered(chain: Chain) -> None:
    berlin, path = chain.cafe.location, f"/v1/locations/{chain.cafe.location}/items"
    group = await chain.group("Europe", 1, berlin)

    async def listed(query: str, of: str = path) -> list[str]:
        return [one["id"] for one in body_of(await chain.owner.get(f"{of}?{query}"))["data"]]

    coffee, cake = chain.cafe.coffee, chain.cafe.cake
    assert await listed("") == [coffee, cake]
    first = body_of(await chain.owner.get(f"{path}?limit=1"))
    cursor = first["pagination"]["cursor"]
    assert await listed(f"limit=1&cursor={cursor}") == [cake]
    for other in (f"/v1/locations/{chain.york}/items", ITEMS, f"/v1/groups/{group}/items"):
        assert (await chain.owner.get(f"{other}?cursor={cursor}")).json()["code"] == "bad_cursor"
    await chain.owner.patch(f"{ITEMS}/{coffee}", {"eightySixed": True})
    await chain.set(group, {"eightySixed": True}, item=cake)
    assert await listed("eightySixed=true") == [coffee, cake]
    await chain.set(berlin, {"eightySixed": False})
    assert await listed("eightySixed=true") == [cake]
    assert await listed("eightySixed=false") == [coffee]
    assert await listed("eightySixed=true", f"/v1/groups/{group}/items") == [coffee, cake]
    assert await listed("local=true") == [coffee]
    assert await listed("local=false&category=Cake") == [cake]
    refused = await chain.owner.get(f"{path}?eightySixed=1")
    assert faults_in(refused) == {"eightySixed": "not_allowed"}


async def test_a_bulk_call_changes_all_or_none(service: Service, chain: Chain) -> None:
    path = f"/v1/locations/{chain.york}/items/bulk"
    told: list[Change] = []
    service.services.hub.subscribe(told.append)
    coffee, cake = chain.cafe.coffee, chain.cafe.cake
    entries: list[Any] = [
        {"id": coffee, "price": 5},
        {"id": "itm_none", "price": 4},
        {"id": coffee, "price": 6},
        {"price": 4},
        {"id": cake, "price": Decimal("0.00001")},
        {"id": cake, "modifiers": [{"name": "None", "priceDelta": 1}]},
    ]
    faults = {
        "/1/id": "unknown_item",
        "/2/id": "duplicate",
        "/3/id": "required",
        "/4/price": "too_precise",
        "/5/modifiers/0/name": "unknown_modifier",
    }
    refused = await chain.owner.post(path, entries)
    assert (refused.status_code, faults_in(refused)) == (422, faults)
    assert told == []
    assert (await chain.owner.post(path, [{"id": coffee}] * 1001)).status_code == 422

    answer = await chain.owner.send("POST", path, entries, Prefer="handling=lenient")
    results = body_of(answer)
    assert answer.headers["Preference-Applied"] == "handling=lenient"
    assert (results["changed"], results["refused"]) == (1, 5)
    assert results["results"][0]["item"] == body_of(await chain.owner.get(chain.at(chain.york)))
    assert {fault["pointer"]: fault["code"] for one in results["results"] for fault in one["errors"]} == faults
    assert [(one.location, len(one.items)) for one in told if isinstance(one, ContentChanged)] == [(chain.york, 1)]

    both = body_of(await chain.owner.post(path, [{"id": coffee, "price": 7}, {"id": cake, "price": 8}]))["data"]
    assert [one["price"] for one in both] == [7, 8]
    tag = (await chain.owner.get(chain.at(chain.york))).headers["ETag"]
    await chain.set(chain.york, {"price": 9})
    late = await chain.owner.send("POST", path, [{"id": coffee, "price": 1}], **{"If-Match": tag})
    assert (late.status_code, faults_in(late)) == (412, {"/0": "precondition_failed"})
    [berlin, york] = await chain.shown()
    assert (berlin["price"], york["price"]) == (Decimal("3.4"), 9)


async def test_an_etag_keeps_two_people_apart(chain: Chain) -> None:
    path = chain.at(chain.york)
    seen = await chain.owner.get(path)
    changed = await chain.owner.send("PATCH", path, {"price": 5}, **{"If-Match": seen.headers["ETag"]})
    assert changed.headers["ETag"] == (await chain.owner.get(path)).headers["ETag"]
    assert (
        await chain.owner.send("PATCH", path, {"price": 5}, **{"If-Match": seen.headers["ETag"]})
    ).status_code == 412


async def test_membership_and_precedence_reach_the_boards_concerned_at_once(service: Service, chain: Chain) -> None:
    berlin = chain.cafe.location
    first, second = await chain.group("One", 1), await chain.group("Two", 2)
    await chain.set(first, {"price": 6})
    await chain.set(second, {"price": 7})

    async def after(change: Any, price: Any) -> None:
        """The board in Berlin gets this price with the change, and that in New York notices nothing."""
        york = (await chain.york_board.manifest()).headers["ETag"]
        calls = [
            start(board.held((await board.manifest()).headers["ETag"]))
            for board in (chain.berlin_board, chain.york_board)
        ]
        await service.holding(2)
        assert (await change).is_success
        items = body_of(await calls[0])["items"]
        assert [one["price"] for one in items if one["id"] == chain.cafe.coffee] == [price]
        assert not calls[1].done()
        calls[1].cancel()
        await service.holding(0)
        assert (await chain.york_board.manifest()).headers["ETag"] == york

    owner = chain.owner
    await after(owner.patch(f"/v1/groups/{first}", {"locations": [berlin]}), 6)
    await after(owner.patch(f"/v1/groups/{second}", {"locations": [berlin]}), 7)
    await after(owner.patch(f"/v1/groups/{first}", {"precedence": 3}), 6)
    await after(owner.patch(chain.at(first), {"price": 8}), 8)
    await after(owner.patch(f"/v1/groups/{first}", {"locations": []}), 7)
    await after(owner.delete(f"/v1/groups/{second}"), Decimal("3.4"))


async def test_what_goes_takes_its_values_along(service: Service, chain: Chain) -> None:
    group = await chain.group("One", 1, chain.york)
    await chain.set(group, {"price": 6})
    await chain.set(chain.york, {"price": 7}, item=chain.cafe.cake)
    await chain.owner.delete(f"{ITEMS}/{chain.cafe.cake}")
    assert [one["id"] for one in body_of(await chain.owner.get(f"/v1/locations/{chain.york}/items"))["data"]] == [
        chain.cafe.coffee
    ]
    await chain.owner.delete(f"/v1/groups/{group}")
    told = body_of(await chain.owner.get(chain.at(chain.york)))
    assert told["sources"]["price"] == "workspace"


async def test_a_narrowed_key_reads_and_changes_only_what_its_locations_have(chain: Chain) -> None:
    both = await chain.group("All", 1, chain.cafe.location, chain.york)
    await chain.set(both, {"price": 6})
    body = {"name": "Till", "role": "Editor", "locations": [chain.york]}
    narrow = Caller(chain.owner._client, (await chain.owner.make("/v1/keys", body))["key"])
    told = body_of(await narrow.get(chain.at(chain.york)))
    assert (told["price"], told["sources"]["price"]) == (6, both)

    changed = body_of(await narrow.patch(chain.at(chain.york), {"eightySixed": True}))
    assert changed["leftBoards"] == [{"playlist": chain.cafe.playlist, "name": "All day", "screens": 1}]
    assert [one["eightySixed"] for one in await chain.shown()] == [False, True]
    assert (await narrow.patch(chain.at(chain.cafe.location), {"price": 1})).status_code == 404
    refused = await narrow.patch(chain.at(both), {"price": 1})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    refused = await narrow.patch(f"{ITEMS}/{chain.cafe.coffee}", {"eightySixed": True})
    assert (refused.status_code, refused.json()["code"]) == (403, "reaches_elsewhere")
    assert [one["price"] for one in await chain.shown()] == [6, 6]
