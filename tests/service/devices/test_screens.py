"""Screens: presence, heartbeats, and batched writes of both."""

import asyncio
import json
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from service.api.devices.player import MAX_HEARTBEAT_BYTES
from service.core.ids import digest_of
from service.schema.devices.device import MAX_REPORTED_ERRORS, MAX_REPORTED_FINDINGS, Heartbeat
from service.services.devices.presence import OFFLINE_AFTER, Contact, Presence
from service.storage.tables.screens import ScreenRow
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair,
    running,
)

SCREENS = "/v1/screens"
HEARTBEAT = Path(__file__).parents[2] / "data" / "heartbeat.json"


async def screen_of(owner: Caller, device: Device) -> Any:
    return body_of(await owner.get(f"{SCREENS}/{device.screen}"))


async def test_a_screen_goes_offline_after_two_minutes_and_comes_back(
    owner: Caller, device: Device, clock: VirtualClock
) -> None:
    assert (await screen_of(owner, device))["lastSeen"] is None
    await device.manifest()

    await clock.advance(OFFLINE_AFTER.total_seconds() - 1)
    seen = await screen_of(owner, device)
    assert (seen["status"], seen["lastSeen"]) == ("online", "2026-11-20T12:00:00.000Z")
    await clock.advance(1)
    assert (await screen_of(owner, device))["status"] == "offline"

    for call in (device.heartbeat(), device.manifest(), device.asset("sha256:" + "0" * 64)):
        clock.set(clock.now() + timedelta(hours=1))
        assert (await screen_of(owner, device))["status"] == "offline"
        await call
        assert (await screen_of(owner, device))["status"] == "online"


async def test_a_heartbeat_is_answered_and_shown(owner: Caller, device: Device) -> None:
    body = json.loads(HEARTBEAT.read_bytes())

    answer = await device.heartbeat(**body)

    assert body_of(answer) == {
        "serverTime": "2026-11-20T12:00:00.000Z",
        "screen": {"id": device.screen, "name": "Bar", "display": {}},
        "settings": {"waitSeconds": 10, "pollSeconds": 20, "heartbeatSeconds": 30},
        "commands": [],
        "wantedVersion": None,
        "manifestEtag": None,
        "twoDevices": False,
    }
    screen = (await owner.get(f"{SCREENS}/{device.screen}")).json()
    for field in ("presented", "staged", "displayPower", "appVersion", "findings", "errors", "clock", "health"):
        assert screen[field] == body[field], field
    assert (await owner.get(SCREENS)).json()["data"] == [screen]


async def test_a_panel_that_is_off_by_schedule_is_shown_as_such(owner: Caller, device: Device) -> None:
    note = {"code": "off_by_schedule", "severity": "note", "what": "The screen is off until 08:00."}
    await device.heartbeat(presented={"kind": "nothing"}, displayPower="off_by_schedule", findings=[note])
    screen = await screen_of(owner, device)
    assert (screen["status"], screen["displayPower"]) == ("online", "off_by_schedule")
    assert body_of(await owner.get(f"{SCREENS}?finding=off_by_schedule"))["data"] == [screen]
    await device.heartbeat(sequence=2)
    assert (await screen_of(owner, device))["displayPower"] is None, "an older player does not tell"


TALL = {"rotation": 90, "overscan": 2.5, "mode": "1920x1080@59.94", "power": "always"}


async def test_the_settings_of_a_screen_s_panel_travel_with_the_next_heartbeat(owner: Caller, device: Device) -> None:
    blank = {"rotation": None, "overscan": None, "mode": None, "power": None}
    assert (await screen_of(owner, device))["display"] == blank

    changed = body_of(await owner.patch(f"{SCREENS}/{device.screen}", {"display": TALL}))
    assert changed["display"] == TALL
    assert body_of(await device.heartbeat())["screen"]["display"] == TALL

    await owner.patch(f"{SCREENS}/{device.screen}", {"display": {"rotation": 270}})
    assert (await screen_of(owner, device))["display"] == blank | {"rotation": 270}


