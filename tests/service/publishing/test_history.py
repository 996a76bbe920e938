"""Versions of a playlist: what each has and changed, the way back to one, and whether the draft differs from it."""

from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import delete, select

from service.core.permissions import Role
from service.services.publishing.playlists import MAX_STORED_VERSIONS
from service.storage.engines import for_writing, open_engine
from service.storage.migrate import migration_config
from service.storage.tables.menus import AssetRow, PlaylistVersionRow
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in, png
from tests.service.support.outbox import emitted_events

PLAYLISTS = "/v1/playlists"
NO_CHANGES: dict[str, Any] = {
    "renamed": False,
    "scenesAdded": [],
    "scenesRemoved": [],
    "scenesChanged": [],
    "order": False,
    "durations": [],
    "schedules": [],
}
DAYPART = {"type": "daypart", "start": "06:00", "end": "11:00"}


class Draft:
    """A playlist of scenes, as its operator changes and publishes it."""

    def __init__(self, owner: Caller, playlist: str) -> None:
        self.owner = owner
        self.path = f"{PLAYLISTS}/{playlist}"

    async def add(self, name: str, seconds: int = 10) -> str:
        """A new scene at the end: its id."""
        scene = await self.owner.make("/v1/scenes", {"name": name})
        await self.owner.make(f"{self.path}/scenes", {"sceneId": scene["id"], "durationSeconds": seconds})
        return str(scene["id"])

    async def publish(self) -> int:
        return int(body_of(await self.owner.post(f"{self.path}/publish"))["version"])

    async def entries(self) -> list[Any]:
        return list(body_of(await self.owner.get(self.path))["scenes"])

    async def versions(self) -> list[Any]:
        return list(body_of(await self.owner.get(f"{self.path}/versions"))["data"])

    async def restore(self, version: int) -> Any:
        response = await self.owner.post(f"{self.path}/versions/{version}/restore")
        assert response.status_code == 200, response.text
        return body_of(response)

    async def differs(self) -> bool:
        """Whether it differs from its last version, as the playlist and the list of playlists say."""
        one = body_of(await self.owner.get(self.path))
        [listed] = [row for row in body_of(await self.owner.get(PLAYLISTS))["data"] if row["id"] == one["id"]]
        assert listed["hasUnpublishedChanges"] is one["hasUnpublishedChanges"]
        return bool(one["hasUnpublishedChanges"])


@pytest.fixture
async def draft(owner: Caller) -> Draft:
    return Draft(owner, (await owner.make(PLAYLISTS, {"name": "Lunch"}))["id"])


def named(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"id": scene, "name": name} for scene, name in pairs]


async def test_versions_say_who_published_and_what_differs(service: Service, draft: Draft, clock: VirtualClock) -> None:
    soup = await draft.add("Soup")
    await draft.publish()
    salad = await draft.add("Salad")
    await clock.advance(60)
    publisher = service.caller(Role.PUBLISHER)
    assert (await publisher.post(f"{draft.path}/publish")).status_code == 200

    first, second = await draft.versions()

    assert (first["version"], first["changes"], first["restores"]) == (1, None, None)
    assert (second["version"], second["publishedAt"]) == (2, "2026-11-20T12:01:00.000Z")
    assert second["changes"] == NO_CHANGES | {"scenesAdded": named((salad, "Salad"))}
    assert first["publishedBy"]["name"] == second["publishedBy"]["name"] == "test"
    assert first["publishedBy"]["key"] != second["publishedBy"]["key"]
    assert body_of(await draft.owner.get(f"{draft.path}/versions?limit=1"))["pagination"]["hasMore"] is True
    whole = body_of(await draft.owner.get(f"{draft.path}/versions/1"))
    assert {name: whole[name] for name in first} == first
    assert whole["name"] == "Lunch"
    assert [scene["name"] for scene in whole["scenes"]] == ["Soup"]
    assert [(entry["sceneId"], entry["durationSeconds"]) for entry in whole["entries"]] == [(soup, 10)]


