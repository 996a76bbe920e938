"""Whatever a server does, a call comes to an outcome: bounded in bytes and in time, the fault by its right name."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from player.domain.link.address import AddressError, service_address
from player.domain.link.fault import Fault
from player.link import api as link
from player.link import http_outcomes
from player.link.api import ServiceApi
from player.link.outcomes import Denied, Failed, Fetched, Fresh, Refused, Unchanged
from tests.support.hostile import (
    Answer,
    HostileServer,
    Request,
    document,
    dripping,
    endless,
    gzipped,
    hostile_server,
    late,
    problem,
    raw,
    revocation,
    revocation_of,
    silence,
    whole,
)

BODY = b'{"format": 1}'
ETAG = sha256(BODY).hexdigest()
CERTIFICATES = Path(__file__).parents[2] / "support" / "certificates"


async def manifest(api: ServiceApi, *, etag: str | None = None, wait: int = 0) -> Fresh | Unchanged | Refused | Failed:
    return await api.manifest(token="tok", etag=etag, wait=wait)


async def failure(api: ServiceApi, *, wait: int = 0) -> Failed:
    outcome = await manifest(api, wait=wait)
    assert isinstance(outcome, Failed)
    return outcome


async def test_a_manifest_is_asked_for_as_the_protocol_says(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", whole(200, BODY, headers={"ETag": f'"{ETAG}"'}), whole(304))
    assert await manifest(api) == Fresh(body=BODY, etag=ETAG)
    assert await manifest(api, etag=ETAG, wait=25) == Unchanged()
    first, second = server.asked("/manifest")
    assert first.headers["authorization"] == "Bearer tok"
    assert "prefer" not in first.headers
    assert "if-none-match" not in first.headers
    assert second.headers["prefer"] == "wait=25"
    assert second.headers["if-none-match"] == f'"{ETAG}"'
    assert first.headers["user-agent"] == "menu-player/0.1.0"


async def test_held_requests_that_nothing_comes_of_share_a_connection() -> None:
    connections, ended = 0, asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        ended.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        api = ServiceApi(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", app_version="0")
        assert [await manifest(api, etag=ETAG, wait=25) for _ in range(3)] == [Unchanged()] * 3
        await api.close()
        await ended.wait()
    assert connections == 1


async def test_a_compressed_answer_is_read(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", gzipped(BODY, ETag=f'W/"{ETAG}"'))
    assert await manifest(api) == Fresh(body=BODY, etag=ETAG)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
MARK = {"Menu-Display": "1"}

FAULTS: list[tuple[str, Callable[[Request], Answer], Fault]] = [
    ("not http", raw(b"\x00\x01 what is this\r\n\r\n"), Fault.NO_CONNECTION),
    ("cut at once", raw(b""), Fault.NO_CONNECTION),
    ("cut in the head", raw(b"HTTP/1.1 200 OK\r\nContent-Ty"), Fault.NO_CONNECTION),
    ("cut in the body", raw(HEAD + b"Content-Length: 500\r\n\r\n{"), Fault.NO_CONNECTION),
    ("a page", whole(200, b"<html>Welcome to the hotel</html>", kind="text/html"), Fault.PORTAL),
    ("a page that calls itself json", whole(200, b"\n<html>Welcome</html>"), Fault.PORTAL),
    ("no type", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), Fault.PORTAL),
    ("to a portal", whole(302, headers={"Location": "http://portal.example/login"}), Fault.PORTAL),
    ("to nowhere", whole(302, headers={"Location": "http://[::1"}), Fault.NO_CONNECTION),
    ("log in first", whole(511), Fault.PORTAL),
    ("elsewhere on the host", whole(308, headers={"Location": "/v2/player/manifest"}), Fault.MOVED),
    ("forbidden", problem(403), Fault.SERVICE_DECLINES),
    ("not found", problem(404), Fault.SERVICE_DECLINES),
    ("nothing at this path", problem(404, "no_such_path"), Fault.WRONG_PATH),
    ("a bad request", problem(400), Fault.SERVICE_DECLINES),
    ("a fault", whole(500, b"<html>oops</html>", kind="text/html", headers=MARK), Fault.SERVICE_FAILS),
    (
        "a fault with a broken body",
        raw(b"HTTP/1.1 500 X\r\nMenu-Display: 1\r\nContent-Length: 99\r\n\r\n{"),
        Fault.SERVICE_FAILS,
    ),
    ("another success", whole(204, headers=MARK), Fault.SERVICE_DECLINES),
    ("busy", whole(503, headers=MARK), Fault.SERVICE_FAILS),
    ("a gateway's fault", whole(502, b"<html>Bad gateway</html>", kind="text/html"), Fault.GATEWAY),
    ("another gateway's fault", whole(500, b"<html>Internal error", kind="text/html"), Fault.GATEWAY),
    ("a filter", whole(403, b"<html>Blocked: food</html>", kind="text/html"), Fault.NOT_THE_SERVICE),
    ("a filter that speaks JSON", document(403, {"blocked": True, "type": "about:blank"}), Fault.NOT_THE_SERVICE),
    ("another site", whole(404, b"<html>Not found</html>", kind="text/html"), Fault.NOT_THE_SERVICE),
    ("another site's nothing", whole(204), Fault.NOT_THE_SERVICE),
    ("broken compression", whole(200, b"no gzip", headers={"Content-Encoding": "gzip"}), Fault.NOT_UNDERSTOOD),
    ("torn compression", whole(200, b"\x1f\x8b\x08", headers={"Content-Encoding": "gzip"}), Fault.NOT_UNDERSTOOD),
    ("strange compression", whole(200, b"{}", headers={"Content-Encoding": "br"}), Fault.NOT_UNDERSTOOD),
    ("too large", whole(200, b" " * (link.MAX_MANIFEST_BYTES + 1)), Fault.NOT_UNDERSTOOD),
    ("silence", silence(), Fault.SLOW),
    ("silence within", raw(HEAD + b"Content-Length: 5\r\n\r\n{", then_silence=1e9), Fault.SLOW),
    ("a drip", dripping(HEAD + b"Content-Length: 500\r\n\r\n" + b" " * 500, every=5.0), Fault.SLOW),
]


@pytest.mark.parametrize(("rule", "fault"), [(rule, fault) for _, rule, fault in FAULTS], ids=[t[0] for t in FAULTS])
async def test_a_fault_has_its_name(
    api: ServiceApi, server: HostileServer, rule: Callable[[Request], Answer], fault: Fault
) -> None:
    server.on("/manifest", rule)
    failed = await failure(api)
    assert (failed.fault, "tok" in failed.detail) == (fault, False), failed.detail
    assert failed.detail


async def test_nobody_listens() -> None:
    async with hostile_server() as gone:
        address = gone.url
    api = ServiceApi(address, app_version="0")
    assert (await failure(api)).fault is Fault.NO_CONNECTION
    await api.close()


@pytest.mark.parametrize("size", [link.MAX_MANIFEST_BYTES - 1, link.MAX_MANIFEST_BYTES])
async def test_a_body_may_be_as_large_as_the_bound(api: ServiceApi, server: HostileServer, size: int) -> None:
    server.on("/manifest", gzipped(b" " * size))
    outcome = await manifest(api)
    assert isinstance(outcome, Fresh)
    assert len(outcome.body) == size


async def test_a_compressed_bomb_is_not_unpacked(
    api: ServiceApi, server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = []
    real = http_outcomes.zlib.decompressobj

    class Counting:
        def __init__(self, wbits: int) -> None:
            self._real = real(wbits=wbits)

        @property
        def eof(self) -> bool:
            return self._real.eof

        def decompress(self, data: bytes, most: int) -> bytes:
            unpacked.append(len(out := self._real.decompress(data, most)))
            return out

    monkeypatch.setattr(http_outcomes.zlib, "decompressobj", Counting)
    server.on("/manifest", gzipped(b"\0" * (64 * 1024**2)))
    assert "larger than" in (await failure(api)).detail
    assert sum(unpacked) == link.MAX_MANIFEST_BYTES + 1


@pytest.mark.goes_beyond("MAX_ANSWER_BYTES")
async def test_an_endless_body_is_left(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", endless(HEAD + b"\r\n", b" " * 65536))
    assert (await failure(api)).fault is Fault.NOT_UNDERSTOOD


async def test_an_endless_error_is_left(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", endless(b"HTTP/1.1 500 X\r\n\r\n", b" " * 65536))
    assert (await failure(api)).fault is Fault.GATEWAY


async def test_silence_costs_no_more_than_its_time_out(api: ServiceApi, server: HostileServer) -> None:
    loop = asyncio.get_running_loop()
    server.on("/manifest", silence())
    began = loop.time()
    await manifest(api)
    assert loop.time() - began == pytest.approx(link.READ_SECONDS, abs=0.5)
    began = loop.time()
    await manifest(api, wait=25)
    assert loop.time() - began == pytest.approx(25 + link.HELD_GRACE_SECONDS, abs=0.5)


async def test_a_drip_costs_no_more_than_the_whole_time_out(api: ServiceApi, server: HostileServer) -> None:
    loop = asyncio.get_running_loop()
    server.on("/manifest", dripping(HEAD + b"\r\n" + b" " * 1000, every=1.0))
    began = loop.time()
    assert (await failure(api)).cut
    assert loop.time() - began == pytest.approx(link.CALL_SECONDS, abs=0.5)


async def test_a_held_request_may_take_its_time(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", late(34.0, whole(304)))
    assert await manifest(api, wait=25) == Unchanged()


@pytest.mark.parametrize(
    ("rule", "cut"),
    [
        (late(8.0, raw(b"")), True),
        (silence(), True),
        (problem(504), True),
        (problem(502), True),
        (problem(503), False),
        (whole(200, b"<html>", kind="text/html"), False),
    ],
)
async def test_a_connection_that_broke_under_way_is_told_from_other_faults(
    api: ServiceApi, server: HostileServer, rule: Callable[[Request], Answer], *, cut: bool
) -> None:
    server.on("/manifest", rule)
    assert (await failure(api, wait=25)).cut is cut


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "86400"}, http_outcomes.MAX_RETRY_AFTER_SECONDS),
        ({"Retry-After": "9" * 400}, http_outcomes.MAX_RETRY_AFTER_SECONDS),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Fri, 20 Nov 2026 12:00:40 GMT"}, None),
    ],
)
async def test_retry_after(
    api: ServiceApi, server: HostileServer, headers: dict[str, str], seconds: float | None
) -> None:
    server.on("/manifest", whole(503, headers=headers))
    assert (await failure(api)).retry_after == seconds


@pytest.mark.parametrize(
    ("answer", "revoked"),
    [
        (revocation, True),
        (revocation_of("another token"), False),
        (problem(401, "token_unknown"), False),
        (problem(401, "token_revoked"), False),
        (problem(401, "unauthenticated"), False),
    ],
    ids=["revoked", "another token revoked", "unknown", "revoked without the digest", "an older service"],
)
async def test_the_service_s_own_refusal_is_its_own_outcome(
    api: ServiceApi, server: HostileServer, answer: Callable[[Request], Answer], revoked: bool
) -> None:
    for path in ("/manifest", "/heartbeat", f"/assets/sha256:{'0' * 64}"):
        server.on(path, answer)
    expected = Refused(revoked=revoked)
    assert await manifest(api) == expected
    assert await api.heartbeat(token="tok", body=b"{}") == expected
    assert await api.asset(token="tok", digest="0" * 64, offset=0, sink=Basket()) == expected


@pytest.mark.proves("log-page-proxy")
@pytest.mark.parametrize(
    "answer",
    [
        whole(401, b"<html><h1>Log in to the network</h1></html>", kind="text/html"),
        whole(401),
        document(401, {"error": "token_revoked", "code": "token_revoked"}),
        document(401, {"type": "urn:menu-display:problem:token_revoked", "code": "token_revoked"}),
        whole(401, b'{"type": "about:blank", "code": "token_revoked"}', kind="application/problem+json"),
        whole(401, b'["token_revoked"]', kind="application/problem+json"),
        whole(401, b"{" * 100_000, kind="application/problem+json"),
    ],
    ids=["html", "empty", "json", "no problem by its type", "another's problem", "a list", "garbage"],
)
async def test_a_401_of_anything_else_is_of_something_in_between(
    api: ServiceApi, server: HostileServer, answer: Callable[[Request], Answer]
) -> None:
    for path in ("/manifest", "/heartbeat", f"/assets/sha256:{'0' * 64}"):
        server.on(path, answer)
    outcomes = (
        await manifest(api),
        await api.heartbeat(token="tok", body=b"{}"),
        await api.asset(token="tok", digest="0" * 64, offset=0, sink=Basket()),
    )
    for outcome in outcomes:
        assert isinstance(outcome, Failed)
        assert outcome.fault is Fault.NOT_THE_SERVICE
        assert "something in between" in outcome.detail


async def test_what_the_service_says_of_its_fault_is_passed_on_in_bounds(
    api: ServiceApi, server: HostileServer
) -> None:
    server.on("/manifest", document(409, {"title": "Odd\n\x1b[31m" + "x" * 5000, "code": "odd"}, **MARK))
    detail = (await failure(api)).detail
    assert detail.startswith("it answers 409: Odd")
    assert detail.isprintable()
    assert len(detail) < http_outcomes.MAX_WORDS + 30


async def test_what_the_service_says_of_its_fault_is_passed_on_in_sentences(
    api: ServiceApi, server: HostileServer
) -> None:
    for told, words in (
        (
            {"title": "The file is damaged", "detail": "Upload it again.", "code": "damaged"},
            "The file is damaged. Upload it again",
        ),
        ({"title": "", "code": "damaged"}, "damaged"),
        ({"title": "Busy"}, "Busy"),
    ):
        server.on("/manifest", document(503, told, **MARK))
        assert (await failure(api)).detail == f"it answers 503: {words}"


async def test_calls_go_over_ipv4_where_another_machine_answers_over_ipv6(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name has the IPv6 address of a machine that has nothing to do with menus."""
    port = int(server.url.rpartition(":")[2])
    names_of = asyncio.get_running_loop().getaddrinfo

    async def both(host: Any, *more: object, family: int = 0, **named: Any) -> list[Any]:
        if host not in ("menus.shop", b"menus.shop"):
            return await names_of(host, *more, family=family, **named)
        found = [(socket.AF_INET6, ("::1", port, 0, 0)), (socket.AF_INET, ("127.0.0.1", port))]
        return [(kind, socket.SOCK_STREAM, 6, "", at) for kind, at in found if family in (0, kind)]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", both)
    answering = whole(200, BODY, headers={"ETag": f'"{ETAG}"', **MARK})
    server.on("/manifest", answering)
    server.on("/heartbeat", answering)
    api = ServiceApi(f"http://menus.shop:{port}", app_version="0.1.0", allow_plain_http=True)
    async with hostile_server(host="::1", port=port) as other:
        other.on("/manifest", whole(404, b"<html>Not found</html>", kind="text/html"))
        for _ in range(3):
            assert isinstance(await manifest(api), Fresh)
        assert isinstance(await api.heartbeat(token="tok", body=b"{}"), Fresh)
        assert len(other.requests) == 1, "once is enough"
        server.on("/manifest", whole(404, b"<html>Not found</html>", kind="text/html"))
        other.on("/manifest", answering)
        assert (await failure(api)).fault is Fault.NOT_THE_SERVICE
        assert isinstance(await manifest(api), Fresh), "over IPv6, since IPv4 has failed"
    await api.close()


