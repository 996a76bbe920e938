"""Playlists: order, publishing as a snapshot, and removal."""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from service.core.permissions import Role
from service.services.publishing import composition as manifests_module
from service.services.publishing import playlists as playlists_module
from service.services.publishing.playlists import MAX_STORED_VERSIONS
from service.storage.tables.menus import PlaylistVersionRow
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in

PLAYLISTS = "/v1/playlists"


async def scenes_of(owner: Caller, playlist: str) -> list[str]:
    return [entry["sceneId"] for entry in body_of(await owner.get(f"{PLAYLISTS}/{playlist}"))["scenes"]]


async def three_scenes(owner: Caller) -> tuple[str, list[str], list[str]]:
    """A playlist, its scenes, and their entries."""
    playlist = (await owner.make(PLAYLISTS, {"name": "Three"}))["id"]
    scenes, entries = [], []
    for name in "abc":
        scenes.append((await owner.make("/v1/scenes", {"name": name}))["id"])
        body = {"sceneId": scenes[-1], "durationSeconds": 10}
        entries.append((await owner.make(f"{PLAYLISTS}/{playlist}/scenes", body))["id"])
    return playlist, scenes, entries


async def test_a_new_playlist_is_empty_and_unpublished(owner: Caller) -> None:
    response = await owner.post(PLAYLISTS, {"name": "Lunch"})

    playlist = body_of(response)
    assert response.status_code == 201
    assert response.headers["Location"] == f"{PLAYLISTS}/{playlist['id']}"
    assert (playlist["name"], playlist["version"], playlist["publishedAt"], playlist["scenes"]) == (
        "Lunch",
        0,
        None,
        [],
    )
    renamed = body_of(await owner.patch(f"{PLAYLISTS}/{playlist['id']}", {"name": "Dinner"}))
    assert renamed == playlist | {"name": "Dinner"}
    [listed] = body_of(await owner.get(PLAYLISTS))["data"]
    assert listed["name"] == "Dinner"


async def test_scenes_are_appended_with_their_time_and_schedule(owner: Caller, cafe: Cafe) -> None:
    entry = await owner.make(
        f"{PLAYLISTS}/{cafe.playlist}/scenes",
        {
            "sceneId": cafe.scene,
            "durationSeconds": 86400,
            "schedule": {"type": "daypart", "start": "06:00", "end": "11:00"},
        },
    )

    assert entry == {
        "id": entry["id"],
        "sceneId": cafe.scene,
        "durationSeconds": 86400,
        "schedule": {"type": "daypart", "start": "06:00", "end": "11:00", "timezone": "location"},
    }
    assert body_of(await owner.get(f"{PLAYLISTS}/{cafe.playlist}"))["scenes"][-1] == entry


NO_ENTRIES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"sceneId": "scn_none"}, {"/sceneId": "unknown_scene"}),
    ({"sceneId": None}, {"/sceneId": "wrong_type"}),
    ({"durationSeconds": 0}, {"/durationSeconds": "out_of_range"}),
    ({"durationSeconds": 86401}, {"/durationSeconds": "out_of_range"}),
    ({"durationSeconds": Decimal("1.5")}, {"/durationSeconds": "not_whole"}),
    ({"durationSeconds": "10"}, {"/durationSeconds": "not_a_number"}),
    (
        {"schedule": {"type": "window"}},
        {"/schedule/type": "not_allowed", "/schedule/start": "required", "/schedule/end": "required"},
    ),
    ({"schedule": {"type": "daypart", "start": "06:00", "end": "6"}}, {"/schedule/end": "not_a_time"}),
]


async def test_an_invalid_entry_is_refused(owner: Caller, cafe: Cafe) -> None:
    for case in NO_ENTRIES:
        change, faults = case
        body = {"sceneId": cafe.scene, "durationSeconds": 10} | change

        response = await owner.post(f"{PLAYLISTS}/{cafe.playlist}/scenes", body)

        assert (response.status_code, faults_in(response)) == (422, faults), case
        assert await scenes_of(owner, cafe.playlist) == [cafe.scene], case


