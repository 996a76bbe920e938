"""Outbound calls: refused URLs, the address of the connection, and the result of each failure."""

import asyncio
import contextlib
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from service.services.shared.outbound import (
    MAX_ADDRESSES,
    Answered,
    Outbound,
    RefusedUrlError,
    Resolver,
    Unanswered,
    check_url,
    is_public,
    look_up,
)

CERTIFICATE = Path(__file__).parents[2] / "support" / "certificates" / "loopback.pem"
LOOPBACK = "127.0.0.1"
ACCEPTING_TURNS = 5


@dataclass
class Receiver:
    """Answers every connection with the same bytes."""

    port: int = 0
    requests: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def receiver(answer: bytes | None, *, certificates: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Without an answer, connections are held until the end of the test."""
    got = Receiver()
    over = asyncio.Event()
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            if certificates is not None:
                await writer.start_tls(certificates)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            got.requests.append(head + await reader.readexactly(length))
            if answer is None:
                await over.wait()
            else:
                writer.write(answer)
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    got.port = server.sockets[0].getsockname()[1]
    try:
        yield got
    finally:
        # The connection of a client that gave up may not be accepted yet, which breaks a closed server.
        for _ in range(ACCEPTING_TURNS):
            await asyncio.sleep(0)
        over.set()
        server.close()
        await server.wait_closed()
        # The server does not wait for its connections before Python 3.12.
        await asyncio.gather(*serving)


def answering(status: str, *more: str) -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", "Content-Length: 0", *more, "", "")).encode()


def names(*addresses: str) -> Resolver:
    async def resolve(_host: str, _port: int) -> tuple[str, ...]:
        return addresses

    return resolve


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "192.0.0.8",
    "192.0.0.9",
    "192.88.99.1",
    "::ffff:192.0.0.9",
    "2002:c058:6301::",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "ff0e::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
]


@pytest.mark.parametrize("address", PRIVATE)
async def test_a_private_address_is_never_called(address: str) -> None:
    # Also beside a public one: an honest receiver's name has no private address.
    for found in ((address,), ("93.184.215.14", address)):
        outbound = Outbound(resolve=names(*found))
        assert await outbound.post("https://hooks.example.com/", b"{}", {}) == Unanswered("private_address")
        await outbound.close()


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"])
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks",
        "https://",
        "http://hooks.example.com/",
        "ftp://hooks.example.com/",
        "https://user:pass@hooks.example.com/",
        "https://hooks.example.com/#top",
        "https://hooks.example.com:0/",
        "https://hooks.example.com:99999/",
        "https://hooks example.com/",
        "https://localhost/",
        "https://api.localhost./",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:192.168.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://hooks.example.com/\r\nX-More: 1",
    ],
)
def test_a_forbidden_url_is_refused_before_any_look_up(url: str) -> None:
    with pytest.raises(RefusedUrlError):
        check_url(url, allow_private=False)


async def test_unusual_spellings_of_an_address_are_checked_after_the_look_up() -> None:
    for host in ("2130706433", "0x7f.1", "127.1"):
        assert await look_up(host, 443) == (LOOPBACK,)
        outcome = await Outbound().post(f"https://{host}/", b"{}", {})
        assert outcome in (Unanswered("private_address"), Unanswered("refused_url"))


async def test_it_connects_to_the_checked_address_and_sends_the_name() -> None:
    async with receiver(answering("204 No Content")) as got:
        outbound = Outbound(allow_private=True, resolve=names(LOOPBACK))

        outcome = await outbound.post(f"http://hooks.example.com:{got.port}/in?a=b", b"{}", {"X-Webhook-Event": "ping"})

        assert outcome == Answered(204)
        [request] = got.requests
        head, _, body = request.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0] == "POST /in?a=b HTTP/1.1"
        assert f"Host: hooks.example.com:{got.port}" in lines
        assert "X-Webhook-Event: ping" in lines
        assert body == b"{}"
        await outbound.close()


async def test_the_certificate_has_to_be_for_the_name() -> None:
    said: list[str | None] = []
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(CERTIFICATE)
    server_side.sni_callback = lambda _socket, name, _context: said.append(name)
    trusting = ssl.create_default_context(cafile=CERTIFICATE)
    async with receiver(answering("200 OK"), certificates=server_side) as got:
        outbound = Outbound(allow_private=True, resolve=names(LOOPBACK), certificates=trusting)

        by_address = await outbound.post(f"https://{LOOPBACK}:{got.port}/", b"{}", {})
        by_name = await outbound.post(f"https://hooks.example.com:{got.port}/", b"{}", {})

        assert (by_address, by_name) == (Answered(200), Unanswered("bad_certificate"))
        assert said[-1] == "hooks.example.com"
        assert len(got.requests) == 1
        await outbound.close()


async def test_an_untrusted_certificate_is_refused() -> None:
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(CERTIFICATE)
    async with receiver(answering("200 OK"), certificates=server_side) as got:
        outbound = Outbound(allow_private=True)
        assert await outbound.post(f"https://{LOOPBACK}:{got.port}/", b"{}", {}) == Unanswered("bad_certificate")
        await outbound.close()


async def test_a_redirect_is_an_answer_and_not_followed() -> None:
    async with receiver(answering("200 OK")) as other:
        moved = answering("307 Temporary Redirect", f"Location: http://{LOOPBACK}:{other.port}/")
        async with receiver(moved) as got:
            outbound = Outbound(allow_private=True)
            assert await outbound.post(f"http://{LOOPBACK}:{got.port}/", b"{}", {}) == Answered(307)
            await outbound.close()
        assert other.requests == []


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiver(answering("200 OK")) as got, receiver(answering("502 Bad Gateway")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{proxy.port}")
        outbound = Outbound(allow_private=True)
        assert await outbound.post(f"http://{LOOPBACK}:{got.port}/", b"{}", {}) == Answered(200)
        await outbound.close()


async def test_an_endless_answer_is_not_read() -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nmore"
    async with receiver(endless) as got:
        outbound = Outbound(allow_private=True)
        assert await outbound.post(f"http://{LOOPBACK}:{got.port}/", b"{}", {}) == Answered(200)
        await outbound.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "timeout"),
        (b"", "broken_connection"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "broken_connection"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000, "broken_connection"),
    ],
)
async def test_a_missing_answer_has_a_reason(answer: bytes | None, reason: str) -> None:
    async with receiver(answer) as got:
        # Only the receiver that never answers reaches the time-out.
        outbound = Outbound(allow_private=True, timeout=0.05 if answer is None else 15)
        assert await outbound.post(f"http://{LOOPBACK}:{got.port}/", b"{}", {}) == Unanswered(reason)
        await outbound.close()


async def test_a_hanging_look_up_times_out() -> None:
    async def hang(_host: str, _port: int) -> tuple[str, ...]:
        await asyncio.get_running_loop().create_future()
        return ()

    outbound = Outbound(resolve=hang, timeout=0.01)
    assert await outbound.post("https://hooks.example.com/", b"{}", {}) == Unanswered("timeout")


async def test_an_unknown_name_has_a_reason() -> None:
    assert await Outbound().post("https://hooks.invalid/", b"{}", {}) == Unanswered("unknown_host")
    assert await Outbound(resolve=names()).post("https://hooks.example/", b"{}", {}) == Unanswered("unknown_host")


async def test_the_next_address_is_tried_when_one_is_dead() -> None:
    async with receiver(answering("200 OK")) as got:
        url = f"http://hooks.example.com:{got.port}/"
        # Nothing listens on the other addresses of loopback.
        two = Outbound(allow_private=True, resolve=names("127.0.0.2", LOOPBACK))
        assert await two.post(url, b"{}", {}) == Answered(200)
        dead = [f"127.0.0.{number}" for number in range(2, 2 + MAX_ADDRESSES)]
        many = Outbound(allow_private=True, resolve=names(*dead, LOOPBACK))
        assert await many.post(url, b"{}", {}) == Unanswered("no_connection")
        await two.close()
        await many.close()