async def test_redirects_are_not_followed_and_cookies_not_kept(api: ServiceApi, server: HostileServer) -> None:
    server.on("/manifest", whole(302, headers={"Location": f"{server.url}/v1/player/trap", "Set-Cookie": "a=b"}))
    server.on("/trap", whole(200, BODY))
    await manifest(api)
    await manifest(api)
    assert server.asked("/trap") == []
    assert all("cookie" not in request.headers for request in server.requests)


async def test_pairing_calls_are_forms(api: ServiceApi, server: HostileServer) -> None:
    server.on("/device_authorization", document(200, {}))
    server.on("/token", document(400, {"error": "authorization_pending", "error_description": "Wait."}))
    assert await api.authorize_device(device_id="ab" * 16) == Fresh(body=b"{}")
    assert await api.token(device_code="secret") == Denied(error="authorization_pending")
    assert server.asked("/device_authorization")[0].form == {
        "client_id": "menu-player",
        "device_id": "ab" * 16,
        "app_version": "0.1.0",
    }
    assert server.asked("/token")[0].form == {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": "secret",
        "client_id": "menu-player",
    }


@pytest.mark.parametrize("content", [[], {"error": 5}, "x", None])
async def test_a_400_without_an_oauth_error_is_a_fault(api: ServiceApi, server: HostileServer, content: object) -> None:
    server.on("/token", document(400, content, **MARK))
    outcome = await api.token(device_code="secret")
    assert isinstance(outcome, Failed)
    assert outcome.fault is Fault.SERVICE_DECLINES


