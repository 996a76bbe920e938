"""Hostile input at every route: always a problem, never a change, never a 500."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service.api.devices.player import MAX_HEARTBEAT_BYTES
from service.api.http.bodies import MAX_KEYLESS_BYTES
from service.api.http.routing import MAX_JSON_BYTES
from tests.service.support.application import Caller, Device, Service, body_of, faults_in, routes_of
from tests.service.support.workspaces import (
    HIDDEN_MARK,
    ScopedWorkspace,
    all_rows,
    allowed_calls,
    forbidden_calls,
    hidden_calls,
    send_call,
)

JSON = "application/json"
UNREADABLE: list[tuple[bytes, str, str]] = [
    (b'{"name": "a"}', "text/plain", "unsupported_media_type"),
    (b'{"name": "a"}', "application/json\x00", "unsupported_media_type"),
    (b"[" * 100_000, JSON, "malformed_json"),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, JSON, "malformed_json"),
    (b'{"name": "\xff\xfe"}', JSON, "malformed_json"),
    (b'{"name": "\xed\xa0\x80"}', JSON, "malformed_json"),
    (b'{"name": "a\x00b"}', JSON, "malformed_json"),
    (b'{"name": "a"', JSON, "malformed_json"),
    *((b'{"value": %b}' % number, JSON, "malformed_json") for number in (b"NaN", b"Infinity", b"-Infinity")),
]
STATUS = {"unsupported_media_type": 415, "malformed_json": 400, "too_large": 413, "bad_cursor": 400}
BAD_TEXT = ("a\x00b", "\ud800", "\udfff\ud800", "x" * 20_000)
BAD_NUMBERS = ("1e400", "-1e400", "1" + "0" * 5000, "1e99999999999999999999")
BAD_IDS = ("none", "%00", "%ff", "%0d%0aSet-Cookie:%20a=b", "%2F", "x" * 5000, "%F0%9F%8D%B0", "%ED%A0%80")
BAD_CURSORS = ("x", "%00", "%ff", "🍰", "A" * 32, "A" * 200, "A" * 201, "%ED%A0%80", "..%2F..", "=")
BAD_LIMITS = ("0", "-1", "101", "1e3", "1" * 5000, "", "%00", "٣")
PUSH_RESULTS = ("pos_connections", "events")
"""Tables with the result of a push: those who look after the point of sale are told that one was refused."""


SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For tests whose requests fail before the database is used."""


def check_problem(response: httpx.Response, *, asked: object) -> dict[str, Any]:
    assert response.headers["Content-Type"] == "application/problem+json", (asked, response.text)
    problem: dict[str, Any] = response.json()
    assert 400 <= response.status_code < 500, (asked, response.text)
    assert problem["status"] == response.status_code
    assert problem["code"], asked
    assert problem["detail"], asked
    for word in ("Traceback", "sqlalchemy", "psycopg", "sqlite", "pydantic", 'File "', HIDDEN_MARK):
        assert word not in response.text, asked
    return problem


def with_body(scoped: ScopedWorkspace) -> Iterator[tuple[str, str, Any]]:
    """Method, path and a valid body of every call with a body."""
    for calls in (hidden_calls, forbidden_calls, allowed_calls):
        for method, template, ids, body in calls(scoped):
            if body is not None:
                yield method, template.format(*ids), body


@pytest.mark.long
@SQLITE
async def test_an_unreadable_body_is_refused_everywhere(
    service: Service, owner: Caller, device: Device, scoped: ScopedWorkspace
) -> None:
    player = Caller(service.client, device.token)
    # The first call of a player uses up its code, and its manifest gets a revision.
    assert (await device.manifest()).status_code == 200
    assert (await device.heartbeat()).status_code == 200
    keyless = [("POST", f"/v1/team/invites/{verb}", MAX_KEYLESS_BYTES, owner) for verb in ("preview", "accept")]
    routes = {(method, path) for method, path, _ in with_body(scoped)}
    before = all_rows(service)
    for method, path, limit, caller in (
        *((*route, MAX_JSON_BYTES, owner) for route in sorted(routes)),
        *keyless,
        ("POST", "/v1/player/heartbeat", MAX_HEARTBEAT_BYTES, player),
    ):
        cases = [*UNREADABLE, (b" " * (limit + 1), JSON, "too_large")]
        for raw, content_type, code in cases:
            if len(raw) > limit:
                code = "too_large"
            response = await caller.raw(method, path, raw, content_type)
            problem = check_problem(response, asked=(method, path, raw[:20]))
            assert (problem["code"], response.status_code) == (code, STATUS[code]), (method, path, raw[:20])
    assert all_rows(service) == before


