"""Overrides: one scene or playlist now, until a time, in place of all else, told with the manifests of its screens."""

from datetime import timedelta
from typing import Any

import pytest

from service.core.clock import instant_text
from service.core.permissions import Role
from service.services.publishing import composition as composition_module
from service.services.publishing import overrides as overrides_module
from tests.service.support.application import (
    MENU,
    START,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair,
    png,
    start,
)

OVERRIDES = "/v1/overrides"
TEXT = {"id": "text", "type": "text", "x": 0, "y": 0, "width": 900, "height": 200, "text": "Closed early"}


@pytest.fixture
async def notice(owner: Caller) -> str:
    """A scene that no playlist has."""
    return str((await owner.make("/v1/scenes", {"name": "Closed early", "widgets": [TEXT]}))["id"])


def ahead(**by: float) -> str:
    return instant_text(START + timedelta(**by))


def override(notice: str | None, **more: Any) -> dict[str, Any]:
    return {
        "scene": notice,
        "target": {"everything": True},
        "until": ahead(hours=2),
        "reason": "The oven is broken",
        **more,
    }


async def told(device: Device) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(await device.manifest()).get("overrides", [])
    return found


async def test_an_override_reaches_the_board_at_once_and_leaves_it_as_fast(
    owner: Caller, cafe: Cafe, device: Device, notice: str
) -> None:
    before = await device.manifest()
    call = start(device.held(before.headers["ETag"]))
    made = await owner.make(OVERRIDES, override(notice))
    fresh = await call
    assert fresh.status_code == 200
    manifest = body_of(fresh)
    assert manifest["playlist"] == body_of(before)["playlist"], "nothing is published"
    (one,) = manifest["overrides"]
    assert (one["id"], one["until"], one["reason"]) == (made["id"], ahead(hours=2), "The oven is broken")
    assert "screens" not in one
    (entry,) = one["playlist"]["entries"]
    assert (entry["sceneId"], one["scenes"][0]["widgets"][0]["text"]) == (notice, "Closed early")
    assert one["playlist"]["publishedAt"] == one["startsAt"] == made["startsAt"]
    assert made["status"] == "running"

    call = start(device.held(fresh.headers["ETag"]))
    assert (await owner.delete(f"{OVERRIDES}/{made['id']}")).status_code == 204
    gone = await call
    assert "overrides" not in body_of(gone)
    assert body_of(gone)["revision"] > manifest["revision"]
    assert body_of(gone)["revisionAt"] >= manifest["revisionAt"]
    assert (await owner.get(f"{OVERRIDES}/{made['id']}")).status_code == 404


async def test_its_items_are_live_and_its_scenes_and_files_are_those_of_when_it_was_made(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    playlist = (await owner.make("/v1/playlists", {"name": "Coffee"}))["id"]
    image = (await owner.raw("POST", "/v1/assets", png(7), "image/png")).json()["id"]
    menu = MENU | {"categories": ["Coffee"]}
    picture = {"id": "picture", "type": "image", "x": 0, "y": 0, "width": 90, "height": 90, "asset": image}
    scene = await owner.make("/v1/scenes", {"name": "Only drinks", "widgets": [menu, picture]})
    await owner.make(f"/v1/playlists/{playlist}/scenes", {"sceneId": scene["id"], "durationSeconds": 5})
    cakes = await owner.make("/v1/scenes", {"name": "Cakes", "widgets": [MENU | {"categories": ["Cake"]}]})
    shown = (await owner.make("/v1/playlists", {"name": "Cakes"}))["id"]
    await owner.make(f"/v1/playlists/{shown}/scenes", {"sceneId": cakes["id"], "durationSeconds": 5})
    assert (await owner.post(f"/v1/playlists/{shown}/publish")).status_code == 200
    assert (await owner.patch(f"/v1/screens/{device.screen}", {"playlist": shown})).status_code == 200
    assert [item["name"] for item in body_of(await device.manifest())["items"]] == ["Carrot cake"]

    made = await owner.make(OVERRIDES, override(None, playlist=playlist))
    assert (made["name"], made["playlist"]) == ("Coffee", playlist)
    await owner.patch(f"/v1/scenes/{scene['id']}", {"name": "Other", "widgets": []})
    await owner.delete(f"/v1/playlists/{playlist}")
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})

    manifest = body_of(await device.manifest())
    assert [(one["name"], one["eightySixed"]) for one in manifest["items"]] == [
        ("Flat white", True),
        ("Carrot cake", False),
    ]
    assert image.removeprefix("sha256:") in manifest["assets"]
    (one,) = manifest["overrides"]
    assert [scene["name"] for scene in one["scenes"]] == ["Only drinks"]


