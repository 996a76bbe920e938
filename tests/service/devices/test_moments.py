"""The showing of a screen at an instant and over days, as the player's own timeline has it, and why; its picture."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import httpx
import pytest

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import read_manifest
from menu.rules.timeline import Moment
from player.domain.playing.overrides import NO_OVERRIDES, overrides_of
from player.domain.playing.playback import Playback, play
from service.core.clock import instant_text
from service.services.devices import moments as moments_module
from tests.service.access.test_keys import key_of
from tests.service.publishing.test_previews import stand_in
from tests.service.support.application import START, Cafe, Caller, Device, Service, body_of

BERLIN = ZoneInfo("Europe/Berlin")
LUNCH = {"type": "daypart", "days": ["fri", "sat"], "start": "11:00", "end": "15:00", "except": ["2026-11-27"]}
CHRISTMAS = {"type": "window", "startsAt": "2026-12-24T00:00", "endsAt": "2026-12-27T00:00", "priority": 10}
INPUTS = "open(out, 'wb').write(open('items.json', 'rb').read() + open('scene.json', 'rb').read())"


@pytest.fixture
def database_url() -> None:
    """SQLite only: manifests of both engines are compared elsewhere."""


async def ask(caller: Caller, path: str, **query: str) -> httpx.Response:
    return await caller.get(f"{path}?{urlencode(query)}")


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.fixture
async def year(owner: Caller, cafe: Cafe, device: Device) -> Cafe:
    """A playlist with a scene for lunch and one for Christmas, and an override of one evening."""
    for name, schedule, seconds in (("Lunch", LUNCH, 20), ("Christmas", CHRISTMAS, 30)):
        text = {"id": "t", "type": "text", "x": 0, "y": 0, "width": 900, "height": 200, "text": name}
        scene = await owner.make("/v1/scenes", {"name": name, "widgets": [text]})
        zoned = {"timezone": "location", **schedule}
        await owner.make(f"/v1/scenes/{scene['id']}/schedules", zoned)
        await owner.make(f"/v1/playlists/{cafe.playlist}/scenes", {"sceneId": scene["id"], "durationSeconds": seconds})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    lunch = scene["id"]
    evening = {"startsAt": instant_text(local("2026-11-21T18:00")), "until": instant_text(local("2026-11-21T20:00"))}
    target = {"screens": [device.screen]}
    await owner.make("/v1/overrides", {"scene": lunch, "target": target, "reason": "A party", **evening})
    return cafe


async def moment(owner: Caller, device: Device, at: datetime) -> Any:
    return body_of(await ask(owner, f"/v1/screens/{device.screen}/moment", at=instant_text(at)))


async def timetable(owner: Caller, device: Device, begin: str, end: str) -> Any:
    span = {"from": instant_text(local(begin)), "to": instant_text(local(end))}
    return body_of(await ask(owner, f"/v1/screens/{device.screen}/timetable", **span))


def due(manifest: Manifest, screen: str | None, at: datetime) -> tuple[Playback, Moment]:
    """What the timeline of the player says, of the override that holds or of the playlist."""
    assert manifest.version is not None
    board = play(manifest.version, location=manifest.location, catalogue=manifest.catalogue, missing={})
    overrides = overrides_of(manifest, screen, whole=manifest.listed_assets, before=NO_OVERRIDES)
    shows = overrides.at(at, at, schedules_trusted=True).shows
    playback = board if shows is None else shows.playback
    return playback, playback.due_at(at, schedules_trusted=True)


@pytest.mark.long
async def test_a_moment_is_that_of_the_players_timeline(owner: Caller, year: Cafe, device: Device) -> None:
    manifest = read_manifest((await device.manifest()).content)
    zone = [
        local(f"2026-11-{day}T{time}") for day in (20, 21, 27) for time in ("10:59:59", "11:00", "11:07:13", "15:00")
    ]
    rare = [local(f"2026-12-{day}") for day in ("23T23:59:59", "24T00:00", "25T12:00", "26T23:59", "27T00:00")]
    party = [local(f"2026-11-21T{time}") for time in ("17:59:59", "18:00", "19:59:59", "20:00")]
    clocks = [datetime.fromisoformat(f"2027-{one}") for one in ("03-28T01:00Z", "10-31T00:30Z", "10-31T01:30Z")]
    for at in (*zone, *rare, *party, *clocks):
        told = await moment(owner, device, at)
        playback, expected = due(manifest, device.screen, at)
        assert expected.entry is not None
        assert (told["kind"], told["entry"]) == ("scene", expected.entry.id), at
        assert told["name"] == playback.version.scenes[expected.entry.scene_id].name
        ends = {one.entry_id: (one.reason.value, one.next_at) for one in expected.others}
        for other in told["others"]:
            reason, next_at = ends.get(other["entry"], ("displaced", None))
            assert (other["reason"], other["nextAt"]) == (reason, next_at and instant_text(next_at)), at
        assert len(told["others"]) >= len(ends)
        assert told["turnsUntil"] is None or told["until"] <= told["turnsUntil"], at
        assert told["changedAt"] < told["at"] < told["changesAt"], at


@pytest.mark.long
async def test_a_moment_says_why_each_other_scene_does_not_show(owner: Caller, year: Cafe, device: Device) -> None:
    morning = await moment(owner, device, local("2026-11-21T09:00"))
    assert [(one["name"], one["reason"], one["nextAt"]) for one in morning["others"]] == [
        ("Lunch", "not_scheduled", instant_text(local("2026-11-21T11:00"))),
        ("Christmas", "not_scheduled", instant_text(local("2026-12-24T00:00"))),
    ]
    noon = await moment(owner, device, local("2026-12-25T12:00"))
    assert (noon["name"], noon["turnsUntil"]) == ("Christmas", instant_text(local("2026-12-27T00:00")))
    assert {(one["name"], one["reason"], one["displacedBy"]) for one in noon["others"]} == {
        ("Menu", "displaced", "Christmas"),
        ("Lunch", "displaced", "Christmas"),
    }
    party = await moment(owner, device, local("2026-11-21T18:30"))
    assert (party["overrideReason"], party["playlist"], party["version"]) == ("A party", None, None)
    assert party["turnsUntil"] == instant_text(local("2026-11-21T20:00"))
    assert {one["reason"] for one in party["others"]} == {"displaced"}
    sold_out = {"eightySixed": True}
    for item in body_of(await owner.get("/v1/content/items"))["data"]:
        await owner.patch(f"/v1/content/items/{item['id']}", sold_out)
    without = await moment(owner, device, local("2026-11-21T09:00"))
    assert (without["kind"], without["reason"]) == ("house", "nothing_showable")
    assert without["nextAt"] == instant_text(local("2026-11-21T11:00"))
    assert without["others"][0]["unshowable"] == {"why": "sold_out", "detail": ""}


@pytest.mark.long
async def test_a_timetable_has_each_span_once_and_no_gap(owner: Caller, year: Cafe, device: Device) -> None:
    week = await timetable(owner, device, "2026-11-20T00:00", "2026-11-28T00:00")
    assert (week["timezone"], week["whole"]) == ("Europe/Berlin", True)
    shown = [
        (instant_text(datetime.fromisoformat(one["from"]))[5:16], [scene["name"] for scene in one["scenes"]])
        for one in week["spans"]
    ]
    assert shown == [
        ("11-19T23:00", ["Menu"]),
        ("11-20T10:00", ["Menu", "Lunch"]),
        ("11-20T14:00", ["Menu"]),
        ("11-21T10:00", ["Menu", "Lunch"]),
        ("11-21T14:00", ["Menu"]),
        ("11-21T17:00", ["Christmas"]),
        ("11-21T19:00", ["Menu"]),
    ]
    assert all(one["to"] == after["from"] for one, after in zip(week["spans"], week["spans"][1:], strict=False))
    holidays = await timetable(owner, device, "2026-12-24T00:00", "2026-12-25T00:00")
    assert [(one["name"], one["displacedBy"]) for one in holidays["spans"][0]["leftOut"]] == [
        ("Menu", "Christmas"),
        ("Lunch", "Christmas"),
    ]
    manifest = read_manifest((await device.manifest()).content)
    for one in week["spans"]:
        begin, end = datetime.fromisoformat(one["from"]), datetime.fromisoformat(one["to"])
        for number in range(1, 20):
            _, expected = due(manifest, device.screen, begin + (end - begin) * number / 20)
            assert expected.entry is not None
            assert expected.entry.id in [each["entry"] for each in one["scenes"]]
    path = f"/v1/playlists/{year.playlist}/timetable"
    span = {"from": instant_text(local("2026-11-20T00:00")), "to": instant_text(local("2026-11-28T00:00"))}
    of_playlist = body_of(await ask(owner, path, location=year.location, **span))
    assert [len(one["scenes"]) for one in of_playlist["spans"]] == [1, 2, 1, 2, 1]


async def test_planned_changes_and_returning_items_are_changes(owner: Caller, cafe: Cafe, device: Device) -> None:
    change = {"item": cafe.coffee, "price": 9}
    await owner.make("/v1/planned-changes", {"name": "New", "at": "2026-12-01T06:00", "changes": [change]})
    told = await moment(owner, device, local("2026-11-25T06:00"))
    assert (told["changesAt"], told["turnsUntil"]) == (instant_text(local("2026-12-01T06:00")), None)
    later = await moment(owner, device, local("2026-12-02T06:00"))
    assert (later["changedAt"], later["changesAt"]) == (instant_text(local("2026-12-01T06:00")), None)


@pytest.mark.long
async def test_the_picture_of_an_instant_to_come_has_the_scene_and_items_of_then(
    service: Service, owner: Caller, year: Cafe, device: Device, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    change = {"item": year.coffee, "price": 9}
    await owner.make("/v1/planned-changes", {"name": "New", "at": "2026-12-01T06:00", "changes": [change]})
    path = f"/v1/screens/{device.screen}/picture"
    for at, price, name in (("2026-12-01T05:59", "3.4", "Menu"), ("2026-12-01T06:00", "9", "Menu")):
        drawn = (await ask(owner, path, at=instant_text(local(at)))).text
        assert f'"price":{price}' in drawn, at
        assert f'"name":"{name}"' in drawn
    party = (await ask(owner, path, at=instant_text(local("2026-11-21T18:30")))).text
    assert '"name":"Christmas"' in party
    now = await ask(owner, path, at=instant_text(START))
    assert now.status_code == 200
    assert (await ask(owner, path, at=instant_text(START - timedelta(hours=1)))).json()["code"] == "nothing_shown"


@pytest.mark.long
async def test_a_screen_without_a_playlist_shows_the_card_of_the_house(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})
    told = await moment(owner, device, START)
    assert (told["kind"], told["reason"], told["others"], told["changesAt"]) == ("house", "no_playlist", [], None)
    span = body_of(
        await ask(
            owner,
            f"/v1/screens/{device.screen}/timetable",
            **{"from": instant_text(START), "to": instant_text(START + timedelta(days=1))},
        )
    )
    assert [(one["reason"], one["scenes"]) for one in span["spans"]] == [("no_playlist", [])]
    gone = await ask(owner, f"/v1/screens/{device.screen}/picture", at=instant_text(START + timedelta(days=1)))
    assert (gone.status_code, gone.json()["errors"][0]["code"]) == (404, "no_playlist")
    empty = await owner.make("/v1/playlists", {"name": "Empty"})
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": empty["id"]})
    assert (await moment(owner, device, START))["reason"] == "never_published"


async def test_bad_instants_are_told(owner: Caller, device: Device) -> None:
    noon = "2026-11-20T12:00:00Z"
    for path, query, fault in (
        ("moment", {"at": "2028-12-01T00:00:00Z"}, "out_of_range"),
        ("moment", {"at": "2025-01-01T00:00:00Z"}, "out_of_range"),
        ("moment", {"at": "2026-11-20T12:00"}, "not_an_instant"),
        ("timetable", {"from": noon, "to": noon}, "ends_before_start"),
        ("timetable", {"from": noon, "to": "2026-12-23T12:00:00Z"}, "out_of_range"),
        ("timetable", {"from": noon, "to": "2036-11-20T12:00:00Z"}, "out_of_range"),
    ):
        refused = await ask(owner, f"/v1/screens/{device.screen}/{path}", **query)
        assert (refused.status_code, {one["code"] for one in refused.json()["errors"]}) == (422, {fault}), query


async def test_a_narrowed_key_is_told_of_its_own_locations_alone(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = await owner.make(
        "/v1/locations", {"name": "Other", "timezone": "UTC", "currency": "EUR", "locale": "de-DE"}
    )
    key, _ = await key_of(service, owner, role="Viewer", locations=[other["id"]])
    path = f"/v1/screens/{device.screen}"
    span = {"from": instant_text(START), "to": instant_text(START + timedelta(days=1))}
    assert (await key.get(f"{path}/moment")).status_code == 404
    assert (await ask(key, f"{path}/timetable", **span)).status_code == 404
    assert (await ask(key, f"{path}/picture", at=instant_text(START + timedelta(days=1)))).status_code == 404
    table = f"/v1/playlists/{cafe.playlist}/timetable"
    assert (await ask(key, table, location=cafe.location, **span)).status_code == 404
    assert (await ask(key, table, location=other["id"], **span)).status_code == 200


async def test_asking_for_a_playlist_where_nobody_plays_it_tells_no_board_anything(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    before = await device.manifest()
    evening = await owner.make("/v1/playlists", {"name": "Evening"})
    await owner.make(f"/v1/playlists/{evening['id']}/scenes", {"sceneId": cafe.scene, "durationSeconds": 9})
    await owner.post(f"/v1/playlists/{evening['id']}/publish")
    span = {"from": instant_text(START), "to": instant_text(START + timedelta(days=1))}
    await ask(owner, f"/v1/playlists/{evening['id']}/timetable", location=cafe.location, **span)
    assert (await device.manifest()).headers["etag"] == before.headers["etag"]


async def test_children_are_limited_and_failures_told(
    service: Service, owner: Caller, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/v1/screens/{device.screen}/moment"
    moments = service.services.moments
    monkeypatch.setattr(moments, "_player", stand_in(service, tmp_path, "sys.exit('it broke')").command)
    assert (await ask(owner, path, at=instant_text(START))).json()["code"] == "preview_failed"
    monkeypatch.setattr(moments, "_player", None)
    assert (await ask(owner, path, at=instant_text(START))).status_code == 501
    monkeypatch.setattr(moments, "_player", ("x",))
    monkeypatch.setattr(moments._slots, "taken", moments_module.MAX_CHILDREN + moments_module.MAX_WAITING)
    assert (await ask(owner, path, at=instant_text(START))).json()["code"] == "preview_busy"


async def test_the_same_question_at_the_same_time_starts_no_more_children_than_there_may_be(
    owner: Caller, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    run = moments_module.run_player

    async def counted(command: Sequence[str], folder: Path, **limits: Any) -> None:
        started.append(folder)
        await run(command, folder, **limits)

    monkeypatch.setattr(moments_module, "run_player", counted)
    at = instant_text(START)
    answers = await asyncio.gather(*(ask(owner, f"/v1/screens/{device.screen}/moment", at=at) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {200}
    assert 0 < len(started) <= moments_module.MAX_CHILDREN


@pytest.mark.long
async def test_each_change_counts_at_once_though_what_was_composed_is_kept(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    at = local("2026-11-25T06:00")
    assert (await moment(owner, device, at))["name"] == "Menu"
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Other"})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    assert (await moment(owner, device, at))["name"] == "Other"
    override = {"scene": cafe.scene, "target": {"screens": [device.screen]}, "reason": "Rain"}
    await owner.make("/v1/overrides", {**override, "until": instant_text(START + timedelta(days=6))})
    assert (await moment(owner, device, at))["overrideReason"] == "Rain"
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})
    service.clock.set(START + timedelta(days=6, minutes=1))
    assert (await moment(owner, device, START + timedelta(days=7)))["reason"] == "no_playlist"
