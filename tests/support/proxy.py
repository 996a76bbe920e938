"""An HTTP proxy, as shops have them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

NO_NAMES: Mapping[str, int] = {}


class Proxy:
    """An HTTP proxy on loopback: what it was asked for, and whom it lets through. `names` are machines that only it
    knows, with their ports on loopback: what goes past it finds none of them."""

    def __init__(self, password: str | None, names: Mapping[str, int]) -> None:
        self.asked: list[str] = []
        self._names = names
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
        known = self._names.get(host)
        there, back = await asyncio.open_connection(*(("127.0.0.1", known) if known else (host, int(port))))
        writers.append(back)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            back.write(head.replace(target.encode(), target.split(f"{host}:{port}")[1].encode(), 1))
        await asyncio.gather(pump(reader, back), pump(there, writer))

    async def stop(self) -> None:
        handlers = list(self._handlers)
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def a_proxy(password: str | None = None, names: Mapping[str, int] = NO_NAMES) -> AsyncIterator[Proxy]:
    proxy = Proxy(password, names)
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        await proxy.stop()
        await server.wait_closed()