async def test_an_entry_changes_its_time_and_schedule(owner: Caller) -> None:
    playlist, _, (entry, *_) = await three_scenes(owner)
    path = f"{PLAYLISTS}/{playlist}/scenes/{entry}"
    daypart = {"type": "daypart", "start": "06:00", "end": "11:00"}

    with_schedule = await owner.patch(path, {"schedule": daypart})
    assert body_of(with_schedule)["schedule"] == daypart | {"timezone": "location"}
    assert body_of(await owner.patch(path, {"durationSeconds": 99}))["schedule"] is not None
    assert body_of(await owner.patch(path, {"schedule": None}))["schedule"] is None
    seconds = [one["durationSeconds"] for one in body_of(await owner.get(f"{PLAYLISTS}/{playlist}"))["scenes"]]
    assert seconds == [99, 10, 10]

    stale = await owner.send("PATCH", path, {"durationSeconds": 5}, **{"If-Match": with_schedule.headers["ETag"]})
    assert stale.status_code == 412
    for body, faults in (
        ({"durationSeconds": 0}, {"/durationSeconds": "out_of_range"}),
        ({"durationSeconds": None}, {"/durationSeconds": "not_a_number"}),
        ({"schedule": {"type": "daypart", "start": "6", "end": "11:00"}}, {"/schedule/start": "not_a_time"}),
    ):
        refused = await owner.patch(path, body)
        assert (refused.status_code, faults_in(refused)) == (422, faults), body
    assert (await owner.patch(f"{PLAYLISTS}/{playlist}/scenes/ent_none", {})).status_code == 404


async def test_scenes_are_reordered_by_scene_or_entry(owner: Caller) -> None:
    playlist, (a, b, c), (entry_a, _, _) = await three_scenes(owner)
    path = f"{PLAYLISTS}/{playlist}/order"

    by_scene = await owner.patch(path, {"order": [c, a, b]})
    assert [entry["sceneId"] for entry in body_of(by_scene)["scenes"]] == [c, a, b]
    await owner.patch(path, {"order": [b, c, entry_a]})
    assert await scenes_of(owner, playlist) == [b, c, a]


async def test_two_entries_of_one_scene_are_distinguished_by_entry_id(owner: Caller) -> None:
    playlist, (a, b, _), (_, _, entry_c) = await three_scenes(owner)
    path = f"{PLAYLISTS}/{playlist}"
    second_a = (await owner.make(f"{path}/scenes", {"sceneId": a, "durationSeconds": 99}))["id"]
    await owner.delete(f"{path}/scenes/{entry_c}")

    await owner.patch(f"{path}/order", {"order": [second_a, b, a]})

    seconds = [entry["durationSeconds"] for entry in body_of(await owner.get(path))["scenes"]]
    assert seconds == [99, 10, 10]


async def test_an_order_names_every_scene_once(owner: Caller) -> None:
    playlist, (a, b, c), _ = await three_scenes(owner)
    for order, faults in (
        ([a, b], {"/order": "incomplete"}),
        ([], {"/order": "incomplete"}),
        ([a, b, c, c], {"/order/3": "not_in_playlist"}),
        ([a, a, b], {"/order/1": "not_in_playlist", "/order": "incomplete"}),
        ([a, b, "scn_none"], {"/order/2": "not_in_playlist", "/order": "incomplete"}),
        ("abc", {"/order": "wrong_type"}),
    ):
        response = await owner.patch(f"{PLAYLISTS}/{playlist}/order", {"order": order})
        assert (response.status_code, faults_in(response)) == (422, faults)
    assert await scenes_of(owner, playlist) == [a, b, c]


