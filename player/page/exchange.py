"""Reads one HTTP request with h11, and writes the answer of an ASGI application; nothing here limits time or size."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import h11

log = logging.getLogger(__name__)

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
"""An ASGI 3 application."""

_FAILED = "This page has a fault. The log of the player says which."


class NoRequestError(ValueError):
    """Bytes that are no HTTP request, or a head that is too long."""


class Exchange:
    """One request on a connection, and its answer."""

    def __init__(self, app: Application, transport: asyncio.Transport, *, max_head_bytes: int) -> None:
        self._app = app
        self._transport = transport
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=max_head_bytes)
        self._scope: Message = {}
        self._body = bytearray()
        self._body_given = False
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._over = asyncio.Event()
        """The answer is whole, or the caller has gone."""
        self.task: asyncio.Task[None] | None = None
        """Runs the application, once the request is whole."""
        self.has_answer = False
        """Whether the answer has begun."""

    @property
    def is_answering(self) -> bool:
        """True if the application has the request, and its answer is not complete yet."""
        return self.task is not None and not self._over.is_set()

    def receive(self, data: bytes) -> None:
        """Parses bytes of the caller. Raises NoRequestError."""
        if self.task is not None:
            return  # A connection has one request.
        self._http.receive_data(data)
        try:
            self._read()
        except h11.RemoteProtocolError as error:
            raise NoRequestError(str(error)) from error

    def _read(self) -> None:
        while self.task is None:
            match self._http.next_event():
                case h11.Request() as request:
                    self._scope = self._scope_of(request)
                case h11.Data(data=data):
                    self._body += data
                case h11.EndOfMessage():
                    self.task = asyncio.get_running_loop().create_task(self._answer())
                case _:
                    if self._http.they_are_waiting_for_100_continue:
                        self._send(h11.InformationalResponse(status_code=100, headers=[]))
                    return

    def pause_writing(self) -> None:
        """Makes the application wait: the caller reads more slowly than it writes."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """Resumes the application."""
        self._may_write.set()

    def caller_has_gone(self) -> None:
        """Ends the exchange: the connection is lost."""
        self._over.set()
        self._may_write.set()

    def _scope_of(self, request: h11.Request) -> Message:
        path, _, query = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "method": request.method.decode("ascii"),
            "scheme": "http",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": _host_and_port(self._transport.get_extra_info("peername")),
            "server": _host_and_port(self._transport.get_extra_info("sockname")),
            "state": {},
        }

    async def _answer(self) -> None:
        try:
            await self._app(self._scope, self._give, self._take)
        except Exception:
            log.exception("the page has failed: %s %s", self._scope["method"], self._scope["raw_path"])
        if not self._over.is_set():
            if not self.has_answer:
                await self._take({"type": "http.response.start", "status": 500, "headers": ()})
                await self._take({"type": "http.response.body", "body": _FAILED.encode()})
            self._transport.close()

    async def _give(self) -> Message:
        """ASGI's `receive`: the whole body, and later the end of the exchange."""
        if not self._body_given:
            self._body_given = True
            return {"type": "http.request", "body": bytes(self._body), "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def _take(self, message: Message) -> None:
        """ASGI's `send`."""
        await self._may_write.wait()
        if self._over.is_set() or self._transport.is_closing():
            return
        if message["type"] == "http.response.start":
            self.has_answer = True
            headers: Iterable[tuple[bytes, bytes]] = message.get("headers", ())
            status, reason = message["status"], HTTPStatus(message["status"]).phrase.encode()
            self._send(h11.Response(status_code=status, reason=reason, headers=[*headers, (b"connection", b"close")]))
            return
        self._send(h11.Data(data=b"" if self._scope["method"] == "HEAD" else message.get("body", b"")))
        if not message.get("more_body", False):
            self._send(h11.EndOfMessage())
            self._over.set()
            self._transport.close()

    def _send(self, event: h11.InformationalResponse | h11.Response | h11.Data | h11.EndOfMessage) -> None:
        if written := self._http.send(event):
            self._transport.write(written)


def _host_and_port(address: Any) -> tuple[str, int] | None:
    return (str(address[0]), int(address[1])) if isinstance(address, tuple) else None