@pytest.mark.long
async def test_invalid_text_and_numbers_are_refused_everywhere(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    before = all_rows(service)
    seen = set()
    for results in ((), PUSH_RESULTS):
        for method, path, body in with_body(scoped):
            if bool(results) != (path.startswith("/v1/pos/") and path.endswith("/items")):
                continue
            for position in paths_in(body):
                seen.add((method, path, position))
                for raw in with_bad_values(body, position):
                    response = await owner.raw(method, path, raw)
                    assert response.status_code in (404, 422), (path, position, raw[:80], response.text)
                    check_problem(response, asked=(path, position, raw[:80]))
        after = all_rows(service)
        assert {name: after[name] for name in after if name not in results} == {
            name: before[name] for name in before if name not in results
        }
    assert len(seen) > 40


async def test_malformed_ids_are_not_found(service: Service, owner: Caller, scoped: ScopedWorkspace) -> None:
    before = all_rows(service)
    for calls in (hidden_calls, forbidden_calls, allowed_calls):
        for method, template, ids, body in calls(scoped):
            for bad in BAD_IDS if ids else ():
                response = await send_call(owner, (method, template, (bad, *ids[1:]), body))
                assert check_problem(response, asked=(method, template, bad[:30]))["code"] in (
                    "not_found",
                    "no_such_path",
                )
                assert "set-cookie" not in response.headers
    assert all_rows(service) == before


@pytest.mark.long
async def test_bad_cursors_and_limits_are_refused_in_every_list(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    lists = [path for method, path in sorted(routes_of(service)) if method == "GET" and not path.endswith("{}")]
    uploads = ("/v1/screens/{}/screenshot", "/v1/screens/{}/logs", "/v1/screens/{}/picture")
    moments = ("/v1/screens/{}/moment", "/v1/screens/{}/timetable", "/v1/playlists/{}/timetable")
    for no_pages in (
        *moments,
        "/v1/subscription",
        "/v1/content/words",
        "/v1/content/categories",
        "/v1/locations/{}/values",
        "/v1/scenes/templates",
        "/v1/scenes/themes",
        "/v1/scenes/{}/preview.png",
        "/v1/assets/{}/uses",
        "/v1/assets/{}/thumbnail",
        "/v1/planned-changes/{}/preview",
        "/v1/content/items/export",
        "/v1/scenes/templates/{}/preview.png",
        "/v1/team/members/{}/sessions",
        "/v1/team/sign-in",
        "/v1/rollouts/versions",
        "/v1/screens/{}/rollout",
        "/v1/content/items/{}/boards",
        "/v1/approvals/{}/scenes/{}/image",
        "/v1/playlists/{}/versions/{}/scenes/{}/image",
        *uploads,
    ):
        lists.remove(no_pages)
    below = {
        "screens": scoped.screen_here,
        "webhooks": scoped.webhook,
        "playlists": scoped.here.playlist,
        "locations": scoped.here.location,
        "groups": scoped.group_here,
        "rollouts": scoped.rollout,
        "scenes": scoped.here.scene,
    }
    for path in (one.format(below.get(one.split("/{}")[0].rpartition("/")[2])) for one in lists):
        good = body_of(await owner.get(f"{path}?limit=1"))["pagination"]["cursor"]
        flipped = (
            []
            if good is None
            else [("B" if good[at] == "A" else "A").join((good[:at], good[at + 1 :])) for at in (0, 9, 31)]
        )
        for cursor in (*BAD_CURSORS, *flipped):
            problem = check_problem(await owner.get(f"{path}?cursor={cursor}"), asked=(path, cursor))
            assert problem["code"] == ("invalid" if len(cursor) > 200 else "bad_cursor"), (path, cursor)
        for limit in BAD_LIMITS:
            problem = check_problem(await owner.get(f"{path}?limit={limit}"), asked=(path, limit))
            assert [one["parameter"] for one in problem["errors"]] == ["limit"], (path, limit)


@pytest.mark.long
async def test_bad_filters_are_refused(owner: Caller, scoped: ScopedWorkspace) -> None:
    for path, name in (
        ("/v1/screens", "location"),
        ("/v1/screens", "playlist"),
        ("/v1/screens", "status"),
        ("/v1/content/items", "eightySixed"),
        ("/v1/approvals", "status"),
        (f"/v1/public/webhooks/{scoped.webhook}/deliveries", "status"),
    ):
        for value in ("%00", "%ff", "x" * 5000, "", "1e400", "%ED%A0%80"):
            problem = check_problem(await owner.get(f"{path}?{name}={value}"), asked=(path, name, value))
            assert [one["parameter"] for one in problem["errors"]] == [name], (path, value)


@pytest.mark.long
@SQLITE
async def test_bad_headers_change_nothing_and_are_not_echoed(owner: Caller, scoped: ScopedWorkspace) -> None:
    evil = "a\r\nSet-Cookie: a=b"
    item = f"/v1/content/items/{scoped.here.coffee}"
    for name, value in (
        ("X-Request-Id", evil),
        ("X-Request-Id", "x" * 5000),
        ("Prefer", evil),
        ("Prefer", "handling=" * 5000),
        ("If-None-Match", evil),
        ("Accept", "\x00"),
        ("Range", f"bytes={'9' * 5000}-"),
    ):
        response = await owner.get(item, **{name: value})
        assert response.status_code == 200, name
        assert "set-cookie" not in response.headers, name
        assert not [one for one in response.headers.values() if "\r" in one or "\n" in one or len(one) > 200], name
    for value, status in ((evil, 412), ("x" * 5000, 412), ('"' * 5000, 412), ("\x00", 412)):
        response = await owner.send("PATCH", item, {"name": "x"}, **{"If-Match": value})
        assert response.status_code == status, value[:20]
    for value in (evil, "", "x" * 256, "a b", "\x00"):
        response = await owner.send("PATCH", item, {"name": "x"}, **{"Idempotency-Key": value})
        assert check_problem(response, asked=value[:20])["code"] == "bad_idempotency_key"
    assert body_of(await owner.get(item))["name"] == "Flat white"


BAD_NAMES = {
    "a\r\nSet-Cookie: a=b": "several_lines",
    "a\tb": "several_lines",
    "a\u2028b": "several_lines",
    "a\x01b": "bad_text",
    "a\x85b": "bad_text",
    "\u202eeciuj": "bad_text",
    "\u200b\u200b": "blank",
    "\u3164": "blank",
}


@pytest.mark.long
@SQLITE
async def test_names_that_nobody_can_read_are_refused(owner: Caller, scoped: ScopedWorkspace) -> None:
    for path, body, pointer in (
        ("/v1/playlists", {}, "/name"),
        ("/v1/scenes", {"widgets": []}, "/name"),
        ("/v1/keys", {"role": "Viewer"}, "/name"),
        ("/v1/content/items", {"category": "a", "price": 1}, "/name"),
        ("/v1/content/items", {"name": "a", "price": 1}, "/category"),
        ("/v1/locations", {"timezone": "UTC", "currency": "EUR", "locale": "de"}, "/name"),
    ):
        for name, code in BAD_NAMES.items():
            response = await owner.post(path, {**body, pointer[1:]: name})
            assert (response.status_code, faults_in(response)) == (422, {pointer: code}), (path, name)
            assert "set-cookie" not in response.headers
            assert not [one for one in response.headers.values() if "\n" in one], path
        for name in ("مقهى \u200fOslo\u200e", "👩\u200d🍳", "\u2067شاي\u2069"):
            assert (await owner.post(path, {**body, pointer[1:]: name})).status_code == 201, (path, name)


@pytest.mark.long
@SQLITE
async def test_texts_of_several_lines_keep_them(owner: Caller, scoped: ScopedWorkspace) -> None:
    item = f"/v1/content/items/{scoped.here.coffee}"
    changed = await owner.patch(item, {"description": "Hot\n\twith milk"})
    assert changed.json()["description"] == "Hot\n\twith milk"
    assert faults_in(await owner.patch(item, {"description": "\u202dHot"})) == {"/description": "bad_text"}
    frame = {"id": "w", "x": 0, "y": 0, "width": 9, "height": 9}
    widgets = [frame | {"type": "text", "text": "a\nb"}, frame | {"id": "m", "type": "menu", "emptyText": "a\nb"}]
    made = await owner.make("/v1/scenes", {"name": "S", "widgets": widgets})
    assert [made["widgets"][0]["text"], made["widgets"][1]["emptyText"]] == ["a\nb", "a\nb"]


Path = tuple[str | int, ...]


def paths_in(value: Any, above: Path = ()) -> Iterator[Path]:
    """The paths of all strings and numbers in a document."""
    match value:
        case dict():
            for name, below in value.items():
                yield from paths_in(below, (*above, name))
        case list():
            for index, below in enumerate(value):
                yield from paths_in(below, (*above, index))
        case bool() | None:
            pass
        case _:
            yield above


def with_bad_values(body: Any, position: Path) -> Iterator[bytes]:
    """The document as JSON, with invalid values at this path."""
    held = copy.deepcopy(body)
    parent = held
    for part in position[:-1]:
        parent = parent[part]
    if isinstance(parent[position[-1]], str):
        for text in BAD_TEXT:
            parent[position[-1]] = text
            yield json.dumps(held).encode()
    parent[position[-1]] = "NUMBER"
    for number in BAD_NUMBERS:
        yield json.dumps(held).replace('"NUMBER"', number).encode()