async def test_settings_of_a_panel_end_a_held_poll(owner: Caller, device: Device) -> None:
    etag = (await device.manifest()).headers["ETag"]
    poll = asyncio.ensure_future(
        device.manifest(**{"If-None-Match": etag, "Prefer": "wait=25", "Menu-Heartbeat": "accepted"})
    )
    await asyncio.sleep(0)
    await owner.patch(f"{SCREENS}/{device.screen}", {"display": TALL})
    answer = await asyncio.wait_for(poll, 10)
    assert (answer.status_code, answer.headers["Menu-Heartbeat"]) == (304, "now")


NO_DISPLAYS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"rotation": 45}, {"/display/rotation": "out_of_range"}),
    ({"overscan": 11}, {"/display/overscan": "out_of_range"}),
    ({"mode": "1080p"}, {"/display/mode": "not_a_mode"}),
    ({"mode": "1920x1080@60\n"}, {"/display/mode": "not_a_mode"}),
    ({"power": "off"}, {"/display/power": "not_allowed"}),
]


async def test_settings_that_no_panel_can_have_are_refused(owner: Caller, device: Device) -> None:
    for display, faults in NO_DISPLAYS:
        response = await owner.patch(f"{SCREENS}/{device.screen}", {"display": display})
        assert (response.status_code, faults_in(response)) == (422, faults), display
    assert (await owner.patch(f"{SCREENS}/{device.screen}", {"display": None})).status_code == 422


async def test_a_heartbeat_of_a_device_whose_clock_is_at_1970_is_taken(owner: Caller, device: Device) -> None:
    years = 1_795_345_200_000
    clock = {"state": "corrected", "offsetMilliseconds": years}
    body = json.loads(HEARTBEAT.read_bytes()) | {"clock": clock}
    body["presented"]["latencyMilliseconds"] = -years
    assert (await device.heartbeat(**body)).status_code == 200
    assert (await screen_of(owner, device))["clock"] == clock


async def test_a_late_heartbeat_does_not_overtake_a_newer_one(owner: Caller, device: Device) -> None:
    await device.heartbeat(sequence=7, presented={"kind": "pairing"})
    await device.heartbeat(sequence=6, presented={"kind": "nothing"})
    assert (await screen_of(owner, device))["presented"] == {"kind": "pairing"}

    await device.heartbeat(sequence=1, bootId="after a restart", presented={"kind": "nothing"})
    assert (await screen_of(owner, device))["presented"] == {"kind": "nothing"}


FINDING = {"code": "hot", "severity": "warning", "what": "The device is too hot."}
NO_HEARTBEATS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"sequence": -1}, {"/sequence": "out_of_range"}),
    ({"presented": None}, {"/presented": "wrong_type"}),
    ({"presented": {"kind": "film"}}, {"/presented/kind": "not_allowed"}),
    ({"clock": {"state": "late"}}, {"/clock/state": "not_allowed"}),
    ({"errors": [{"code": "x"}] * (MAX_REPORTED_ERRORS + 1)}, {"/errors": "too_long"}),
    ({"findings": [FINDING] * (MAX_REPORTED_FINDINGS + 1)}, {"/findings": "too_long"}),
    ({"findings": [{"code": "hot", "severity": "warning"}]}, {"/findings/0/what": "required"}),
    ({"health": {"throttled": "no"}}, {"/health/throttled": "wrong_type"}),
    ({"appVersion": "x" * 201, "bootId": None}, {"/appVersion": "too_long", "/bootId": "wrong_type"}),
]


async def test_an_invalid_heartbeat_is_refused_but_counts_as_a_contact(owner: Caller, device: Device) -> None:
    for case in NO_HEARTBEATS:
        change, faults = case
        response = await device.heartbeat(**change)

        assert (response.status_code, faults_in(response)) == (422, faults), case
        screen = await screen_of(owner, device)
        assert (screen["status"], screen["presented"]) == ("online", None), case


async def test_the_size_of_a_heartbeat_is_limited(device: Device) -> None:
    assert (await device.heartbeat(more="x" * MAX_HEARTBEAT_BYTES)).status_code == 413


