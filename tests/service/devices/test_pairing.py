"""Pairing by RFC 8628, as a device and an operator use it, with its limits."""

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from service.api.devices.pairing import MAX_FORM_BYTES
from service.core.permissions import Role
from service.services.devices import pairing as pairing_module
from service.services.devices.pairing import (
    CLAIM_GRACE,
    CODE_LIFETIME,
    EXPIRED_RETENTION,
    INTERVAL_SECONDS,
    MAX_INTERVAL_SECONDS,
    MAX_PENDING_PER_ADDRESS,
    SLOW_DOWN_SECONDS,
    USER_CODE_ALPHABET,
)
from service.storage.tables.screens import PairingRow, WrongCodeRow
from tests.service.support.application import (
    DEVICE_ID,
    GRANT_TYPE,
    PUBLIC_URL,
    Cafe,
    Caller,
    Codes,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    pair,
    running,
    start,
)

AUTHORIZE = "/v1/player/device_authorization"
TOKEN = "/v1/player/token"


async def error_of(device: Device, codes: Codes) -> str:
    response = await device.ask_token(codes)
    assert response.status_code == 400
    assert response.headers["Cache-Control"] == "no-store"
    error = response.json()["error"]
    assert isinstance(error, str)
    return error


def claim(cafe: Cafe, code: str, **more: object) -> dict[str, Any]:
    return {"code": code, "playlist": cafe.playlist, "location": cafe.location, **more}


async def test_a_device_gets_a_code_to_show(service: Service) -> None:
    response = await service.client.post(AUTHORIZE, data={"client_id": "menu-player", "device_id": DEVICE_ID})

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    answer = response.json()
    assert re.fullmatch(f"[{USER_CODE_ALPHABET}]{{3}}-[{USER_CODE_ALPHABET}]{{3}}", answer["user_code"])
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", answer["device_code"])
    assert answer["verification_uri"] == f"{PUBLIC_URL}/pair"
    assert answer["verification_uri_complete"] == f"{PUBLIC_URL}/pair?code={answer['user_code']}"
    assert (answer["expires_in"], answer["interval"]) == (900, 5)