async def test_a_scene_of_an_override_shows_at_all_hours_and_may_be_deleted(
    owner: Caller, device: Device, notice: str
) -> None:
    await owner.make(f"/v1/scenes/{notice}/schedules", {"type": "daypart", "start": "06:00", "end": "07:00"})
    await owner.make(OVERRIDES, override(notice))
    assert (await owner.delete(f"/v1/scenes/{notice}")).status_code == 204
    ((scene,),) = [one["scenes"] for one in await told(device)]
    assert scene["schedules"] == []


async def test_targets_name_screens_tags_locations_or_everything(
    service: Service, owner: Caller, cafe: Cafe, device: Device, notice: str
) -> None:
    other = await pair(service, owner, cafe, device_id="e" * 32)
    await owner.patch(f"/v1/screens/{other.screen}", {"tags": ["bar"]})

    async def meant(target: dict[str, Any]) -> Any:
        made = await owner.make(OVERRIDES, override(notice, target=target))
        found = [one.get("screens", "all") for one in await told(device)]
        assert found == [one.get("screens", "all") for one in await told(other)], "a manifest is the board's"
        await owner.delete(f"{OVERRIDES}/{made['id']}")
        return found

    assert await meant({"screens": [device.screen]}) == [[device.screen]]
    assert await meant({"tags": ["bar", "office"]}) == [[other.screen]]
    assert await meant({"tags": ["office"]}) == []
    assert await meant({"location": cafe.location}) == ["all"]
    assert await meant({"everything": True}) == ["all"]
    group = await owner.make("/v1/groups", {"name": "Region", "locations": [cafe.location]})
    assert await meant({"group": group["id"]}) == ["all"]
    others = await owner.make("/v1/groups", {"name": "Others", "locations": []})
    assert await meant({"group": others["id"]}) == []
    elsewhere = await owner.make("/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"})
    assert await meant({"location": elsewhere["id"]}) == []


async def test_a_screen_that_gets_a_tag_gets_the_override(owner: Caller, device: Device, notice: str) -> None:
    await owner.make(OVERRIDES, override(notice, target={"tags": ["bar"]}))
    before = await device.manifest()
    assert "overrides" not in body_of(before)
    call = start(device.held(before.headers["ETag"]))
    await owner.patch(f"/v1/screens/{device.screen}", {"tags": ["bar"]})
    assert [one["screens"] for one in body_of(await call)["overrides"]] == [[device.screen]]


async def test_a_location_that_joins_a_group_gets_its_override(
    owner: Caller, cafe: Cafe, device: Device, notice: str
) -> None:
    group = await owner.make("/v1/groups", {"name": "Region", "locations": []})
    await owner.make(OVERRIDES, override(notice, target={"group": group["id"]}))
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await owner.patch(f"/v1/groups/{group['id']}", {"locations": [cafe.location]})
    assert len(body_of(await call)["overrides"]) == 1
    assert (await owner.post(OVERRIDES, override(notice, target={"group": "grp_x"}))).status_code == 404


async def test_a_screen_without_a_playlist_gets_it_too(owner: Caller, cafe: Cafe, device: Device, notice: str) -> None:
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})
    await owner.make(OVERRIDES, override(notice, target={"location": cafe.location}))
    manifest = body_of(await device.manifest())
    assert (manifest["playlist"], len(manifest["overrides"])) == (None, 1)


async def test_an_override_waits_for_its_start_and_is_told_until_its_end(
    owner: Caller, device: Device, notice: str, clock: VirtualClock
) -> None:
    made = await owner.make(OVERRIDES, override(notice, startsAt=ahead(hours=1)))
    assert made["status"] == "waiting"
    assert [one["startsAt"] for one in await told(device)] == [ahead(hours=1)], "its files are fetched before"
    clock.step(timedelta(hours=1))
    assert body_of(await owner.get(f"{OVERRIDES}/{made['id']}"))["status"] == "running"
    clock.step(timedelta(hours=1))
    assert body_of(await owner.get(f"{OVERRIDES}/{made['id']}"))["status"] == "ended"
    await owner.patch(f"/v1/screens/{device.screen}", {"tags": ["x"]})
    await owner.make(OVERRIDES, override(notice, until=ahead(hours=3), reason="Another"))
    assert [one["reason"] for one in await told(device)] == ["Another"]


