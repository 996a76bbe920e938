"""Accepts requests, and bounds how long one may take to arrive and how many connections may wait for their callers.

Uvicorn waits for ever for the rest of a request, and answers one that it cannot parse in its own words.
"""

import asyncio
import resource
import sys
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from service.core.errors import ProblemError

HEAD_SECONDS = 20
"""From the connection, or the first byte of a later request, to the end of its headers."""
BODY_SECONDS = 20
"""For a body, and a second more for each `BODY_RATE` bytes that have come: an upload takes as long as its line does."""
BODY_RATE = 500
MAX_WAITING = 20_000
"""Connections that wait for their callers, and at most half of the files that the process may open."""

Answer = tuple[Sequence[tuple[bytes, bytes]], bytes]
"""Headers and body."""

if TYPE_CHECKING:
    _Protocol = H11Protocol  # what both of uvicorn's protocols have
else:
    _Protocol = object


class Waiting:
    """The connections that wait for their callers: idle, or in the middle of a request. With too many, the one that
    waits longest is closed, so that they lock nobody out."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._connections: dict[Bounded, None] = {}

    def add(self, connection: "Bounded") -> None:
        """The connection waits from now on, or still."""
        self._connections.setdefault(connection)
        while len(self._connections) > self._most:
            oldest = next(iter(self._connections))
            del self._connections[oldest]
            oldest.transport.abort()

    def discard(self, connection: "Bounded") -> None:
        """The connection does not wait any more."""
        self._connections.pop(connection, None)


def most_waiting() -> int:
    """The bound of this process, whose limit of open files is raised as far as it may be."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return MAX_WAITING if hard == resource.RLIM_INFINITY else min(MAX_WAITING, hard // 2)


class UnreadableError(Exception):
    """A request that the service refuses to read, with the status of the answer."""

    def __init__(self, detail: str, *, status: int = 400) -> None:
        super().__init__(detail)
        self.error_status_hint = status


class Bounded(_Protocol):
    """One connection: uvicorn's, with deadlines, and with problems in place of its own answers."""

    def __init__(self, *, waiting: Waiting, answer_to: Callable[[ProblemError], Answer], **of_uvicorn: Any) -> None:
        super().__init__(**of_uvicorn)
        self._waiting = waiting
        self._answer_to = answer_to
        self._begun = 0.0
        self._received = 0
        """Bytes of the part of a request that is awaited: of its head, or of its body."""
        self._in_body = False
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def _last(self) -> Any:
        """The newest request and its answer; None at first."""
        return self.cycle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self._await(in_body=False)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        cycle = self._last
        if self.transport.is_closing():
            self._await_nothing()
        elif cycle is None or cycle.more_body:
            self._await(in_body=cycle is not None)
        elif cycle.response_complete:
            self._await(in_body=False)
        else:
            self._await_nothing()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        cycle = self._last
        if cycle is not None and cycle.response_complete and not self.transport.is_closing():
            # Idle, for which uvicorn has a deadline, unless the rest of a body is still to come.
            self._waiting.add(self)

    def send_400_response(self, msg: str) -> None:
        fault = sys.exception()
        if fault is not None and isinstance(fault.__context__, UnreadableError):
            fault = fault.__context__
        self._refuse_unreadable(fault or UnreadableError(msg))

    def _refuse_unreadable(self, fault: BaseException) -> None:
        status = getattr(fault, "error_status_hint", 400)
        title = "The headers are too long" if status == 431 else "This is no HTTP request that the service can read"
        # Without what was sent, which may be a key.
        reason = str(fault).partition(":")[0].capitalize()
        self._refuse(ProblemError(status, "malformed_request", title, f"{reason}."))

    def _await(self, *, in_body: bool) -> None:
        """Waits for the rest of a head or body; its deadline begins with it."""
        self._waiting.add(self)
        if self._deadline is not None:
            if in_body == self._in_body:
                return
            self._deadline.cancel()
            self._received = 0
        self._in_body = in_body
        self._begun = self.loop.time()
        self._deadline = self.loop.call_later(BODY_SECONDS if in_body else HEAD_SECONDS, self._look)

    def _await_nothing(self) -> None:
        self._waiting.discard(self)
        self._received = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """The deadline of what is awaited has passed, unless more of a body has come meanwhile, or could not."""
        seconds = BODY_SECONDS + self._received / BODY_RATE if self._in_body else HEAD_SECONDS
        left = self._begun + seconds - self.loop.time()
        if self._in_body and self.flow.read_paused:
            left = max(left, BODY_SECONDS)
        if left > 0:
            self._deadline = self.loop.call_later(left, self._look)
            return
        part, seconds = ("body", BODY_SECONDS) if self._in_body else ("headers", HEAD_SECONDS)
        detail = f"Its {part} did not come within {seconds} seconds. Send it again."
        self._refuse(ProblemError(408, "request_timeout", "The request did not come whole", detail))

    def _refuse(self, problem: ProblemError) -> None:
        """Answers, if something was asked and not yet answered, and closes the connection."""
        cycle = self._last
        unanswered = self._received > 0 if cycle is None or cycle.response_complete else not cycle.response_started
        if unanswered and not (self._in_body and cycle is not None and cycle.response_complete):
            headers, body = self._answer_to(problem)
            phrase = HTTPStatus(problem.status).phrase.encode()
            lines = (name + b": " + value for name, value in (*self.server_state.default_headers, *headers))
            head = (b"HTTP/1.1 %d %s" % (problem.status, phrase), *lines, b"connection: close", b"", b"")
            self.transport.write(b"\r\n".join(head) + body)
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        self._await_nothing()
        self.transport.close()


class H11Connection(Bounded, H11Protocol):
    """Reads requests with h11, which bounds their headers."""