class Basket:
    """A sink that keeps what it gets."""

    def __init__(self, *, most: int = 10**9) -> None:
        self.start: int | None = None
        self.body = b""
        self._most = most

    async def begin(self, offset: int) -> bool:
        self.start = offset
        return True

    async def write(self, chunk: bytes) -> bool:
        self.body += chunk
        return len(self.body) <= self._most


DIGEST = sha256(b"picture").hexdigest()
ASSET = f"/assets/sha256:{DIGEST}"


async def test_an_asset_is_fetched_whole(api: ServiceApi, server: HostileServer) -> None:
    server.on(ASSET, whole(200, b"picture", kind="image/png"))
    basket = Basket()
    assert await api.asset(token="tok", digest=DIGEST, offset=0, sink=basket) == Fetched()
    assert (basket.start, basket.body) == (0, b"picture")
    assert "range" not in server.asked(ASSET)[0].headers


async def test_an_asset_goes_on_where_it_stopped(api: ServiceApi, server: HostileServer) -> None:
    server.on(ASSET, whole(206, b"ture", kind="image/png", headers={"Content-Range": "bytes 3-6/7"}))
    basket = Basket()
    assert await api.asset(token="tok", digest=DIGEST, offset=3, sink=basket) == Fetched()
    assert (basket.start, basket.body) == (3, b"ture")
    asked = server.asked(ASSET)[0].headers
    assert (asked["range"], asked["if-range"]) == ("bytes=3-", f'"{DIGEST}"')