async def test_the_one_that_starts_last_is_told_last(owner: Caller, device: Device, notice: str) -> None:
    for reason, hours in (("second", 1.0), ("first", 0.0), ("third", 1.5)):
        await owner.make(OVERRIDES, override(notice, reason=reason, startsAt=ahead(hours=hours)))
    assert [one["reason"] for one in await told(device)] == ["first", "second", "third"]


REFUSED: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"until": ahead(hours=-1)}, {"/until": "not_in_the_future"}),
    ({"until": ahead(days=7, seconds=1)}, {"/until": "out_of_range"}),
    ({"until": None}, {"/until": "not_an_instant"}),
    ({"startsAt": ahead(hours=3)}, {"": "ends_before_start"}),
    ({"scene": None}, {"": "ambiguous"}),
    ({"playlist": "pl_x"}, {"": "ambiguous"}),
    ({"scene": "scn_gone"}, {"/scene": "unknown_scene"}),
    ({"scene": None, "playlist": "pl_x"}, {"/playlist": "unknown_playlist"}),
    ({"target": {}}, {"/target": "ambiguous"}),
    ({"target": {"everything": True, "tags": ["a"]}}, {"/target": "ambiguous"}),
    ({"target": {"everything": False}}, {"/target/everything": "not_allowed"}),
    ({"target": {"screens": ["scr_x"]}}, {"/target/screens/0": "unknown_screen"}),
    ({"target": {"screens": []}}, {"/target/screens": "too_short"}),
    ({"target": {"screens": ["x"] * 501}}, {"/target/screens": "too_long"}),
    ({"target": {"location": "loc_x"}}, {"/target/location": "unknown_location"}),
    ({"reason": ""}, {"/reason": "too_short"}),
]


async def test_what_cannot_be_is_refused_and_changes_nothing(owner: Caller, device: Device, notice: str) -> None:
    for change, faults in REFUSED:
        answer = await owner.post(OVERRIDES, override(notice, **change))
        assert (answer.status_code, faults_in(answer)) == (422, faults), change
    empty = (await owner.make("/v1/playlists", {"name": "Empty"}))["id"]
    answer = await owner.post(OVERRIDES, override(None, playlist=empty))
    assert (answer.status_code, answer.json()["code"]) == (409, "playlist_empty")
    assert body_of(await owner.get(OVERRIDES))["data"] == []
    assert await told(device) == []


async def test_their_number_and_size_are_limited(
    owner: Caller, notice: str, monkeypatch: pytest.MonkeyPatch, clock: VirtualClock
) -> None:
    monkeypatch.setattr(overrides_module, "MAX_OVERRIDES", 1)
    await owner.make(OVERRIDES, override(notice))
    answer = await owner.post(OVERRIDES, override(notice))
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_overrides")
    clock.step(timedelta(hours=2))
    await owner.make(OVERRIDES, override(notice, until=ahead(hours=5)))

    monkeypatch.setattr(overrides_module, "MAX_OVERRIDES", 5)
    monkeypatch.setattr(overrides_module, "MAX_OVERRIDE_BYTES", 100)
    answer = await owner.post(OVERRIDES, override(notice, until=ahead(hours=5)))
    assert (answer.status_code, answer.json()["code"]) == (409, "override_too_large")


async def test_where_the_manifest_is_full_the_last_override_stays(
    owner: Caller, device: Device, notice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = len((await device.manifest()).content)
    for reason in ("first", "last"):
        await owner.make(OVERRIDES, override(notice, reason=reason))
    one = len(str(await told(device))) // 2
    monkeypatch.setattr(composition_module, "MAX_MANIFEST_BYTES", room + one + 1500)
    await owner.patch(f"/v1/screens/{device.screen}", {"tags": ["x"]})
    assert [one["reason"] for one in await told(device)] == ["last"]


async def test_who_may_make_them_and_for_which_screens(
    service: Service, owner: Caller, cafe: Cafe, device: Device, notice: str
) -> None:
    assert (await service.caller(Role.PUBLISHER).post(OVERRIDES, override(notice))).status_code == 201
    assert (await service.caller(Role.EDITOR).post(OVERRIDES, override(notice))).status_code == 403
    wide = body_of(await owner.get(OVERRIDES))["data"][0]["id"]

    city = await owner.make("/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"})
    other = await pair(service, owner, cafe, device_id="e" * 32)
    await owner.patch(f"/v1/screens/{other.screen}", {"location": city["id"]})
    key = await owner.make("/v1/keys", {"name": "b", "role": "Publisher", "locations": [city["id"]]})
    narrow = Caller(service.client, key["key"])
    made = await narrow.make(OVERRIDES, override(notice, reason="narrow"))
    assert [one["reason"] for one in await told(device)] == ["The oven is broken"]
    assert [one["reason"] for one in await told(other)] == ["The oven is broken", "narrow"]
    answer = await narrow.post(OVERRIDES, override(notice, target={"screens": [device.screen]}))
    assert faults_in(answer) == {"/target/screens/0": "unknown_screen"}
    assert [one["id"] for one in body_of(await narrow.get(OVERRIDES))["data"]] == [wide, made["id"]]
    refused = await narrow.delete(f"{OVERRIDES}/{wide}")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert (await narrow.delete(f"{OVERRIDES}/{made['id']}")).status_code == 204


