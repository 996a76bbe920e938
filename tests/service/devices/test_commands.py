"""Commands for screens: delivered by answers to heartbeats, repeated, and expiring."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.core.permissions import Role
from service.services.devices.commands import LIFETIME, MAX_COMMANDS, SENDINGS
from tests.service.support.application import (
    DEVICE_ID,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    faults_in,
    pair,
    running,
    start,
)


async def give(caller: Caller, device: Device, kind: str, **headers: str) -> httpx.Response:
    return await caller.send("POST", f"/v1/screens/{device.screen}/commands", {"type": kind}, **headers)


async def told(device: Device) -> list[Any]:
    answer = await device.heartbeat()
    assert answer.status_code == 200
    commands: list[Any] = answer.json()["commands"]
    return commands


async def test_a_command_is_delivered_with_the_next_heartbeat(owner: Caller, device: Device) -> None:
    assert await told(device) == []

    given = await give(owner, device, "identify")

    assert given.status_code == 202
    assert given.json() == {"id": given.json()["id"], "type": "identify"}
    assert await told(device) == [given.json()]


@pytest.mark.parametrize(("kind", "times"), [("identify", 3), ("reload", 3), ("restart", 1)])
async def test_commands_are_repeated_except_restart(owner: Caller, device: Device, kind: str, times: int) -> None:
    assert SENDINGS[kind] == times  # type: ignore[index]
    command = (await give(owner, device, kind)).json()

    assert [await told(device) for _ in range(times + 2)] == [[command]] * times + [[]] * 2


async def test_a_command_ends_a_held_poll_which_asks_for_a_heartbeat(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    other = await pair(service, owner, cafe, device_id=DEVICE_ID[::-1])
    call, another = start(device.held(etag)), start(other.held(etag))
    await service.holding(2)

    command = (await give(owner, device, "identify")).json()

    answer = await call
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["Menu-Heartbeat"] == "now"
    assert not another.done()
    assert await told(device) == [command]
    again = start(device.held(etag))
    await service.holding(2)
    assert not again.done(), "it asks once"
    service.held_polls.close()
    assert "Menu-Heartbeat" not in (await again).headers
    assert "Menu-Heartbeat" not in (await another).headers


async def test_a_command_given_between_two_polls_ends_the_next_one_unless_a_heartbeat_came(
    owner: Caller, service: Service, device: Device
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    await give(owner, device, "identify")
    assert "Menu-Heartbeat" not in (await device.manifest(**{"If-None-Match": etag})).headers, "it is not held"
    assert (await device.held(etag)).headers["Menu-Heartbeat"] == "now"

    await give(owner, device, "identify")
    await device.heartbeat()
    held = start(device.held(etag))
    await service.holding()
    service.held_polls.close()
    assert "Menu-Heartbeat" not in (await held).headers


async def test_a_command_expires(owner: Caller, device: Device, clock: VirtualClock) -> None:
    early = (await give(owner, device, "reload")).json()
    clock.set(clock.now() + LIFETIME - timedelta(seconds=1))
    late = (await give(owner, device, "restart")).json()
    assert await told(device) == [early, late]

    clock.set(clock.now() + timedelta(seconds=1))
    assert await told(device) == []


async def test_the_number_of_pending_commands_is_limited(owner: Caller, device: Device) -> None:
    given = [(await give(owner, device, "restart")).json() for _ in range(MAX_COMMANDS)]

    refused = await give(owner, device, "restart")

    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_commands")
    assert await told(device) == given
    assert (await give(owner, device, "identify")).status_code == 202


async def test_each_screen_gets_its_own_commands(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    other = await pair(service, owner, cafe, device_id=DEVICE_ID[::-1])
    await give(owner, device, "identify")

    assert await told(other) == []
    assert len(await told(device)) == 1


async def test_a_repeated_call_is_one_command(owner: Caller, device: Device) -> None:
    first = await give(owner, device, "restart", **{"Idempotency-Key": "a"})
    again = await give(owner, device, "restart", **{"Idempotency-Key": "a"})

    assert again.json() == first.json()
    assert await told(device) == [first.json()]


async def test_an_invalid_command_is_refused(owner: Caller, device: Device) -> None:
    for kind in ("shell", "Screenshot", "", "Identify"):
        refused = await give(owner, device, kind)
        assert refused.status_code == 422, kind
        assert list(faults_in(refused)) == ["/type"], kind
    assert await told(device) == []


async def test_only_roles_that_manage_screens_may_command_them(service: Service, owner: Caller, device: Device) -> None:
    assert (await give(service.caller(Role.EDITOR), device, "restart")).status_code == 403
    assert (await give(service.stranger(), device, "restart")).status_code == 404
    nowhere = "/v1/screens/scr_none/commands"
    assert (await owner.post(nowhere, {"type": "restart"})).status_code == 404
    assert await told(device) == []
    assert (await give(service.caller(Role.PUBLISHER), device, "restart")).status_code == 202


async def test_a_restart_of_the_service_loses_no_command(
    service: Service, owner: Caller, device: Device, clock: VirtualClock
) -> None:
    command = (await give(owner, device, "restart")).json()

    async with running(service.data, clock=clock, database=service.database) as again:
        returned = again.device()
        returned.token = device.token
        assert [await told(returned) for _ in range(2)] == [[command], []]


async def test_pairing_again_voids_pending_commands(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await give(owner, device, "restart")

    again = await pair(service, owner, cafe)

    assert again.screen == device.screen
    assert await told(again) == []
