"""A line between player and service that is far, thin, lossy, cut, or dead without a word.

It stands in user space, where the kernel's netem is not to be had, and runs on virtual time. A lost packet shows as
what TCP makes of it: a pause until it is sent again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

PACKET_BYTES = 1400
TURNS_TO_NOTICE = 5
"""Turns of the loop in which both ends learn that the line is gone, also one whose TLS has not begun."""
RESEND_SECONDS = 0.2
"""The least time in which TCP sends a lost packet again, beside the round trip."""


@dataclass
class Line:
    """Passes on what comes. `delay` is one way, in seconds; `rate` in bytes a second for both ways together, 0 for no
    bound; `loss` a share of the packets; `cut_after` bytes from the service the connection breaks; while `dead`,
    nothing passes and nobody is told."""

    delay: float = 0.0
    rate: float = 0.0
    loss: float = 0.0
    cut_after: int = 0
    dead: bool = False
    url: str = ""
    carried: int = 0
    """Bytes from the service."""
    connections: int = 0
    _random: Random = field(default_factory=lambda: Random(7))
    _free_at: float = 0.0
    _handlers: set[asyncio.Task[None]] = field(default_factory=set)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        self.connections += 1
        try:
            # A line may end while it connects.
            there, back = await asyncio.open_connection("127.0.0.1", port)
            try:
                await asyncio.sleep(2 * self.delay)  # the handshake
                await asyncio.gather(self._carry(reader, back, down=False), self._carry(there, writer, down=True))
            finally:
                back.transport.abort()
        except ConnectionError:
            pass
        finally:
            self._handlers.discard(task)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool) -> None:
        loop = asyncio.get_running_loop()
        flying: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(64)

        async def land() -> None:
            while True:
                at, packet = await flying.get()
                await asyncio.sleep(max(0.0, at - loop.time()))
                if not packet:
                    writer.close()
                    return
                if not self.dead:
                    writer.write(packet)
                    await writer.drain()

        landing, sent = asyncio.ensure_future(land()), 0
        try:
            while packet := await reader.read(PACKET_BYTES):
                if self.rate:
                    self._free_at = max(self._free_at, loop.time()) + len(packet) / self.rate
                    await asyncio.sleep(self._free_at - loop.time())
                while self.loss and self._random.random() < self.loss:  # noqa: ASYNC110
                    await asyncio.sleep(RESEND_SECONDS + 2 * self.delay)
                sent += len(packet)
                if down:
                    self.carried += len(packet)
                    if self.cut_after and sent > self.cut_after:
                        break
                await flying.put((loop.time() + self.delay, packet))
            await flying.put((loop.time() + self.delay, b""))
            await landing
        finally:
            landing.cancel()
            await asyncio.gather(landing, return_exceptions=True)

    async def _stop(self) -> None:
        handlers = list(self._handlers)
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)


@asynccontextmanager
async def line_to(url: str, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Line]:
    """A line to the service at `url`, which begins at a port of this machine."""
    line, there = Line(), int(url.rpartition(":")[2])

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await line._connect(reader, writer, there)

    server = await asyncio.start_server(connect, host, port)
    line.url = f"http://{host}:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        server.close()
        await line._stop()
        await server.wait_closed()
        for _ in range(TURNS_TO_NOTICE):
            await asyncio.sleep(0)
