"""Receivers of deliveries on loopback: what they are sent, and what they answer."""

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
class Got:
    """One delivery as it came."""

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
    got: list[Got] = field(default_factory=list)
    under_way: int = 0
    at_once: int = 0
    """How many deliveries were under way together, at most."""

    @property
    def types(self) -> list[str]:
        return [one.event["type"] for one in self.got]


@asynccontextmanager
async def receiver(status: int | None = 200) -> AsyncIterator[Receiver]:
    mine = Receiver(status=status)
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine.under_way += 1
        mine.at_once = max(mine.at_once, mine.under_way)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = httpx.Headers([tuple(line.split(": ", 1)) for line in head.split("\r\n")[1:] if line])
            body = await reader.readexactly(int(headers["Content-Length"]))
            # Counted before it is answered: whoever sees the next one has seen this one end.
            mine.under_way -= 1
            mine.got.append(Got(headers, body))
            if mine.status is None:
                await over.wait()
            else:
                writer.write(f"HTTP/1.1 {mine.status} Status\r\nContent-Length: 0\r\n\r\n".encode())
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    mine.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield mine
    finally:
        over.set()
        server.close()
        await server.wait_closed()


async def deliveries(caller: Caller, webhook: str, query: str = "limit=100") -> list[Any]:
    answer = await caller.get(f"{WEBHOOKS}/{webhook}/deliveries?{query}")
    assert answer.status_code == 200, answer.text
    data: list[Any] = answer.json()["data"]
    return data


async def settled(caller: Caller, webhook: str, attempts: int) -> list[Any]:
    """The deliveries, once so many attempts have been kept."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = await deliveries(caller, webhook)
            if sum(len(one["attempts"]) for one in found) >= attempts:
                return found


async def publish(caller: Caller, playlist: str, times: int = 1) -> None:
    for _ in range(times):
        assert (await caller.post(f"/v1/playlists/{playlist}/publish")).status_code == 200