@pytest.mark.parametrize("claimed", ["", "bytes */7", "items 3-6/7", "bytes x-6/7", "bytes -6/7"])
async def test_a_part_that_does_not_say_which_is_not_taken(
    api: ServiceApi, server: HostileServer, claimed: str
) -> None:
    server.on(ASSET, whole(206, b"ture", kind="image/png", headers={"Content-Range": claimed}))
    outcome = await api.asset(token="tok", digest=DIGEST, offset=3, sink=Basket())
    assert isinstance(outcome, Failed)
    assert outcome.fault is Fault.NOT_UNDERSTOOD


async def test_an_asset_stops_when_the_sink_has_enough(api: ServiceApi, server: HostileServer) -> None:
    server.on(ASSET, endless(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n", b"x" * 65536))
    basket = Basket(most=1_000_000)
    assert await api.asset(token="tok", digest=DIGEST, offset=0, sink=basket) == Fetched()
    assert len(basket.body) <= 1_000_000 + 65536


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (whole(200, b"<html>", kind="text/html"), Fault.PORTAL),
        (problem(404), Fault.SERVICE_DECLINES),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxx"), Fault.NO_CONNECTION),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxx", then_silence=1e9), Fault.SLOW),
    ],
)
async def test_assets_know_the_same_faults(
    api: ServiceApi, server: HostileServer, rule: Callable[[Request], Answer], fault: Fault
) -> None:
    server.on(ASSET, rule)
    outcome = await api.asset(token="tok", digest=DIGEST, offset=0, sink=Basket())
    assert isinstance(outcome, Failed)
    assert outcome.fault is fault


