"""Idempotency-Key: a retry gets the response of the first call and has no effect."""

import asyncio
import threading
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import text

from service.core.permissions import Role
from service.services.shared.idempotency import MAX_STORED_BYTES, RETENTION
from service.storage.tables.workspaces import StoredResponseRow
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, body_of, png, running, start
from tests.service.support.crash_points import TEA, died
from tests.support.examples import examples
from tests.support.patience import PATIENCE_SECONDS

ITEMS = "/v1/content/items"
DAY = int(RETENTION.total_seconds())


async def keyed(
    caller: Caller, name: str, path: str = ITEMS, body: Any = TEA, *, method: str = "POST", **more: str
) -> httpx.Response:
    return await caller.send(method, path, body, **{"Idempotency-Key": name}, **more)


def seen(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """The response without its rate limit and request id, which differ for each call."""
    headers = {name: value for name, value in response.headers.items() if name not in ("ratelimit", "x-request-id")}
    return response.status_code, response.content, headers


async def how_many(caller: Caller) -> int:
    return len(body_of(await caller.get(f"{ITEMS}?limit=100"))["data"])


async def test_a_retry_gets_the_same_response_and_has_no_effect(owner: Caller) -> None:
    first = await keyed(owner, "a")
    again = await keyed(owner, "a")

    assert first.status_code == 201
    assert first.headers["Location"] == f"{ITEMS}/{first.json()['id']}"
    assert seen(again) == seen(first)
    assert await how_many(owner) == 1


async def test_a_retry_gets_the_first_response_after_later_changes(owner: Caller) -> None:
    item = await owner.make(ITEMS, TEA)
    path = f"{ITEMS}/{item['id']}"
    first = await keyed(owner, "a", path, {"price": 3}, method="PATCH")
    await owner.patch(path, {"price": 4})

    again = await keyed(owner, "a", path, {"price": 3}, method="PATCH")

    assert seen(again) == seen(first)
    assert (await owner.get(path)).json()["price"] == 4


async def test_every_kind_of_write_may_be_repeated(service: Service, owner: Caller, cafe: Cafe) -> None:
    codes = await service.device().ask_codes()
    calls: list[tuple[str, str, Any]] = [
        ("POST", "/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"}),
        ("POST", "/v1/scenes", {"name": "S", "widgets": []}),
        ("POST", "/v1/scenes", {"template": "promo"}),
        ("POST", f"/v1/scenes/{cafe.scene}/schedules", {"type": "daypart", "start": "08:00", "end": "11:00"}),
        ("POST", "/v1/playlists", {"name": "P"}),
        ("POST", f"/v1/playlists/{cafe.playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5}),
        ("PATCH", f"/v1/playlists/{cafe.playlist}", {"name": "Q"}),
        ("POST", f"/v1/playlists/{cafe.playlist}/publish", None),
        ("POST", f"{ITEMS}/bulk", [{"id": cafe.cake, "price": 5}]),
        (
            "POST",
            "/v1/screens/pair",
            {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location},
        ),
    ]
    for number, (method, path, body) in enumerate(calls):
        first = await keyed(owner, f"call-{number}", path, body, method=method)
        again = await keyed(owner, f"call-{number}", path, body, method=method)

        assert first.status_code in (200, 201), (path, first.text)
        assert seen(again) == seen(first), path
    assert (await owner.get(f"/v1/playlists/{cafe.playlist}")).json()["version"] == 2


async def test_an_upload_may_be_repeated(owner: Caller) -> None:
    async def upload(shade: int) -> httpx.Response:
        return await owner.raw("POST", "/v1/assets", png(shade), "image/png", **{"Idempotency-Key": "a"})

    first = await upload(1)
    again = await upload(1)
    other = await upload(2)

    assert first.status_code == 201
    assert seen(again) == seen(first)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len((await owner.get("/v1/assets")).json()["data"]) == 1


async def test_another_request_with_the_same_key_is_a_422(owner: Caller) -> None:
    await keyed(owner, "a")
    item = await owner.make(ITEMS, TEA)
    before = await how_many(owner)

    for other in (
        await keyed(owner, "a", body={**TEA, "price": 3}),
        await keyed(owner, "a", f"{ITEMS}?x=y"),
        await keyed(owner, "a", f"{ITEMS}/{item['id']}", TEA, method="PATCH"),
        await keyed(owner, "a", Prefer="handling=lenient"),
    ):
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")

    assert await how_many(owner) == before


async def test_a_refused_call_can_be_repeated_with_the_same_key(owner: Caller) -> None:
    refused = await keyed(owner, "a", body={**TEA, "price": -1})
    accepted = await keyed(owner, "a")

    assert (refused.status_code, accepted.status_code) == (422, 201)


async def test_wrong_pairing_codes_count_also_with_a_key(owner: Caller, cafe: Cafe) -> None:
    body = {"code": "BBBBBB", "playlist": cafe.playlist, "location": cafe.location}
    tried = [(await keyed(owner, "a", "/v1/screens/pair", body)).status_code for _ in range(6)]

    assert tried == [404] * 5 + [429]


async def test_each_api_key_has_its_own_idempotency_keys(service: Service, owner: Caller) -> None:
    first = await keyed(owner, "a")
    other = await keyed(service.caller(Role.EDITOR), "a")

    assert other.status_code == 201
    assert other.json()["id"] != first.json()["id"]


async def test_a_call_in_flight_is_a_409(service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, go_on = threading.Event(), threading.Event()
    create = service.services.items.create

    def slow(*arguments: Any) -> Any:
        entered.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return create(*arguments)

    monkeypatch.setattr(service.services.items, "create", slow)
    first = start(keyed(owner, "a"))
    assert await asyncio.to_thread(entered.wait, 20)

    second = await keyed(owner, "a")
    go_on.set()

    assert (second.status_code, second.json()["code"]) == (409, "idempotency_in_flight")
    assert second.headers["Retry-After"] == "1"
    answer = seen(await first)
    assert seen(await keyed(owner, "a")) == answer
    assert await how_many(owner) == 1


async def test_only_one_of_two_processes_has_the_effect(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.services.stored_responses, "find", lambda _call: None)
    first = await keyed(owner, "a")

    second = await keyed(owner, "a")

    assert (first.status_code, second.status_code) == (201, 409)
    assert await how_many(owner) == 1


NO_NAMES = ["", "x" * 256, "a b", "é".encode().decode("latin-1"), "\x7f"]


async def test_a_name_is_up_to_255_visible_ascii_characters(service: Service, owner: Caller) -> None:
    for name in NO_NAMES:
        headers = [(b"Authorization", f"Bearer {owner.secret}".encode())]
        headers += [(b"Content-Type", b"application/json"), (b"Idempotency-Key", name.encode("latin-1"))]
        response = await service.client.post(ITEMS, content=b"{}", headers=headers)
        assert (response.status_code, response.json()["code"]) == (400, "bad_idempotency_key"), name
    twice = [*headers[:2], (b"Idempotency-Key", b"a"), (b"Idempotency-Key", b"b")]
    assert (await service.client.post(ITEMS, content=b"{}", headers=twice)).status_code == 400
    assert (await keyed(owner, "!" * 255)).status_code == 201
    assert await how_many(owner) == 1


async def test_responses_are_stored_for_24_hours(service: Service, owner: Caller, clock: VirtualClock) -> None:
    first = await keyed(owner, "a")
    clock.set(clock.now() + timedelta(seconds=DAY - 1))
    assert seen(await keyed(owner, "a")) == seen(first)

    clock.set(clock.now() + timedelta(seconds=1))
    later = await keyed(owner, "a")
    assert later.json()["id"] != first.json()["id"]

    clock.set(clock.now() + RETENTION)
    service.services.stored_responses.sweep()
    with service.services.database.read() as session:
        assert session.query(StoredResponseRow).count() == 0


async def test_a_response_that_is_too_large_undoes_the_call(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_STORED_BYTES == 16 * 1024 * 1024
    monkeypatch.setattr("service.services.shared.idempotency.MAX_STORED_BYTES", 10)

    response = await keyed(owner, "a")

    assert (response.status_code, response.json()["code"]) == (413, "answer_too_large")
    assert await how_many(owner) == 0


async def test_stored_responses_cannot_be_read_from_the_database(service: Service, owner: Caller) -> None:
    await keyed(owner, "a", body={**TEA, "description": "unmistakable " * 20})

    with service.services.database.read() as session:
        [row] = session.query(StoredResponseRow).all()
    assert b"unmistakable" not in row.sealed
    with pytest.raises(zlib.error):
        zlib.decompress(row.sealed)


def flip(value: bytes, at: int) -> bytes:
    return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]


def cut(row: StoredResponseRow) -> None:
    row.sealed = row.sealed[:-1]


def other_nonce(row: StoredResponseRow) -> None:
    row.nonce = flip(row.nonce, 0)


@pytest.mark.proves("service-processes-versions")
async def test_a_response_in_an_unknown_format_may_be_asked_for_again(service: Service, owner: Caller) -> None:
    """While processes are upgraded one by one, a call may reach one that is older than the one before."""
    await keyed(owner, "a")
    for nonce in (b"", bytes(13), bytes(32)):
        with service.services.database.write() as unit:
            unit.session.query(StoredResponseRow).one().nonce = nonce

        again = await keyed(owner, "a")

        assert (again.status_code, again.json()["code"]) == (503, "stored_answer_newer")
        assert int(again.headers["Retry-After"]) > 0
        assert await how_many(owner) == 1


def other_body(row: StoredResponseRow) -> None:
    row.sealed = flip(row.sealed, 20)


def other_status(row: StoredResponseRow) -> None:
    row.status = 200


def other_name(row: StoredResponseRow) -> None:
    row.name = "b"


@pytest.mark.parametrize(
    ("alter", "name"),
    [
        (cut, "a"),
        (other_nonce, "a"),
        (other_body, "a"),
        (other_status, "a"),
        (other_name, "b"),
    ],
)
async def test_an_altered_row_is_a_500_and_repeats_no_effect(
    service: Service, owner: Caller, alter: Callable[[StoredResponseRow], None], name: str
) -> None:
    await keyed(owner, "a")
    with service.services.database.write() as unit:
        alter(unit.session.query(StoredResponseRow).one())

    again = await keyed(owner, name)

    assert (again.status_code, again.json()["code"]) == (500, "stored_answer_damaged")
    assert await how_many(owner) == 1


@pytest.mark.parametrize(("point", "survives"), [("before", False), ("after", True)])
async def test_a_response_lost_in_a_crash_is_given_again(tmp_path: Path, *, point: str, survives: bool) -> None:
    data = tmp_path / "data"
    async with running(data, clock=VirtualClock()) as service:
        secret = service.services.keys.create(role=Role.OWNER, name="")

    assert await died(data, secret, "a", point, "item")

    async with running(data, clock=VirtualClock()) as service:
        owner = Caller(service.client, secret)
        assert await how_many(owner) == int(survives)
        answer = await keyed(owner, "a")
        assert answer.status_code == 201
        [item] = body_of(await owner.get(ITEMS))["data"]
        assert item == body_of(answer)


STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, -1])), max_size=12)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_any_order_of_calls_and_retries_has_each_effect_once(service: Service, steps: list[Any]) -> None:
    caller = service.caller(Role.OWNER)
    before = await how_many_of(service)
    first: dict[str, tuple[int, tuple[int, bytes, dict[str, str]]]] = {}
    for name, price in steps:
        response = await keyed(caller, name, body={**TEA, "price": price})
        if name in first:
            asked, answered = first[name]
            if price == asked:
                assert seen(response) == answered
            else:
                assert response.status_code == 422
        elif price < 0:
            assert response.status_code == 422
        else:
            assert response.status_code == 201
            first[name] = price, seen(response)
    assert await how_many_of(service) == before + len(first)


async def how_many_of(service: Service) -> int:
    with service.services.database.read() as session:
        return session.execute(text("SELECT count(*) FROM items")).scalar_one()
