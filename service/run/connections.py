"""Limits how long a request may take to arrive, how much it may have beside its content, and how many connections may
wait for their callers.

A connection wraps uvicorn's protocol, and forwards received data: uvicorn itself waits for ever for the rest of a
request, and answers one that it cannot parse in its own words. It uses only documented parts of uvicorn: `Config.http`
takes a protocol, and a request runs in the context in which its bytes came (`reset_contextvars`).
"""

import asyncio
import logging
import resource
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from enum import Enum
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any, cast

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.core.errors import ProblemError

HEAD_SECONDS = 20
"""From the connection, or the first byte of a later request, to the end of its headers."""
BODY_SECONDS = 20
"""For a body, and a second more for each `BODY_RATE` bytes that have come: an upload takes as long as its line does."""
BODY_RATE = 500
KEEP_ALIVE_SECONDS = 75
"""For the next request; longer than the players' pauses between calls, so that they can reuse their connections."""
MAX_WAITING = 20_000
"""Connections that wait for their callers, and at most half of the files that the process may open."""
MAX_HEAD_BYTES = 16 * 1024
"""The headers of a request; and what a body has beside its content, such as trailers."""
MAX_HELD_BYTES = 64 * 1024
"""Requests that come before the one before them is answered; with more, the connection is not read."""
UNREAD_BYTES = 512 * 1024
"""A body that has come and that the application has not read: uvicorn stops reading before."""

Answer = tuple[Sequence[tuple[bytes, bytes]], bytes]
"""Headers and body."""

_UNREADABLE = ProblemError(400, "malformed_request", "This is no HTTP request", "Its form is that of RFC 9112.")
_TOO_LONG = ProblemError(431, "malformed_request", "The headers are too long", "Send fewer, or shorter ones.")

_END_OF_HEAD = b"\r\n\r\n"

_log = logging.getLogger(__name__)
_current: ContextVar["Connection | None"] = ContextVar("connection", default=None)


class Waiting:
    """Connections that wait for their callers: idle, or in the middle of a request. With too many, the one that waits
    longest is closed, so that they lock nobody out."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._connections: dict[Connection, None] = {}

    def add(self, connection: "Connection") -> None:
        """Adds the connection, or keeps it."""
        self._connections.setdefault(connection)
        while len(self._connections) > self._most:
            oldest = next(iter(self._connections))
            del self._connections[oldest]
            oldest.abort()

    def discard(self, connection: "Connection") -> None:
        self._connections.pop(connection, None)


def most_waiting() -> int:
    """Returns the limit of this process, after raising its limit of open files as far as possible."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return MAX_WAITING if hard == resource.RLIM_INFINITY else min(MAX_WAITING, hard // 2)


class Awaited(Enum):
    """Part of a request for which a connection waits."""

    NOTHING = "nothing, as the application works"
    REQUEST = "the next request"
    HEAD = "headers"
    BODY = "body"
    REST = "the rest of a body that is answered already"


