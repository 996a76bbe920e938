"""Bulk changes: all or none unless the caller is lenient, every fault listed, and one change announced."""

from decimal import Decimal
from typing import Any

from service.core.changes import Change, ContentChanged
from tests.service.support.application import Cafe, Caller, Service, body_of, faults_in

BULK = "/v1/content/items/bulk"
LENIENT = {"Prefer": "handling=lenient"}


def entries(cafe: Cafe) -> list[Any]:
    """A valid entry, and one with each kind of fault."""
    return [
        {"id": cafe.coffee, "price": 4},
        {"id": "itm_none", "price": 4},
        {"id": cafe.coffee, "price": 5},
        {"price": 4},
        {"id": cafe.cake, "price": "4", "name": ""},
        5,
        {"id": cafe.cake, "name": "Pie", "image": "sha256:" + "0" * 64},
    ]


FAULTS = {
    "/1/id": "unknown_item",
    "/2/id": "duplicate",
    "/3/id": "required",
    "/4/price": "not_a_number",
    "/4/name": "too_short",
    "/5": "wrong_type",
}


async def prices(owner: Caller) -> dict[str, tuple[str, Any]]:
    return {one["id"]: (one["name"], one["price"]) for one in body_of(await owner.get("/v1/content/items"))["data"]}


async def test_one_invalid_entry_changes_nothing_and_every_fault_is_listed(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    told: list[Change] = []
    service.services.hub.subscribe(told.append)
    before = await prices(owner)

    response = await owner.post(BULK, entries(cafe))

    assert response.status_code == 422
    assert faults_in(response) == FAULTS | {"/6/image": "unknown_asset"}
    assert await prices(owner) == before
    assert told == []


async def test_if_match_lists_the_tags_of_the_items(owner: Caller, cafe: Cafe) -> None:
    paths = [f"/v1/content/items/{item}" for item in (cafe.coffee, cafe.cake)]
    tags = [(await owner.get(path)).headers["ETag"] for path in paths]
    changes = [{"id": item, "featured": True} for item in (cafe.coffee, cafe.cake)]
    before = await prices(owner)
    await owner.patch(paths[1], {"sortIndex": 7})

    refused = await owner.send("POST", BULK, changes, **{"If-Match": ", ".join(tags)})
    assert (refused.status_code, faults_in(refused)) == (412, {"/1": "precondition_failed"})
    assert not body_of(await owner.get(paths[0]))["featured"]

    answer = body_of(await owner.send("POST", BULK, changes, **LENIENT, **{"If-Match": ", ".join(tags)}))
    assert [one["status"] for one in answer["results"]] == ["changed", "refused"]
    assert answer["results"][1]["errors"][0]["code"] == "precondition_failed"

    tags = [(await owner.get(path)).headers["ETag"] for path in paths]
    assert (await owner.send("POST", BULK, changes, **{"If-Match": ", ".join(tags)})).status_code == 200
    assert (await owner.send("POST", BULK, changes, **{"If-Match": "*"})).status_code == 200
    assert await prices(owner) == before


async def test_a_lenient_caller_gets_a_result_for_each_entry(service: Service, owner: Caller, cafe: Cafe) -> None:
    told: list[Change] = []
    service.services.hub.subscribe(told.append)
    response = await owner.send("POST", BULK, entries(cafe), **LENIENT)
    answer = body_of(response)

    assert response.status_code == 200
    assert response.headers["Preference-Applied"] == "handling=lenient"
    assert (answer["changed"], answer["refused"]) == (1, 6)
    assert [one["index"] for one in answer["results"]] == list(range(7))
    assert [one["id"] for one in answer["results"][:4]] == [cafe.coffee, "itm_none", cafe.coffee, None]
    assert answer["results"][0]["item"] == body_of(await owner.get(f"/v1/content/items/{cafe.coffee}"))
    found = {fault["pointer"]: fault["code"] for one in answer["results"] for fault in one["errors"]}
    assert found == FAULTS | {"/6/image": "unknown_asset"}
    assert [one["item"] for one in answer["results"][1:]] == [None] * 6
    # The entry with the unknown image did not change the name either.
    assert await prices(owner) == {cafe.coffee: ("Flat white", 4), cafe.cake: ("Carrot cake", Decimal("4.2"))}
    assert [type(one) for one in told] == [ContentChanged]


async def test_a_call_without_a_valid_entry_announces_nothing(service: Service, owner: Caller, cafe: Cafe) -> None:
    told: list[Change] = []
    service.services.hub.subscribe(told.append)

    answer = body_of(await owner.send("POST", BULK, [{"id": "itm_none"}], **LENIENT))

    assert (answer["changed"], answer["refused"]) == (0, 1)
    assert told == []


async def test_a_body_that_is_no_list_or_too_long_is_refused(owner: Caller, cafe: Cafe) -> None:
    for body in ({"id": cafe.cake}, [{"id": cafe.cake}] * 1001):
        response = await owner.send("POST", BULK, body, **LENIENT)
        assert response.status_code == 422
        assert list(faults_in(response)) == [""]


STRICT = ["handling=strict", "handling=strict, handling=lenient", "respond-async", "nohandling=lenient", "handling"]
ALSO_LENIENT = ['handling="lenient"', "respond-async, Handling = lenient; x=1", "handling=lenient, handling=strict"]


async def test_preferences_follow_rfc_7240(owner: Caller, cafe: Cafe) -> None:
    for preference in STRICT:
        assert (await owner.send("POST", BULK, [{"id": "x"}], Prefer=preference)).status_code == 422, preference
    for preference in ALSO_LENIENT:
        assert (await owner.send("POST", BULK, [{"id": "x"}], Prefer=preference)).status_code == 200, preference