async def test_a_claimed_code_becomes_a_screen(service: Service, owner: Caller, cafe: Cafe) -> None:
    device = service.device()
    codes = await device.ask_codes(device_name="Bar\x00 left ", app_version="0.1.0")
    assert await error_of(device, codes) == "authorization_pending"

    claimed = await owner.post("/v1/screens/pair", claim(cafe, codes.user_code))

    screen = body_of(claimed)
    assert claimed.status_code == 201
    assert claimed.headers["Location"] == f"/v1/screens/{screen['id']}"
    assert (screen["name"], screen["status"], screen["lastSeen"]) == ("Bar  left", "offline", None)
    assert (screen["playlist"], screen["location"]) == (cafe.playlist, cafe.location)
    granted = await device.ask_token(codes)
    assert granted.status_code == 200
    assert granted.headers["Cache-Control"] == "no-store"
    answer = granted.json()
    assert (answer["token_type"], answer["screen_id"]) == ("Bearer", screen["id"])
    assert answer["screen_name"] == screen["name"]
    location = body_of(await owner.get(f"/v1/locations/{cafe.location}"))
    assert answer["locale"] == location["locale"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", answer["access_token"])


@pytest.mark.parametrize(
    "spelling", [str.lower, lambda code: code.replace("-", ""), lambda code: f" {' '.join(code)}\t"]
)
async def test_case_spaces_and_hyphens_are_ignored(service: Service, owner: Caller, cafe: Cafe, spelling: Any) -> None:
    codes = await service.device().ask_codes()

    response = await owner.post("/v1/screens/pair", claim(cafe, spelling(codes.user_code), name="Window"))

    assert (response.status_code, response.json()["name"]) == (201, "Window")


async def test_polling_too_fast_makes_the_interval_longer(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()
    assert await error_of(device, codes) == "authorization_pending"

    await clock.advance(INTERVAL_SECONDS - 2)
    assert await error_of(device, codes) == "slow_down"
    # The interval is five seconds longer from now on.
    await clock.advance(INTERVAL_SECONDS + SLOW_DOWN_SECONDS - 2)
    assert await error_of(device, codes) == "slow_down"
    await clock.advance(INTERVAL_SECONDS + 2 * SLOW_DOWN_SECONDS)
    assert await error_of(device, codes) == "authorization_pending"
    for _ in range(30):
        assert await error_of(device, codes) == "slow_down"
    await clock.advance(MAX_INTERVAL_SECONDS)
    assert await error_of(device, codes) == "authorization_pending"


async def test_polling_slightly_early_is_tolerated(service: Service, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()
    for _ in range(3):
        assert await error_of(device, codes) == "authorization_pending"
        await clock.advance(INTERVAL_SECONDS - 0.9)


async def test_a_lost_answer_loses_no_screen(service: Service, owner: Caller, cafe: Cafe) -> None:
    device = service.device()
    codes = await device.ask_codes()
    await owner.make("/v1/screens/pair", claim(cafe, codes.user_code))

    await device.take_token(codes)
    lost, screen = device.token, device.screen
    await device.take_token(codes)

    assert (device.token, device.screen) == (lost, screen)
    assert (await device.manifest()).status_code == 200
    assert await error_of(device, codes) == "invalid_grant"


async def test_a_code_expires(service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock) -> None:
    device = service.device()
    codes = await device.ask_codes()

    await clock.advance(CODE_LIFETIME.total_seconds())

    assert await error_of(device, codes) == "expired_token"
    assert (await owner.post("/v1/screens/pair", claim(cafe, codes.user_code))).status_code == 404
    # After the retention it is unknown.
    clock.set(clock.now() + EXPIRED_RETENTION)
    await service.device("f" * 32).ask_codes()
    assert await error_of(device, codes) == "invalid_grant"


async def test_a_code_claimed_in_its_last_second_is_valid(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    device = service.device()
    codes = await device.ask_codes()
    await clock.advance(CODE_LIFETIME.total_seconds() - 1)
    await owner.make("/v1/screens/pair", claim(cafe, codes.user_code))

    await clock.advance(CLAIM_GRACE.total_seconds() - 1)
    await device.take_token(codes)
    await clock.advance(1)
    assert await error_of(device, codes) == "expired_token"


async def test_unknown_expired_and_used_codes_get_the_same_answer(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    old = await service.device("a" * 32).ask_codes()
    await clock.advance(CODE_LIFETIME.total_seconds())
    used = await service.device().ask_codes()
    await owner.make("/v1/screens/pair", claim(cafe, used.user_code))

    answers = [
        await owner.post("/v1/screens/pair", claim(cafe, code))
        for code in (old.user_code, used.user_code, "BBBBBB" if used.user_code != "BBB-BBB" else "CCCCCC")
    ]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert len({re.sub(r"'.*?'", "", answer.text) for answer in answers}) == 1


NO_CODES: list[str] = ["", "ABCDEF", "BCDFG", "BCDFGHJ", "BCD-FG1", "ВСDFGH", "BCDFGH; DROP"]


async def test_a_malformed_code_is_refused(owner: Caller, cafe: Cafe) -> None:
    for code in NO_CODES:
        for _ in range(6):  # and it counts as no guess
            response = await owner.post("/v1/screens/pair", claim(cafe, code))
            assert (response.status_code, faults_in(response)) == (422, {"/code": "not_a_code"}), code


async def test_playlist_and_location_have_to_exist(service: Service, owner: Caller, cafe: Cafe) -> None:
    codes = await service.device().ask_codes()

    nowhere = await owner.post("/v1/screens/pair", {"code": codes.user_code, "playlist": "pl_0", "location": "loc_0"})
    nothing = await owner.post("/v1/screens/pair", {"code": codes.user_code})

    assert faults_in(nowhere) == {"/playlist": "unknown_playlist", "/location": "unknown_location"}
    assert faults_in(nothing) == {"/playlist": "required", "/location": "required"}
    # The code is still unclaimed.
    assert (await owner.post("/v1/screens/pair", claim(cafe, codes.user_code))).status_code == 201


async def test_a_device_that_pairs_again_keeps_its_screen(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    other = (await owner.make("/v1/playlists", {"name": "Other"}))["id"]
    again = service.device()
    codes = await again.ask_codes()

    screen = await owner.make("/v1/screens/pair", claim(cafe, codes.user_code) | {"playlist": other})

    assert (screen["id"], screen["playlist"], screen["name"]) == (device.screen, other, "Bar")
    assert (screen["status"], screen["lastSeen"], screen["presented"]) == ("offline", None, None)
    assert (await device.manifest()).status_code == 401
    await again.take_token(codes)
    assert again.screen == device.screen
    assert (await again.manifest()).status_code == 200
    assert len(body_of(await owner.get("/v1/screens"))["data"]) == 1


async def test_a_device_whose_screen_was_removed_gets_a_new_one(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.delete(f"/v1/screens/{device.screen}")

    again = await pair(service, owner, cafe)

    assert again.screen != device.screen


async def test_a_screen_that_is_removed_before_its_token_is_fetched_is_denied(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    device = service.device()
    codes = await device.ask_codes()
    screen = await owner.make("/v1/screens/pair", claim(cafe, codes.user_code))
    await owner.delete(f"/v1/screens/{screen['id']}")

    assert await error_of(device, codes) == "access_denied"


async def test_another_workspace_does_not_get_the_screen_of_a_device(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    stranger = service.stranger()
    place = await stranger.make("/v1/locations", {"name": "x", "timezone": "UTC", "currency": "USD", "locale": "en"})
    playlist = await stranger.make("/v1/playlists", {"name": "x"})
    codes = await service.device().ask_codes()

    taken = await stranger.make(
        "/v1/screens/pair", {"code": codes.user_code, "playlist": playlist["id"], "location": place["id"]}
    )

    assert taken["id"] != device.screen
    assert (await device.manifest()).status_code == 200


async def test_wrong_codes_are_counted_in_two_windows(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    codes = await service.device().ask_codes()
    wrong = "BBBBBB" if codes.user_code != "BBB-BBB" else "CCCCCC"

    async def tries(count: int) -> list[int]:
        return [(await owner.post("/v1/screens/pair", claim(cafe, wrong))).status_code for _ in range(count)]

    assert await tries(6) == [404] * 5 + [429]
    refused = await owner.post("/v1/screens/pair", claim(cafe, codes.user_code))
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == "900"
    clock.set(clock.now() + timedelta(seconds=890.5))
    assert (await owner.post("/v1/screens/pair", claim(cafe, wrong))).headers["Retry-After"] == "10"
    for _ in range(3):
        clock.set(clock.now() + timedelta(minutes=15))
        assert await tries(6) == [404] * 5 + [429]
    # After twenty in a day, only the next day helps.
    clock.set(clock.now() + timedelta(minutes=15))
    assert await tries(1) == [429]
    clock.set(clock.now() + timedelta(days=1))
    assert await tries(1) == [404]
    with service.services.database.read() as session:
        assert session.scalar(select(func.count()).select_from(WrongCodeRow)) == 1


async def test_limits_hold_across_a_restart(service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock) -> None:
    for _ in range(5):
        await owner.post("/v1/screens/pair", claim(cafe, "BBBBBB"))

    async with running(service.data, clock=clock, database=service.database) as again:
        caller = again.caller(Role.OWNER)
        assert (await caller.post("/v1/screens/pair", claim(cafe, "BBBBBB"))).status_code == 429


async def test_the_number_of_codes_per_address_is_limited(service: Service, clock: VirtualClock) -> None:
    devices = [service.device(f"{number:032x}") for number in range(MAX_PENDING_PER_ADDRESS)]
    for device in devices:
        await device.ask_codes()
    form = {"client_id": "menu-player", "device_id": "f" * 32}

    full = await service.client.post(AUTHORIZE, data=form)

    assert (full.status_code, full.json()["error"]) == (429, "temporarily_unavailable")
    assert int(full.headers["Retry-After"]) > 0
    # A device that asks again only replaces its code; expired codes make room.
    await devices[0].ask_codes()
    await clock.advance(CODE_LIFETIME.total_seconds())
    assert (await service.client.post(AUTHORIZE, data=form)).status_code == 200


async def test_a_second_request_of_a_device_voids_its_first_code(service: Service, owner: Caller, cafe: Cafe) -> None:
    device = service.device()
    first = await device.ask_codes()
    second = await device.ask_codes()

    assert (await owner.post("/v1/screens/pair", claim(cafe, first.user_code))).status_code == 404
    assert (await owner.post("/v1/screens/pair", claim(cafe, second.user_code))).status_code == 201


@pytest.mark.proves("copies-hardware-tells")
async def test_two_copies_of_a_card_become_two_screens(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    """Both show a code, neither voids the other's, and the second that is paired does not throw the first one out."""
    one, other = service.device(), service.device()
    first = await one.ask_codes()
    await one.ask_token(first)
    second = await other.ask_codes()
    await clock.advance(30)
    await other.ask_token(second)

    await owner.make("/v1/screens/pair", claim(cafe, first.user_code))
    await one.take_token(first)
    assert (await one.manifest()).status_code == 200
    await owner.make("/v1/screens/pair", claim(cafe, second.user_code))
    await other.take_token(second)

    assert (await other.manifest()).status_code == 200
    assert (await one.manifest()).status_code == 200
    assert one.screen != other.screen
    assert len(body_of(await owner.get("/v1/screens"))["data"]) == 2


async def two_copies(service: Service, clock: VirtualClock) -> tuple[Device, Device, Codes, Codes]:
    """Two copies of a card that show their codes, the second since just now."""
    one, other = service.device(), service.device()
    first = await one.ask_codes()
    await one.ask_token(first)
    await clock.advance(10)
    second = await other.ask_codes()
    await other.ask_token(second)
    return one, other, first, second


@pytest.mark.proves("copies-hardware-tells")
async def test_a_code_claimed_while_the_first_copy_holds_a_poll_is_that_of_the_second(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    one, other, first, second = await two_copies(service, clock)
    await owner.make("/v1/screens/pair", claim(cafe, first.user_code))
    await one.take_token(first)
    etag = (await one.manifest()).headers["ETag"]
    held = start(one.held(etag))
    await service.holding()
    await clock.advance(2)
    await owner.make("/v1/screens/pair", claim(cafe, second.user_code))
    await other.take_token(second)

    assert one.screen != other.screen
    await clock.advance(30)
    assert (await held).status_code == 304
    for device in (one, other):
        assert (await device.manifest()).status_code == 200
    assert len(body_of(await owner.get("/v1/screens"))["data"]) == 2


@pytest.mark.proves("copies-hardware-tells")
async def test_codes_of_both_copies_claimed_one_after_the_other_are_two_screens(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    """Before the first has called with its token."""
    one, other, first, second = await two_copies(service, clock)
    await clock.advance(1)
    await owner.make("/v1/screens/pair", claim(cafe, first.user_code))
    await one.take_token(first)
    await owner.make("/v1/screens/pair", claim(cafe, second.user_code))
    await other.take_token(second)

    assert one.screen != other.screen
    for device in (one, other):
        assert (await device.manifest()).status_code == 200


async def test_a_device_that_lost_its_token_and_shows_a_code_is_the_same_screen(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock, device: Device
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    held = start(device.held(etag, wait=5))
    await service.holding()
    await clock.advance(6)
    await held
    codes = await device.ask_codes()
    claimed = await owner.make("/v1/screens/pair", claim(cafe, codes.user_code))
    assert claimed["id"] == device.screen


async def test_a_code_that_is_on_no_screen_any_more_is_voided_by_the_next(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    device = service.device()
    first = await device.ask_codes()
    await device.ask_token(first)
    await clock.advance(pairing_module.SHOWN_FOR.total_seconds())
    await device.ask_codes()

    assert (await owner.post("/v1/screens/pair", claim(cafe, first.user_code))).status_code == 404


async def test_the_number_of_pending_codes_is_limited(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_module, "MAX_PENDING", 2)
    for number in range(2):
        await service.device(f"{number:032x}").ask_codes()

    full = await service.client.post(AUTHORIZE, data={"client_id": "menu-player", "device_id": "f" * 32})

    assert (full.status_code, full.json()["error"]) == (503, "temporarily_unavailable")
    assert int(full.headers["Retry-After"]) > 0


async def test_nothing_is_left_of_a_finished_pairing(service: Service, device: Device) -> None:
    await device.manifest()

    with service.services.database.read() as session:
        assert session.scalar(select(func.count()).select_from(PairingRow)) == 0


GOOD_AUTHORIZE = {"client_id": "menu-player", "device_id": DEVICE_ID}
GOOD_TOKEN = {"client_id": "menu-player", "grant_type": GRANT_TYPE, "device_code": "x" * 43}


FAULTY_FORMS: list[tuple[str, dict[str, Any], str]] = [
    (AUTHORIZE, {}, "invalid_request"),
    (AUTHORIZE, GOOD_AUTHORIZE | {"client_id": "someone"}, "invalid_client"),
    (AUTHORIZE, GOOD_AUTHORIZE | {"device_id": ""}, "invalid_request"),
    (AUTHORIZE, GOOD_AUTHORIZE | {"device_id": "g" * 32}, "invalid_request"),
    (AUTHORIZE, GOOD_AUTHORIZE | {"device_id": "a" * 33}, "invalid_request"),
    (AUTHORIZE, GOOD_AUTHORIZE | {"client_id": ["menu-player", "menu-player"]}, "invalid_request"),
    (TOKEN, {}, "invalid_request"),
    (TOKEN, GOOD_TOKEN | {"grant_type": "password"}, "unsupported_grant_type"),
    (TOKEN, GOOD_TOKEN | {"client_id": "someone"}, "invalid_client"),
    (TOKEN, GOOD_TOKEN | {"device_code": ""}, "invalid_request"),
    (TOKEN, GOOD_TOKEN, "invalid_grant"),
]


async def test_an_invalid_form_is_refused(service: Service) -> None:
    for case in FAULTY_FORMS:
        path, form, error = case
        response = await service.client.post(path, data=form)

        assert (response.status_code, response.json()["error"]) == (400, error), case
        assert response.json()["error_description"], case
        assert response.headers["Cache-Control"] == "no-store", case


NO_FORMS: list[tuple[bytes, str, int]] = [
    (b'{"client_id": "menu-player"}', "application/json", 400),
    (b"client_id=%ff%fe", "application/x-www-form-urlencoded", 400),
    (b"client_id=\xff", "application/x-www-form-urlencoded", 400),
    (b"a=1&" * 50, "application/x-www-form-urlencoded", 400),
    (b"x" * (MAX_FORM_BYTES + 1), "application/x-www-form-urlencoded", 413),
]


async def test_a_body_that_is_not_a_form_is_refused(service: Service) -> None:
    for case in NO_FORMS:
        content, content_type, status = case
        for path in (AUTHORIZE, TOKEN):
            response = await service.client.post(path, content=content, headers={"Content-Type": content_type})
            assert (response.status_code, response.json()["error"]) == (status, "invalid_request"), case
