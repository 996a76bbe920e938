"""Hundreds of event streams over real sockets, in virtual time: some run, others are told why not, and none stays."""

from __future__ import annotations

import asyncio
import socket
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from player.page import connections
from player.page.connections import Listeners
from player.page.live import MAX_VIEWERS
from player.page.picture import Picture
from player.page.server import STREAMS, create_app
from tests.player.page.test_diagnostics import PNG, Glass
from tests.player.page.test_live import in_virtual_time

STREAM = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PAGE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
ONE = ["127.0.0.2"]
MANY = [f"127.0.1.{number}" for number in range(1, 101)]
MOST_BYTES = 24 * 1024 * 1024
"""The callers of the test, which run in this process, are part of them."""


class Server:
    """The page on real sockets, as the player serves it."""

    def __init__(self) -> None:
        self.glass = Glass()
        self.listeners = Listeners(
            create_app(look=self.glass.facts, monotonic=asyncio.get_running_loop().time, grab=self._grab),
            streams=STREAMS,
        )
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        self.port: int = listener.getsockname()[1]
        self.listeners.serve([listener])

    async def _grab(self, pixels: int | None = None) -> Picture:
        return Picture(PNG)

    async def open(self, address: str, request: bytes) -> Caller:
        loop = asyncio.get_running_loop()
        _, caller = await loop.create_connection(Caller, "127.0.0.1", self.port, local_addr=(address, 0))
        caller.transport.write(request)
        return caller


class Caller(asyncio.Protocol):
    """Somebody who has sent a request, and reads what comes before the connection is reset."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.heard = b""
        self.ended = False
        self._news = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.heard += data
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.ended = True
        self._news.set()

    async def first_words(self) -> str:
        """The status and what is said; empty if the connection ends without a word."""
        while not self.ended and not self.heard.partition(b"\r\n\r\n")[2]:
            self._news.clear()
            await self._news.wait()
        head, _, body = self.heard.decode().partition("\r\n\r\n")
        return f"{head.split()[1]} {body}" if head else ""

    async def rest(self) -> bytes:
        while not self.ended:
            self._news.clear()
            await self._news.wait()
        return self.heard


@asynccontextmanager
async def served() -> AsyncIterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        await server.listeners.stop(within=1)


@pytest.mark.proves("event-streams-once")
@pytest.mark.parametrize("addresses", [ONE, MANY], ids=["one address", "many addresses"])
def test_500_event_streams_are_answered_or_told_why_not_and_another_phone_is_served(addresses: list[str]) -> None:
    @in_virtual_time
    async def work() -> None:
        async with served() as server:
            before = len(asyncio.all_tasks())
            tracemalloc.start()
            held = [await server.open(addresses[number % len(addresses)], STREAM) for number in range(500)]
            said = Counter(await asyncio.gather(*(caller.first_words() for caller in held)))
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()

            streams = sum(count for words, count in said.items() if words.startswith("200"))
            assert MAX_VIEWERS <= streams <= MAX_VIEWERS + len(addresses)
            assert all(words.startswith("200") or "Try again" in words or "reload" in words for words in said)
            assert most < MOST_BYTES

            # The connections of this second have been given out.
            await asyncio.sleep(1)
            phone = await server.open("127.0.0.3", STREAM)
            reader = await server.open("127.0.0.3", PAGE)
            assert (await phone.first_words()).startswith("200") is (addresses == ONE)
            assert b"</html>" in await reader.rest()
            assert server.listeners.open <= connections.MAX_CONNECTIONS

            for caller in (*held, phone, reader):
                caller.transport.abort()
            await asyncio.sleep(1)
            assert server.listeners.open == 0
            assert len(asyncio.all_tasks()) == before

    work()
