"""Presence of screens across two processes: one event for each change, and the same state in both."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service.core.changes import ScreenReported
from service.core.permissions import Role
from service.services.devices.presence import OFFLINE_AFTER, WRITTEN_EVERY
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    open_cafe,
    pair,
    running,
    until,
)
from tests.service.support.desk import person, text_of
from tests.service.support.outbox import emitted_events
from tests.service.support.postgres import END_LEADER

WRITTEN_SECONDS = int(WRITTEN_EVERY.total_seconds())
OFFLINE_SECONDS = int(OFFLINE_AFTER.total_seconds())
REPORTED_SECONDS = OFFLINE_SECONDS + 2 * WRITTEN_SECONDS
"""The longest time from the last call of a screen to its offline event."""


@dataclass
class TwoProcesses:
    """Two processes on one clock, and a screen that can call either. `near` leads."""

    near: Service
    far: Service
    clock: VirtualClock
    owner: Caller
    cafe: Cafe
    device: Device

    async def pass_seconds(self, seconds: int) -> None:
        for _ in range(seconds):
            await self.clock.advance(1)
            await until(lambda: self.clock.waiting == self.near.held_polls.holding + self.far.held_polls.holding + 2)

    def far_device(self) -> Device:
        return self.device.calling(self.far.client)

    async def screen(self, process: Service) -> Any:
        answer = await process.caller(Role.VIEWER).get(f"/v1/screens/{self.device.screen}")
        assert answer.status_code == 200
        return answer.json()

    def events(self) -> list[str]:
        return ["online"] * len(emitted_events(self.near, "screen.online")) + ["offline"] * len(
            emitted_events(self.near, "screen.offline")
        )


@pytest.fixture
async def two(tmp_path: Path, clock: VirtualClock, postgres: str) -> AsyncIterator[TwoProcesses]:
    async with running(tmp_path / "data", clock=clock, database=postgres) as near:
        await until(lambda: clock.waiting == 1)
        async with running(tmp_path / "data", clock=clock, database=postgres) as far:
            owner = near.caller(Role.OWNER)
            cafe = await open_cafe(owner)
            yield TwoProcesses(near, far, clock, owner, cafe, await pair(near, owner, cafe))


async def test_a_report_to_one_process_shows_in_the_other_within_ten_seconds(two: TwoProcesses) -> None:
    await two.far_device().heartbeat(presented={"kind": "nothing"})

    await two.pass_seconds(WRITTEN_SECONDS)

    shown = await two.screen(two.near)
    assert (shown["status"], shown["presented"]) == ("online", {"kind": "nothing"})
    listed = (await two.owner.get("/v1/screens?status=online")).json()["data"]
    assert [screen["id"] for screen in listed] == [two.device.screen]


@pytest.mark.long
async def test_a_page_of_the_other_process_is_right_within_two_seconds(two: TwoProcesses) -> None:
    far = two.far_device()
    await far.heartbeat(sequence=1, presented={"kind": "house"})
    await two.pass_seconds(WRITTEN_SECONDS)
    changes: list[object] = []
    two.near.services.hub.subscribe(changes.append)

    await far.heartbeat(sequence=2, presented={"kind": "nothing"})
    await two.pass_seconds(2)

    async with person(two.near, Role.VIEWER) as one:
        page = await one.open(f"/desk/screens/{two.device.screen}")
    assert "Shows nothing" in text_of(page)
    assert any(isinstance(change, ScreenReported) for change in changes), "open pages are told"


@pytest.mark.long
async def test_a_screen_that_calls_both_causes_one_event_per_change(two: TwoProcesses) -> None:
    far = two.far_device()
    for _ in range(3):
        await two.device.heartbeat()
        await far.heartbeat()
        await two.pass_seconds(OFFLINE_SECONDS // 2)
    assert two.events() == ["online"]

    await two.pass_seconds(REPORTED_SECONDS)
    assert two.events() == ["online", "offline"]
    await far.heartbeat()
    await two.device.heartbeat()
    await two.pass_seconds(2 * WRITTEN_SECONDS)
    assert two.events() == ["online", "online", "offline"]


@pytest.mark.long
async def test_a_call_that_the_other_process_has_not_written_yet_counts(two: TwoProcesses) -> None:
    far = two.far_device()
    await two.device.heartbeat()
    # Just after `far` has written, and just before `near` would declare the screen offline.
    await two.pass_seconds(OFFLINE_SECONDS - 1)
    await far.heartbeat()
    two.clock.set(two.clock.now() + WRITTEN_EVERY / 2)

    two.near.services.presence.sweep(leading_since=two.clock.monotonic() - OFFLINE_AFTER)

    assert two.events() == ["online"]
    await two.pass_seconds(WRITTEN_SECONDS)
    assert two.events() == ["online"]


async def test_a_contact_does_not_restore_an_older_report(two: TwoProcesses) -> None:
    far = two.far_device()
    await two.device.heartbeat(sequence=1, presented={"kind": "pairing"})
    await two.pass_seconds(WRITTEN_SECONDS)
    await far.heartbeat(sequence=2, presented={"kind": "house"})
    await two.pass_seconds(1)
    # `near` knows the first report, and gets another call without one.
    await two.device.manifest()

    await two.pass_seconds(2 * WRITTEN_SECONDS)

    for process in (two.near, two.far):
        assert (await two.screen(process))["presented"] == {"kind": "house"}


async def test_a_replaced_device_leaves_no_report_behind(two: TwoProcesses) -> None:
    far = two.far_device()
    await far.heartbeat(presented={"kind": "house"})

    again = await pair(two.near, two.owner, two.cafe)
    assert again.screen == two.device.screen
    await two.pass_seconds(2 * WRITTEN_SECONDS)

    for process in (two.near, two.far):
        shown = await two.screen(process)
        assert (shown["status"], shown["lastSeen"], shown["presented"]) == ("offline", None, None)
    assert two.events() == []


@pytest.mark.long
async def test_a_new_leader_gives_every_screen_two_minutes(two: TwoProcesses) -> None:
    await two.device.heartbeat()
    await two.pass_seconds(OFFLINE_SECONDS)
    # As after an outage of the database: recent contacts are not written yet.
    with two.near.services.database.write() as unit:
        assert unit.session.execute(text(END_LEADER)).all() == [(True,)]

    await two.pass_seconds(OFFLINE_SECONDS - 1)
    assert two.events() == ["online"]
    await two.pass_seconds(2 * WRITTEN_SECONDS)
    assert two.events() == ["online", "offline"]
