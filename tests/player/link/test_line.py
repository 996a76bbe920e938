"""Bad lines: a satellite, a hundredth of the bandwidth, loss, cuts, a router that forgets, a DNS that lies."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from menu.documents.manifest import LinkSettings
from player.domain.events import AssetsVerified, ManifestArrived, ServiceAnswered, ServiceFailed
from player.domain.link.fault import Fault
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.link.outcomes import Fresh, Unchanged
from player.link.poller import Poller
from player.storage.assets import AssetFolder
from tests.player.link.test_downloads import name, path, serving, version
from tests.player.link.token_source import FakeTokenSource
from tests.support.hostile import Answer, Heard, HostileServer, Request, document, hostile_server, late, whole
from tests.support.line import Line, line_to
from tests.support.menus import document as manifest
from tests.support.virtual import Dice, VirtualClock

UNCHANGED = whole(304)
FILM = bytes(range(256)) * 4096
"""1 MiB."""
BODY = manifest(revision=1)


def held(request: Request) -> Answer:
    """The manifest to who does not have it; otherwise nothing new, held if that is asked for."""
    if "if-none-match" not in request.headers:
        return whole(200, BODY, headers={"ETag": f'"{sha256(BODY).hexdigest()}"'})(request)
    wait = float(request.headers.get("prefer", "wait=0").removeprefix("wait="))
    return late(wait, UNCHANGED)(request)


class Link:
    """Polls and downloads over a line, as a player does."""

    def __init__(self, url: str, *, folder: Path, clock: VirtualClock, heard: Heard, **more: Any) -> None:
        settings = more.pop("settings", LinkSettings())
        self.api = ServiceApi(url, app_version="0", allow_plain_http=True)
        self.heard = heard
        token_source = FakeTokenSource()
        self.store = AssetFolder(folder, protected=frozenset)
        self.poller = Poller(
            api=self.api,
            token_source=token_source,
            etag=None,
            settings=settings,
            clock=clock,
            random=Dice((0.9, 0.2, 0.6)),
            emit=heard,
        )
        self.downloads = Downloads(
            api=self.api,
            token_source=token_source,
            store=self.store,
            clock=clock,
            random=Dice(),
            emit=heard,
            **more,
        )

    async def poll(self) -> None:
        while True:  # noqa: ASYNC110
            await asyncio.sleep(await self.poller.poll())

    @asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        tasks = [asyncio.ensure_future(self.poll()), asyncio.ensure_future(self.downloads.run())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.api.close()

    async def until(self, kind: type[Any], *, within: float) -> float:
        """Seconds until another event of this kind is heard."""
        loop = asyncio.get_running_loop()
        began, before = loop.time(), len(self.heard.of(kind))
        while len(self.heard.of(kind)) == before:
            assert loop.time() - began < within, self.heard.events[-5:]
            await asyncio.sleep(0.1)
        return loop.time() - began


Make = Callable[..., Link]


@pytest.fixture
def make(tmp_path: Path, clock: VirtualClock, heard: Heard) -> Make:
    return lambda url, **more: Link(url, folder=tmp_path, clock=clock, heard=heard, **more)


LINES: dict[str, Line] = {
    "a satellite": Line(delay=0.35),
    "a hundredth of 10 Mbit/s": Line(rate=12_500.0),
    "a tenth of the packets lost": Line(delay=0.02, loss=0.1),
    "a satellite that loses packets": Line(delay=0.35, loss=0.05, rate=125_000.0),
    "cut every 100 kB": Line(cut_after=100_000),
}


@pytest.mark.first_case
@pytest.mark.proves("satellite-delay-hundredth")
@pytest.mark.parametrize("kind", LINES, ids=str)
async def test_manifest_and_film_come_over_a_bad_line(make: Make, server: HostileServer, kind: str) -> None:
    server.on("/manifest", held)
    server.on(path(FILM), serving(FILM))
    async with line_to(server.url) as line:
        for quality in ("delay", "rate", "loss", "cut_after"):
            setattr(line, quality, getattr(LINES[kind], quality))
        link = make(line.url)
        async with link.on():
            assert await link.until(ManifestArrived, within=15.0) < 15.0
            link.downloads.want([version(FILM)], on_glass=None)
            await link.until(AssetsVerified, within=600.0)
            before = len(server.asked("/manifest"))
            await asyncio.sleep(60.0)
            assert 2 <= len(server.asked("/manifest")) - before <= 4, "it is held on this line, too"
        assert link.store.path(name(FILM)).read_bytes() == FILM
        assert line.carried < 1.2 * len(FILM) + 50_000, "what has come is not fetched again"
    if kind.startswith("cut"):
        ranges = [request.headers.get("range") for request in server.asked(path(FILM))]
        assert ranges[0] is None
        assert len(ranges) > 8
        starts = [int(each.removeprefix("bytes=").rstrip("-")) for each in ranges[1:] if each]
        assert starts == sorted(starts)
        assert len(set(starts)) == len(starts), "each goes on where the one before was cut"


@pytest.mark.proves("router-forgets-connection")
@pytest.mark.goes_beyond("MAX_HOLD_SECONDS")
@pytest.mark.parametrize("wait", [0, 25, 60])
async def test_a_router_that_forgets_the_connection_costs_no_more_than_a_minute(
    make: Make, server: HostileServer, wait: int
) -> None:
    server.on("/manifest", held)
    async with line_to(server.url) as line:
        link = make(line.url, settings=LinkSettings(wait_seconds=wait))
        async with link.on():
            await link.until(ManifestArrived, within=5.0)
            await asyncio.sleep(3.0)
            line.dead = True
            await asyncio.sleep(3.0)
            connections = line.connections
            loop = asyncio.get_running_loop()
            began = loop.time()
            while line.connections == connections:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
            assert loop.time() - began <= 60.0
            line.dead = False
            await link.until(ServiceAnswered, within=60.0)


class Dns:
    """The answer to a look-up of menus.test."""

    def __init__(self) -> None:
        self.answer: str | OSError | None = "127.0.0.1"
        self.asked = 0

    def getaddrinfo(self, host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if host not in ("menus.test", b"menus.test"):
            return self.real(host, port, *more, **named)
        self.asked += 1
        if isinstance(self.answer, OSError):
            raise self.answer
        if self.answer is None:
            return []
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (self.answer, port))]

    real = staticmethod(socket.getaddrinfo)


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> Dns:
    dns = Dns()
    monkeypatch.setattr(socket, "getaddrinfo", dns.getaddrinfo)
    return dns


LIES: dict[str, str | OSError | None] = {
    "no such name": socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
    "no answer of the name server": socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
    "nothing": None,
    "an address where nothing is": "127.0.0.3",
    "the address of a log-in page": "127.0.0.2",
    "an address without a route": OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH)),
}


@pytest.mark.first_case
@pytest.mark.proves("name-server-answers")
@pytest.mark.parametrize("lie", LIES, ids=str)
async def test_a_name_server_that_lies_costs_nothing_but_its_time(
    make: Make, server: HostileServer, dns: Dns, lie: str, heard: Heard
) -> None:
    server.on("/manifest", held)
    async with line_to(server.url) as line, log_in_page() as page:
        there = int(line.url.rpartition(":")[2])
        async with line_to(page, host="127.0.0.2", port=there):
            link = make(f"http://menus.test:{there}")
            async with link.on():
                await link.until(ManifestArrived, within=5.0)
                dns.answer = LIES[lie]
                # Its connections are kept alive: the lie is heard when they end.
                await line._stop()
                await link.until(ServiceFailed, within=60.0)
                await asyncio.sleep(200.0)
                faults = {event.fault for event in heard.of(ServiceFailed)}
                assert faults <= {Fault.NO_CONNECTION, Fault.SLOW, Fault.PORTAL, Fault.NOT_UNDERSTOOD}
                dns.answer = "127.0.0.1"
                assert await link.until(ServiceAnswered, within=40.0) <= 5.0
        assert len(heard.of(ManifestArrived)) == 1


@asynccontextmanager
async def log_in_page() -> AsyncIterator[str]:
    async with hostile_server() as page:
        page.on("/manifest", whole(200, b"<html>Log in</html>", kind="text/html"))
        yield page.url


@pytest.mark.proves("service-moves-address")
@pytest.mark.parametrize("silent", [True, False])
async def test_a_service_whose_address_changes_is_found(make: Make, dns: Dns, silent: bool) -> None:
    async with hostile_server() as before, hostile_server() as after:
        for each in (before, after):
            each.on("/manifest", held)
        async with line_to(before.url) as old:
            port = int(old.url.rpartition(":")[2])
            async with line_to(after.url, host="127.0.0.2", port=port):
                link = make(f"http://menus.test:{port}")
                async with link.on():
                    await link.until(ManifestArrived, within=5.0)
                    await asyncio.sleep(5.0)
                    dns.answer = "127.0.0.2"
                    loop, began = asyncio.get_running_loop(), asyncio.get_running_loop().time()
                    if silent:
                        old.dead = True
                    else:
                        await old._stop()
                    while not after.requests:  # noqa: ASYNC110
                        await asyncio.sleep(0.1)
                    assert loop.time() - began <= (60.0 if silent else 5.0)


@pytest.mark.proves("satellite-delay-hundredth")
async def test_every_kind_of_call_survives_a_satellite(server: HostileServer) -> None:
    server.on("/manifest", UNCHANGED)
    server.on("/heartbeat", document(200, {}))
    server.on("/device_authorization", document(200, {}))
    async with line_to(server.url) as line:
        line.delay, line.loss = 0.35, 0.1
        api = ServiceApi(line.url, app_version="0")
        for _ in range(20):
            assert isinstance(await api.manifest(token="t", etag="e", wait=0), Unchanged)
            assert isinstance(await api.heartbeat(token="t", body=b"x" * 60_000), Fresh)
            assert isinstance(await api.authorize_device(device_id="ab" * 16), Fresh)
        await api.close()
