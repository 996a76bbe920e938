"""`screen.online` and `screen.offline`: each change is emitted once and in time, and a restart emits none."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.app.upkeep_jobs import PRESENCE_SECONDS
from service.core.json_text import read_json
from service.core.permissions import Role
from service.services.devices.presence import OFFLINE_AFTER
from service.storage.tables.screens import ScreenRow
from service.storage.tables.webhooks import EventRow
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    open_cafe,
    pair,
    running,
)

NOTICED_SECONDS = PRESENCE_SECONDS
"""Seconds within which a change is emitted."""
OFFLINE_SECONDS = int(OFFLINE_AFTER.total_seconds())


@dataclass
class Restarted:
    """A restarted service, and the player that called it before the restart."""

    service: Service
    owner: Caller
    device: Device


@pytest.fixture
async def restarted(tmp_path: Path, clock: VirtualClock, database_url: str | None) -> AsyncIterator[Restarted]:
    """Restarts the service an hour after the last contact."""
    async with running(tmp_path / "data", clock=clock, database=database_url) as first:
        owner = first.caller(Role.OWNER)
        device = await pair(first, owner, await open_cafe(owner))
        await device.heartbeat()
        await first.pass_seconds(NOTICED_SECONDS)
    later = VirtualClock(clock.now() + timedelta(hours=1))
    async with running(tmp_path / "data", clock=later, database=database_url) as again:
        returned = again.device()
        returned.token, returned.screen = device.token, device.screen
        yield Restarted(again, again.caller(Role.OWNER), returned)


def told(service: Service) -> list[tuple[str, Any]]:
    """The presence events, in order."""
    with service.services.database.read() as session:
        rows = session.scalars(select(EventRow).where(EventRow.type.startswith("screen.")).order_by(EventRow.number))
        return [(row.type, read_json(row.body.encode())["data"]) for row in rows]


def kinds(service: Service) -> list[str]:
    return [kind for kind, _ in told(service)]


async def status_of(owner: Caller, device: Device) -> Any:
    return (await owner.get(f"/v1/screens/{device.screen}")).json()["status"]


async def test_online_offline_and_online_again_are_three_events(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    assert told(service) == []
    await device.heartbeat()
    await service.pass_seconds(NOTICED_SECONDS)
    data = {
        "screen": device.screen,
        "name": "Bar",
        "location": cafe.location,
        "playlist": cafe.playlist,
        "lastSeen": "2026-11-20T12:00:00.000Z",
    }
    assert told(service) == [("screen.online", data)]

    await service.pass_seconds(OFFLINE_SECONDS - NOTICED_SECONDS - 1)
    assert kinds(service) == ["screen.online"]
    await service.pass_seconds(NOTICED_SECONDS + 1)
    assert told(service) == [("screen.online", data), ("screen.offline", data)]
    assert await status_of(owner, device) == "offline"
    await service.pass_seconds(3 * NOTICED_SECONDS)

    await device.heartbeat()
    await service.pass_seconds(2 * NOTICED_SECONDS)
    assert kinds(service) == ["screen.online", "screen.offline", "screen.online"]


@pytest.mark.long
async def test_a_screen_that_keeps_calling_is_one_event(service: Service, device: Device) -> None:
    for _ in range(6):
        await device.heartbeat()
        await service.pass_seconds(OFFLINE_SECONDS // 2)
    assert kinds(service) == ["screen.online"]


async def test_an_unwritten_contact_counts(service: Service, device: Device) -> None:
    await device.heartbeat()
    await service.pass_seconds(OFFLINE_SECONDS - 1)
    await device.heartbeat()
    service.clock.set(service.clock.now() + timedelta(seconds=1))

    service.services.presence.sweep(leading_since=timedelta())

    assert kinds(service) == ["screen.online"]


async def test_no_screen_goes_offline_in_the_two_minutes_after_a_restart(restarted: Restarted) -> None:
    service, owner, device = restarted.service, restarted.owner, restarted.device
    assert await status_of(owner, device) == "online"
    await service.pass_seconds(OFFLINE_SECONDS - 1)
    assert await status_of(owner, device) == "online"
    assert kinds(service) == ["screen.online"]

    await service.pass_seconds(NOTICED_SECONDS)

    assert await status_of(owner, device) == "offline"
    assert kinds(service) == ["screen.online", "screen.offline"]


async def test_a_screen_that_calls_after_a_restart_emits_nothing(restarted: Restarted) -> None:
    for _ in range(2):
        await restarted.device.heartbeat()
        await restarted.service.pass_seconds(OFFLINE_SECONDS // 2 + NOTICED_SECONDS)
    assert kinds(restarted.service) == ["screen.online"]


@pytest.mark.long
async def test_contacts_of_another_process_count(service: Service, owner: Caller, device: Device) -> None:
    await device.heartbeat()
    await service.pass_seconds(OFFLINE_SECONDS - 1)
    with service.services.database.write() as unit:
        row = unit.session.get(ScreenRow, 1)
        assert row is not None
        row.last_seen = unit.now

    await service.pass_seconds(OFFLINE_SECONDS - 1)
    assert kinds(service) == ["screen.online"]
    assert await status_of(owner, device) == "online"
    # Other processes get the time to write their contacts.
    await service.pass_seconds(2 * NOTICED_SECONDS + 1)
    assert kinds(service) == ["screen.online", "screen.offline"]


async def test_a_screen_paired_again_that_does_not_call_goes_offline(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    await service.pass_seconds(NOTICED_SECONDS)
    await pair(service, owner, cafe)

    await service.pass_seconds(OFFLINE_SECONDS + 2 * NOTICED_SECONDS)

    assert [data["lastSeen"] for kind, data in told(service) if kind == "screen.offline"] == [None]


async def test_a_removed_screen_emits_nothing(service: Service, owner: Caller, device: Device) -> None:
    await device.heartbeat()
    await service.pass_seconds(NOTICED_SECONDS)
    await owner.delete(f"/v1/screens/{device.screen}")
    await service.pass_seconds(OFFLINE_SECONDS + NOTICED_SECONDS)
    assert kinds(service) == ["screen.online"]