async def test_each_kind_of_change_is_named(draft: Draft) -> None:
    owner, path = draft.owner, draft.path
    soup, salad, cake = [await draft.add(name) for name in ("Soup", "Salad", "Cake")]
    first, second, third = [entry["id"] for entry in await draft.entries()]
    assert await draft.publish() == 1

    async def published() -> Any:
        await draft.publish()
        return (await draft.versions())[-1]["changes"]

    assert await published() == NO_CHANGES, "a publish that changes nothing makes a version"
    await owner.patch(path, {"name": "Dinner"})
    assert await published() == NO_CHANGES | {"renamed": True}
    await owner.patch(f"/v1/scenes/{soup}", {"name": "Stew"})
    assert await published() == NO_CHANGES | {"scenesChanged": named((soup, "Stew"))}
    await owner.patch(f"{path}/order", {"order": [third, first, second]})
    assert await published() == NO_CHANGES | {"order": True}
    await owner.patch(f"{path}/scenes/{second}", {"durationSeconds": 99})
    assert await published() == NO_CHANGES | {"durations": named((salad, "Salad"))}
    await owner.patch(f"{path}/scenes/{second}", {"schedule": DAYPART})
    await owner.make(f"/v1/scenes/{cake}/schedules", DAYPART)
    assert await published() == NO_CHANGES | {"schedules": named((cake, "Cake"), (salad, "Salad"))}
    await owner.delete(f"{path}/scenes/{third}")
    assert await published() == NO_CHANGES | {"scenesRemoved": named((cake, "Cake"))}


