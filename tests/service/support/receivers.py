"""Webhook receivers on loopback."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from service.core.json_text import read_json
from tests.service.support.application import Caller
from tests.support.patience import PATIENCE_SECONDS

WEBHOOKS = "/v1/public/webhooks"


@dataclass
class ReceivedDelivery:
    """One delivery as received."""

    headers: httpx.Headers
    body: bytes

    @property
    def event(self) -> Any:
        return read_json(self.body)


@dataclass
class Receiver:
    """Answers with `status`; None holds the connection until the receiver is closed."""

    url: str = ""
    status: int | None = 200
    got: list[ReceivedDelivery] = field(default_factory=list)
    in_progress: int = 0
    at_once: int = 0
    """The largest number of simultaneous deliveries."""

    @property
    def types(self) -> list[str]:
        return [one.event["type"] for one in self.got]


@asynccontextmanager
async def receiver(status: int | None = 200) -> AsyncIterator[Receiver]:
    receiver_ = Receiver(status=status)
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        receiver_.in_progress += 1
        receiver_.at_once = max(receiver_.at_once, receiver_.in_progress)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = httpx.Headers([tuple(line.split(": ", 1)) for line in head.split("\r\n")[1:] if line])
            body = await reader.readexactly(int(headers["Content-Length"]))
            # Counted before the answer, so that this one has ended when the next one arrives.
            receiver_.in_progress -= 1
            receiver_.got.append(ReceivedDelivery(headers, body))
            if receiver_.status is None:
                await closed.wait()
            else:
                writer.write(f"HTTP/1.1 {receiver_.status} Status\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    receiver_.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield receiver_
    finally:
        closed.set()
        server.close()
        await server.wait_closed()


async def deliveries(caller: Caller, webhook: str, query: str = "limit=100") -> list[Any]:
    answer = await caller.get(f"{WEBHOOKS}/{webhook}/deliveries?{query}")
    assert answer.status_code == 200, answer.text
    data: list[Any] = answer.json()["data"]
    return data


async def settled(caller: Caller, webhook: str, attempts: int) -> list[Any]:
    """The deliveries, once this number of attempts is stored."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = await deliveries(caller, webhook)
            if sum(len(one["attempts"]) for one in found) >= attempts:
                return found


async def publish(caller: Caller, playlist: str, times: int = 1) -> None:
    for _ in range(times):
        assert (await caller.post(f"/v1/playlists/{playlist}/publish")).status_code == 200
