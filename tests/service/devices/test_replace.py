"""Replacing the device of a screen: the place keeps its id and all that was set, the new device alone has a token."""

import pytest

from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in, pair

KEPT = ("id", "name", "location", "playlist", "tags", "display", "createdAt")


async def replace(owner: Caller, screen: str, code: str) -> dict[str, object]:
    response = await owner.post(f"/v1/screens/{screen}/replace", {"code": code})
    assert response.status_code == 200, response.text
    return dict(body_of(response))


async def test_a_new_device_stands_in_the_place_of_the_old_one(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    path = f"/v1/screens/{device.screen}"
    await owner.patch(path, {"name": "Window", "tags": ["front"], "display": {"rotation": 90}})
    done = (await owner.post(f"{path}/commands", {"type": "identify"})).json()["id"]
    await device.heartbeat()
    await device.heartbeat(sequence=2, results=[{"id": done, "outcome": "done", "detail": "Shown."}])
    await owner.post(f"{path}/commands", {"type": "restart"})
    before = body_of(await owner.get(path))
    new = service.device("f" * 32)
    codes = await new.ask_codes(device_name="Spare")

    after = await replace(owner, device.screen, codes.user_code.lower())

    assert {name: after[name] for name in KEPT} == {name: before[name] for name in KEPT}
    assert (after["status"], after["lastSeen"], after["presented"]) == ("offline", None, None)
    gone = await device.manifest()
    assert (gone.status_code, gone.json()["code"]) == (401, "token_revoked")
    await new.take_token(codes)
    assert new.screen == device.screen
    assert (await new.manifest()).status_code == 200
    assert body_of(await new.heartbeat())["commands"] == [], "the restart was meant for the old device"
    commands = body_of(await owner.get(f"{path}/commands"))["data"]
    assert [command["id"] for command in commands] == [done], "what became of earlier ones belongs to the place"
    assert len(body_of(await owner.get("/v1/screens"))["data"]) == 1
    # The old device can become a screen of its own.
    again = await pair(service, owner, cafe)
    assert again.screen != device.screen


async def test_a_wrong_code_replaces_nothing_and_counts_as_a_guess(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    codes = await service.device("f" * 32).ask_codes()
    wrong = "BBBBBB" if codes.user_code != "BBB-BBB" else "CCCCCC"
    path = f"/v1/screens/{device.screen}/replace"

    malformed = await owner.post(path, {"code": "ABC"})
    assert (malformed.status_code, faults_in(malformed)) == (422, {"/code": "not_a_code"})
    assert [(await owner.post(path, {"code": wrong})).status_code for _ in range(6)] == [404] * 5 + [429]
    assert (await device.manifest()).status_code == 200


async def test_a_used_code_replaces_nothing(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    other = service.device("f" * 32)
    codes = await other.ask_codes()
    body = {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    await owner.make("/v1/screens/pair", body)

    assert (await owner.post(f"/v1/screens/{device.screen}/replace", {"code": codes.user_code})).status_code == 404
    assert (await device.manifest()).status_code == 200


async def test_a_device_that_is_another_screen_is_refused(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = await pair(service, owner, cafe, device_id="f" * 32)
    again = service.device("f" * 32)
    codes = await again.ask_codes()
    path = f"/v1/screens/{device.screen}/replace"

    refused = await owner.post(path, {"code": codes.user_code})

    assert (refused.status_code, refused.json()["code"]) == (409, "device_in_use")
    assert other.screen in refused.json()["detail"]
    assert (await device.manifest()).status_code == (await other.manifest()).status_code == 200
    await owner.delete(f"/v1/screens/{other.screen}")
    await replace(owner, device.screen, codes.user_code)
    await again.take_token(codes)
    assert again.screen == device.screen


async def test_the_same_device_may_come_back(service: Service, owner: Caller, device: Device) -> None:
    again = service.device()
    codes = await again.ask_codes()
    await replace(owner, device.screen, codes.user_code)
    await again.take_token(codes)
    assert (again.screen, (await again.manifest()).status_code) == (device.screen, 200)
    assert (await device.manifest()).status_code == 401


async def test_a_copy_of_a_card_that_plays_elsewhere_can_replace(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    """Two devices with one id: the one that plays goes on."""
    playing = await pair(service, owner, cafe, device_id="f" * 32)
    copy = service.device("f" * 32)
    codes = await copy.ask_codes()
    await clock.advance(30)
    assert (await playing.manifest()).status_code == 200

    await replace(owner, device.screen, codes.user_code)

    await copy.take_token(codes)
    assert (copy.screen, (await copy.manifest()).status_code) == (device.screen, 200)
    assert (await playing.manifest()).status_code == 200


async def test_a_replacement_has_conditions_and_one_effect(service: Service, owner: Caller, device: Device) -> None:
    path = f"/v1/screens/{device.screen}"
    tag = (await owner.get(path)).headers["ETag"]
    await owner.patch(path, {"name": "Window"})
    new = service.device("f" * 32)
    codes = await new.ask_codes()
    body = {"code": codes.user_code}

    changed = await owner.send("POST", f"{path}/replace", body, **{"If-Match": tag})
    assert (changed.status_code, changed.json()["code"]) == (412, "precondition_failed")
    once, again = [await owner.send("POST", f"{path}/replace", body, **{"Idempotency-Key": "a"}) for _ in range(2)]
    assert (once.status_code, once.content) == (again.status_code, again.content)
    assert once.status_code == 200


async def test_a_replaced_screen_waits_no_longer(service: Service, owner: Caller, cafe: Cafe) -> None:
    token = await owner.make(
        "/v1/enrolment-tokens",
        {"name": "Till", "location": cafe.location, "playlist": cafe.playlist, "confirm": True},
    )
    waiting = service.device("e" * 32)
    await waiting.take_token(await waiting.ask_codes(enrolment_token=token["token"]))
    codes = await service.device("f" * 32).ask_codes()
    assert (await replace(owner, waiting.screen, codes.user_code))["waiting"] is False


@pytest.mark.parametrize("name", ["Door", None])
async def test_a_name_may_be_given_when_pairing(service: Service, owner: Caller, cafe: Cafe, name: str | None) -> None:
    codes = await service.device().ask_codes(device_name="Bar")
    body = {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    screen = await owner.make("/v1/screens/pair", body if name is None else body | {"name": name})
    assert screen["name"] == (name or "Bar")