async def test_calls_of_a_player_cost_no_sql(service: Service, device: Device) -> None:
    etag = (await device.manifest()).headers["ETag"]
    statements: list[str] = []
    engine = service.services.database._reader
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))

    for sequence in range(5):
        assert (await device.heartbeat(sequence=sequence)).status_code == 200
        assert (await device.manifest(**{"If-None-Match": etag})).status_code == 304

    assert statements == []


async def test_contacts_are_written_in_batches(service: Service, device: Device) -> None:
    """Every ten seconds where other processes read them; a card is spared."""
    interval = 60 if service.database is None else 10

    def written() -> object:
        with service.services.database.read() as session:
            row = session.get(ScreenRow, 1)
            assert row is not None
            return row.last_seen

    # What people would notice is written at once.
    await device.heartbeat(presented={"kind": "nothing"})
    await service.pass_seconds(interval)
    before = written()
    assert before is not None

    await device.heartbeat(presented={"kind": "nothing"})
    await service.pass_seconds(interval - 1)
    assert written() == before
    await service.pass_seconds(1)
    assert written() != before


async def test_a_stop_writes_the_last_contact(
    service: Service, device: Device, owner: Caller, tmp_path: Path, clock: VirtualClock
) -> None:
    await device.heartbeat(presented={"kind": "nothing"})
    service.services.presence.flush()

    async with running(service.data, clock=clock, database=service.database) as again:
        with again.services.database.read() as session:
            row = session.get(ScreenRow, 1)
        assert row is not None
        contact = again.services.presence.of(row)
        assert contact is not None
        assert (contact.last_seen, (contact.report or {})["presented"]) == (clock.now(), {"kind": "nothing"})


