"""Rules of HTTP at every path: HEAD, separators, content codings, ambiguous lengths, headers of every answer."""

import gzip
import logging

import httpx
import pytest

from service.core.ids import new_secret
from service.core.logs import FIELDS
from tests.service.support.application import Cafe, Caller, Device, Service, png

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def same_but_for_the_body(head: httpx.Response, get: httpx.Response) -> bool:
    passing = {"x-request-id", "ratelimit", "date"}
    assert head.content == b""
    return head.status_code == get.status_code and {k: v for k, v in head.headers.items() if k not in passing} == {
        k: v for k, v in get.headers.items() if k not in passing
    }


async def test_head_answers_as_get_without_the_body(owner: Caller, service: Service, cafe: Cafe) -> None:
    asset = (await owner.raw("POST", "/v1/assets", png(), "image/png")).headers["Location"]
    for path in (f"/v1/content/items/{cafe.coffee}", "/v1/screens", "/v1/content/items/none", asset, "/docs"):
        assert same_but_for_the_body(await owner.send("HEAD", path), await owner.get(path)), path
    for path in ("/healthz", "/readyz", "/v1/screens", "/v0/screens"):
        assert same_but_for_the_body(await service.client.head(path), await service.client.get(path)), path


async def test_head_of_what_cannot_be_read_is_405(owner: Caller) -> None:
    refused = await owner.send("HEAD", "/v1/screens/pair/none/none")
    assert (refused.status_code, refused.content) == (404, b"")
    refused = await owner.send("HEAD", "/v1/public/webhooks/none/enable")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    refused = await owner.send("PUT", "/v1/screens")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD, PATCH")


async def test_an_encoded_slash_separates_nothing(owner: Caller, cafe: Cafe) -> None:
    for path in ("/v1%2fcontent/items", "/v1/content%2Fitems", f"/v1/content/items%2f{cafe.coffee}"):
        refused = await owner.get(path)
        assert (refused.status_code, refused.json()["code"]) == (404, "no_such_path"), path
    assert (await owner.get("/v1/content/items?category=a%2Fb")).status_code == 200


async def test_an_encoded_body_is_refused_as_such(owner: Caller, device: Device, service: Service) -> None:
    raw = gzip.compress(b'{"name": "a"}')
    refusals = [
        await owner.raw(method, path, raw, kind, **{"Content-Encoding": "gzip"})
        for method, path, kind in (
            ("POST", "/v1/playlists", "application/json"),
            ("POST", "/v1/assets", "image/png"),
            ("POST", "/v1/team/invites/accept", "application/json"),
        )
    ]
    token = {"Authorization": f"Bearer {device.token}", "Content-Encoding": "gzip"}
    refusals += [await service.client.put("/v1/player/screenshot", content=png(), headers=token)]
    for refused in refusals:
        assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_content_encoding")
        assert refused.headers["Accept-Encoding"] == "identity"
    form = {"Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip"}
    assert (await service.client.post("/v1/player/token", content=raw, headers=form)).status_code == 415
    plain = await owner.raw("POST", "/v1/playlists", b'{"name": "a"}', **{"Content-Encoding": "identity"})
    assert plain.status_code == 201


async def test_a_body_without_a_content_type_is_json_and_an_upload_is_told_to_name_one(owner: Caller) -> None:
    assert (await owner.raw("POST", "/v1/playlists", b'{"name": "a"}', None)).status_code == 201
    refused = await owner.raw("POST", "/v1/assets", png(), None)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")
    assert "image/png" in refused.json()["detail"]


async def test_a_length_beside_a_transfer_encoding_is_refused(owner: Caller) -> None:
    both = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
    refused = await owner.raw("POST", "/v1/playlists", b'{"name": "a"}', **both)
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed_request")
    assert refused.headers["Connection"] == "close"


async def test_no_answer_is_to_be_sniffed(owner: Caller, service: Service, cafe: Cafe) -> None:
    for response in (
        await owner.get("/v1/screens"),
        await owner.get("/v1/none"),
        await owner.delete(f"/v1/content/items/{cafe.cake}"),
        await service.client.get("/v1/screens"),
        await service.client.get("/docs"),
    ):
        assert response.headers.get_list("X-Content-Type-Options") == ["nosniff"], response.url


async def test_a_secret_in_a_path_is_not_logged(owner: Caller, caplog: pytest.LogCaptureFixture) -> None:
    key, asset = new_secret("mk_"), f"sha256:{'0' * 64}"
    with caplog.at_level(logging.INFO):
        for path in (f"/v1/keys/{key}", f"/v1/x/{key}/{'x' * 300}", f"/v1/assets/{asset}", f"/{key}"):
            assert (await owner.get(path)).status_code == 404
    logged = [vars(record)[FIELDS]["path"] for record in caplog.records if FIELDS in vars(record)]
    assert logged[-4] == "/v1/keys/***"
    assert logged[-2:] == [f"/v1/assets/{asset}", "/***"]
    assert key not in str(logged)
