"""Keys: created, listed and revoked by API and command line, narrowed to locations, and their last use."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from service.cli.main import EXIT_FAILURE, EXIT_USAGE, main
from service.core.permissions import Role
from service.schema.places.location import LocationCreate
from service.services.access.access import CACHED_FOR, Access
from service.services.registry import Services
from service.settings import Settings
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, body_of, faults_in, pair, running

KEYS = "/v1/keys"
CITY = {"name": "City", "timezone": "UTC", "currency": "EUR", "locale": "de"}


async def key_of(service: Service, caller: Caller, **body: Any) -> tuple[Caller, Any]:
    made = await caller.make(KEYS, {"name": "till", "role": "Viewer", **body})
    return Caller(service.client, made["key"]), made


async def test_a_key_is_made_shown_once_listed_and_revoked(service: Service, owner: Caller) -> None:
    response = await owner.post(KEYS, {"name": "till", "role": "Editor"})
    made = response.json()

    assert response.status_code == 201
    assert response.headers["Cache-Control"] == "no-store"
    assert made["key"].startswith("mk_")
    assert (made["role"], made["locations"], made["lastUsedAt"]) == ("Editor", None, None)
    listed = body_of(await owner.get(KEYS))["data"][-1]
    assert listed == {name: value for name, value in made.items() if name != "key"}
    path = response.headers["Location"]
    assert body_of(await owner.get(path)) == listed

    till = Caller(service.client, made["key"])
    assert (await till.get("/v1/screens")).status_code == 200
    assert (await owner.delete(path)).status_code == 204
    assert (await till.get("/v1/screens")).status_code == 401
    assert (await owner.get(path)).status_code == 404


async def test_a_retry_shows_the_same_key_again(owner: Caller) -> None:
    body = {"name": "till", "role": "Editor"}
    first = await owner.send("POST", KEYS, body, **{"Idempotency-Key": "a"})
    again = await owner.send("POST", KEYS, body, **{"Idempotency-Key": "a"})

    assert again.json() == first.json()
    assert len(body_of(await owner.get(KEYS))["data"]) == 2


async def test_only_admins_and_owners_manage_keys_and_none_above_their_own(service: Service, owner: Caller) -> None:
    admin = service.caller(Role.ADMIN)
    owners = (await owner.make(KEYS, {"name": "chef", "role": "Owner"}))["id"]
    for role in (Role.VIEWER, Role.EDITOR, Role.PUBLISHER):
        caller = service.caller(role)
        for method, path in (("GET", KEYS), ("POST", KEYS), ("GET", f"{KEYS}/x"), ("DELETE", f"{KEYS}/{owners}")):
            assert (await caller.send(method, path, {"name": "a", "role": "Viewer"})).status_code == 403

    assert (await admin.post(KEYS, {"name": "a", "role": "Owner"})).status_code == 403
    assert (await admin.delete(f"{KEYS}/{owners}")).status_code == 403
    assert (await admin.post(KEYS, {"name": "a", "role": "Admin"})).status_code == 201
    assert (await owner.delete(f"{KEYS}/{owners}")).status_code == 204


async def test_bad_keys_are_refused_with_every_fault(service: Service, owner: Caller) -> None:
    bad = await owner.post(KEYS, {"name": "", "role": "Boss", "locations": []})
    assert bad.status_code == 422
    assert set(faults_in(bad)) == {"/name", "/role", "/locations"}

    theirs = (await service.stranger().make("/v1/locations", CITY))["id"]
    foreign = await owner.post(KEYS, {"name": "a", "role": "Viewer", "locations": ["loc_none", theirs]})
    assert faults_in(foreign) == {"/locations/0": "unknown_location", "/locations/1": "unknown_location"}


async def test_the_number_of_keys_is_limited(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.services.access.keys.MAX_KEYS", 2)
    assert (await owner.post(KEYS, {"name": "a", "role": "Viewer"})).status_code == 201
    refused = await owner.post(KEYS, {"name": "b", "role": "Viewer"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_keys")


async def test_keys_of_another_workspace_are_not_found(service: Service, owner: Caller) -> None:
    stranger = service.stranger()
    made = await owner.make(KEYS, {"name": "a", "role": "Viewer"})

    assert (await stranger.get(f"{KEYS}/{made['id']}")).status_code == 404
    assert (await stranger.delete(f"{KEYS}/{made['id']}")).status_code == 404
    assert [key["id"] for key in body_of(await stranger.get(KEYS))["data"]] == ["key_2"]


async def test_a_narrowed_key_does_not_find_other_locations(service: Service, owner: Caller, cafe: Cafe) -> None:
    city = (await owner.make("/v1/locations", CITY))["id"]
    here = await pair(service, owner, cafe, device_id="1" * 32)
    there = await pair(service, owner, cafe, device_id="2" * 32)
    await owner.patch(f"/v1/screens/{there.screen}", {"location": city})
    narrow, _ = await key_of(service, owner, role="Admin", locations=[cafe.location])

    for path, inside in (("/v1/screens", here.screen), ("/v1/locations", cafe.location)):
        assert [one["id"] for one in body_of(await narrow.get(path))["data"]] == [inside]
        assert (await narrow.get(f"{path}/{inside}")).status_code == 200
    for path in (f"/v1/screens/{there.screen}", f"/v1/locations/{city}"):
        assert (await narrow.get(path)).status_code == 404
        assert (await narrow.patch(path, {"name": "x"})).status_code == 404
        assert (await narrow.delete(path)).status_code == 404
    for location in (city, "loc_none"):
        moved = await narrow.patch(f"/v1/screens/{here.screen}", {"location": location})
        assert moved.status_code == 404
        assert list(faults_in(await narrow.get(f"/v1/screens?location={location}"))) == ["location"]
    assert (await narrow.patch(f"/v1/screens/{here.screen}", {"name": "Door"})).status_code == 200
    assert (await narrow.post("/v1/locations", CITY)).status_code == 403
    # Its events would reveal screens elsewhere.
    assert (await narrow.get("/v1/public/webhooks")).status_code == 403


async def test_a_narrowed_key_pairs_and_publishes_within_its_locations(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    city = (await owner.make("/v1/locations", CITY))["id"]
    narrow, _ = await key_of(service, owner, role="Admin", locations=[cafe.location])
    codes = await service.device("3" * 32).ask_codes()
    pairing = {"code": codes.user_code, "playlist": cafe.playlist}

    assert (await narrow.post("/v1/screens/pair", {**pairing, "location": city})).status_code == 404
    paired = await narrow.post("/v1/screens/pair", {**pairing, "location": cafe.location})
    assert paired.status_code == 201
    publish = f"/v1/playlists/{cafe.playlist}/publish"
    assert (await narrow.post(publish)).status_code == 200
    await owner.patch(f"/v1/screens/{paired.json()['id']}", {"location": city})
    assert (await narrow.post(publish)).status_code == 404
    # A device that is a screen elsewhere cannot be taken over.
    again = await service.device("3" * 32).ask_codes()
    taken = await narrow.post(
        "/v1/screens/pair", {"code": again.user_code, "playlist": cafe.playlist, "location": cafe.location}
    )
    assert taken.status_code == 404


async def test_a_narrowed_key_creates_only_keys_as_narrow(service: Service, owner: Caller, cafe: Cafe) -> None:
    city = (await owner.make("/v1/locations", CITY))["id"]
    narrow, made = await key_of(service, owner, role="Admin", locations=[cafe.location])
    _, wide = await key_of(service, owner, locations=[cafe.location, city])

    assert (await narrow.post(KEYS, {"name": "a", "role": "Viewer"})).status_code == 403
    for location in (city, "loc_none"):
        asked = {"name": "a", "role": "Viewer", "locations": [cafe.location, location]}
        assert (await narrow.post(KEYS, asked)).status_code == 404
    child = await narrow.make(KEYS, {"name": "a", "role": "Viewer", "locations": [cafe.location]})
    assert [key["id"] for key in body_of(await narrow.get(KEYS))["data"]] == [made["id"], child["id"]]
    assert (await narrow.delete(f"{KEYS}/{wide['id']}")).status_code == 404


async def test_a_key_is_read_from_the_database_once(service: Service, owner: Caller, clock: VirtualClock) -> None:
    asked: list[str] = []
    engine = service.services.database._reader
    event.listen(engine, "before_cursor_execute", lambda *part: asked.append(part[2]))

    async def look_ups() -> int:
        asked.clear()
        await owner.get("/v1/locations")
        return sum("FROM keys" in statement for statement in asked)

    assert [await look_ups(), await look_ups()] == [1, 0]
    clock.set(clock.now() + CACHED_FOR)
    assert await look_ups() == 1


async def test_a_key_revoked_by_another_process_stops_working_within_five_seconds(
    service: Service, owner: Caller, clock: VirtualClock
) -> None:
    assert (await owner.get(KEYS)).status_code == 200
    with service.services.database.write() as unit:
        unit.session.execute(text("DELETE FROM keys"))

    clock.set(clock.now() + timedelta(seconds=5))
    assert (await owner.get(KEYS)).status_code == 401


async def test_the_last_use_of_a_key_is_shown_at_once_and_stored(
    service: Service, owner: Caller, clock: VirtualClock
) -> None:
    till, made = await key_of(service, owner)
    await till.get("/v1/screens")
    clock.set(clock.now() + timedelta(seconds=3))
    await till.get("/v1/screens")

    path = f"{KEYS}/{made['id']}"
    assert (await owner.get(path)).json()["lastUsedAt"] == "2026-11-20T12:00:03.000Z"
    service.services.keys.flush()
    async with running(service.data, clock=clock, database=service.database) as again:
        same = Caller(again.client, owner.secret)
        assert (await same.get(path)).json()["lastUsedAt"] == "2026-11-20T12:00:03.000Z"


def test_keys_are_listed_and_revoked_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["keys", "create", *data, "--role", "Editor", "--name", "till"], {}) == 0
    secret = capsys.readouterr().out.strip()
    assert main(["keys", "list", *data], {}) == 0
    [line] = capsys.readouterr().out.splitlines()
    key = json.loads(line)

    assert (key["name"], key["role"]) == ("till", "Editor")
    assert secret not in line
    assert main(["keys", "revoke", *data, key["id"]], {}) == 0
    assert main(["keys", "list", *data], {}) == 0
    assert capsys.readouterr().out == ""
    assert main(["keys", "revoke", *data, key["id"]], {}) == EXIT_FAILURE
    assert "no key" in capsys.readouterr().err


def test_the_operator_makes_workspaces_and_keys_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clock: VirtualClock
) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["workspaces", "create", *data, "Harbour"], {}) == 0
    harbour = json.loads(capsys.readouterr().out)
    services = Services(Settings(data=tmp_path), clock=clock)
    location = services.locations.create(Access(harbour["id"], Role.OWNER, ""), LocationCreate(**CITY)).id
    services.database.close()

    create = ["keys", "create", *data, "--role", "viewer", "--workspace", "Harbour"]
    assert main([*create, "--location", location], {}) == 0
    assert main(["keys", "create", *data, "--role", "Owner"], {}) == 0
    capsys.readouterr()
    assert main(["keys", "list", *data], {}) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(one["workspace"], one["role"], *(one["locations"] or ())) for one in listed} == {
        ("Harbour", "Viewer", location),
        ("default", "Owner"),
    }
    assert main(["workspaces", "list", *data], {}) == 0
    assert [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()] == ["Harbour", "default"]


def test_the_command_line_says_what_can_be_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["workspaces", "create", *data, "Harbour"], {}) == 0
    for arguments, status, words in (
        (["workspaces", "create", "Harbour"], EXIT_FAILURE, ["There is a workspace 'Harbour' already."]),
        (["workspaces", "create", " "], EXIT_USAGE, ["the name: This may not be blank."]),
        (
            ["keys", "create", "--role", "Owner", "--workspace", "Harbor"],
            EXIT_FAILURE,
            ["There is no workspace 'Harbor'.", "There are: 'Harbour'.", "`menu-service workspaces create`"],
        ),
        (
            ["keys", "create", "--role", "Owner", "--location", "loc_x", "--location", "loc_y"],
            EXIT_FAILURE,
            ["no location 'loc_x'.", "no location 'loc_y'.", "GET /v1/locations"],
        ),
        (["keys", "create", "--role", "King"], EXIT_USAGE, ["the role: This must be one of Owner, Admin"]),
        (["keys", "create", "--role", "Owner", "--name", "x" * 201], EXIT_USAGE, ["At most 200 characters"]),
        (["keys", "revoke", "key_x"], EXIT_FAILURE, ["no key with the id 'key_x'.", "`menu-service keys list`"]),
        (["keys", "revoke", "mk_hunter2"], EXIT_FAILURE, ["its id is needed", "`menu-service keys list`"]),
    ):
        capsys.readouterr()
        assert main([*arguments, *data], {}) == status, arguments
        told = capsys.readouterr()
        assert told.out == "", arguments
        for word in words:
            assert word in told.err, arguments
        assert "hunter2" not in told.err
