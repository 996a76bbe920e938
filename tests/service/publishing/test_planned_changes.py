"""Planned changes: what boards are told beforehand, when values are stored, and what is refused."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from service.core.permissions import Role
from service.schema.publishing.planned_change import MAX_PLANNED_OVERRIDES, MAX_PLANNED_VALUES
from service.services.publishing import planned_changes as planned_changes_module
from service.services.publishing.planned_changes import MAX_DAYS_AHEAD, MAX_PLANNED_CHANGES
from tests.service.support.application import (
    START,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair_device,
    start,
)

PLANS = "/v1/planned-changes"
ITEMS = "/v1/content/items"
NEW_YORK = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
AT = "2027-01-01T05:00"
IN_BERLIN = datetime(2027, 1, 1, 4, tzinfo=UTC)
IN_NEW_YORK = datetime(2027, 1, 1, 10, tzinfo=UTC)


@dataclass
class Chain:
    """The café in Berlin, and one in New York, each with a board of the same playlist."""

    service: Service
    owner: Caller
    clock: VirtualClock
    cafe: Cafe
    york: str
    boards: tuple[Device, Device]

    async def plan(self, *changes: Any, **more: Any) -> Any:
        return await self.owner.make(PLANS, {"name": "New prices", "at": AT, "changes": list(changes), **more})

    async def manifests(self) -> list[Any]:
        return [body_of(await board.manifest()) for board in self.boards]

    async def shown(self, name: str = "price") -> list[Any]:
        """A value of the coffee in the items that each board is told."""
        items = [{one["id"]: one for one in each["items"]} for each in await self.manifests()]
        return [each[self.cafe.coffee][name] if self.cafe.coffee in each else None for each in items]

    async def come(self, at: datetime) -> None:
        self.clock.set(at)
        await self.service.pass_seconds(2)

    async def everywhere(self) -> Any:
        return body_of(await self.owner.get(f"{ITEMS}/{self.cafe.coffee}"))

    async def local(self, place: str | None = None) -> Any:
        return body_of(await self.owner.get(f"/v1/locations/{place or self.cafe.location}/items/{self.cafe.coffee}"))


@pytest.fixture
async def chain(
    service: Service, owner: Caller, clock: VirtualClock, cafe: Cafe, device: Device
) -> AsyncIterator[Chain]:
    york = (await owner.make("/v1/locations", NEW_YORK))["id"]
    board = service.device("e" * 32)
    await pair_device(board, owner, Cafe(york, cafe.coffee, cafe.cake, cafe.scene, cafe.playlist))
    return Chain(service, owner, clock, cafe, york, (device, board))


async def test_a_price_is_told_beforehand_and_takes_effect_at_the_local_time_of_each_location(chain: Chain) -> None:
    coffee = chain.cafe.coffee
    call = start(chain.boards[0].held((await chain.boards[0].manifest()).headers["ETag"]))
    made = await chain.plan({"item": coffee, "price": 3.9})
    assert (made["status"], made["beginsAt"]) == ("waiting", "2027-01-01T04:00:00.000Z")
    assert made["endsAt"] == "2027-01-01T10:00:00.000Z"
    planned = [each["planned"] for each in (body_of(await call), await chain.manifests())[1]]
    assert [each[0]["at"] for each in planned] == ["2027-01-01T04:00:00.000Z", "2027-01-01T10:00:00.000Z"]
    assert [[(one["id"], one["price"]) for one in each[0]["items"]] for each in planned] == [
        [(coffee, Decimal("3.9"))]
    ] * 2
    assert await chain.shown() == [Decimal("3.4")] * 2

    await chain.come(IN_BERLIN - timedelta(seconds=5))
    assert await chain.shown() == [Decimal("3.4")] * 2
    await chain.come(IN_BERLIN)
    assert await chain.shown() == [Decimal("3.9"), Decimal("3.4")]
    assert ("planned" in (await chain.manifests())[0], "planned" in (await chain.manifests())[1]) == (False, True)
    assert [(await chain.local(place))["price"] for place in (None, chain.york)] == [Decimal("3.9"), Decimal("3.4")]
    assert (await chain.everywhere())["price"] == Decimal("3.4")
    told = body_of(await chain.owner.get(f"{PLANS}/{made['id']}"))
    assert told["status"] == "takingEffect"
    for method, body in (("DELETE", None), ("PATCH", {"name": "Other"})):
        answer = await chain.owner.send(method, f"{PLANS}/{made['id']}", body)
        assert (answer.status_code, body_of(answer)["code"]) == (409, "has_taken_effect")

    await chain.come(IN_NEW_YORK)
    assert await chain.shown() == [Decimal("3.9")] * 2
    assert (await chain.everywhere())["price"] == Decimal("3.9")
    assert (await chain.local())["sources"]["price"] == "workspace"
    assert body_of(await chain.owner.get(f"{PLANS}/{made['id']}"))["status"] == "done"
    await chain.owner.patch(f"{ITEMS}/{coffee}", {"price": 5})
    await chain.service.pass_seconds(3)
    assert await chain.shown() == [Decimal(5)] * 2, "never twice"


async def test_what_is_changed_while_it_takes_effect_counts_everywhere_at_once(chain: Chain) -> None:
    await chain.plan({"item": chain.cafe.coffee, "price": 3.9, "eightySixed": True})
    await chain.come(IN_BERLIN)
    assert (await chain.shown(), await chain.shown("eightySixed")) == ([Decimal("3.9"), Decimal("3.4")], [True, False])
    await chain.owner.patch(f"{ITEMS}/{chain.cafe.coffee}", {"price": 4.5})
    assert await chain.shown() == [Decimal("4.5")] * 2
    assert await chain.shown("eightySixed") == [True, False], "the other value goes on"
    await chain.come(IN_NEW_YORK)
    assert (await chain.shown(), await chain.shown("eightySixed")) == ([Decimal("4.5")] * 2, [True, True])


async def test_places_keep_their_precedence_and_null_gives_the_wider_value_back(chain: Chain) -> None:
    coffee, berlin = chain.cafe.coffee, chain.cafe.location
    group = (await chain.owner.make("/v1/groups", {"name": "All", "precedence": 1, "locations": [berlin, chain.york]}))[
        "id"
    ]
    await chain.owner.patch(f"/v1/locations/{berlin}/items/{coffee}", {"price": 9})
    await chain.plan(
        {"item": coffee, "group": group, "price": 4},
        {"item": coffee, "location": berlin, "price": None},
        {"item": chain.cafe.cake, "location": chain.york, "hidden": True},
    )
    assert await chain.shown() == [Decimal(9), Decimal("3.4")]
    await chain.come(IN_BERLIN)
    assert await chain.shown() == [Decimal(4), Decimal("3.4")]
    await chain.come(IN_NEW_YORK)
    assert await chain.shown() == [Decimal(4), Decimal(4)]
    assert (await chain.local())["sources"]["price"] == group
    names = [[one["name"] for one in each["items"]] for each in await chain.manifests()]
    assert names == [["Flat white", "Carrot cake"], ["Flat white"]]


async def test_a_hidden_item_comes_back_at_its_place_and_a_variant_changes_its_price(chain: Chain) -> None:
    owner, coffee, berlin = chain.owner, chain.cafe.coffee, chain.cafe.location
    sizes = [{"name": "S", "price": 3}, {"name": "L", "price": 4}]
    small, large = (
        one["id"] for one in body_of(await owner.patch(f"{ITEMS}/{coffee}", {"variants": sizes}))["variants"]
    )
    await owner.patch(f"/v1/locations/{berlin}/items/{coffee}", {"hidden": True})
    await chain.plan(
        {
            "item": coffee,
            "location": berlin,
            "hidden": None,
            "variants": [{"id": large, "price": 4.2}, {"id": small, "eightySixed": True}],
            "modifiers": [{"name": "Oat milk", "priceDelta": 0.6}],
        }
    )
    manifest = (await chain.manifests())[0]
    assert [one["name"] for one in manifest["items"]] == ["Carrot cake"]
    ((item,),) = [one["items"] for one in manifest["planned"]]
    assert (item["position"], [one["price"] for one in item["variants"]]) == (0, [Decimal(3), Decimal("4.2")])
    assert [one["eightySixed"] for one in item["variants"]] == [True, False]
    assert item["modifiers"] == [{"name": "Oat milk", "priceDelta": Decimal("0.6")}]
    await chain.come(IN_BERLIN)
    assert [one["name"] for one in (await chain.manifests())[0]["items"]] == ["Flat white", "Carrot cake"]
    stored = await chain.local()
    assert [one["price"] for one in stored["variants"]] == [Decimal(3), Decimal("4.2")]


async def test_it_is_previewed_changed_and_withdrawn_as_a_whole(chain: Chain) -> None:
    owner, cafe = chain.owner, chain.cafe
    made = await chain.plan(
        {"item": cafe.coffee, "price": 3.9},
        {"item": cafe.cake, "location": chain.york, "eightySixed": True},
        overrides=[
            {"target": {"everything": True}, "scene": cafe.scene, "until": "2027-01-01T09:00", "reason": "New year"}
        ],
    )
    found = body_of(await owner.get(f"{PLANS}/{made['id']}/preview?location={chain.york}"))
    assert found["at"] == "2027-01-01T10:00:00.000Z"
    told = [(one["before"]["price"], one["after"]["price"], one["after"]["eightySixed"]) for one in found["items"]]
    assert sorted(told) == [(Decimal("3.4"), Decimal("3.9"), False), (Decimal("4.2"), Decimal("4.2"), True)]
    starts = [[one["startsAt"] for one in each["overrides"]] for each in await chain.manifests()]
    assert starts == [["2027-01-01T04:00:00.000Z"], ["2027-01-01T10:00:00.000Z"]]
    (override,) = body_of(await owner.get("/v1/overrides"))["data"]
    assert override["plannedChange"] == made["id"]

    changed = await owner.patch(f"{PLANS}/{made['id']}", {"at": "2027-01-02T05:00", "overrides": []})
    assert body_of(changed)["beginsAt"] == "2027-01-02T04:00:00.000Z"
    assert ["overrides" in each for each in await chain.manifests()] == [False, False]
    assert [each["planned"][0]["at"][:10] for each in await chain.manifests()] == ["2027-01-02"] * 2
    assert (await owner.delete(f"{PLANS}/{made['id']}")).status_code == 204
    assert ["planned" in each for each in await chain.manifests()] == [False, False]
    await chain.come(IN_NEW_YORK + timedelta(days=2))
    assert await chain.shown() == [Decimal("3.4")] * 2


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({"at": "2027-03-28T02:30"}, {"/at": "skipped_hour"}),
        ({"at": "2026-01-01T05:00"}, {"/at": "not_in_the_future"}),
        ({"at": "2029-01-01T05:00"}, {"/at": "out_of_range"}),
        ({"at": "0001-01-01T05:00"}, {"/at": "out_of_range"}),
        ({"at": "1 January"}, {"/at": "not_a_local_time"}),
        ({"changes": []}, {"/changes": "nothing_changes"}),
        ({"changes": [{"item": "itm_0", "price": 4}]}, {"/changes/0/item": "unknown_item"}),
        ({"changes": [{"item": "$", "price": 4}] * 2}, {"/changes/1/item": "duplicate"}),
        ({"changes": [{"item": "$", "price": 4.12345}]}, {"/changes/0/price": "too_precise"}),
        ({"changes": [{"item": "$", "price": -1}]}, {"/changes/0/price": "negative"}),
        ({"changes": [{"item": "$"}]}, {"/changes/0": "nothing_changes"}),
        ({"changes": [{"item": "$", "price": None}]}, {"/changes/0": "needs_a_place"}),
        ({"changes": [{"item": "$", "hidden": True}]}, {"/changes/0": "needs_a_place"}),
        ({"changes": [{"item": "$", "regularPrice": 1}]}, {"/changes/0/regularPrice": "not_above"}),
        ({"changes": [{"item": "$", "price": 4}] * (MAX_PLANNED_VALUES + 1)}, {"/changes": "too_long"}),
        (
            {"changes": [{"item": "$", "eightySixed": True, "eightySixedUntil": "2026-12-01T00:00:00Z"}]},
            {"/changes/0/eightySixedUntil": "not_in_the_future"},
        ),
        ({"changes": [{"item": "$", "eightySixedUntil": "2028-12-01T00:00:00Z"}]}, {"/changes/0": "not_eighty_sixed"}),
        ({"overrides": [{"until": "2027-01-01T05:00"}]}, {"/overrides/0/until": "ends_before_start"}),
        ({"overrides": [{"until": "2027-02-01T05:00"}]}, {"/overrides/0/until": "out_of_range"}),
        ({"overrides": [{"scene": "scn_0"}]}, {"/overrides/0/scene": "unknown_scene"}),
        ({"overrides": [{}] * (MAX_PLANNED_OVERRIDES + 1)}, {"/overrides": "too_long"}),
    ],
)
async def test_what_cannot_be_planned_is_refused_and_changes_nothing(
    chain: Chain, body: dict[str, Any], faults: dict[str, str]
) -> None:
    changes = [
        {**one, "item": chain.cafe.coffee if one["item"] == "$" else one["item"]} for one in body.get("changes", [])
    ]
    if "changes" not in body:
        changes = [{"item": chain.cafe.coffee, "price": 4}]
    base = {"target": {"everything": True}, "scene": chain.cafe.scene, "until": "2027-01-01T09:00", "reason": "Why"}
    overrides = [base | one for one in body.get("overrides", [])]
    call = {"name": "New prices", "at": body.get("at", AT), "changes": changes, "overrides": overrides}
    answer = await chain.owner.post(PLANS, call)
    assert answer.status_code == 422, answer.text
    assert faults_in(answer) == faults
    assert body_of(await chain.owner.get(PLANS))["data"] == []
    assert ["planned" in each or "overrides" in each for each in await chain.manifests()] == [False, False]


async def test_two_plans_of_the_same_value_at_the_same_time_are_refused(chain: Chain) -> None:
    coffee, berlin = chain.cafe.coffee, chain.cafe.location
    first = await chain.plan({"item": coffee, "price": 4})
    again = {"name": "Again", "at": f"{AT}:00", "changes": [{"item": coffee, "price": 5}]}
    answer = await chain.owner.post(PLANS, again)
    assert (answer.status_code, faults_in(answer)) == (422, {"/changes/0": "planned_already"})
    for other in ({"item": coffee, "eightySixed": True}, {"item": coffee, "location": berlin, "price": 5}):
        await chain.plan(other)
    assert (await chain.owner.patch(f"{PLANS}/{first['id']}", {"name": "Itself"})).status_code == 200


async def test_there_are_at_most_so_many(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MAX_PLANNED_CHANGES, MAX_PLANNED_VALUES, MAX_PLANNED_OVERRIDES, MAX_DAYS_AHEAD) == (20, 500, 5, 400)
    monkeypatch.setattr(planned_changes_module, "MAX_PLANNED_CHANGES", 1)
    await chain.plan({"item": chain.cafe.coffee, "price": 4})
    body = {"name": "Another", "at": AT, "changes": [{"item": chain.cafe.cake, "price": 4}]}
    answer = await chain.owner.post(PLANS, body)
    assert (answer.status_code, body_of(answer)["code"]) == (409, "too_many_planned_changes")
    await chain.come(IN_NEW_YORK)
    assert (await chain.owner.post(PLANS, {**body, "at": "2027-02-01T05:00"})).status_code == 201


async def test_an_86_that_is_planned_with_an_end_can_be_changed_and_ends(chain: Chain) -> None:
    until, place = "2027-01-01T06:00:00.000Z", chain.cafe.location
    sold_out = {"item": chain.cafe.coffee, "location": place, "eightySixed": True, "eightySixedUntil": until}
    made = await chain.plan({**sold_out, "eightySixedUntil": "2027-01-01T05:00:00Z"})
    changed = await chain.owner.patch(f"{PLANS}/{made['id']}", {"changes": [sold_out]})
    assert body_of(changed)["changes"] == [sold_out]
    await chain.come(IN_BERLIN)
    assert (await chain.local())["eightySixedUntil"] == until
    await chain.come(datetime(2027, 1, 1, 6, tzinfo=UTC))
    assert (await chain.local())["eightySixed"] is False


@pytest.mark.long
async def test_a_scene_can_be_drawn_as_it_will_be(chain: Chain) -> None:
    await chain.plan({"item": chain.cafe.coffee, "price": 9})

    async def drawn(at: str) -> Any:
        path = f"/v1/scenes/{chain.cafe.scene}/preview.png?width=64&location={chain.cafe.location}&at={at}"
        return await chain.owner.get(path)

    before, after = [await drawn(f"2027-01-01T0{hour}:00:00Z") for hour in (3, 4)]
    assert (before.status_code, after.status_code) == (200, 200)
    assert before.headers["ETag"] != after.headers["ETag"]
    for at in ("2026-01-01T00:00:00Z", "2029-01-01T00:00:00Z"):
        assert (await drawn(at)).status_code == 422


async def test_an_item_that_is_deleted_falls_out_of_the_plan(chain: Chain) -> None:
    await chain.plan({"item": chain.cafe.coffee, "price": 4}, {"item": chain.cafe.cake, "price": 6})
    await chain.owner.delete(f"{ITEMS}/{chain.cafe.coffee}")
    await chain.come(IN_NEW_YORK)
    assert body_of(await chain.owner.get(f"{ITEMS}/{chain.cafe.cake}"))["price"] == Decimal(6)


async def test_who_may_do_it_at_once_may_plan_it(chain: Chain) -> None:
    owner, berlin, coffee = chain.owner, chain.cafe.location, chain.cafe.coffee
    made = await owner.make("/v1/keys", {"name": "Berlin", "role": "Editor", "locations": [berlin]})
    narrowed = Caller(owner._client, made["key"])
    theirs = {"name": "Theirs", "at": AT, "changes": [{"item": coffee, "location": berlin, "price": 4}]}
    plan = await narrowed.make(PLANS, theirs)
    elsewhere = await chain.plan({"item": coffee, "price": 5})
    assert [one["id"] for one in body_of(await narrowed.get(PLANS))["data"]] == [plan["id"]]
    for path in (f"{PLANS}/{elsewhere['id']}", f"{PLANS}/{elsewhere['id']}/preview?location={berlin}"):
        assert (await narrowed.get(path)).status_code == 404
    assert (await narrowed.delete(f"{PLANS}/{elsewhere['id']}")).status_code == 404
    for change, status in (
        ({"item": coffee, "price": 4}, 403),
        ({"item": coffee, "location": chain.york, "price": 4}, 404),
    ):
        assert (await narrowed.post(PLANS, theirs | {"changes": [change]})).status_code == status
    override = {"target": {"location": berlin}, "scene": chain.cafe.scene, "until": "2027-01-01T09:00", "reason": "No"}
    assert (await narrowed.post(PLANS, theirs | {"changes": [], "overrides": [override]})).status_code == 403
    viewer = chain.service.caller(Role.VIEWER)
    assert (await viewer.post(PLANS, theirs)).status_code == 403
    assert (await viewer.get(PLANS)).status_code == 200


async def test_the_doubled_hour_counts_the_first_time(chain: Chain) -> None:
    plan = await chain.plan(
        {"item": chain.cafe.coffee, "location": chain.cafe.location, "price": 4}, at="2027-10-31T02:30"
    )
    assert plan["beginsAt"] == "2027-10-31T00:30:00.000Z"


async def test_a_service_that_was_away_stores_what_was_due_meanwhile_in_order(chain: Chain) -> None:
    await chain.plan({"item": chain.cafe.coffee, "price": 4})
    await chain.plan({"item": chain.cafe.coffee, "price": 5}, at="2027-01-01T06:00")
    chain.clock.set(START + timedelta(days=100))
    await chain.service.pass_seconds(2)
    assert (await chain.everywhere())["price"] == Decimal(5)