async def test_a_restore_brings_the_boards_back_and_keeps_the_draft(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    draft = Draft(owner, cafe.playlist)
    good = body_of(await device.manifest())
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Wrong", "widgets": []})
    assert await draft.publish() == 2
    await clock.advance(60)

    restored = await draft.restore(1)

    assert (restored["version"], restored["publishedAt"]) == (3, "2026-11-20T12:01:00.000Z")
    manifest = body_of(await device.manifest())
    assert manifest["playlist"] == good["playlist"] | {"version": 3, "publishedAt": "2026-11-20T12:01:00.000Z"}
    assert manifest["scenes"] == good["scenes"]
    assert body_of(await owner.get(f"/v1/scenes/{cafe.scene}"))["name"] == "Wrong", "the draft is as it was"
    assert restored["hasUnpublishedChanges"] is True
    last = (await draft.versions())[-1]
    assert (last["restores"], last["changes"]["scenesChanged"]) == (1, named((cafe.scene, "Menu")))
    assert [event["version"] for event in emitted_events(service, "content.published")] == [1, 2, 3]


async def test_a_restored_scene_may_be_deleted_by_now(owner: Caller, cafe: Cafe, device: Device) -> None:
    draft = Draft(owner, cafe.playlist)
    [entry] = await draft.entries()
    await draft.add("Other")
    await owner.delete(f"{draft.path}/scenes/{entry['id']}")
    await draft.publish()
    assert (await owner.delete(f"/v1/scenes/{cafe.scene}")).status_code == 204

    await draft.restore(1)

    assert [scene["id"] for scene in body_of(await device.manifest())["scenes"]] == [cafe.scene]


async def test_a_restore_whose_asset_is_gone_changes_nothing(service: Service, draft: Draft) -> None:
    owner = draft.owner
    image = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    scene = await draft.add("Soup")
    await owner.patch(f"/v1/scenes/{scene}", {"background": {"asset": image}})
    await draft.publish()
    await owner.patch(f"/v1/scenes/{scene}", {"background": {"color": "#000000"}})
    await draft.publish()
    approval = await service.caller(Role.EDITOR).post(f"{draft.path}/versions/1/restore")
    assert approval.status_code == 202
    with service.services.database.write() as unit:
        unit.session.execute(delete(AssetRow))

    for refused in (
        await owner.post(f"{draft.path}/versions/1/restore"),
        await service.caller(Role.EDITOR).post(f"{draft.path}/versions/1/restore"),
        await owner.post(f"/v1/approvals/{approval.json()['id']}/approve"),
    ):
        problem = body_of(refused)
        assert (refused.status_code, problem["code"]) == (409, "asset_gone")
        assert image in problem["errors"][0]["detail"]
    assert len(await draft.versions()) == 2
    assert body_of(await owner.get(f"/v1/approvals/{approval.json()['id']}"))["status"] == "pending"


async def test_what_is_not_stored_cannot_be_restored(draft: Draft) -> None:
    last = MAX_STORED_VERSIONS + 1
    await draft.add("Soup")
    for _ in range(last):
        await draft.publish()

    for method, end in (("GET", ""), ("GET", "/scenes/scn_1/image"), ("POST", "/restore")):
        for version, status, code in ((1, 410, "version_gone"), (last + 1, 404, "not_found"), (0, 422, "invalid")):
            refused = await draft.owner.send(method, f"{draft.path}/versions/{version}{end}")
            assert (refused.status_code, refused.json()["code"]) == (status, code), (method, end, version)
    for word in ("one", "-1", "9" * 30):
        refused = await draft.owner.get(f"{draft.path}/versions/{word}")
        assert (refused.status_code, list(faults_in(refused))) == (422, ["version"])
    assert [version["version"] for version in await draft.versions()] == [*range(2, last + 1)]


async def test_a_restore_has_conditions_and_one_effect(draft: Draft) -> None:
    await draft.add("Soup")
    await draft.publish()
    path = f"{draft.path}/versions/1/restore"
    tag = (await draft.owner.get(draft.path)).headers["ETag"]
    await draft.add("Salad")

    changed = await draft.owner.send("POST", path, **{"If-Match": tag})
    assert (changed.status_code, changed.json()["code"]) == (412, "precondition_failed")
    once, again = [await draft.owner.send("POST", path, **{"Idempotency-Key": "back"}) for _ in range(2)]

    assert (once.status_code, once.content) == (again.status_code, again.content)
    assert [version["restores"] for version in await draft.versions()] == [None, 1]


async def test_an_editors_restore_is_a_request(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    draft = Draft(owner, cafe.playlist)
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Wrong"})
    await draft.publish()

    asked = await service.caller(Role.EDITOR).post(f"{draft.path}/versions/1/restore")

    approval = body_of(asked)
    assert (asked.status_code, approval["status"], approval["restores"]) == (202, "pending", 1)
    assert asked.headers["Location"] == f"/v1/approvals/{approval['id']}"
    assert [scene["name"] for scene in body_of(await device.manifest())["scenes"]] == ["Wrong"]
    decided = body_of(await service.caller(Role.PUBLISHER).post(f"/v1/approvals/{approval['id']}/approve"))
    assert (decided["version"], decided["restores"]) == (3, 1)
    last = (await draft.versions())[-1]
    assert (last["restores"], last["publishedBy"]["key"]) == (1, decided["decidedBy"])
    assert [scene["name"] for scene in body_of(await device.manifest())["scenes"]] == ["Menu"]


@pytest.mark.long
async def test_an_approver_sees_what_is_asked_for_beside_what_shows(service: Service, draft: Draft) -> None:
    owner = draft.owner
    soup, salad, cake = [await draft.add(name) for name in ("Soup", "Salad", "Cake")]
    await draft.publish()
    tea = await draft.add("Tea")
    await owner.patch(f"/v1/scenes/{salad}", {"background": {"color": "#FF0000"}})
    [_, _, entry, _] = await draft.entries()
    await owner.delete(f"{draft.path}/scenes/{entry['id']}")

    approval = body_of(await service.caller(Role.EDITOR).post(f"{draft.path}/publish"))

    at, now = f"/v1/approvals/{approval['id']}/scenes", f"{draft.path}/versions/1/scenes"
    assert approval["scenes"] == [
        {"id": scene, "name": name, "change": change, "image": image, "imageNow": image_now}
        for scene, name, change, image, image_now in (
            (soup, "Soup", "same", f"{at}/{soup}/image", f"{now}/{soup}/image"),
            (salad, "Salad", "changed", f"{at}/{salad}/image", f"{now}/{salad}/image"),
            (tea, "Tea", "added", f"{at}/{tea}/image", None),
            (cake, "Cake", "removed", None, f"{now}/{cake}/image"),
        )
    ]
    assert approval["changes"]["scenesChanged"] == named((salad, "Salad"))
    tags = {}
    for one in approval["scenes"]:
        for field in ("image", "imageNow"):
            if one[field] is not None:
                answer = await owner.get(f"{one[field]}?width=64")
                assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png"), one
                tags[one["id"], field] = answer.headers["ETag"]
    assert tags[soup, "image"] == tags[soup, "imageNow"]
    assert tags[salad, "image"] != tags[salad, "imageNow"]
    assert (await owner.get(f"{at}/{cake}/image")).status_code == 404
    assert (await service.stranger().get(f"{at}/{soup}/image")).status_code == 404
    await owner.post(f"/v1/approvals/{approval['id']}/approve")
    assert (await owner.get(f"{at}/{soup}/image")).status_code == 404, "it is decided"


async def test_a_first_request_has_nothing_beside_it(service: Service, draft: Draft) -> None:
    soup = await draft.add("Soup")
    approval = body_of(await service.caller(Role.EDITOR).post(f"{draft.path}/publish"))
    assert approval["changes"] is None
    assert [(one["id"], one["change"], one["imageNow"]) for one in approval["scenes"]] == [(soup, "added", None)]


async def test_a_playlist_says_whether_it_differs_from_its_last_version(draft: Draft) -> None:
    owner, path = draft.owner, draft.path
    assert await draft.differs() is False, "there is nothing to publish"
    soup = await draft.add("Soup")
    assert await draft.differs() is True
    await draft.publish()
    assert await draft.differs() is False
    [entry] = await draft.entries()
    schedule = (await owner.make(f"/v1/scenes/{soup}/schedules", DAYPART))["id"]
    assert await draft.differs() is True
    await draft.publish()

    async def there_and_back(way: str, change: dict[str, Any], back: dict[str, Any]) -> None:
        await owner.patch(way, change)
        assert await draft.differs() is True, change
        await owner.patch(way, back)
        assert await draft.differs() is False, "as it was"

    await there_and_back(path, {"name": "Dinner"}, {"name": "Lunch"})
    await there_and_back(f"/v1/scenes/{soup}", {"name": "Stew"}, {"name": "Soup"})
    await there_and_back(f"/v1/scenes/{soup}", {"mirrorBoxes": True}, {"mirrorBoxes": False})
    await there_and_back(f"{path}/scenes/{entry['id']}", {"durationSeconds": 11}, {"durationSeconds": 10})
    await there_and_back(f"{path}/scenes/{entry['id']}", {"schedule": DAYPART}, {"schedule": None})
    await there_and_back(f"/v1/schedules/{schedule}", {"start": "07:00"}, {"start": "06:00"})
    await owner.delete(f"/v1/schedules/{schedule}")
    assert await draft.differs() is True
    await owner.make(f"/v1/scenes/{soup}/schedules", DAYPART)
    assert await draft.differs() is False
    await owner.delete(f"{path}/scenes/{entry['id']}")
    assert await draft.differs() is True, "although it cannot be published like this"


async def test_a_request_is_no_unpublished_change(service: Service, draft: Draft) -> None:
    soup = await draft.add("Soup")
    approval = body_of(await service.caller(Role.EDITOR).post(f"{draft.path}/publish"))["id"]
    await draft.owner.patch(f"/v1/scenes/{soup}", {"name": "Edited since"})
    await draft.owner.post(f"/v1/approvals/{approval}/approve")
    assert await draft.differs() is True
    await draft.owner.patch(f"/v1/scenes/{soup}", {"name": "Soup"})
    assert await draft.differs() is False


async def test_a_change_of_a_scene_is_no_conflict_for_its_playlist(draft: Draft) -> None:
    soup = await draft.add("Soup")
    await draft.publish()
    tag = (await draft.owner.get(draft.path)).headers["ETag"]
    await draft.owner.patch(f"/v1/scenes/{soup}", {"name": "Stew"})

    assert (await draft.owner.get(draft.path, **{"If-None-Match": tag})).status_code == 200
    renamed = await draft.owner.send("PATCH", draft.path, {"name": "Dinner"}, **{"If-Match": tag})
    assert renamed.status_code == 200


@pytest.mark.long
async def test_the_draft_of_an_earlier_release_is_compared(service: Service, draft: Draft) -> None:
    """The migration writes the digests of what is there."""
    soup = await draft.add("Soup")
    await draft.owner.patch(f"/v1/scenes/{soup}", {"background": {"color": "#FF0000"}, "languages": []})
    await draft.owner.make(f"/v1/scenes/{soup}/schedules", DAYPART)
    await draft.publish()
    engine = open_engine(service.database, file=service.data / "service.sqlite3")
    config = migration_config()
    before = ScriptDirectory.from_config(config).get_revision("0033").down_revision
    assert isinstance(before, str)
    with for_writing(engine).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, before)
        command.upgrade(config, "head")
    engine.dispose()

    assert await draft.differs() is False
    await draft.owner.patch(f"/v1/scenes/{soup}", {"background": {"color": "#FF0000"}})
    assert await draft.differs() is False
    await draft.owner.patch(f"/v1/scenes/{soup}", {"background": {"color": "#00FF00"}})
    assert await draft.differs() is True
    [version] = await draft.versions()
    assert (version["publishedBy"], version["changes"]) == (None, None)
    assert (await draft.restore(1))["hasUnpublishedChanges"] is True


async def test_a_narrowed_key_is_told_no_names_of_keys(service: Service, draft: Draft, cafe: Cafe) -> None:
    made = await draft.owner.make("/v1/keys", {"name": "x", "role": "Viewer", "locations": [cafe.location]})
    [version] = body_of(await Caller(service.client, made["key"]).get(f"{PLAYLISTS}/{cafe.playlist}/versions"))["data"]
    assert version["publishedBy"]["name"] is None


async def test_another_workspace_sees_no_versions(service: Service, draft: Draft) -> None:
    await draft.add("Soup")
    await draft.publish()
    stranger = service.stranger()
    for method, end in (("GET", ""), ("GET", "/1"), ("POST", "/1/restore")):
        assert (await stranger.send(method, f"{draft.path}/versions{end}")).status_code == 404
    with service.services.database.read() as session:
        assert len(session.scalars(select(PlaylistVersionRow)).all()) == 1
