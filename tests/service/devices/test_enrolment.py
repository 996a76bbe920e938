"""A device with an enrolment token becomes a screen by itself; a token that is none, or no more, leaves it its code."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from service.core.clock import instant_text
from service.core.permissions import Role
from service.schema.devices.enrolment import MAX_ENROLMENT_DAYS, MAX_ENROLMENT_SCREENS, MAX_ENROLMENT_TOKEN_LENGTH
from service.schema.devices.screen import MAX_CONFIRMED
from service.schema.fields import NAME_LENGTH
from service.services.devices import enrolments
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, faults_in

TOKENS = "/v1/enrolment-tokens"


async def token_of(caller: Caller, cafe: Cafe, **more: object) -> dict[str, Any]:
    body = {"playlist": cafe.playlist, "location": cafe.location, "name": "Counter", **more}
    made: dict[str, Any] = body_of(await caller.post(TOKENS, body))
    return made


def device(service: Service, number: int = 1) -> Device:
    return Device(service.client, device_id=f"{number:032x}")


async def enrolment(device: Device, token: str) -> str:
    codes = await device.ask_codes(enrolment_token=token)
    answered = codes.answer["enrolment"]
    if answered == "accepted":
        await device.take_token(codes)
    return str(answered)


async def test_a_device_with_a_token_is_a_screen_without_anybody_entering_its_code(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    made = await owner.post(TOKENS, {"playlist": cafe.playlist, "location": cafe.location, "name": "Counter"})
    token = body_of(made)
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    assert (token["screens"], token["used"]) == (1, 0)

    board = device(service)
    assert await enrolment(board, token["token"]) == "accepted"

    assert (await board.manifest()).status_code == 200
    screen = body_of(await owner.get(f"/v1/screens/{board.screen}"))
    assert (screen["name"], screen["location"], screen["playlist"]) == ("Counter", cafe.location, cafe.playlist)
    (listed,) = body_of(await owner.get(TOKENS))["data"]
    assert listed == {name: value for name, value in token.items() if name != "token"} | {"used": 1}


async def test_a_token_makes_as_many_screens_as_it_says_each_with_a_number(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    token = (await token_of(owner, cafe, screens=2))["token"]
    assert [await enrolment(device(service, number), token) for number in (1, 2, 3)] == [
        "accepted",
        "accepted",
        "used_up",
    ]
    names = [screen["name"] for screen in body_of(await owner.get("/v1/screens"))["data"]]
    assert names == ["Counter 1", "Counter 2"]


@pytest.mark.proves("enrolment-token-used")
async def test_a_token_that_cannot_be_used_leaves_the_device_its_code(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    expiring, revoked = await token_of(owner, cafe, days=1), await token_of(owner, cafe)
    assert (await owner.delete(f"{TOKENS}/{revoked['id']}")).status_code == 204
    service.clock.set(service.clock.now() + timedelta(days=1, seconds=1))
    for token, said in (
        (expiring["token"], "expired"),
        (revoked["token"], "unknown"),
        ("nonsense", "unknown"),
        ("x" * (MAX_ENROLMENT_TOKEN_LENGTH + 50), "unknown"),
    ):
        board = device(service)
        codes = await board.ask_codes(enrolment_token=token)
        assert codes.answer["enrolment"] == said
        body = {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
        assert (await owner.post("/v1/screens/pair", body)).status_code == 201
        await board.take_token(codes)
    assert (await device(service, 9).ask_codes()).answer["enrolment"] is None


async def test_a_token_makes_no_screen_too_many_of_devices_that_come_at_once(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    token = await token_of(owner, cafe, screens=3)
    said = await asyncio.gather(*(enrolment(device(service, number), token["token"]) for number in range(1, 9)))
    assert sorted(said) == ["accepted"] * 3 + ["used_up"] * 5
    assert body_of(await owner.get(f"{TOKENS}/{token['id']}"))["used"] == 3
    screens = body_of(await owner.get("/v1/screens"))["data"]
    assert [screen["location"] for screen in screens] == [cafe.location] * 3


async def test_a_token_is_good_up_to_its_day_and_not_after_it(service: Service, owner: Caller, cafe: Cafe) -> None:
    token = await token_of(owner, cafe, screens=MAX_ENROLMENT_SCREENS, days=MAX_ENROLMENT_DAYS)
    ends = service.clock.now() + timedelta(days=MAX_ENROLMENT_DAYS)
    assert token["expiresAt"] == instant_text(ends)
    service.clock.set(ends - timedelta(seconds=1))
    assert await enrolment(device(service, 1), token["token"]) == "accepted"
    service.clock.set(ends)
    assert await enrolment(device(service, 2), token["token"]) == "expired"


async def test_the_longest_name_has_room_for_its_number(service: Service, owner: Caller, cafe: Cafe) -> None:
    token = await token_of(owner, cafe, name="n" * NAME_LENGTH, screens=2)
    assert [await enrolment(device(service, number), token["token"]) for number in (1, 2)] == ["accepted"] * 2
    names = [screen["name"] for screen in body_of(await owner.get("/v1/screens"))["data"]]
    assert names == ["n" * (NAME_LENGTH - 2) + " 1", "n" * (NAME_LENGTH - 2) + " 2"]


async def test_a_token_takes_no_screen_that_is_in_use(service: Service, owner: Caller, cafe: Cafe) -> None:
    token = (await token_of(owner, cafe, screens=5))["token"]
    board = device(service)
    assert await enrolment(board, token) == "accepted"
    assert (await board.manifest()).status_code == 200

    assert await enrolment(device(service), token) == "known_device"

    assert (await board.manifest()).status_code == 200


async def test_a_device_that_lost_its_power_before_its_first_call_is_counted_once(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    token = (await token_of(owner, cafe))["token"]
    assert (await device(service).ask_codes(enrolment_token=token)).answer["enrolment"] == "accepted"
    again = device(service)
    assert await enrolment(again, token) == "accepted"
    assert (await again.manifest()).status_code == 200
    assert len(body_of(await owner.get("/v1/screens"))["data"]) == 1


async def test_a_screen_that_waits_has_its_name_and_no_menu_until_it_is_confirmed(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    made = await token_of(owner, cafe, confirm=True)
    assert made["confirm"] is True
    board, other = device(service), device(service, 2)
    assert await enrolment(board, made["token"]) == "accepted"
    assert await enrolment(other, (await token_of(owner, cafe, name="Bar"))["token"]) == "accepted"

    assert body_of(await other.manifest())["playlist"] is not None
    without = await board.manifest()
    assert (body_of(without)["playlist"], body_of(without)["scenes"]) == (None, [])
    (waiting,) = body_of(await owner.get("/v1/screens?waiting=true"))["data"]
    assert (waiting["id"], waiting["name"], waiting["playlist"]) == (board.screen, "Counter", cafe.playlist)
    assert [one["id"] for one in body_of(await owner.get("/v1/screens?waiting=false"))["data"]] == [other.screen]

    held = asyncio.create_task(board.held(without.headers["ETag"]))
    await service.holding()
    confirmed = await owner.post("/v1/screens/confirm", {"screens": [board.screen, other.screen]})
    assert (confirmed.status_code, body_of(confirmed)) == (200, {"confirmed": 1})

    assert body_of(await held)["playlist"]["id"] == cafe.playlist
    assert body_of(await owner.get("/v1/screens?waiting=true"))["data"] == []


async def test_a_screen_that_was_confirmed_before_its_first_call_stays_so(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    token = (await token_of(owner, cafe, confirm=True))["token"]
    board = device(service)
    assert await enrolment(board, token) == "accepted"
    await owner.post("/v1/screens/confirm", {"screens": [board.screen]})

    assert await enrolment(device(service), token) == "accepted"

    assert body_of(await owner.get("/v1/screens?waiting=true"))["data"] == []


async def test_a_code_that_somebody_enters_confirms_the_screen(service: Service, owner: Caller, cafe: Cafe) -> None:
    board = device(service)
    assert await enrolment(board, (await token_of(owner, cafe, confirm=True))["token"]) == "accepted"
    codes = await board.ask_codes()
    paired = {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    assert body_of(await owner.post("/v1/screens/pair", paired))["waiting"] is False


@pytest.mark.parametrize(
    ("screens", "pointer", "code"),
    [
        ([], "/screens", "too_short"),
        (["scr_x"] * (MAX_CONFIRMED + 1), "/screens", "too_long"),
        (["{screen}", "scr_x"], "/screens/1", "unknown_screen"),
    ],
)
async def test_of_a_list_with_a_screen_that_is_none_nothing_is_confirmed(
    service: Service, owner: Caller, cafe: Cafe, screens: list[str], pointer: str, code: str
) -> None:
    board = device(service)
    assert await enrolment(board, (await token_of(owner, cafe, confirm=True))["token"]) == "accepted"
    refused = await owner.post("/v1/screens/confirm", {"screens": [one.format(screen=board.screen) for one in screens]})
    assert (refused.status_code, faults_in(refused)) == (422, {pointer: code})
    assert body_of(await owner.get(f"/v1/screens/{board.screen}"))["waiting"] is True


async def test_an_expired_token_is_listed_for_a_month(service: Service, owner: Caller, cafe: Cafe) -> None:
    await token_of(owner, cafe, days=1)
    for days, listed in ((1 + 29, 1), (2, 0)):
        service.clock.set(service.clock.now() + timedelta(days=days))
        service.services.enrolment_tokens.prune()
        assert len(body_of(await owner.get(TOKENS))["data"]) == listed


async def test_a_token_that_is_used_up_leaves_room_for_another(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enrolments, "MAX_ENROLMENT_TOKENS", 1)
    assert await enrolment(device(service), (await token_of(owner, cafe))["token"]) == "accepted"
    assert (await token_of(owner, cafe, name="Bar"))["name"] == "Bar"


async def test_a_key_makes_tokens_for_the_locations_that_it_sees(service: Service, owner: Caller, cafe: Cafe) -> None:
    other = body_of(
        await owner.post("/v1/locations", {"name": "Pier", "timezone": "UTC", "currency": "EUR", "locale": "en"})
    )
    here = await token_of(owner, cafe)
    body = {"name": "Pier", "role": "Publisher", "locations": [other["id"]]}
    narrow = Caller(service.client, body_of(await owner.post("/v1/keys", body))["key"])
    refused = await narrow.post(TOKENS, {"playlist": cafe.playlist, "location": cafe.location, "name": "Mine"})
    assert refused.status_code == 404
    assert body_of(await narrow.get(TOKENS))["data"] == []
    assert (await narrow.delete(f"{TOKENS}/{here['id']}")).status_code == 404
    board = device(service)
    assert await enrolment(board, here["token"]) == "accepted"
    refused = await narrow.post("/v1/screens/confirm", {"screens": [board.screen]})
    assert faults_in(refused) == {"/screens/0": "unknown_screen"}


async def test_what_cannot_be_a_token_is_refused(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"playlist": cafe.playlist, "location": cafe.location, "name": "Counter"}
    for change, pointer in (
        ({"screens": 0}, "/screens"),
        ({"screens": 501}, "/screens"),
        ({"days": 366}, "/days"),
        ({"days": 0}, "/days"),
        ({"playlist": "nowhere"}, "/playlist"),
        ({"name": " "}, "/name"),
    ):
        refused = await owner.post(TOKENS, {**body, **change})
        assert list(faults_in(refused)) == [pointer]
    editor = service.caller(Role.EDITOR)
    assert (await editor.post(TOKENS, body)).status_code == 403
    monkeypatch.setattr(enrolments, "MAX_ENROLMENT_TOKENS", 1)
    await token_of(owner, cafe)
    assert (await owner.post(TOKENS, body)).status_code == 409