class Connection(asyncio.Protocol):
    """A connection: uvicorn's protocol, with deadlines, and with problems in place of uvicorn's own responses."""

    def __init__(
        self,
        inner: asyncio.Protocol,
        *,
        waiting: Waiting,
        answer_to: Callable[[ProblemError], Answer],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._inner = inner
        self._waiting = waiting
        self._answer_to = answer_to
        self._loop = loop
        self._awaited = Awaited.NOTHING
        self._begun = 0.0
        self._received = 0
        """Bytes of the head, of the body, or of its rest after the answer."""
        self._held = b""
        """Bytes that wait for their turn: behind a head until the application has been called, and behind a request
        until it is answered."""
        self._is_turn_due = False
        self._is_reading = True
        self._wants_to_read = True
        """Whether uvicorn takes more of the body."""
        self._tail = b""
        """The last bytes of a head that has not ended."""
        self._length: int | None = 0
        """Bytes of the body; None where only its end tells."""
        self._rest = 0
        """Bytes of it that come after the answer."""
        self._content = 0
        """Bytes of it that the application has read."""
        self._waited = 0.0
        """Seconds for which the application has waited for it."""
        self._is_whole = True
        self._is_answering = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._inner.connection_made(cast("asyncio.Transport", _Sender(self, self._transport)))
        self._await(Awaited.HEAD, HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await_nothing()
        self._inner.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def data_received(self, data: bytes) -> None:
        self._held += data
        if not self._is_turn_due:
            self._pass_on()
        self._read_or_pause()

    def _pass_on(self) -> None:
        """Passes held data to uvicorn, up to the end of the head, or of the request: it would take in the next request,
        or trailers of the body for headers, before the end of this one is known here."""
        while self._held and not self._is_turn_due and not self._transport.is_closing():
            if self._awaited is Awaited.REQUEST:
                self._received, self._tail = 0, b""
                self._await(Awaited.HEAD, HEAD_SECONDS)
            is_head = self._awaited is Awaited.HEAD
            size = min(len(self._held), self._part_of(self._held))
            if size == 0:
                return
            part, self._held = self._held[:size], self._held[size:]
            self._received += size
            if self._received > self._most():
                self._refuse(_TOO_LONG)
                return
            if self._awaited is Awaited.REST and self._received == self._most():
                self._await(Awaited.REQUEST, KEEP_ALIVE_SECONDS)
            token = _current.set(self)
            try:
                self._inner.data_received(part)
            finally:
                _current.reset(token)
            if is_head and self._tail == b"":
                # Uvicorn calls the application in the loop's next turn.
                self._pass_on_soon()

    def _part_of(self, data: bytes) -> int:
        """Returns the number of bytes that belong to the head, to the body, or to its rest."""
        match self._awaited:
            case Awaited.REST:
                return self._most() - self._received
            case Awaited.HEAD:
                seen = self._tail + data
                end = seen.find(_END_OF_HEAD)
                before, self._tail = len(self._tail), seen[1 - len(_END_OF_HEAD) :]
                if end < 0:
                    return len(data)
                self._tail = b""
                return end + len(_END_OF_HEAD) - before
            case _:
                return len(data) if self._length is None else self._length - self._received

    def _pass_on_soon(self) -> None:
        if not self._is_turn_due:
            self._is_turn_due = True
            self._loop.call_soon(self._take_turn)

    def _take_turn(self) -> None:
        self._is_turn_due = False
        self._pass_on()
        self._read_or_pause()

    def read(self, *, wanted: bool) -> None:
        """Resumes or pauses the reading of a body, as uvicorn wants."""
        self._wants_to_read = wanted
        self._read_or_pause()

    def _read_or_pause(self) -> None:
        reads = self._wants_to_read and len(self._held) <= MAX_HELD_BYTES
        if reads is not self._is_reading and not self._transport.is_closing():
            self._is_reading = reads
            (self._transport.resume_reading if reads else self._transport.pause_reading)()

    def _most(self) -> int:
        """Returns the maximum number of bytes before the next part begins."""
        match self._awaited:
            case Awaited.HEAD:
                return MAX_HEAD_BYTES
            case Awaited.REST:
                return self._rest
            case _:
                # A chunk has 16 bytes beside its content, which is one byte at least.
                return MAX_HEAD_BYTES + UNREAD_BYTES + self._content * 17

    def begins(self, *, length: int | None) -> None:
        """Called before the application, with the length of the body; None if only its end determines it."""
        self._await_nothing()
        self._received = self._content = 0
        self._waited = 0.0
        self._length, self._is_whole, self._is_answering = length, length == 0, False

    @property
    def must_close(self) -> bool:
        """Whether the start of the next request is unknown: a body in chunks is not counted here."""
        return self._length is None

    async def body(self, receive: Receive) -> Message:
        """Returns the next part of the body, or the disconnect message."""
        if self._is_whole or self._is_answering:
            return await receive()
        self._await(Awaited.BODY, BODY_SECONDS + self._received / BODY_RATE - self._waited)
        message = await receive()
        self._waited += self._loop.time() - self._begun
        self._await_nothing()
        self._content += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return message

    def answers(self) -> None:
        """Called when the application starts its response: from now on uvicorn's output is that."""
        self._is_answering = True

    def ends(self) -> None:
        """Called when the application has responded."""
        self._is_answering = False
        self._rest = 0 if self._is_whole else (self._length or 0) - self._received
        self._received, self._waited = 0, 0.0
        if self._rest > 0:
            self._await(Awaited.REST, BODY_SECONDS)
        else:
            self._await(Awaited.REQUEST, KEEP_ALIVE_SECONDS)
        self._pass_on_soon()

    def speaks_for_uvicorn(self, data: bytes) -> bool:
        """Returns whether uvicorn was about to refuse a request that it cannot parse, and a problem has been sent
        instead."""
        if self._is_answering or not data.startswith(b"HTTP/1.1 400 "):
            return False
        self._refuse(_UNREADABLE)
        return True

    def abort(self) -> None:
        self._transport.abort()

    def _await(self, part: Awaited, seconds: float) -> None:
        self._await_nothing()
        self._waiting.add(self)
        self._awaited, self._begun = part, self._loop.time()
        self._deadline = self._loop.call_later(seconds, self._look)

    def _await_nothing(self) -> None:
        self._waiting.discard(self)
        self._awaited = Awaited.NOTHING
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """Handles the deadline of the awaited part, unless more of a body has arrived meanwhile."""
        if self._awaited in (Awaited.BODY, Awaited.REST):
            left = self._begun + BODY_SECONDS + self._received / BODY_RATE - self._waited - self._loop.time()
            if left > 0:
                self._deadline = self._loop.call_later(left, self._look)
                return
        detail = f"Its {self._awaited.value} did not come in time. Send it again."
        self._refuse(ProblemError(408, "request_timeout", "The request did not come whole", detail))

    def _refuse(self, problem: ProblemError) -> None:
        """Sends the problem if a request is unanswered, and closes the connection."""
        is_asked = self._received > 0 if self._awaited is Awaited.HEAD else self._awaited is not Awaited.REST
        is_asked = is_asked and self._awaited is not Awaited.REQUEST
        if is_asked and not self._is_answering and not self._transport.is_closing():
            headers, body = self._answer_to(problem)
            phrase = HTTPStatus(problem.status).phrase.encode()
            lines = (name + b": " + value for name, value in headers)
            head = (b"HTTP/1.1 %d %s" % (problem.status, phrase), *lines, b"connection: close", b"", b"")
            self._transport.write(b"\r\n".join(head) + body)
        self._await_nothing()
        self._transport.close()


def bounded(
    app: ASGIApp, *, http: str | None = None, waiting: Waiting, answer_to: Callable[[ProblemError], Answer]
) -> type[asyncio.Protocol]:
    """Returns the protocol for `uvicorn.Config`. The inner one is httptools' if it is installed, which takes a third of
    the time of h11; `http` names another."""
    has_httptools = find_spec("httptools") is not None
    config = uvicorn.Config(app, http=http or ("httptools" if has_httptools else "h11"), log_config=None)
    config.load()
    inner: Any = config.http_protocol_class

    def make(**of_uvicorn: Any) -> Connection:
        loop = asyncio.get_running_loop()
        return Connection(inner(**of_uvicorn), waiting=waiting, answer_to=answer_to, loop=loop)

    return cast("type[asyncio.Protocol]", make)


class _Sender:
    """Transport passed to uvicorn."""

    def __init__(self, connection: Connection, transport: asyncio.Transport) -> None:
        self._connection = connection
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def pause_reading(self) -> None:
        self._connection.read(wanted=False)

    def resume_reading(self) -> None:
        self._connection.read(wanted=True)

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing() and not self._connection.speaks_for_uvicorn(data):
            self._transport.write(data)


class Watched:
    """ASGI middleware, outermost: reports to each connection the progress of the application with its request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._is_told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = _current.get()
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if connection is None:
            if not self._is_told:
                _log.warning("this uvicorn runs requests in a context of their own: their bodies have no deadline")
            self._is_told = True
            await self._app(scope, receive, send)
            return
        await self._watch(connection, scope, receive, send)

    async def _watch(self, connection: Connection, scope: Scope, receive: Receive, send: Send) -> None:
        # Uvicorn appends trailers to its own list.
        scope["headers"] = list(scope["headers"])
        headers = dict(scope["headers"])
        connection.begins(length=None if b"transfer-encoding" in headers else int(headers.get(b"content-length", b"0")))
        ended = False

        async def answer(message: Message) -> None:
            nonlocal ended
            connection.answers()
            if message["type"] == "http.response.start" and connection.must_close:
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                # Here, as uvicorn calls the application with the next request in the loop's next turn.
                ended = True
                connection.ends()

        try:
            await self._app(scope, lambda: connection.body(receive), answer)
        finally:
            if not ended:
                connection.ends()
