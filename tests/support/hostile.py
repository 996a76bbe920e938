"""An HTTP server on loopback with scripted responses: right, wrong, late, too long, or none."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import json
import ssl
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""Writes any bytes to the connection, which is closed after it."""

Rule = Answer | Callable[[Request], Answer]


class HostileServer:
    """Answers each path from its queue of answers; the last answer of a queue repeats."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.url = ""
        self._rules: dict[str, deque[Callable[[Request], Answer]]] = {}
        self._handlers: set[asyncio.Task[None]] = set()

    def on(self, path: str, *answers: Callable[[Request], Answer]) -> None:
        """Set the answers to `path` (below /v1/player)."""
        self.on_path(f"/v1/player{path}", *answers)

    def on_path(self, path: str, *answers: Callable[[Request], Answer]) -> None:
        """Set the answers to a path."""
        self._rules[path] = deque(answers)

    def asked(self, path: str) -> list[Request]:
        """The requests for a path, with whatever query, in order."""
        return [request for request in self.requests if request.path.partition("?")[0] == f"/v1/player{path}"]

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                request = await _read(reader)
                self.requests.append(request)
                queue = self._rules.get(request.path.partition("?")[0])
                answer = (
                    problem(404)(request)
                    if queue is None
                    else (queue.popleft() if len(queue) > 1 else queue[0])(request)
                )
                await answer(writer)
        finally:
            self._handlers.discard(task)
            writer.close()

    async def _stop(self) -> None:
        handlers = list(self._handlers)
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)


@asynccontextmanager
async def hostile_server(
    *, tls: ssl.SSLContext | None = None, port: int = 0, host: str = "127.0.0.1"
) -> AsyncIterator[HostileServer]:
    """Serve on a port of `host` (0: any free port) until the block is left."""
    hostile = HostileServer()
    server = await asyncio.start_server(hostile._handle, host, port, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    hostile.url = f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"
    try:
        yield hostile
    finally:
        server.close()
        await hostile._stop()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method=method, path=path, headers=headers, body=body)


# Answers. Each is a function of the request, so that it may depend on it.


def whole(
    status: int, body: bytes = b"", *, kind: str = "application/json", headers: Mapping[str, str] | None = None
) -> Callable[[Request], Answer]:
    """A complete answer with the right length."""
    return raw(_head(status, {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}) + body)


def document(status: int, content: object, **headers: str) -> Callable[[Request], Answer]:
    """A JSON answer; header names with underscores for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return whole(status, json.dumps(content).encode(), headers=named)


def problem(status: int, code: str = "fault", **headers: str) -> Callable[[Request], Answer]:
    """A problem document."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = f"urn:menu-display:problem:{code}"
    body = json.dumps({"type": kind, "code": code, "title": "It went wrong", "status": status}).encode()
    return whole(status, body, kind="application/problem+json", headers=named)


def revocation(request: Request) -> Answer:
    """The service's word that the token of this request was revoked."""
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    return revocation_of(token)(request)


def revocation_of(token: str) -> Callable[[Request], Answer]:
    """The same for a certain token."""
    document = {"type": "urn:menu-display:problem:token_revoked", "code": "token_revoked", "status": 401}
    body = json.dumps({**document, "tokenDigest": hashlib.sha256(token.encode()).hexdigest()}).encode()
    return whole(401, body, kind="application/problem+json")


def raw(data: bytes, *, then_silence: float = 0.0) -> Callable[[Request], Answer]:
    """These bytes, then silence, then the end of the connection."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if then_silence:
            await asyncio.sleep(then_silence)

    return lambda _: answer


def silence(seconds: float = 1e9) -> Callable[[Request], Answer]:
    """No bytes, and after a time the end of the connection."""
    return raw(b"", then_silence=seconds)


def late(seconds: float, rule: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
    """Another answer, later."""

    def decide(request: Request) -> Answer:
        async def answer(writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(seconds)
            await rule(request)(writer)

        return answer

    return decide


def dripping(data: bytes, *, every: float) -> Callable[[Request], Answer]:
    """One byte at a time."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        for byte in data:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(every)

    return lambda _: answer


def gzipped(body: bytes, *, kind: str = "application/json", **headers: str) -> Callable[[Request], Answer]:
    """A compressed answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return whole(200, gzip.compress(body), kind=kind, headers={"Content-Encoding": "gzip", **named})


def endless(head: bytes, block: bytes) -> Callable[[Request], Answer]:
    """A body that does not end."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(block)
            await writer.drain()

    return lambda _: answer


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} So", *(f"{name}: {value}" for name, value in headers.items()), "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


@dataclass(slots=True)
class Heard:
    """Records events."""

    events: list[Any] = field(default_factory=list)

    def __call__(self, event: Any) -> None:
        self.events.append(event)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]
