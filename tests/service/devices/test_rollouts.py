"""Rollouts: which screens should run which version, and when one stops by itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.services.devices.rollouts import Rollout
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, faults_in, pair

RUNNING = "0.1.0"


async def roll_out(caller: Caller, version: str = "0.2.0", **more: Any) -> dict[str, Any]:
    answer = await caller.send("POST", "/v1/rollouts", {"version": version, **more})
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


async def wanted(device: Device) -> Any:
    return (await device.heartbeat()).json()["wantedVersion"]


async def test_without_a_rollout_the_device_decides(device: Device) -> None:
    assert await wanted(device) is None


async def test_a_rollout_to_all_screens_names_the_version(owner: Caller, device: Device) -> None:
    document = await roll_out(owner)
    assert (document["percent"], document["tags"], document["status"]) == (100, [], "running")
    counts = {"matched": 1, "chosen": 1, "running": 0, "takenBack": 0, "overruled": 0, "waiting": 1, "held": 0}
    assert document["screens"] == counts
    assert await wanted(device) == "0.2.0"
    (await owner.send("DELETE", f"/v1/rollouts/{document['id']}")).raise_for_status()
    assert await wanted(device) is None


async def test_a_screen_that_is_not_chosen_stays_with_what_it_runs(owner: Caller, device: Device) -> None:
    document = await roll_out(owner, percent=0)
    assert await wanted(device) == RUNNING
    (await owner.send("PATCH", f"/v1/rollouts/{document['id']}", {"percent": 100})).raise_for_status()
    assert await wanted(device) == "0.2.0"


async def test_tags_choose_screens(owner: Caller, device: Device) -> None:
    await roll_out(owner, tags=["canary", "office"])
    assert await wanted(device) is None
    changed = await owner.send("PATCH", f"/v1/screens/{device.screen}", {"tags": ["office", "office", "upstairs"]})
    assert changed.json()["tags"] == ["office", "upstairs"]
    assert await wanted(device) == "0.2.0"


async def test_the_newest_rollout_that_has_chosen_a_screen_counts(owner: Caller, device: Device) -> None:
    await roll_out(owner, "0.2.0")
    newer = await roll_out(owner, "0.3.0", percent=0)
    assert await wanted(device) == "0.2.0"
    (await owner.send("PATCH", f"/v1/rollouts/{newer['id']}", {"percent": 100})).raise_for_status()
    assert await wanted(device) == "0.3.0"


async def test_a_rollout_stops_by_itself_when_its_screens_take_the_version_back(
    service: Service, clock: VirtualClock, owner: Caller, device: Device
) -> None:
    document = await roll_out(owner)
    at = f"/v1/rollouts/{document['id']}"
    await device.heartbeat(takenBack={"version": "0.1.9", "why": "the board does not start"})
    service.services.rollouts.stop_failing(clock.now())
    assert (await owner.send("GET", at)).json()["status"] == "running", "another version"

    await device.heartbeat(takenBack={"version": "0.2.0", "why": "the board does not start"})
    screen = (await owner.send("GET", f"/v1/screens/{device.screen}")).json()
    assert screen["takenBack"] == {"version": "0.2.0", "why": "the board does not start"}
    service.services.rollouts.stop_failing(clock.now())
    found = (await owner.send("GET", at)).json()
    assert (found["status"], found["screens"]["takenBack"]) == ("stopped", 1)
    assert await wanted(device) == RUNNING, "nothing is rolled out any more"

    (await owner.send("PATCH", at, {"stopped": False, "stopAtPercent": 100})).raise_for_status()
    assert await wanted(device) == "0.2.0"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"version": "0.2.0; reboot"}, "/version"),
        ({"version": ""}, "/version"),
        ({"version": "*"}, "/version"),
        ({"version": "1", "percent": 101}, "/percent"),
        ({"version": "1", "stopAtPercent": 0}, "/stopAtPercent"),
        ({"version": "1", "tags": ["t"] * 21}, "/tags"),
        ({}, "/version"),
    ],
)
async def test_what_is_no_rollout_is_refused(owner: Caller, body: dict[str, Any], pointer: str) -> None:
    answer = await owner.send("POST", "/v1/rollouts", body)
    assert answer.status_code == 422
    assert list(faults_in(answer)) == [pointer]


async def test_a_key_that_is_narrowed_to_locations_rolls_nothing_out(
    owner: Caller, cafe: Cafe, service: Service
) -> None:
    made = await owner.send("POST", "/v1/keys", {"name": "One shop", "role": "Publisher", "locations": [cafe.location]})
    narrow = Caller(service.client, made.json()["key"])
    for method in ("GET", "POST"):
        answer = await narrow.send(method, "/v1/rollouts", {"version": "0.2.0"} if method == "POST" else None)
        assert answer.status_code == 403


async def test_rollouts_of_another_workspace_are_none(service: Service, owner: Caller, device: Device) -> None:
    theirs = await roll_out(service.stranger())
    assert await wanted(device) is None
    assert (await owner.send("GET", f"/v1/rollouts/{theirs['id']}")).status_code == 404
    assert (await owner.send("GET", "/v1/rollouts")).json()["data"] == []


async def test_after_a_start_the_rollouts_are_known(service: Service, owner: Caller, device: Device) -> None:
    await roll_out(owner)
    service.services.rollouts.load()
    assert await wanted(device) == "0.2.0"


def test_as_the_percentage_grows_the_chosen_stay_and_are_about_as_many() -> None:
    screens = [f"scr_{n}" for n in range(2000)]
    chosen: set[str] = set()
    for percent in (0, 1, 10, 50, 100):
        rollout = Rollout(version="0.2.0", tags=frozenset(), percent=percent, running=True)
        now = {screen for screen in screens if rollout.chooses(screen)}
        assert chosen <= now
        assert abs(len(now) - 20 * percent) <= 80
        chosen = now
    others = Rollout(version="0.3.0", tags=frozenset(), percent=10, running=True)
    tenth = Rollout(version="0.2.0", tags=frozenset(), percent=10, running=True)
    assert {s for s in screens if others.chooses(s)} != {s for s in screens if tenth.chooses(s)}, "not always the same"


async def states(owner: Caller, rollout: dict[str, Any], query: str = "") -> list[tuple[str, str]]:
    found = (await owner.get(f"/v1/rollouts/{rollout['id']}/screens{query}")).json()["data"]
    return [(one["screen"], one["state"]) for one in found]


async def test_a_rollout_is_followed_screen_by_screen(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    done = await pair(service, owner, cafe, device_id="2" * 32)
    failed = await pair(service, owner, cafe, device_id="3" * 32)
    rollout = await roll_out(owner)
    await device.heartbeat()
    await done.heartbeat(appVersion="0.2.0")
    await failed.heartbeat(takenBack={"version": "0.2.0", "why": "the board does not start", "code": "not_started"})

    ids = [device.screen, done.screen, failed.screen]
    assert await states(owner, rollout) == list(zip(ids, ("waiting", "running", "takenBack"), strict=True))
    [bad] = (await owner.get(f"/v1/rollouts/{rollout['id']}/screens?state=takenBack")).json()["data"]
    assert (bad["screen"], bad["why"], bad["appVersion"]) == (failed.screen, "the board does not start", "0.1.0")
    assert bad["code"] == "not_started"
    counts = (await owner.get(f"/v1/rollouts/{rollout['id']}")).json()["screens"]
    assert counts == {"matched": 3, "chosen": 3, "running": 1, "takenBack": 1, "overruled": 0, "waiting": 1, "held": 0}
    versions = (await owner.get("/v1/rollouts/versions")).json()["data"]
    assert versions == [{"version": "0.1.0", "screens": 2}, {"version": "0.2.0", "screens": 1}]

    first = (await owner.get(f"/v1/rollouts/{rollout['id']}/screens?limit=1")).json()
    rest = await states(owner, rollout, f"?limit=5&cursor={first['pagination']['cursor']}")
    assert [screen for screen, _ in rest] == ids[1:]


async def test_a_screen_that_a_newer_rollout_has_chosen_does_not_wait_for_the_older(
    owner: Caller, device: Device
) -> None:
    older, newer = await roll_out(owner), await roll_out(owner, "0.3.0")
    assert await states(owner, older) == [(device.screen, "overruled")]
    at = f"/v1/screens/{device.screen}/rollout"
    assert (await owner.get(at)).json()["version"] == "0.3.0"
    await owner.patch(f"/v1/rollouts/{newer['id']}", {"stopped": True})
    assert await states(owner, older) == [(device.screen, "waiting")]
    assert (await owner.get(at)).json()["rollout"] == older["id"]


async def test_a_screen_that_is_matched_and_not_chosen_has_a_rollout_too(owner: Caller, device: Device) -> None:
    at = f"/v1/screens/{device.screen}/rollout"
    assert (await owner.get(at)).status_code == 404
    await roll_out(owner, tags=["office"])
    assert (await owner.get(at)).status_code == 404
    rollout = await roll_out(owner, percent=0)
    assert (await owner.get(at)).json()["state"] == "notChosen"
    assert await states(owner, rollout) == [(device.screen, "notChosen")]


async def test_of_many_versions_the_most_used_are_counted(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.services.devices.rollout_screens.MAX_VERSIONS", 1)
    others = [await pair(service, owner, cafe, device_id=digit * 32) for digit in "23"]
    for one, version in ((device, "0.2.0"), (others[0], "0.1.0"), (others[1], "0.1.0")):
        await one.heartbeat(appVersion=version)
    assert (await owner.get("/v1/rollouts/versions")).json()["data"] == [{"version": "0.1.0", "screens": 2}]
