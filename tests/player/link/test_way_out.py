"""The way to the service: proxies, certificates of the shop's own, and no more of its line than is allowed."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from player.domain.connection import ConnectionFault
from player.domain.events import Trouble
from player.domain.manifest import VersionKey
from player.link import api as link
from player.link.api import ServiceApi
from player.link.outcomes import Failed, Fetched, Fresh
from player.link.rate_limit import RateLimit, share_of
from tests.support.hostile import HostileServer, document, hostile_server, whole

CERTIFICATE = Path(__file__).parents[2] / "support" / "certificates" / "loopback.pem"
DIGEST = "0" * 64


class Proxy:
    """An HTTP proxy on loopback: what it was asked for, and whom it lets through."""

    def __init__(self, password: str | None) -> None:
        self.asked: list[str] = []
        self.url = ""
        self._password = password
        self._handlers: set[asyncio.Task[None]] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        writers = [writer]
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._pass_on(reader, writer, writers)
        finally:
            self._handlers.discard(task)
            for each in writers:
                each.close()

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, writers: list[asyncio.StreamWriter]
    ) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.decode().split("\r\n", 1)[0].split(" ")
        self.asked.append(f"{method} {target}")
        if self._password is not None:
            expected = base64.b64encode(f"shop:{self._password}".encode()).decode()
            if f"Proxy-Authorization: Basic {expected}".lower() not in head.decode().lower():
                writer.write(b"HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                return
        host, _, port = (target if method == "CONNECT" else target.split("/")[2]).rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        writers.append(back)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            back.write(head.replace(target.encode(), target.split(f"{host}:{port}")[1].encode(), 1))
        await asyncio.gather(_pump(reader, back), _pump(there, writer))

    async def stop(self) -> None:
        handlers = list(self._handlers)
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def a_proxy(password: str | None = None) -> AsyncIterator[Proxy]:
    proxy = Proxy(password)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        await proxy.stop()
        await server.wait_closed()


class Sink:
    async def begin(self, offset: int) -> bool:
        return offset == 0

    async def write(self, chunk: bytes) -> bool:
        return True


def answer_all(server: HostileServer) -> None:
    server.on("/device_authorization", document(200, {}))
    server.on("/token", document(200, {}))
    server.on("/manifest", document(200, {}))
    server.on("/heartbeat", document(200, {}))
    server.on(f"/assets/sha256:{DIGEST}", whole(200, b"x", kind="image/png"))


async def every_call(api: ServiceApi) -> list[object]:
    return [
        await api.authorize_device(device_id="ab" * 16, device_name=None),
        await api.token(device_code="x"),
        await api.manifest(token="tok", etag=None, wait=0),
        await api.heartbeat(token="tok", body=b"{}"),
        await api.asset(token="tok", digest=DIGEST, offset=0, sink=Sink()),
    ]


def tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.mark.parametrize("encrypted", [True, False])
async def test_every_call_goes_through_the_proxy(encrypted: bool) -> None:
    async with hostile_server(tls=tls() if encrypted else None) as server, a_proxy("secret") as proxy:
        answer_all(server)
        by = proxy.url.replace("http://", "http://shop:secret@")
        api = ServiceApi(server.url, app_version="0", proxy=by, ca_file=CERTIFICATE)
        outcomes = await every_call(api)
        await api.close()
    assert all(isinstance(outcome, Fresh | Fetched) for outcome in outcomes), outcomes
    assert len(server.requests) == 5
    assert proxy.asked
    assert all(asked.startswith("CONNECT") is encrypted for asked in proxy.asked)


@pytest.mark.parametrize("encrypted", [True, False])
async def test_a_wrong_password_is_said(encrypted: bool) -> None:
    async with hostile_server(tls=tls() if encrypted else None) as server, a_proxy("secret") as proxy:
        by = proxy.url.replace("http://", "http://shop:wrong@")
        api = ServiceApi(server.url, app_version="0", proxy=by, ca_file=CERTIFICATE)
        outcomes = await every_call(api)
        await api.close()
    for outcome in outcomes:
        assert isinstance(outcome, Failed)
        assert (outcome.trouble, outcome.fault) == (Trouble.IN_BETWEEN, ConnectionFault.PROXY_SIGN_IN)
        assert "407" in outcome.detail
        assert "proxy" in outcome.detail.lower()
        assert "wrong" not in outcome.detail


async def test_a_proxy_that_is_not_there_is_like_a_network_that_is_not_there() -> None:
    api = ServiceApi("https://menus.example.com", app_version="0", proxy="http://127.0.0.1:9")
    outcome = await api.manifest(token="tok", etag=None, wait=0)
    await api.close()
    assert isinstance(outcome, Failed)
    assert outcome.away


async def test_a_private_authority_is_trusted_beside_the_system_s(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hostile_server(tls=tls()) as server:
        answer_all(server)
        for api, trusted in (
            (ServiceApi(server.url, app_version="0"), False),
            (ServiceApi(server.url, app_version="0", ca_file=CERTIFICATE), True),
        ):
            outcomes = await every_call(api)
            await api.close()
            for outcome in outcomes:
                assert isinstance(outcome, Fresh | Fetched) is trusted
                assert trusted or (isinstance(outcome, Failed) and outcome.trouble is Trouble.TLS)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        api = ServiceApi(server.url, app_version="0")
        assert isinstance(await api.manifest(token="tok", etag=None, wait=0), Fresh)
        await api.close()
    system = len(ssl.create_default_context().get_ca_certs())
    context = link._certificates("https://menus.example.com", CERTIFICATE, None)
    assert len(context.get_ca_certs()) >= system


async def test_a_file_that_vanished_costs_its_certificates_only(tmp_path: Path) -> None:
    api = ServiceApi("https://127.0.0.1:9", app_version="0", ca_file=tmp_path / "gone.pem")
    assert isinstance(await api.manifest(token="tok", etag=None, wait=0), Failed)
    await api.close()


async def test_a_dead_connection_is_noticed_by_the_system_within_a_minute() -> None:
    assert link.DEAD_PEER_SECONDS + link.QUIET_PEER_SECONDS <= 60
    assert {name for _, name, _ in link._SOCKET_OPTIONS} >= {9}, "keep-alives"


async def test_all_downloads_together_keep_to_the_limit() -> None:
    loop = asyncio.get_running_loop()
    limit = RateLimit(800, monotonic=loop.time)
    began = loop.time()

    async def download(chunks: int) -> None:
        for _ in range(chunks):
            await limit.pay(50_000)

    await asyncio.gather(download(20), download(20))
    assert loop.time() - began == pytest.approx(2 * 20 * 50_000 / 100_000, rel=0.05)
    await asyncio.sleep(100)
    before = loop.time()
    await limit.pay(50_000)
    assert loop.time() - before == pytest.approx(0.5), "a pause is no credit for a burst"


def test_a_chain_spreads_evenly_and_each_device_keeps_its_place() -> None:
    key = VersionKey(playlist_id="pl_1", version=3)
    shares = sorted(share_of(f"{number:032x}", key) for number in range(1000))
    assert all(abs(share - place / 1000) < 0.06 for place, share in enumerate(shares))
    assert share_of("ab" * 16, key) == share_of("ab" * 16, key)
    assert share_of("ab" * 16, key) != share_of("ab" * 16, VersionKey(playlist_id="pl_1", version=4))
