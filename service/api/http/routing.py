"""Reads a request before its handler runs: authentication, then a body of bounded size, then exact JSON."""

import contextlib
from collections.abc import Callable, Coroutine
from inspect import iscoroutinefunction, signature
from typing import Any

from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from service.api.http.authentication import API_KEY, authenticate, secured
from service.api.http.idempotency import Idempotency
from service.api.http.preconditions import apply_conditions
from service.api.http.problems import PROBLEM_MEDIA_TYPE
from service.api.http.rate_limits import RateLimiter, add_rate_headers
from service.core.errors import ProblemError, malformed, too_large, unsupported_media_type
from service.core.ignored import IgnoredFields, ignored_fields
from service.core.json_text import JsonTextError, read_json
from service.schema.problem import Problem
from service.services.registry import Services
from service.storage.audit import acting_as

MAX_JSON_BYTES = 4 * 1024 * 1024
_INLINE_BYTES = 64 * 1024
"""Up to this size a body is parsed on the event loop; a larger one would block it."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class JsonRequest(Request):
    """A request whose body has been read."""

    _document: Any = None
    _raw: bytes = b""

    def set_body(self, raw: bytes, document: Any) -> None:
        self._raw = raw
        self._document = document

    async def body(self) -> bytes:
        return self._raw

    async def json(self) -> Any:
        return self._document


def refuse_encoded(request: Request) -> None:
    """Raises the 415 problem for a body with a content coding, such as gzip."""
    if request.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise ProblemError(
            415,
            "unsupported_content_encoding",
            "The body is encoded",
            "Send it as it is, without Content-Encoding.",
            headers={"Accept-Encoding": "identity"},
        )


async def read_body(request: Request, *, limit: int) -> bytes:
    """Reads the whole body. Raises the 413 problem as soon as it exceeds the limit, and 415 for an encoded one."""
    refuse_encoded(request)
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and len(declared) < 20 and int(declared) > limit:
        raise too_large(limit)
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise too_large(limit)
    return bytes(raw)


async def read_json_body(request: Request, *, limit: int = MAX_JSON_BYTES) -> tuple[bytes, Any]:
    """Returns the raw body and the parsed document; no body is (b"", None). Raises the 400, 413 and 415 problems."""
    raw = await read_body(request, limit=limit)
    if not raw:
        return raw, None
    content_type = request.headers.get("content-type")
    if content_type is not None and not _is_json(content_type):
        raise unsupported_media_type("application/json")
    try:
        document = read_json(raw) if len(raw) <= _INLINE_BYTES else await run_in_threadpool(read_json, raw)
    except JsonTextError as fault:
        raise malformed(str(fault)) from None
    ignored_fields.set(IgnoredFields(document))
    return raw, document


async def _ignore_body(request: Request) -> None:
    """Reads the body of a call that takes none, to report its fields as ignored. Raises the 413 problem."""
    raw = await read_body(request, limit=MAX_JSON_BYTES)
    if not raw:
        return
    with contextlib.suppress(JsonTextError):
        document = await run_in_threadpool(read_json, raw)
        if isinstance(document, dict):
            ignored = IgnoredFields(document)
            ignored.note(document, ())
            ignored_fields.set(ignored)


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {"description": "A problem.", "content": {PROBLEM_MEDIA_TYPE: {}}, "model": Problem}
}
"""Failures in the API document."""


def keyed_route(services: Services) -> type[APIRoute]:
    """Makes a route class that authenticates before it reads the body, and applies rate limits and idempotency.

    An asynchronous handler of a POST or PATCH reads its body itself, and has to call `Idempotency.answer` itself.
    """
    limiter = RateLimiter(rates=services.rates, monotonic=services.clock.monotonic)
    idempotency = Idempotency(services)

    class KeyedRoute(APIRoute):
        def __init__(self, path: str, endpoint: Callable[..., Any], **named: Any) -> None:
            self._plain = not iscoroutinefunction(endpoint)
            self._takes_json = "body" in signature(endpoint).parameters
            named["openapi_extra"] = secured(API_KEY, named.get("openapi_extra"))
            super().__init__(path, idempotency.storing(endpoint) if self._plain else endpoint, **named)

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()
            plain, takes_json = self._plain, self._takes_json

            async def keyed(request: Request) -> Response:
                request.state.access = access = await authenticate(services.keys, request)
                limiter.count(request)
                with acting_as(access.workspace, access.key):
                    response = await answer(request)
                return add_rate_headers(request, apply_conditions(request, response))

            async def answer(request: Request) -> Response:
                if not plain:
                    return await handle(request)
                if not takes_json:
                    if request.method in ("POST", "PATCH"):
                        await _ignore_body(request)
                    return await idempotency.answer(request, b"", lambda: handle(request))
                raw, document = await read_json_body(request)
                read = JsonRequest(_of_json(request.scope), request.receive)
                read.set_body(raw, document)
                return await idempotency.answer(read, raw, lambda: handle(read))

            return keyed

    return KeyedRoute


def _of_json(scope: Scope) -> Scope:
    """Sets the JSON content type in the scope of a request, which the framework requires."""
    if any(name == b"content-type" for name, _ in scope["headers"]):
        return scope
    return {**scope, "headers": [*scope["headers"], (b"content-type", b"application/json")]}


def _is_json(content_type: str) -> bool:
    essence = content_type.partition(";")[0].strip().lower()
    return essence == "application/json" or (essence.startswith("application/") and essence.endswith("+json"))