async def test_a_contact_that_could_not_be_written_is_written_later(
    service: Service, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    await device.heartbeat()
    presence = service.services.presence

    def full(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(presence, "_write", full)
        with pytest.raises(OSError, match="disk full"):
            presence.flush()
    presence.flush()

    with service.services.database.read() as session:
        row = session.get(ScreenRow, 1)
        assert row is not None
        assert row.last_seen is not None


async def test_many_contacts_are_written_some_at_a_time_and_none_is_lost(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two of them somebody sells out a dish."""
    for number in range(3):
        await (await pair(service, owner, cafe, device_id=f"{number:032x}")).heartbeat()
    presence = service.services.presence
    written: list[list[str]] = []
    write = presence._write

    def write_or_fail(batch: list[tuple[str, Contact]], news: Collection[str]) -> None:
        written.append([screen for screen, _ in batch])
        if len(written) == 2:
            raise OSError("disk full")
        write(batch, news)

    monkeypatch.setattr("service.services.devices.presence.WRITTEN_AT_ONCE", 1)
    monkeypatch.setattr(presence, "_write", write_or_fail)
    with pytest.raises(OSError, match="disk full"):
        presence.flush()
    presence.flush()

    first, failed, *again = written
    assert len(again) == 2
    assert failed in again
    assert first not in again
    with service.services.database.read() as session:
        assert session.scalars(select(ScreenRow).where(ScreenRow.last_seen.is_(None))).all() == []


async def test_a_screen_is_renamed_and_moved(owner: Caller, cafe: Cafe, device: Device) -> None:
    before = await screen_of(owner, device)

    renamed = body_of(await owner.patch(f"{SCREENS}/{device.screen}", {"name": "Window"}))

    assert renamed == before | {"name": "Window"}
    assert (await device.heartbeat()).json()["screen"]["name"] == "Window"
    for change, faults in (
        ({"name": ""}, {"/name": "too_short"}),
        ({"location": None}, {"/location": "wrong_type"}),
        ({"location": "loc_0", "playlist": "pl_0"}, {"/location": "unknown_location", "/playlist": "unknown_playlist"}),
    ):
        refused = await owner.patch(f"{SCREENS}/{device.screen}", change)
        assert (refused.status_code, faults_in(refused)) == (422, faults)
    assert (await screen_of(owner, device))["location"] == cafe.location


async def test_an_unpublished_playlist_is_no_playlist_yet(owner: Caller, cafe: Cafe, device: Device) -> None:
    draft = await owner.make("/v1/playlists", {"name": "Draft"})
    for playlist in (None, draft["id"]):
        await owner.patch(f"{SCREENS}/{device.screen}", {"playlist": playlist})

    manifest = body_of(await device.manifest())

    assert (manifest["playlist"], manifest["scenes"], manifest["items"]) == (None, [], [])
    assert manifest["withoutPlaylist"] == {"reason": "unpublished", "name": "Draft"}

    await owner.patch(f"/v1/playlists/{draft['id']}", {"name": "Brunch"})

    assert body_of(await device.manifest())["withoutPlaylist"] == {"reason": "unpublished", "name": "Brunch"}

    await owner.patch(f"{SCREENS}/{device.screen}", {"playlist": None})

    assert body_of(await device.manifest())["withoutPlaylist"] == {"reason": "unassigned"}

    await owner.patch(f"{SCREENS}/{device.screen}", {"playlist": cafe.playlist})

    assert "withoutPlaylist" not in body_of(await device.manifest())


def copy_of(device: Device, service: Service) -> Device:
    copied = service.device()
    copied.token, copied.screen = device.token, device.screen
    return copied


async def findings_of(owner: Caller, device: Device) -> list[str]:
    return [one["code"] for one in body_of(await owner.get(f"/v1/screens/{device.screen}"))["findings"]]


@pytest.mark.proves("copies-hardware-tells")
@pytest.mark.parametrize("name", ["bootId", "runId"])
async def test_two_devices_with_one_identity_are_told(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, name: str
) -> None:
    """Copies of one card: their boots differ, or, on machines that share a boot, their runs."""
    copied = copy_of(device, service)
    for number in range(3):
        for each, run, sequence in ((device, "a", 100 + number), (copied, "b", number)):
            answer = await each.heartbeat(**{name: run, "sequence": sequence})
            await clock.advance(15)
    assert body_of(answer)["twoDevices"] is True
    await service.pass_seconds(10)

    assert await findings_of(owner, device) == ["two_devices"]
    found = body_of(await owner.get("/v1/screens?finding=two_devices"))["data"]
    assert [screen["id"] for screen in found] == [device.screen]

    # The copy is gone: what was true is said for five minutes more.
    for number in range(3, 15):
        answer = await device.heartbeat(**{name: "a", "sequence": 100 + number})
        await clock.advance(30)
    assert body_of(answer)["twoDevices"] is False
    assert await findings_of(owner, device) == []


async def test_two_devices_that_call_different_processes_are_told(
    service: Service, device: Device, clock: VirtualClock
) -> None:
    database, token = service.services.database, digest_of(device.token)
    near, far = (
        Presence(database=database, clock=clock, others=True),
        Presence(database=database, clock=clock, others=True),
    )
    told = []
    for sequence in range(4):
        for process, run in ((near, "a"), (far, "b")):
            heartbeat = {"sequence": sequence, "bootId": run, "appVersion": "1", "presented": {"kind": "house"}}
            beat = Heartbeat.model_validate(heartbeat)
            told.append(process.report(device.screen, beat, token=token, at=clock.now()))
            process.flush()
            await clock.advance(15)
    assert told[-1]
    assert not any(told[:4])


@pytest.mark.first_case
@pytest.mark.proves("copies-hardware-tells")
@pytest.mark.parametrize(
    "runs",
    [
        pytest.param("aaabbbcccddd", id="restarts"),
        pytest.param("aabAbb", id="a late heartbeat of the run before"),
        pytest.param("aabAbcBcdCdeDe", id="a late heartbeat at each of many restarts"),
        pytest.param("aabaababb", id="heartbeats that are sent twice"),
        pytest.param("aabbaaaa", id="a virtual machine that is put back to a snapshot"),
    ],
)
async def test_one_device_is_not_taken_for_two(
    owner: Caller, device: Device, clock: VirtualClock, runs: str, request: pytest.FixtureRequest
) -> None:
    sent_twice = "twice" in request.node.callspec.id
    sequences: dict[str, int] = {}
    for run in runs:
        of_run = run.lower()
        if not (sent_twice and of_run == "a" and "b" in sequences):
            sequences[of_run] = sequences.get(of_run, 0) + 1
        answer = await device.heartbeat(runId=of_run, sequence=sequences[of_run])
        assert body_of(answer)["twoDevices"] is False
        await clock.advance(5)