async def test_publishing_counts_versions_and_freezes_the_scenes(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    before = body_of(await device.manifest())
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Edited"})
    await owner.make(f"{PLAYLISTS}/{cafe.playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5})
    assert body_of(await device.manifest()) == before

    await clock.advance(60)
    published = body_of(await owner.post(f"{PLAYLISTS}/{cafe.playlist}/publish"))

    assert (published["version"], published["publishedAt"]) == (2, "2026-11-20T12:01:00.000Z")
    after = body_of(await device.manifest())
    assert (after["playlist"]["version"], after["revision"]) == (2, before["revision"] + 1)
    assert after["revisionAt"] == "2026-11-20T12:01:00.000Z"
    assert [entry["durationSeconds"] for entry in after["playlist"]["entries"]] == [15, 5]
    assert [scene["name"] for scene in after["scenes"]] == ["Edited"]


async def test_old_versions_are_deleted(service: Service, owner: Caller, cafe: Cafe) -> None:
    for _ in range(MAX_STORED_VERSIONS + 3):
        await owner.post(f"{PLAYLISTS}/{cafe.playlist}/publish")

    with service.services.database.read() as session:
        kept = session.scalars(select(PlaylistVersionRow.version).order_by(PlaylistVersionRow.version)).all()
    newest = MAX_STORED_VERSIONS + 4
    assert kept == list(range(newest - MAX_STORED_VERSIONS + 1, newest + 1))


async def test_a_playlist_without_scenes_is_not_published(service: Service, owner: Caller, cafe: Cafe) -> None:
    path = f"{PLAYLISTS}/{cafe.playlist}"
    [entry] = body_of(await owner.get(path))["scenes"]
    await owner.delete(f"{path}/scenes/{entry['id']}")

    for caller in (owner, service.caller(Role.EDITOR)):
        refused = await caller.post(f"{path}/publish")
        assert (refused.status_code, refused.json()["code"]) == (409, "playlist_empty")
        assert "Append a scene" in refused.json()["detail"]

    assert body_of(await owner.get(path))["version"] == 1
    assert body_of(await owner.get("/v1/approvals"))["data"] == []


async def test_a_publish_is_of_the_playlist_that_was_read(service: Service, owner: Caller, cafe: Cafe) -> None:
    path = f"{PLAYLISTS}/{cafe.playlist}"
    seen = (await owner.get(path)).headers["ETag"]
    await owner.patch(path, {"name": "All week"})

    for caller in (owner, service.caller(Role.EDITOR)):
        refused = await caller.send("POST", f"{path}/publish", **{"If-Match": seen})
        assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert body_of(await owner.get(path))["version"] == 1
    seen = (await owner.get(path)).headers["ETag"]
    assert (await owner.send("POST", f"{path}/publish", **{"If-Match": seen})).status_code == 200
    assert (await owner.send("POST", f"{path}/publish", **{"If-Match": "*"})).status_code == 200


async def test_a_publish_that_players_would_refuse_changes_nothing(
    owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (await device.manifest()).content
    monkeypatch.setattr(manifests_module, "MAX_MANIFEST_BYTES", 4096 + 1000)
    long = {"id": "long", "type": "text", "text": "x" * 2000, "x": 0, "y": 0, "width": 9, "height": 9}
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [long]})

    refused = await owner.post(f"{PLAYLISTS}/{cafe.playlist}/publish")

    assert (refused.status_code, refused.json()["code"]) == (409, "playlist_too_large")
    assert body_of(await owner.get(f"{PLAYLISTS}/{cafe.playlist}"))["version"] == 1
    assert (await device.manifest()).content == before


async def test_a_playlist_in_use_cannot_be_removed(owner: Caller, cafe: Cafe, device: Device) -> None:
    refused = await owner.delete(f"{PLAYLISTS}/{cafe.playlist}")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")

    assert (await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})).status_code == 200
    assert (await owner.delete(f"{PLAYLISTS}/{cafe.playlist}")).status_code == 204
    assert (await owner.get(f"{PLAYLISTS}/{cafe.playlist}")).status_code == 404
    # Its scenes can be removed now.
    assert (await owner.delete(f"/v1/scenes/{cafe.scene}")).status_code == 204


async def test_the_number_of_entries_is_limited(owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playlists_module, "MAX_ENTRIES", 1)

    full = await owner.post(f"{PLAYLISTS}/{cafe.playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 1})

    assert (full.status_code, full.json()["code"]) == (409, "too_many_scenes")
