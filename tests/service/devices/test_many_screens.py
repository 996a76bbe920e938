"""Changing many screens with one call: by a list, a tag or a location, all or none."""

from typing import Any

import pytest

from service.schema.devices.screen import MAX_CHANGED
from service.services.devices import chosen_screens
from tests.service.support.application import Cafe, Caller, Service, body_of, faults_in, pair

SCREENS = "/v1/screens"
CITY = {"name": "City", "timezone": "UTC", "currency": "EUR", "locale": "de"}


@pytest.fixture
async def three(service: Service, owner: Caller, cafe: Cafe) -> list[str]:
    """Three screens; the last one has the tag "front"."""
    screens = [(await pair(service, owner, cafe, device_id=name * 32)).screen for name in "abc"]
    await owner.patch(f"{SCREENS}/{screens[2]}", {"tags": ["front", 'a "quote"']})
    return screens


async def changed(owner: Caller, choice: dict[str, Any], **fields: Any) -> list[Any]:
    response = await owner.patch(SCREENS, {"choose": choice, **fields})
    assert response.status_code == 200, response.text
    return list(body_of(response)["data"])


async def test_a_list_is_changed_in_all_fields(owner: Caller, cafe: Cafe, three: list[str]) -> None:
    playlist = (await owner.make("/v1/playlists", {"name": "Dinner"}))["id"]
    city = (await owner.make("/v1/locations", CITY))["id"]
    fields = {"playlist": playlist, "location": city, "tags": ["x"], "display": {"rotation": 90}}

    answered = await changed(owner, {"screens": [three[1], three[0]]}, **fields)

    assert [screen["id"] for screen in answered] == [three[1], three[0]]
    for screen in three[:2]:
        shown = body_of(await owner.get(f"{SCREENS}/{screen}"))
        assert (shown["playlist"], shown["location"], shown["tags"]) == (playlist, city, ["x"])
        assert (shown["display"]["rotation"], shown["name"]) == (90, "Bar")
    assert body_of(await owner.get(f"{SCREENS}/{three[2]}"))["playlist"] == cafe.playlist


@pytest.mark.first_case
@pytest.mark.parametrize(("tag", "count"), [("front", 1), ('a "quote"', 1), ("fron", 0), ("a", 0), ("%", 0), ("_", 0)])
async def test_a_tag_chooses_the_screens_that_have_it(owner: Caller, three: list[str], tag: str, count: int) -> None:
    assert len(await changed(owner, {"tag": tag}, playlist=None)) == count


async def test_a_location_chooses_its_screens(owner: Caller, cafe: Cafe, three: list[str]) -> None:
    city = (await owner.make("/v1/locations", CITY))["id"]
    await owner.patch(f"{SCREENS}/{three[0]}", {"location": city})
    assert [screen["id"] for screen in await changed(owner, {"location": city}, tags=["x"])] == [three[0]]
    assert await changed(owner, {"location": cafe.location}, tags=["y"])
    assert [body_of(await owner.get(f"{SCREENS}/{screen}"))["tags"] for screen in three] == [["x"], ["y"], ["y"]]


async def test_a_group_chooses_the_screens_of_its_locations(
    service: Service, owner: Caller, cafe: Cafe, three: list[str]
) -> None:
    city = (await owner.make("/v1/locations", CITY))["id"]
    other = (await owner.make("/v1/locations", CITY))["id"]
    await owner.patch(f"{SCREENS}/{three[0]}", {"location": other})
    await owner.patch(f"{SCREENS}/{three[1]}", {"location": city})
    group = (await owner.make("/v1/groups", {"name": "Region", "locations": [cafe.location, city]}))["id"]
    choice = {"group": group, "tag": None}
    assert [screen["id"] for screen in await changed(owner, choice, tags=["x"])] == three[1:]

    key = (await owner.make("/v1/keys", {"name": "a", "role": "Publisher", "locations": [city]}))["key"]
    narrow = Caller(service.client, key)
    assert [screen["id"] for screen in await changed(narrow, choice, tags=["y"])] == [three[1]]
    far = (await owner.make("/v1/groups", {"name": "Far", "locations": [other]}))["id"]
    for unknown in (far, "grp_none"):
        refused = await narrow.patch(SCREENS, {"choose": {"group": unknown}, "tags": ["bad"]})
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")


async def test_one_bad_entry_changes_nothing(owner: Caller, three: list[str]) -> None:
    for body, faults in (
        ({"choose": {"screens": [three[0], "scr_none", three[0]]}}, {1: "unknown_screen", 2: "duplicate"}),
        ({"choose": {"screens": three}, "playlist": "pl_none"}, {"/playlist": "unknown_playlist"}),
        ({"choose": {"screens": three}, "display": {"rotation": 45}}, {"/display/rotation": "out_of_range"}),
        ({"choose": {"screens": three, "tag": "x"}}, {"/choose": "ambiguous"}),
        ({"choose": {}}, {"/choose": "ambiguous"}),
        ({"choose": {"screens": []}}, {"/choose/screens": "too_short"}),
        ({"choose": {"screens": ["x"] * (MAX_CHANGED + 1)}}, {"/choose/screens": "too_long"}),
        ({"choose": {"location": "loc_none"}}, {"/choose/location": "unknown_location"}),
        ({}, {"/choose": "required"}),
    ):
        refused = await owner.patch(SCREENS, {"tags": ["bad"], **body})
        expected = {f"/choose/screens/{at}" if isinstance(at, int) else at: code for at, code in faults.items()}
        assert (refused.status_code, faults_in(refused)) == (422, expected), body
    assert not any("bad" in screen["tags"] for screen in body_of(await owner.get(SCREENS))["data"])


async def test_more_than_a_thousand_are_refused(
    owner: Caller, cafe: Cafe, three: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chosen_screens, "MAX_CHANGED", 2)
    refused = await owner.patch(SCREENS, {"choose": {"location": cafe.location}, "tags": ["bad"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_screens")
    assert not any("bad" in screen["tags"] for screen in body_of(await owner.get(SCREENS))["data"])


async def test_each_screen_needs_its_entity_tag(owner: Caller, three: list[str]) -> None:
    tags = [(await owner.get(f"{SCREENS}/{screen}")).headers["ETag"] for screen in three]
    await owner.patch(f"{SCREENS}/{three[1]}", {"name": "Window"})
    body = {"choose": {"screens": three}, "tags": ["new"]}

    refused = await owner.send("PATCH", SCREENS, body, **{"If-Match": ", ".join(tags)})

    assert (refused.status_code, faults_in(refused)) == (412, {"/choose/screens/1": "precondition_failed"})
    tags[1] = (await owner.get(f"{SCREENS}/{three[1]}")).headers["ETag"]
    assert (await owner.send("PATCH", SCREENS, body, **{"If-Match": ", ".join(tags)})).status_code == 200


async def test_screens_of_another_workspace_are_not_chosen(service: Service, owner: Caller, three: list[str]) -> None:
    stranger = service.stranger()
    refused = await stranger.patch(SCREENS, {"choose": {"screens": three[:1]}, "tags": ["bad"]})
    assert faults_in(refused) == {"/choose/screens/0": "unknown_screen"}
    assert await changed(stranger, {"tag": "front"}, tags=["bad"]) == []
    assert not any("bad" in screen["tags"] for screen in body_of(await owner.get(SCREENS))["data"])
