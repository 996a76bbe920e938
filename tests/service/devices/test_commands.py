"""Commands for screens: delivered by answers to heartbeats, repeated, and expiring."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.core.permissions import Role
from service.services.devices.commands import KEPT, LIFETIME, MAX_COMMANDS, MAX_KEPT, SENDINGS
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


def as_told(given: httpx.Response) -> dict[str, str]:
    """A command as the player gets it."""
    return {name: given.json()[name] for name in ("id", "type")}


async def told(device: Device) -> list[Any]:
    answer = await device.heartbeat()
    assert answer.status_code == 200
    commands: list[Any] = answer.json()["commands"]
    return commands


async def test_a_command_is_delivered_with_the_next_heartbeat(owner: Caller, device: Device) -> None:
    assert await told(device) == []

    given = await give(owner, device, "identify")

    assert given.status_code == 202
    assert given.json()["type"] == "identify"
    assert await told(device) == [{"id": given.json()["id"], "type": "identify"}]


@pytest.mark.parametrize(("kind", "times"), [("identify", 3), ("reload", 3), ("restart", 1)])
async def test_commands_are_repeated_except_restart(owner: Caller, device: Device, kind: str, times: int) -> None:
    assert SENDINGS[kind] == times  # type: ignore[index]
    command = as_told(await give(owner, device, kind))

    assert [await told(device) for _ in range(times + 2)] == [[command]] * times + [[]] * 2


async def test_a_command_ends_a_held_poll_which_asks_for_a_heartbeat(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    other = await pair(service, owner, cafe, device_id=DEVICE_ID[::-1])
    call, another = start(device.held(etag)), start(other.held(etag))
    await service.holding(2)

    command = as_told(await give(owner, device, "identify"))

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


@pytest.mark.parametrize("asked_again", ["before", "after"])
async def test_a_request_that_nobody_waits_for_any_more_costs_no_command(
    service: Service, owner: Caller, device: Device, asked_again: str
) -> None:
    """Of a connection that the network has dropped, or that the player has closed to ask anew, as for `reload`."""
    etag = (await device.manifest()).headers["ETag"]
    forgotten = [start(device.held(etag))]
    if asked_again == "before":
        forgotten.append(start(device.held(etag)))
    await service.holding(len(forgotten))

    await give(owner, device, "identify")

    assert (await forgotten[0]).headers["Menu-Heartbeat"] == "now"
    service.held_polls.close()
    newest = await (forgotten[-1] if asked_again == "before" else device.held(etag))
    assert newest.headers.get("Menu-Heartbeat") == "now"


async def test_a_command_ends_no_poll_of_a_player_that_would_not_send_a_heartbeat(
    owner: Caller, service: Service, device: Device
) -> None:
    """One before 0.3.0 takes an answer that comes early for a network that holds no requests, and asks 20 s later."""
    headers = {"If-None-Match": (await device.manifest()).headers["ETag"], "Prefer": "wait=25"}
    call = start(device.manifest(**headers))
    await service.holding()
    command = as_told(await give(owner, device, "identify"))
    assert await told(device) == [command]
    assert not call.done()
    service.held_polls.close()
    assert "Menu-Heartbeat" not in (await call).headers


@pytest.mark.long
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
    early = as_told(await give(owner, device, "reload"))
    clock.set(clock.now() + LIFETIME - timedelta(seconds=1))
    late = as_told(await give(owner, device, "restart"))
    assert await told(device) == [early, late]

    clock.set(clock.now() + timedelta(seconds=1))
    assert await told(device) == []


async def test_the_number_of_pending_commands_is_limited(owner: Caller, device: Device) -> None:
    given = [as_told(await give(owner, device, "restart")) for _ in range(MAX_COMMANDS)]

    refused = await give(owner, device, "restart")

    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_commands")
    assert await told(device) == given
    assert (await give(owner, device, "identify")).status_code == 202


async def state_of(caller: Caller, device: Device, given: httpx.Response) -> tuple[str, str | None]:
    """A command as the operator sees it."""
    found = (await caller.get(f"/v1/screens/{device.screen}/commands/{given.json()['id']}")).json()
    return found["state"], found["detail"]


async def test_the_operator_sees_what_became_of_a_command(owner: Caller, device: Device, clock: VirtualClock) -> None:
    given = await give(owner, device, "identify")
    path = f"/v1/screens/{device.screen}/commands/{given.json()['id']}"
    assert given.headers["Location"] == path
    assert (await owner.get(path)).json() == given.json()
    assert (given.json()["state"], given.json()["sentAt"]) == ("waiting", None)
    assert len(await told(device)) == 1
    assert (await state_of(owner, device, given))[0] == "sent"

    clock.set(clock.now() + timedelta(seconds=7))
    done = {"id": given.json()["id"], "outcome": "done", "detail": "It is on the screen.", "at": "2026-11-20T12:00:03Z"}
    again = {**done, "outcome": "failed"}
    assert (await device.heartbeat(results=[done, {"id": "cmd_none", "outcome": "done"}])).json()["commands"] == []
    await device.heartbeat(results=[again])

    assert (await owner.get(path)).json() == {
        "id": given.json()["id"],
        "type": "identify",
        "state": "done",
        "detail": "It is on the screen.",
        "createdAt": "2026-11-20T12:00:00.000Z",
        "expiresAt": "2026-11-20T12:05:00.000Z",
        "sentAt": "2026-11-20T12:00:00.000Z",
        "finishedAt": "2026-11-20T12:00:03.000Z",
    }
    assert "results" not in (await owner.get(f"/v1/screens/{device.screen}")).text


@pytest.mark.parametrize("at", [None, "2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"])
async def test_a_result_is_neither_of_the_future_nor_before_its_command(
    owner: Caller, device: Device, clock: VirtualClock, at: str | None
) -> None:
    given = (await give(owner, device, "restart")).json()
    clock.set(clock.now() + timedelta(minutes=1))
    await device.heartbeat(results=[{"id": given["id"], "outcome": "of a newer player", "at": at}])
    found = (await owner.get(f"/v1/screens/{device.screen}/commands")).json()["data"]
    assert [one["state"] for one in found] == ["of a newer player"]
    assert given["createdAt"] <= found[0]["finishedAt"] <= "2026-11-20T12:01:00.000Z"


@pytest.mark.proves("command-given-screen")
async def test_a_command_for_a_screen_that_is_offline_waits_and_expires_or_is_taken_back(
    owner: Caller, device: Device, clock: VirtualClock
) -> None:
    clock.set(clock.now() + timedelta(minutes=10))
    given, other = await give(owner, device, "reload"), await give(owner, device, "restart")
    assert given.json()["state"] == "waiting"
    assert "offline" in given.json()["detail"]

    path = f"/v1/screens/{device.screen}/commands/{other.json()['id']}"
    assert (await owner.send("DELETE", path)).status_code == 204
    assert (await owner.get(path)).status_code == 404
    assert (await owner.send("DELETE", path)).status_code == 404

    clock.set(clock.now() + LIFETIME)
    assert await state_of(owner, device, given) == (
        "expired",
        "The screen did not call in time, so nothing was done.",
    )
    assert await told(device) == []


async def test_what_the_screen_has_cannot_be_taken_back(owner: Caller, device: Device, clock: VirtualClock) -> None:
    given = await give(owner, device, "reload")
    assert len(await told(device)) == 1
    refused = await owner.send("DELETE", f"/v1/screens/{device.screen}/commands/{given.json()['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "command_sent")
    clock.set(clock.now() + LIFETIME)
    state, detail = await state_of(owner, device, given)
    assert state == "sent"
    assert detail is not None
    assert "0.3.0" in detail, "a player that does not report"


@pytest.mark.long
async def test_commands_are_kept_for_a_while_and_the_newest_of_them(
    service: Service, owner: Caller, device: Device, clock: VirtualClock
) -> None:
    given = []
    for _ in range(MAX_KEPT + 3):
        given.append((await give(owner, device, "restart")).json()["id"])
        await told(device)
    listed = (await owner.get(f"/v1/screens/{device.screen}/commands?limit=100")).json()
    assert [one["id"] for one in listed["data"]] == given[3:]

    clock.set(clock.now() + KEPT - timedelta(seconds=1))
    late = (await give(owner, device, "restart")).json()["id"]
    clock.set(clock.now() + timedelta(seconds=1))
    service.services.commands.prune()
    listed = (await owner.get(f"/v1/screens/{device.screen}/commands")).json()
    assert [one["id"] for one in listed["data"]] == [late]


async def test_a_player_tells_of_its_own_commands_only(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = await pair(service, owner, cafe, device_id=DEVICE_ID[::-1])
    given = await give(owner, device, "identify")
    await other.heartbeat(results=[{"id": given.json()["id"], "outcome": "failed", "detail": "No."}])
    assert (await state_of(owner, device, given))[0] == "waiting"


async def test_each_screen_gets_its_own_commands(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    other = await pair(service, owner, cafe, device_id=DEVICE_ID[::-1])
    await give(owner, device, "identify")

    assert await told(other) == []
    assert len(await told(device)) == 1


async def test_a_repeated_call_is_one_command(owner: Caller, device: Device) -> None:
    first = await give(owner, device, "restart", **{"Idempotency-Key": "a"})
    again = await give(owner, device, "restart", **{"Idempotency-Key": "a"})

    assert again.json() == first.json()
    assert await told(device) == [as_told(first)]


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
    command = as_told(await give(owner, device, "restart"))

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
