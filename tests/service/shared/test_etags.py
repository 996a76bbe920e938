"""Entity tags: If-Match prevents lost updates, If-None-Match saves transfers."""

from datetime import timedelta
from typing import Any

import pytest

from tests.service.support.application import Cafe, Caller, Device, VirtualClock, body_of, png

ITEMS = "/v1/content/items"
OTHER = '"0123456789abcdef0123456789abcdef"'


@pytest.fixture
def resources(cafe: Cafe, device: Device) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{ITEMS}/{cafe.coffee}", {"price": 9}),
        (f"/v1/locations/{cafe.location}", {"name": "B"}),
        (f"/v1/scenes/{cafe.scene}", {"name": "B"}),
        (f"/v1/playlists/{cafe.playlist}", {"name": "B"}),
        (f"/v1/screens/{device.screen}", {"name": "B"}),
    ]


async def test_a_change_needs_the_tag_that_it_names(owner: Caller, resources: list[tuple[str, dict[str, Any]]]) -> None:
    for path, change in resources:
        read = await owner.get(path)
        tag = read.headers["ETag"]

        for wrong in (OTHER, f"W/{tag}", tag.strip('"'), f'{OTHER}, "x"', ""):
            refused = await owner.send("PATCH", path, change, **{"If-Match": wrong})
            assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed"), (path, wrong)
            removal = await owner.send("DELETE", path, **{"If-Match": wrong})
            assert removal.status_code == 412, (path, wrong)
        assert body_of(await owner.get(path)) == body_of(read)

        changed = await owner.send("PATCH", path, change, **{"If-Match": f"{OTHER}, {tag}"})
        assert changed.status_code == 200, path
        assert changed.headers["ETag"] != tag
        assert changed.headers["ETag"] == (await owner.get(path)).headers["ETag"]
        assert (await owner.send("PATCH", path, change, **{"If-Match": tag})).status_code == 412
        assert (await owner.send("PATCH", path, change, **{"If-Match": "*"})).status_code == 200


async def test_a_removal_that_names_the_right_tag_is_done(owner: Caller, cafe: Cafe) -> None:
    path = f"{ITEMS}/{cafe.cake}"
    tag = (await owner.get(path)).headers["ETag"]

    assert (await owner.send("DELETE", path, **{"If-Match": tag})).status_code == 204
    assert (await owner.send("DELETE", path, **{"If-Match": tag})).status_code == 404
    assert (await owner.send("DELETE", path, **{"If-Match": "*"})).status_code == 404


async def test_playlist_orders_and_resources_without_a_get_have_tags(owner: Caller, cafe: Cafe) -> None:
    playlist = f"/v1/playlists/{cafe.playlist}"
    before = (await owner.get(playlist)).headers["ETag"]
    entry = await owner.post(f"{playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5})

    order = {"order": [entry.json()["id"], cafe.scene]}
    assert (await owner.send("PATCH", f"{playlist}/order", order, **{"If-Match": before})).status_code == 412
    now = (await owner.get(playlist)).headers["ETag"]
    reordered = await owner.send("PATCH", f"{playlist}/order", order, **{"If-Match": now})
    assert reordered.status_code == 200
    assert reordered.headers["ETag"] == (await owner.get(playlist)).headers["ETag"]

    place = entry.headers["Location"]
    assert (await owner.send("DELETE", place, **{"If-Match": OTHER})).status_code == 412
    assert (await owner.send("DELETE", place, **{"If-Match": entry.headers["ETag"]})).status_code == 204


async def test_if_none_match_with_the_current_tag_is_a_304(
    owner: Caller, resources: list[tuple[str, dict[str, Any]]]
) -> None:
    for path, change in resources:
        tag = (await owner.get(path)).headers["ETag"]

        for known in (tag, f"W/{tag}", f"{OTHER}, {tag}", "*"):
            unchanged = await owner.get(path, **{"If-None-Match": known})
            assert (unchanged.status_code, unchanged.content) == (304, b""), (path, known)
            assert unchanged.headers["ETag"] == tag
        assert (await owner.get(path, **{"If-None-Match": OTHER})).status_code == 200
        assert (await owner.get(path, **{"If-Match": OTHER})).status_code == 412
        assert (await owner.get(path, **{"If-Match": tag})).status_code == 200
        assert (await owner.get(path, **{"If-Match": "*"})).status_code == 200

        await owner.patch(path, change)
        assert (await owner.get(path, **{"If-None-Match": tag})).status_code == 200, path


async def test_a_heartbeat_changes_the_tag_for_readers_but_is_no_conflict_for_writers(
    owner: Caller, device: Device, clock: VirtualClock
) -> None:
    path = f"/v1/screens/{device.screen}"
    tag = (await owner.get(path)).headers["ETag"]
    clock.set(clock.now() + timedelta(seconds=5))
    await device.heartbeat()

    assert (await owner.get(path, **{"If-None-Match": tag})).status_code == 200
    assert (await owner.send("PATCH", path, {"name": "B"}, **{"If-Match": tag})).status_code == 200


async def test_a_created_resource_has_a_tag(owner: Caller) -> None:
    made = await owner.post(ITEMS, {"name": "Tea", "category": "Drinks", "price": 2})

    assert made.headers["ETag"] == (await owner.get(made.headers["Location"])).headers["ETag"]


async def test_an_asset_supports_conditional_requests(owner: Caller) -> None:
    made = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()
    path = f"/v1/assets/{made['id']}"

    assert (await owner.get(path, **{"If-None-Match": (await owner.get(path)).headers["ETag"]})).status_code == 304
    assert (await owner.get(path, **{"If-Match": OTHER})).status_code == 412


async def test_a_retry_is_answered_before_its_precondition_is_checked(owner: Caller, cafe: Cafe) -> None:
    path = f"{ITEMS}/{cafe.cake}"
    tag = (await owner.get(path)).headers["ETag"]
    headers = {"If-Match": tag, "Idempotency-Key": "a"}

    first = await owner.send("PATCH", path, {"price": 9}, **headers)
    again = await owner.send("PATCH", path, {"price": 9}, **headers)

    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["ETag"] == first.headers["ETag"]