def _server_side() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "loopback.pem")
    return context


async def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    async with hostile_server(tls=_server_side()) as server:
        server.on("/manifest", whole(200, BODY))
        api = ServiceApi(server.url, app_version="0")
        failed = await failure(api)
        await api.close()
    assert failed.fault is Fault.CERTIFICATE_SELF_SIGNED
    assert "certificate" in failed.detail
    assert server.requests == []


async def test_a_certificate_that_the_system_trusts_is_accepted() -> None:
    trusting = ssl.create_default_context(cafile=CERTIFICATES / "loopback.pem")
    async with hostile_server(tls=_server_side()) as server:
        server.on("/manifest", whole(200, BODY))
        api = ServiceApi(server.url, app_version="0", certificates=trusting)
        assert isinstance(await manifest(api), Fresh)
        await api.close()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (whole(200, b"<html>Book a table", kind="text/html"), Fault.NOT_THE_SERVICE),
        (whole(301, headers={"Location": "https://www.shop.example/"}), Fault.MOVED),
        (whole(511), Fault.PORTAL),
    ],
)
async def test_a_site_with_a_certificate_for_its_name_is_no_guest_network(
    answer: Callable[[Request], Answer], fault: Fault
) -> None:
    trusting = ssl.create_default_context(cafile=CERTIFICATES / "loopback.pem")
    async with hostile_server(tls=_server_side()) as server:
        server.on("/manifest", answer)
        api = ServiceApi(server.url, app_version="0", certificates=trusting)
        failed = await failure(api)
        await api.close()
    assert failed.fault is fault


