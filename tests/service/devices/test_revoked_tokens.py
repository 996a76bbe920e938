"""Refused tokens: the service says which ones it has revoked, so that a player can tell that from any other 401."""

from hashlib import sha256

import httpx
import pytest

from service.services.devices.revoked_tokens import RETENTION
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, open_cafe, pair, pair_device


async def every_call(device: Device) -> list[httpx.Response]:
    """A call of each kind with the device's token."""
    return [await device.manifest(), await device.heartbeat(), await device.asset(f"sha256:{'0' * 64}")]


def said(response: httpx.Response) -> tuple[int, str, str, str | None]:
    kind, document = response.headers["content-type"], response.json()
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert document["type"] == f"urn:menu-display:problem:{document['code']}"
    return response.status_code, kind, document["code"], document.get("tokenDigest")


def revoked(device: Device) -> tuple[int, str, str, str | None]:
    return 401, "application/problem+json", "token_revoked", sha256(device.token.encode()).hexdigest()


UNKNOWN = (401, "application/problem+json", "token_unknown", None)


async def test_the_token_of_a_removed_screen_is_said_to_be_revoked(owner: Caller, device: Device) -> None:
    await device.heartbeat()
    await owner.delete(f"/v1/screens/{device.screen}")

    assert {said(answer) for answer in await every_call(device)} == {revoked(device)}


async def test_the_token_of_a_screen_that_was_paired_again_is_said_to_be_revoked(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    again = await pair(service, owner, cafe)

    assert {said(answer) for answer in await every_call(device)} == {revoked(device)}
    assert (await again.manifest()).status_code == 200


@pytest.mark.parametrize("token", ["never-issued", "x" * 200])
async def test_a_token_that_was_never_issued_is_said_to_be_unknown(device: Device, token: str) -> None:
    device.token = token

    assert {said(answer) for answer in await every_call(device)} == {UNKNOWN}


async def test_a_token_that_no_player_has_used_is_only_unknown(service: Service, owner: Caller, cafe: Cafe) -> None:
    first = service.device()
    await pair_device(first, owner, cafe)
    await owner.delete(f"/v1/screens/{first.screen}")

    assert said(await first.manifest()) == UNKNOWN


async def test_a_revoked_token_is_remembered_for_more_than_a_year(
    service: Service, owner: Caller, device: Device, clock: VirtualClock
) -> None:
    await device.heartbeat()
    await owner.delete(f"/v1/screens/{device.screen}")

    clock.set(clock.now() + RETENTION / 2)
    service.services.revoked_tokens.prune()
    assert said(await device.manifest()) == revoked(device)

    clock.set(clock.now() + RETENTION / 2)
    service.services.revoked_tokens.prune()
    assert said(await device.manifest()) == UNKNOWN


async def test_a_paired_device_is_told_its_workspace(service: Service, owner: Caller, cafe: Cafe) -> None:
    stranger = service.stranger()
    told = []
    for caller, place in ((owner, cafe), (owner, cafe), (stranger, await open_cafe(stranger))):
        device = service.device()
        codes = await pair_device(device, caller, place)
        told.append((await device.ask_token(codes)).json()["workspace_id"])

    assert told[0] == told[1]
    assert told[2] == "ws_2"
