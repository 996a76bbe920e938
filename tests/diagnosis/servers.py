"""Servers at an address: the service by way of its front, or something else in its place."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar

from tests.diagnosis.namespaces import Here, Machine

T = TypeVar("T")
Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection, which is closed after it."""
Rule = Callable[[str], bytes | None]
"""Answers a request for this path in the service's place; None passes it on. Empty bytes are silence."""


IDLE_SECONDS = 5.0
"""After which a connection is closed that is not used, as the service does."""


class Loop:
    """An event loop on a thread of its own, for servers that go on while a test waits."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        Thread(target=self.loop.run_forever, daemon=True).start()

    def do(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do it on the loop; its result."""

        async def working() -> T:
            return await work()

        return asyncio.run_coroutine_threadsafe(working(), self.loop).result(30.0)


class Place:
    """A port of a machine, and what serves there now; None takes no connections."""

    def __init__(self, loop: Loop, machine: Machine | Here, address: str, port: int, server: Server | None) -> None:
        self._loop = loop
        self._machine = machine
        self._address = address
        self._port = port
        self.server: Server | None = None
        self._listener: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.serve(server)

    def serve(self, server: Server | None) -> None:
        """Cut the connections of now, and serve those that come with this from now on."""
        self._loop.do(lambda: self._change(server))

    @contextmanager
    def instead(self, server: Server | None) -> Iterator[None]:
        """Serve with this until the block is left."""
        before = self.server
        self.serve(server)
        try:
            yield
        finally:
            self.serve(before)

    async def _change(self, server: Server | None) -> None:
        self.server = server
        if server is None and self._listener is not None:
            self._listener.close()
            self._listener = None
        for task in list(self._serving):
            task.cancel()
        if server is not None and self._listener is None:
            kind = socket.AF_INET6 if ":" in self._address else socket.AF_INET
            line = self._machine.socket(kind)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            line.bind((self._address, self._port))
            self._listener = await asyncio.start_server(self._serve, sock=line)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task, server = asyncio.current_task(), self.server
        assert task is not None
        if server is None:
            writer.transport.abort()
            return
        self._serving.add(task)
        try:
            await server(reader, writer)
            await asyncio.wait_for(writer.drain(), 5.0)
            writer.close()
        except (OSError, EOFError, ValueError, asyncio.CancelledError, TimeoutError):
            writer.transport.abort()
        finally:
            self._serving.discard(task)


# Servers


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes whatever comes, and says nothing."""
    del writer
    while await reader.read(65536):
        pass


async def cutting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Breaks the connection at the first word."""
    await reader.read(1)
    writer.transport.abort()


def encrypted(context: ssl.SSLContext, server: Server) -> Server:
    """The same behind a certificate."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await writer.start_tls(context, ssl_handshake_timeout=60.0)
        await server(reader, writer)

    return serve


def answering(answer: bytes) -> Server:
    """Answers every request with these bytes; with none, it takes them and says nothing."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(_length(head))
            writer.write(answer)
            await writer.drain()

    return serve


def page(status: int, body: str = "", *, kind: str = "text/html", **headers: str) -> bytes:
    """A whole answer."""
    named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    length = len(body.encode())
    return f"HTTP/1.1 {status} So\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{named}\r\n{body}".encode()


def front(port: int, rule: Rule = lambda _: None, *, late: float = 0.0) -> Server:
    """A proxy before the service: passes requests on to this port of this machine, but those that the rule knows.
    Each answer comes so many seconds `late`. While the service takes no connections, it answers 502."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        try:
            while True:
                async with asyncio.timeout(IDLE_SECONDS):
                    head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(_length(head))
                await asyncio.sleep(late)
                instead = rule(head.split(b" ", 2)[1].decode())
                if instead is not None:
                    writer.write(instead)
                    continue
                try:
                    there = there or await asyncio.open_connection("127.0.0.1", port)
                    there[1].write(head + body)
                    await _pass_answer(there[0], writer)
                except (OSError, EOFError):
                    writer.write(page(502, "<html><title>502 Bad Gateway</title>"))
                    return
        finally:
            if there is not None:
                there[1].transport.abort()

    return serve


async def _pass_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(head)
    if b"\r\ntransfer-encoding: chunked" in head.lower():
        size = 1
        while size:
            line = await reader.readuntil(b"\r\n")
            size = int(line, 16)
            writer.write(line + await reader.readexactly(size + 2))
            await writer.drain()
        return
    left = 0 if head[9:12] in (b"204", b"304") else _length(head)
    while left:
        chunk = await reader.read(min(left, 65536))
        if not chunk:
            raise EOFError
        left -= len(chunk)
        writer.write(chunk)
        await writer.drain()


def _length(head: bytes) -> int:
    lower = head.lower()
    _, found, rest = lower.partition(b"\r\ncontent-length:")
    return int(rest.split(b"\r\n", 1)[0]) if found else 0


def proxy(*, password: str = "") -> Server:
    """An HTTP proxy that lets everything through by CONNECT to a name that it looks up as HOSTS says."""
    expected = base64.b64encode(f"shop:{password}".encode())

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if password and expected not in head:
            writer.write(page(407, Proxy_Authenticate='Basic realm="shop"'))
            return
        _, target, _ = head.decode().split("\r\n", 1)[0].split(" ")
        host, _, port = target.rpartition(":")
        there, back = await asyncio.open_connection(HOSTS.get(host, host), int(port))
        try:
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await asyncio.gather(_pump(reader, back), _pump(there, writer))
        finally:
            back.transport.abort()

    return serve


HOSTS: dict[str, str] = {}
"""Addresses of names, for what looks them up here."""


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
