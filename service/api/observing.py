"""Around every request: its id, its line in the log, and its place in the metrics. Looks into no body and no key."""

import logging
import re
import secrets
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.core.logs import FIELDS, request_id
from service.services.operations.metrics import Metrics

HEADER = "X-Request-Id"
MAX_PATH_CHARACTERS = 200
"""Of a path, in the log."""

# What a caller sends goes into the log and back: letters that mean nothing in either, and not many.
_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Ten thousand screens call several hundred times a second; what they do is in the metrics.
_QUIET = ("/v1/player/", "/healthz", "/readyz", "/metrics")

_log = logging.getLogger(__name__)


class Observer:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request as the application does, and note how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        name = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
        status = 500
        begun = perf_counter()

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        token = request_id.set(name)
        try:
            await self._app(scope, receive, answer)
        finally:
            self._note(scope, status=status, seconds=perf_counter() - begun)
            request_id.reset(token)

    def _note(self, scope: Scope, *, status: int, seconds: float) -> None:
        method, path = scope["method"], scope["path"][:MAX_PATH_CHARACTERS]
        route = getattr(scope.get("route"), "path", None)
        self._metrics.count(route=route, method=method, status=status, seconds=seconds)
        quiet = status < 500 and path.startswith(_QUIET)
        fields = {"method": method, "path": path, "route": route, "status": status, "seconds": round(seconds, 4)}
        _log.log(logging.DEBUG if quiet else logging.INFO, "answered", extra={FIELDS: fields})