async def test_a_handshake_without_an_answer_is_a_time_out(server: HostileServer) -> None:
    server.on("/manifest", whole(200, BODY))
    api = ServiceApi(server.url.replace("http:", "https:"), app_version="0")
    assert (await failure(api)).fault is Fault.SLOW, "the server waits for the end of a request"
    await api.close()


@pytest.mark.parametrize(
    ("said", "fault"), [(b"HTTP/1.1 400 Bad Request\r\n\r\n", Fault.NO_TLS), (b"", Fault.NO_CONNECTION)]
)
async def test_a_handshake_that_is_answered_otherwise_or_cut(said: bytes, fault: Fault) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        api = ServiceApi(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", app_version="0")
        assert (await failure(api)).fault is fault
        await api.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://menus.example.com", "https://menus.example.com"),
        (" https://menus.example.com/base/ ", "https://menus.example.com/base"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://menus.example.com/desk", "https://menus.example.com"),
        ("https://menus.example.com/desk/", "https://menus.example.com"),
        ("https://menus.example.com:8443/desk/screens/scr_1?tab=now#top", "https://menus.example.com:8443"),
        ("https://menus.example.com/base/desk/boards", "https://menus.example.com/base"),
        ("https://menus.example.com/desktop", "https://menus.example.com/desktop"),
    ],
)
def test_an_address(text: str, address: str) -> None:
    assert service_address(text) == address


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a web address"),
        ("menus.example.com", "https://menus"),
        ("ftp://menus.example.com", "not a web address"),
        ("https://", "not a web address"),
        ("https://menus.example.com:port", "not a web address"),
        ("https://[::1", "not a web address"),
        ("https://menus.example.com/a b", "not a web address"),
        ("https://user:secret@menus.example.com", "password"),
        ("https://menus.example.com/?a=1", "leave out"),
        ("http://menus.example.com", "allow_plain_http"),
        ("http://127.0.0.1.example.com", "allow_plain_http"),
        ("https://" + "a" * 600, "not a web address"),
    ],
)
def test_what_is_no_address_is_told_so(text: str, says: str) -> None:
    with pytest.raises(AddressError, match=says) as raised:
        service_address(text)
    assert "secret" not in str(raised.value)


def test_plain_http_is_for_those_who_ask_for_it() -> None:
    assert service_address("http://192.168.1.5:8080", allow_plain_http=True) == "http://192.168.1.5:8080"
