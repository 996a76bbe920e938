"""Bad requests: each gets a problem document, without changes, leaks or a 500."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from service.api.http.routing import MAX_JSON_BYTES
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, faults_in

ITEMS = "/v1/content/items"


def problem_of(response: Any, status: int, code: str) -> Any:
    document = response.json()
    assert (response.status_code, document["code"]) == (status, code), response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    assert document["type"] == f"urn:menu-display:problem:{code}"
    assert document["status"] == status
    assert document["title"]
    assert document["detail"]
    assert "Traceback" not in response.text
    return document


NO_JSON: list[tuple[bytes, str]] = [
    (b"{", "Line 1, column 2"),
    (b'{"name": "a",\n "price": }', "Line 2, column 11"),
    (b'{"name": "\xff"}', "UTF-8"),
    (b"\xef\xbb\xbf{}", "Line 1, column 1"),
    ('{"name": "a"}'.encode("utf-16"), "UTF-8"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"),
    (b'{"price": 01}', "Line 1, column 12"),
    (b"{} {}", "Extra data"),
]


async def test_a_body_that_is_not_json_is_a_400(owner: Caller) -> None:
    for case in NO_JSON:
        raw, detail = case
        problem = problem_of(await owner.raw("POST", ITEMS, raw), 400, "malformed_json")

        assert detail in problem["detail"], case


OTHER_KINDS: list[str] = ["text/plain", "application/x-www-form-urlencoded", "application/xml", "json"]


async def test_a_body_of_another_media_type_is_a_415(owner: Caller) -> None:
    for content_type in OTHER_KINDS:
        response = await owner.raw("POST", ITEMS, b'{"name": "a"}', content_type)

        assert "application/json" in problem_of(response, 415, "unsupported_media_type")["detail"], content_type


NAMES_OF_JSON: list[str] = ["application/json; charset=utf-8", "Application/JSON", "application/a+json"]


async def test_variants_of_the_json_media_type_are_accepted(owner: Caller) -> None:
    for content_type in NAMES_OF_JSON:
        response = await owner.raw("POST", ITEMS, b'{"name": "a", "category": "b", "price": 1}', content_type)

        assert response.status_code == 201, content_type


async def test_a_body_over_the_limit_is_a_413(owner: Caller) -> None:
    huge = json.dumps({"name": "x" * MAX_JSON_BYTES}).encode()

    problem = problem_of(await owner.raw("POST", ITEMS, huge), 413, "too_large")

    assert str(MAX_JSON_BYTES) in problem["detail"]


async def test_a_body_without_a_length_is_cut_off_at_the_limit(owner: Caller) -> None:
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        while True:
            sent += 65536
            yield b" " * 65536

    problem_of(await owner.raw("POST", ITEMS, endless()), 413, "too_large")


NO_OBJECTS: list[bytes] = [b"", b"null", b"5", b'"text"', b"[]", b"true"]


async def test_a_body_that_is_not_an_object_is_a_422(owner: Caller) -> None:
    for raw in NO_OBJECTS:
        problem = problem_of(await owner.raw("POST", ITEMS, raw), 422, "invalid")

        assert [error["pointer"] for error in problem["errors"]] == [""], raw


async def test_unknown_fields_with_special_characters_are_ignored(owner: Caller) -> None:
    # Unknown fields are ignored, so no pointer names this one, but parsing has to survive it.
    problem = problem_of(await owner.raw("POST", ITEMS, b'{"price": "1", "a/b~c": 1}'), 422, "invalid")

    assert {error["pointer"] for error in problem["errors"]} == {"/name", "/category", "/price"}


async def test_unpaired_surrogates_are_refused_and_valid_text_is_stored(owner: Caller) -> None:
    bad = await owner.raw("POST", ITEMS, rb'{"name": "\ud800", "category": "b", "price": 1}')
    good = await owner.raw("POST", ITEMS, rb'{"name": "\ud83c\udf70 T\u00f6rtchen", "category": "\u00e9", "price": 1}')

    assert problem_of(bad, 422, "invalid")["errors"][0]["code"] == "bad_text"
    assert body_of(good)["name"] == "🍰 Törtchen"


NO_PATHS: list[str] = ["/nowhere", "/v1", "/v1/", "/v1/itemz", "/v1/screens/", "/docs/x"]


async def test_an_unknown_path_is_a_404(owner: Caller) -> None:
    for path in NO_PATHS:
        problem_of(await owner.get(path), 404, "no_such_path")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/screens", "GET, HEAD, PATCH"),
        ("/v1/screens/pair", "POST"),
        ("/v1/screens/scr_1", "DELETE, GET, HEAD, PATCH"),
        ("/v1/team/invites/accept", "POST"),
    ],
)
async def test_an_unknown_method_is_a_405_with_the_allowed_ones(owner: Caller, path: str, methods: str) -> None:
    response = await owner.send("PUT", path)

    problem_of(response, 405, "method_not_allowed")
    assert response.headers["Allow"] == methods


@pytest.mark.parametrize("number", ["1.5", "4e-259", "7", "true"])
async def test_a_number_is_not_an_object_at_any_level(owner: Caller, cafe: Cafe, number: str) -> None:
    whole = await owner.raw("PATCH", f"/v1/playlists/{cafe.playlist}", number.encode())
    part = await owner.raw("PATCH", f"/v1/scenes/{cafe.scene}", f'{{"theme": {number}}}'.encode())

    assert (whole.status_code, faults_in(whole)) == (422, {"": "wrong_type"})
    assert (part.status_code, faults_in(part)) == (422, {"/theme": "wrong_type"})


NO_IDS: list[str] = ["itm_none", "%00", "%ff", "'; DROP TABLE items; --", "x" * 5000, "🍰"]


async def test_an_unknown_id_is_a_404(owner: Caller) -> None:
    for identifier in NO_IDS:
        problem_of(await owner.get(f"{ITEMS}/{identifier}"), 404, "not_found")


async def test_an_internal_error_reveals_nothing(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret is 12345")

    monkeypatch.setattr(service.services.items, "get", fail)

    response = await owner.get(f"{ITEMS}/x")

    problem_of(response, 500, "internal_error")
    assert response.headers["Menu-Display"] == "1"
    assert "12345" not in response.text


async def test_every_answer_carries_the_mark_of_the_service(service: Service, owner: Caller) -> None:
    for method, path in (
        ("GET", "/"),
        ("GET", "/nothing"),
        ("GET", "/v1/nothing"),
        ("DELETE", "/healthz"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/pair"),
        ("GET", "/v1/screens"),
        ("GET", "/v1/player/manifest"),
        ("POST", "/v1/player/token"),
        ("POST", "/v1/player/device_authorization"),
    ):
        answer = await service.client.request(method, path)
        assert answer.headers["Menu-Display"] == "1", (method, path, answer.status_code)
    answer = await owner.get(ITEMS)
    assert answer.headers["Menu-Display"] == "1"


def _no_more_pages(connection: Connection) -> None:
    # SQLite's own error for a full disk: the file may not grow beyond what it is.
    connection.exec_driver_sql("PRAGMA max_page_count=1")


REFUSING = (
    """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END$$""",
    "CREATE TRIGGER refuse_items BEFORE UPDATE ON items EXECUTE FUNCTION refuse()",
    "CREATE TRIGGER refuse_facts BEFORE INSERT OR UPDATE ON facts EXECUTE FUNCTION refuse()",
)


@contextmanager
def full_disk(service: Service) -> Iterator[None]:
    """Let the database refuse what needs room, with its own error for a full disk."""
    if service.database is None:
        event.listen(Engine, "begin", _no_more_pages)
        try:
            yield
        finally:
            event.remove(Engine, "begin", _no_more_pages)
            # The connections have the limit.
            service.services.database.close()
        return
    with service.services.database.write() as unit:
        for statement in REFUSING:
            unit.session.execute(text(statement))
    yield
    with service.services.database.write() as unit:
        unit.session.execute(text("DROP FUNCTION refuse() CASCADE"))


@pytest.mark.proves("disk-service-database")
async def test_a_full_disk_is_told_as_such_until_there_is_room(
    service: Service, owner: Caller, cafe: Cafe, device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    path = f"{ITEMS}/{cafe.cake}"
    with full_disk(service):
        for number in range(100):
            # The last page of SQLite's file may have room for some.
            body = {"name": f"{number}", "category": "Tea", "price": 1, "description": "x" * 1000}
            await owner.post(ITEMS, body)
            refused = await owner.patch(path, {"eightySixed": True, "description": "x" * 10 * number})
            if refused.status_code != 200:
                break
        assert "room" in problem_of(refused, 507, "storage_full")["detail"]
        before = body_of(await owner.get(path))
        problem_of(await owner.patch(path, {"eightySixed": True, "description": "x" * 1000}), 507, "storage_full")
        assert body_of(await owner.get(path)) == before
        problem_of(await service.client.get("/readyz"), 503, "storage_full")
        assert (await device.heartbeat()).status_code == 200
        assert (await device.manifest()).status_code == 200
        await service.pass_seconds(20)
        errors = [record for record in caplog.records if record.levelname == "ERROR"]
        assert [(error.name, error.exc_info) for error in errors] == [("service.storage.database", None)]
    assert (await service.client.get("/readyz")).status_code == 200
    assert (await owner.patch(path, {"eightySixed": True})).status_code == 200
