"""Schedules of a scene: listed, read and changed one by one."""

from typing import Any

import pytest

from tests.service.support.application import Cafe, Caller, Service, body_of, faults_in

DAYPART = {"type": "daypart", "days": ["mon"], "start": "06:00", "end": "11:00"}
WINDOW = {"type": "window", "startsAt": "2026-12-01T00:00:00", "endsAt": "2026-12-24T12:00:00"}


@pytest.fixture
async def schedules(owner: Caller, cafe: Cafe) -> list[Any]:
    """A daypart and a window."""
    return [await owner.make(f"/v1/scenes/{cafe.scene}/schedules", body) for body in (DAYPART, WINDOW)]


async def test_the_schedules_of_a_scene_are_listed(owner: Caller, cafe: Cafe, schedules: list[Any]) -> None:
    other = await owner.make("/v1/scenes", {"name": "Other"})
    await owner.make(f"/v1/scenes/{other['id']}/schedules", DAYPART)
    path = f"/v1/scenes/{cafe.scene}/schedules"

    page = body_of(await owner.get(f"{path}?limit=1"))
    rest = body_of(await owner.get(f"{path}?cursor={page['pagination']['cursor']}"))

    assert page["data"] + rest["data"] == schedules
    assert rest["pagination"]["hasMore"] is False
    for schedule in schedules:
        assert body_of(await owner.get(f"/v1/schedules/{schedule['id']}")) == schedule
    elsewhere = f"/v1/scenes/{other['id']}/schedules?cursor={page['pagination']['cursor']}"
    assert (await owner.get(elsewhere)).json()["code"] == "bad_cursor"


async def test_fields_of_a_schedule_change(owner: Caller, cafe: Cafe, schedules: list[Any]) -> None:
    daypart, window = schedules
    changed = body_of(await owner.patch(f"/v1/schedules/{daypart['id']}", {"end": "24:00", "days": None}))
    assert changed == daypart | {"end": "24:00", "days": None}
    changed = body_of(await owner.patch(f"/v1/schedules/{window['id']}", {"timezone": "Asia/Tokyo"}))
    assert changed == window | {"timezone": "Asia/Tokyo"}
    listed = body_of(await owner.get(f"/v1/scenes/{cafe.scene}"))["schedules"]
    assert [schedule["timezone"] for schedule in listed] == ["location", "Asia/Tokyo"]


async def test_a_bad_change_of_a_schedule_changes_nothing(owner: Caller, schedules: list[Any]) -> None:
    daypart, window = (schedule["id"] for schedule in schedules)
    for schedule, body, faults in (
        (daypart, {"start": "6"}, {"/start": "not_a_time"}),
        (daypart, {"days": []}, {"/days": "too_short"}),
        (daypart, {"start": None}, {"/start": "wrong_type"}),
        (daypart, {"startsAt": "2026-12-01T00:00", "start": "07:00"}, {"/startsAt": "not_allowed"}),
        (window, {"days": ["mon"], "end": "07:00"}, {"/days": "not_allowed", "/end": "not_allowed"}),
        (window, {"endsAt": "2026-11-01T00:00"}, {"": "ends_before_start"}),
        (window, {"timezone": "Mars/Base"}, {"/timezone": "unknown_timezone"}),
    ):
        refused = await owner.patch(f"/v1/schedules/{schedule}", body)
        assert (refused.status_code, faults_in(refused)) == (422, faults), body
    for schedule in schedules:
        assert body_of(await owner.get(f"/v1/schedules/{schedule['id']}")) == schedule


async def test_a_schedule_stays_of_its_type(owner: Caller, schedules: list[Any]) -> None:
    answer = await owner.patch(f"/v1/schedules/{schedules[0]['id']}", {"type": "window", "start": "07:00"})
    assert (answer.status_code, body_of(answer)["type"], body_of(answer)["start"]) == (200, "daypart", "07:00")
    assert answer.headers["Ignored-Fields"] == '"/type"'


async def test_a_schedule_has_conditions(service: Service, owner: Caller, schedules: list[Any]) -> None:
    path = f"/v1/schedules/{schedules[0]['id']}"
    tag = (await owner.get(path)).headers["ETag"]
    assert (await owner.send("PATCH", path, {"start": "07:00"}, **{"If-Match": tag})).status_code == 200
    assert (await owner.send("PATCH", path, {"start": "08:00"}, **{"If-Match": tag})).status_code == 412
    stranger = service.stranger()
    for method in ("GET", "PATCH"):
        assert (await stranger.send(method, path, {} if method == "PATCH" else None)).status_code == 404
