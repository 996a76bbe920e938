"""Gives every request an id, a log line and its metrics, and every response the common headers. Never reads bodies or
keys."""

import logging
import random
import re
from collections.abc import Iterable, Sequence
from time import perf_counter

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.api.http.ignored import name_ignored_fields
from service.api.http.problems import problem_response
from service.core.errors import ProblemError
from service.core.ignored import ignored_fields
from service.core.logs import FIELDS, loggable_path, request_id
from service.services.operations.metrics import Metrics

REQUEST_ID = "X-Request-Id"
MARK, MARK_VALUE = "Menu-Display", "1"
"""A player that gets an answer without it knows that something on the way gave it."""

NO_SNIFF = "X-Content-Type-Options"

_ID = REQUEST_ID.lower().encode()
_SAME_FOR_ALL = [(MARK.lower().encode(), MARK_VALUE.encode()), (NO_SNIFF.lower().encode(), b"nosniff")]
_OURS = frozenset((_ID, *(name for name, _ in _SAME_FOR_ALL)))

# A given id goes into the log and back to the caller: only characters that are harmless in both, and few.
_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Ten thousand screens make several hundred calls a second; these are in the metrics.
_NOT_LOGGED = ("/v1/player/", "/healthz", "/readyz", "/metrics")

_log = logging.getLogger(__name__)

# No secret: to ask the system for each would take longer than many a request.
_names = random.Random()  # noqa: S311


def _new_name() -> str:
    return f"{_names.getrandbits(64):016x}"


def answer_without_application(problem: ProblemError) -> tuple[Sequence[tuple[bytes, bytes]], bytes]:
    """Returns the headers and body of a response to a request that never reached the application."""
    response = problem_response(problem)
    return _with_ours(response.raw_headers, _new_name()), bytes(response.body)


def _with_ours(headers: Iterable[tuple[bytes, bytes]], name: str) -> list[tuple[bytes, bytes]]:
    others = [header for header in headers if header[0] not in _OURS]
    return [*others, (_ID, name.encode()), *_SAME_FOR_ALL]


class RequestLogMiddleware:
    """ASGI middleware: request id, mark, log line, metrics."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value.decode("latin-1") for key, value in scope["headers"] if key == _ID), "")
        name = given if _GIVEN.fullmatch(given) else _new_name()
        status = 500
        begun = perf_counter()

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_ours(message.get("headers", ()), name)
                if ignored_fields.get() is not None:
                    name_ignored_fields(MutableHeaders(scope=message))
            await send(message)

        token, body = request_id.set(name), ignored_fields.set(None)
        try:
            await self._app(scope, receive, answer)
        finally:
            self._record(scope, status=status, seconds=perf_counter() - begun)
            request_id.reset(token)
            ignored_fields.reset(body)

    def _record(self, scope: Scope, *, status: int, seconds: float) -> None:
        method, path, route = scope["method"], scope["path"], getattr(scope.get("route"), "path", None)
        self._metrics.count(route=route, method=method, status=status, seconds=seconds)
        level = logging.DEBUG if status < 500 and path.startswith(_NOT_LOGGED) else logging.INFO
        if _log.isEnabledFor(level):
            fields = {"method": method, "path": loggable_path(path), "route": route, "status": status}
            _log.log(level, "answered", extra={FIELDS: {**fields, "seconds": round(seconds, 4)}})