async def test_a_narrowed_key_reads_what_its_screens_show_and_nothing_of_elsewhere(
    service: Service, owner: Caller, cafe: Cafe, device: Device, notice: str
) -> None:
    city = (await owner.make("/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"}))[
        "id"
    ]
    other = await pair(service, owner, cafe, device_id="e" * 32)
    await owner.patch(f"/v1/screens/{other.screen}", {"location": city, "tags": ["bar", "window"]})
    await owner.patch(f"/v1/screens/{device.screen}", {"tags": ["till", "bar"]})
    both = (await owner.make("/v1/groups", {"name": "Both", "locations": [cafe.location, city]}))["id"]
    mine = (await owner.make("/v1/groups", {"name": "There", "locations": [city]}))["id"]
    key = await owner.make("/v1/keys", {"name": "b", "role": "Publisher", "locations": [cafe.location]})
    narrow = Caller(service.client, key["key"])
    targets: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
        ({"screens": [other.screen, device.screen]}, {"screens": [device.screen]}),
        ({"screens": [other.screen]}, None),
        ({"tags": ["window", "bar"]}, {"tags": ["bar"]}),
        ({"tags": ["window"]}, None),
        ({"location": city}, None),
        ({"group": both}, {"group": both}),
        ({"group": mine}, None),
        ({"everything": True}, {"everything": True}),
    ]
    made = [(await owner.make(OVERRIDES, override(notice, target=target)))["id"] for target, _ in targets]

    seen = {one["id"]: one["target"] for one in body_of(await narrow.get(OVERRIDES))["data"]}
    assert seen == {one: told for one, (_, told) in zip(made, targets, strict=True) if told is not None}
    for one, (target, told) in zip(made, targets, strict=True):
        answer = await narrow.get(f"{OVERRIDES}/{one}")
        assert (answer.status_code, answer.json().get("target")) == ((404, None) if told is None else (200, told)), (
            target
        )
        assert (await narrow.delete(f"{OVERRIDES}/{one}")).status_code == (404 if told is None else 403), target
    shown = (await narrow.get(f"{OVERRIDES}/{made[0]}")).text
    assert other.screen not in shown
    await service.clock.advance(2 * 86400)
    assert body_of(await narrow.get(OVERRIDES))["data"] == [], "they have ended"


async def test_a_screen_that_waits_to_be_confirmed_shows_none(
    service: Service, owner: Caller, cafe: Cafe, notice: str
) -> None:
    grant = {"name": "Till", "location": cafe.location, "playlist": cafe.playlist, "confirm": True}
    token = await owner.make("/v1/enrolment-tokens", grant)
    waiting = service.device("f" * 32)
    await waiting.take_token(await waiting.ask_codes(enrolment_token=token["token"]))
    await owner.make(OVERRIDES, override(notice))
    assert await told(waiting) == []
    before = (await waiting.manifest()).headers["ETag"]
    (screen,) = [one["id"] for one in body_of(await owner.get("/v1/screens"))["data"]]
    call = start(waiting.held(before))
    await owner.post("/v1/screens/confirm", {"screens": [screen]})
    assert len(body_of(await call)["overrides"]) == 1


async def test_those_that_ended_long_ago_are_deleted(
    service: Service, owner: Caller, notice: str, clock: VirtualClock
) -> None:
    made = await owner.make(OVERRIDES, override(notice))
    clock.step(timedelta(days=30))
    service.services.overrides.prune()
    assert (await owner.get(f"{OVERRIDES}/{made['id']}")).status_code == 200
    clock.step(timedelta(hours=2))
    service.services.overrides.prune()
    assert (await owner.get(f"{OVERRIDES}/{made['id']}")).status_code == 404
