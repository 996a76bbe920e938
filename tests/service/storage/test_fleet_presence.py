"""Which screens are there, where two processes hear them: told once, known to both in time, and of the right device."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from service.core.permissions import Role
from service.services.devices.presence import OFFLINE_AFTER, WRITTEN_EVERY
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Running,
    VirtualClock,
    open_cafe,
    pair,
    running,
    until,
)
from tests.service.support.postgres import END_LEADER
from tests.service.support.told import told

WRITTEN_SECONDS = int(WRITTEN_EVERY.total_seconds())
OFFLINE_SECONDS = int(OFFLINE_AFTER.total_seconds())
TOLD_SECONDS = OFFLINE_SECONDS + 2 * WRITTEN_SECONDS
"""How long after its last call a screen is told of as offline, at most."""


@dataclass
class Pair:
    """Two processes on one clock, and a screen that either of them may hear; the near one leads."""

    near: Running
    far: Running
    clock: VirtualClock
    owner: Caller
    cafe: Cafe
    device: Device

    async def pass_seconds(self, seconds: int) -> None:
        for _ in range(seconds):
            await self.clock.advance(1)
            await until(lambda: self.clock.waiting == self.near.desk.holding + self.far.desk.holding + 2)

    async def calling_far(self) -> Device:
        device = Device(self.far.client)
        device.token, device.screen = self.device.token, self.device.screen
        await until(lambda: self.far.services.devices.by_token(device.token) is not None)
        return device

    async def screen(self, process: Running) -> Any:
        answer = await process.caller(Role.VIEWER).get(f"/v1/screens/{self.device.screen}")
        assert answer.status_code == 200
        return answer.json()

    def events(self) -> list[str]:
        return ["online"] * len(told(self.near, "screen.online")) + ["offline"] * len(told(self.near, "screen.offline"))


@pytest.fixture
async def two(tmp_path: Path, clock: VirtualClock, postgres: str) -> AsyncIterator[Pair]:
    async with running(tmp_path / "data", clock=clock, database=postgres) as near:
        await until(lambda: clock.waiting == 1)
        async with running(tmp_path / "data", clock=clock, database=postgres) as far:
            owner = near.caller(Role.OWNER)
            cafe = await open_cafe(owner)
            yield Pair(near, far, clock, owner, cafe, await pair(near, owner, cafe))


async def test_what_one_process_hears_the_other_shows_within_ten_seconds(two: Pair) -> None:
    await (await two.calling_far()).heartbeat(presented={"kind": "nothing"})

    await two.pass_seconds(WRITTEN_SECONDS)

    shown = await two.screen(two.near)
    assert (shown["status"], shown["presented"]) == ("online", {"kind": "nothing"})
    listed = (await two.owner.get("/v1/screens?status=online")).json()["data"]
    assert [screen["id"] for screen in listed] == [two.device.screen]


async def test_a_screen_that_calls_both_is_told_of_once_each_time(two: Pair) -> None:
    far = await two.calling_far()
    for _ in range(3):
        await two.device.heartbeat()
        await far.heartbeat()
        await two.pass_seconds(OFFLINE_SECONDS // 2)
    assert two.events() == ["online"]

    await two.pass_seconds(TOLD_SECONDS)
    assert two.events() == ["online", "offline"]
    await far.heartbeat()
    await two.device.heartbeat()
    await two.pass_seconds(2 * WRITTEN_SECONDS)
    assert two.events() == ["online", "online", "offline"]


async def test_a_call_that_the_other_has_not_written_yet_is_waited_for(two: Pair) -> None:
    far = await two.calling_far()
    await two.device.heartbeat()
    # Just after the far process has written, and just before the near one would give the screen up.
    await two.pass_seconds(OFFLINE_SECONDS - 1)
    await far.heartbeat()
    two.clock.set(two.clock.now() + WRITTEN_EVERY / 2)

    two.near.services.presence.sweep(leading_since=two.clock.now() - OFFLINE_AFTER)

    assert two.events() == ["online"]
    await two.pass_seconds(WRITTEN_SECONDS)
    assert two.events() == ["online"]


async def test_a_contact_with_one_process_does_not_bring_back_what_was_said_before(two: Pair) -> None:
    far = await two.calling_far()
    await two.device.heartbeat(sequence=1, presented={"kind": "pairing"})
    await two.pass_seconds(WRITTEN_SECONDS)
    await far.heartbeat(sequence=2, presented={"kind": "house"})
    await two.pass_seconds(1)
    # The near process knows the first report, and is called again without one.
    await two.device.manifest()

    await two.pass_seconds(2 * WRITTEN_SECONDS)

    for process in (two.near, two.far):
        assert (await two.screen(process))["presented"] == {"kind": "house"}


async def test_what_a_device_said_is_not_said_of_the_one_that_takes_its_place(two: Pair) -> None:
    far = await two.calling_far()
    await far.heartbeat(presented={"kind": "house"})

    again = await pair(two.near, two.owner, two.cafe)
    assert again.screen == two.device.screen
    await two.pass_seconds(2 * WRITTEN_SECONDS)

    for process in (two.near, two.far):
        shown = await two.screen(process)
        assert (shown["status"], shown["lastSeen"], shown["presented"]) == ("offline", None, None)
    assert two.events() == []


async def test_whoever_begins_to_lead_gives_everyone_two_minutes(two: Pair) -> None:
    await two.device.heartbeat()
    await two.pass_seconds(OFFLINE_SECONDS)
    # As after an outage of the database: what was heard meanwhile is not written yet.
    with two.near.services.database.write() as unit:
        assert unit.session.execute(text(END_LEADER)).all() == [(True,)]

    await two.pass_seconds(OFFLINE_SECONDS - 1)
    assert two.events() == ["online"]
    await two.pass_seconds(2 * WRITTEN_SECONDS)
    assert two.events() == ["online", "offline"]
