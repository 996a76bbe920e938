"""Groups of locations: made, changed and removed, their bounds, and what their boards notice."""

from typing import Any

import pytest

from service.schema.places.group import MAX_GROUP_LOCATIONS, MAX_PRECEDENCE
from service.services.content import groups as groups_module
from service.services.content.catalogue import MAX_NAMED_LOCATIONS
from tests.service.support.application import Cafe, Caller, body_of, faults_in

GROUPS = "/v1/groups"


async def shops(owner: Caller, count: int) -> list[str]:
    body = {"timezone": "UTC", "currency": "EUR", "locale": "en-GB"}
    return [(await owner.make("/v1/locations", body | {"name": f"Shop {at}"}))["id"] for at in range(count)]


async def test_a_group_is_made_changed_and_removed(owner: Caller) -> None:
    first, second, third = await shops(owner, 3)
    made = await owner.post(GROUPS, {"name": "East", "precedence": 5, "locations": [second, first]})
    group = body_of(made)
    path = made.headers["Location"]

    assert path == f"{GROUPS}/{group['id']}"
    assert {name: group[name] for name in ("name", "precedence", "locations")} == {
        "name": "East",
        "precedence": 5,
        "locations": [first, second],
    }
    assert body_of(await owner.get(path)) == group
    plain = await owner.make(GROUPS, {"name": "All"})
    assert (plain["precedence"], plain["locations"]) == (0, [])
    assert [one["id"] for one in body_of(await owner.get(GROUPS))["data"]] == [group["id"], plain["id"]]
    assert body_of(await owner.get(f"{GROUPS}?location={second}"))["data"] == [group]

    changed = body_of(await owner.patch(path, {"name": "West", "locations": [third, second]}))
    assert changed == group | {"name": "West", "locations": [second, third]}
    assert body_of(await owner.get(f"{GROUPS}?location={first}"))["data"] == []
    assert (await owner.delete(f"/v1/locations/{third}")).status_code == 204
    assert body_of(await owner.get(path))["locations"] == [second]

    assert (await owner.delete(path)).status_code == 204
    assert (await owner.get(path)).json()["code"] == "not_found"
    assert (await owner.get(f"/v1/locations/{second}")).status_code == 200


async def test_an_etag_keeps_two_people_apart(owner: Caller) -> None:
    group = await owner.make(GROUPS, {"name": "East"})
    path = f"{GROUPS}/{group['id']}"
    seen = (await owner.get(path)).headers["ETag"]
    assert (await owner.send("PATCH", path, {"precedence": 3}, **{"If-Match": seen})).status_code == 200
    assert (await owner.send("PATCH", path, {"precedence": 4}, **{"If-Match": seen})).status_code == 412
    assert (await owner.raw("DELETE", path, b"", **{"If-Match": seen})).status_code == 412


async def test_a_faulty_group_changes_nothing(owner: Caller) -> None:
    [shop] = await shops(owner, 1)
    group = await owner.make(GROUPS, {"name": "East", "locations": [shop]})
    other = await owner.make(GROUPS, {"name": "West"})
    path = f"{GROUPS}/{group['id']}"
    faulty: list[tuple[dict[str, Any], dict[str, str]]] = [
        ({"locations": [group["id"]]}, {"/locations/0": "itself"}),
        ({"locations": [shop, other["id"]]}, {"/locations/1": "group_in_group"}),
        ({"locations": ["loc_none", shop]}, {"/locations/0": "unknown_location"}),
        ({"locations": [shop, shop]}, {"/locations/1": "duplicate"}),
        ({"locations": [shop] * (MAX_GROUP_LOCATIONS + 1)}, {"/locations": "too_long"}),
        ({"precedence": 10**9}, {"/precedence": "out_of_range"}),
        ({"precedence": MAX_PRECEDENCE + 1}, {"/precedence": "out_of_range"}),
        ({"precedence": -1}, {"/precedence": "out_of_range"}),
        ({"precedence": 0.5}, {"/precedence": "not_whole"}),
    ]
    for body, faults in faulty:
        refused = await owner.patch(path, body)
        assert (refused.status_code, faults_in(refused)) == (422, faults), body
        if "itself" not in faults.values():
            assert faults_in(await owner.post(GROUPS, {"name": "North"} | body)) == faults
    assert body_of(await owner.get(GROUPS))["data"] == [group, other]


async def test_the_number_of_groups_is_limited(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "MAX_GROUPS", 1)
    await owner.make(GROUPS, {"name": "East"})
    full = await owner.post(GROUPS, {"name": "West"})
    assert (full.status_code, full.json()["code"]) == (409, "too_many_groups")


async def test_a_narrowed_key_sees_only_its_locations_of_a_group(owner: Caller, cafe: Cafe) -> None:
    elsewhere, *_ = await shops(owner, 1)
    group = await owner.make(GROUPS, {"name": "All", "locations": [cafe.location, elsewhere]})
    await owner.make(GROUPS, {"name": "Elsewhere", "locations": [elsewhere]})
    key = await owner.make("/v1/keys", {"name": "Till", "role": "Editor", "locations": [cafe.location]})
    narrow = Caller(owner._client, key["key"])
    assert body_of(await narrow.get(GROUPS))["data"] == [group | {"locations": [cafe.location]}]
    assert (await narrow.post(GROUPS, {"name": "Mine", "locations": [cafe.location]})).status_code == 403


async def test_many_locations_join_a_group_at_once(owner: Caller) -> None:
    many = await shops(owner, MAX_NAMED_LOCATIONS + 1)
    group = await owner.make(GROUPS, {"name": "All", "locations": many})
    assert group["locations"] == many
    assert body_of(await owner.patch(f"{GROUPS}/{group['id']}", {"locations": []}))["locations"] == []
