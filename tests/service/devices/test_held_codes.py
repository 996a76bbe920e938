"""Held token calls: answered as soon as the code is claimed, and authorization_pending after the wait."""

import asyncio

import pytest

from service.services.devices.held_codes import MAX_WAIT_SECONDS
from service.services.devices.pairing import CODE_LIFETIME, INTERVAL_SECONDS
from tests.service.support.application import (
    Cafe,
    Caller,
    Codes,
    Service,
    VirtualClock,
    running,
    start,
    until,
)


async def claim(owner: Caller, cafe: Cafe, codes: Codes) -> str:
    screen = await owner.make(
        "/v1/screens/pair", {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    )
    return str(screen["id"])


async def test_a_held_call_is_answered_when_its_code_is_claimed(service: Service, owner: Caller, cafe: Cafe) -> None:
    device, other = service.device(), service.device("f" * 32)
    codes, others = await device.ask_codes(), await other.ask_codes()
    call, another = start(device.wait_for_token(codes)), start(other.wait_for_token(others))
    await service.holding(2)

    screen = await claim(owner, cafe, codes)

    answer = await call
    assert (answer.status_code, answer.json()["screen_id"]) == (200, screen)
    assert answer.headers["Cache-Control"] == "no-store"
    assert not another.done()
    assert service.held_codes.holding == 1
    service.held_codes.close()
    await another


async def test_a_held_call_of_a_player_that_is_gone_takes_no_token_away(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    device = service.device()
    codes = await device.ask_codes()
    of_the_run_before = start(device.wait_for_token(codes))
    await service.holding()
    await claim(owner, cafe, codes)
    await device.take_token(codes)

    assert (await of_the_run_before).json()["access_token"] == device.token
    assert (await device.manifest()).status_code == 200


async def test_a_code_that_is_claimed_already_is_answered_at_once(service: Service, owner: Caller, cafe: Cafe) -> None:
    device = service.device()
    codes = await device.ask_codes()
    await claim(owner, cafe, codes)

    assert (await device.wait_for_token(codes)).status_code == 200


async def test_after_its_wait_a_held_call_is_pending_and_the_next_may_follow_at_once(
    service: Service, clock: VirtualClock
) -> None:
    device = service.device()
    codes = await device.ask_codes()
    for _ in range(3):
        call = start(device.wait_for_token(codes, wait=INTERVAL_SECONDS))
        await service.holding()
        await clock.advance(INTERVAL_SECONDS - 1)
        assert not call.done()
        await clock.advance(1)
        answer = await call
        assert (answer.status_code, answer.json()["error"]) == (400, "authorization_pending")
        assert answer.headers["Preference-Applied"] == f"wait={INTERVAL_SECONDS}"


async def test_no_call_is_held_for_longer_than_the_maximum(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    call = start(device.wait_for_token(await device.ask_codes(), wait=999999999))
    await service.holding()

    await clock.advance(MAX_WAIT_SECONDS)

    assert (await call).headers["Preference-Applied"] == f"wait={MAX_WAIT_SECONDS}"


@pytest.mark.parametrize("prefer", ["wait=0", "return=minimal"])
async def test_a_call_without_the_wish_is_never_held(service: Service, prefer: str) -> None:
    device = service.device()

    answer = await device.ask_token(await device.ask_codes(), Prefer=prefer)

    assert answer.json()["error"] == "authorization_pending"
    assert "Preference-Applied" not in answer.headers


async def test_who_asks_too_fast_is_slowed_down_and_not_held(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()
    await device.ask_token(codes)

    await clock.advance(1)
    answer = await device.wait_for_token(codes)

    assert answer.json()["error"] == "slow_down"
    assert "Preference-Applied" not in answer.headers


async def test_one_call_of_a_code_is_held_and_unknown_codes_never(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()
    first = start(device.wait_for_token(codes))
    await service.holding()
    await clock.advance(INTERVAL_SECONDS)

    second = start(device.wait_for_token(codes))

    assert (await first).json()["error"] == "authorization_pending"
    await service.holding()
    assert not second.done()
    unknown = Codes(device_code="unheard-of", user_code="", answer={})
    assert (await device.wait_for_token(unknown)).json()["error"] == "invalid_grant"
    assert service.held_codes.holding == 1
    service.held_codes.close()
    await second


async def test_a_code_that_ends_while_its_call_is_held_is_expired(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()
    await clock.advance(CODE_LIFETIME.total_seconds() - 5)
    call = start(device.wait_for_token(codes))
    await service.holding()

    await clock.advance(25)

    assert (await call).json()["error"] == "expired_token"


async def test_a_stopping_service_answers_held_calls(service: Service) -> None:
    device = service.device()
    codes = await device.ask_codes()
    call = start(device.wait_for_token(codes))
    await service.holding()

    service.held_codes.close()

    assert (await call).json()["error"] == "authorization_pending"
    other = service.device("e" * 32)
    assert (await other.wait_for_token(await other.ask_codes())).json()["error"] == "authorization_pending"


async def test_a_claim_at_another_process_ends_the_hold(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    if service.database is None:
        pytest.skip("SQLite is of one process")
    async with running(service.data, clock=clock, database=service.database) as second:
        device = second.device()
        codes = await device.ask_codes()
        call = start(device.wait_for_token(codes))
        await until(lambda: second.held_codes.holding == 1)

        screen = await claim(owner, cafe, codes)

        async with asyncio.timeout(5):
            assert (await call).json()["screen_id"] == screen
