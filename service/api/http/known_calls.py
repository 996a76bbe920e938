"""Remembers the arguments that reads were given, so that the same read is not looked at by the framework again.

The framework takes longer for the arguments of a list than the service for its items. They are the caller, whose
permission has been checked, words of the path, and what the query says: all of them the same in the next call of the
same caller with the same query.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

from fastapi.dependencies.models import Dependant
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

MAX_KNOWN = 256
"""Callers and queries of a route; with more of them it begins anew."""
MAX_QUERY_BYTES = 200

_asked: ContextVar[dict[str, Any] | None] = ContextVar("asked", default=None)


class KnownCalls:
    """The calls of one route; the framework calls the endpoint by way of `noting`."""

    def __init__(self, endpoint: Callable[..., Response]) -> None:
        self._endpoint = endpoint
        self._known: dict[tuple[object, bytes], dict[str, Any]] = {}

    def noting(self) -> Callable[..., Response]:
        """The endpoint for the framework: notes the arguments that it is called with."""

        @wraps(self._endpoint)
        def noted(**arguments: Any) -> Response:
            asked = _asked.get()
            if asked is not None:
                asked.update(arguments)
            return self._endpoint(**arguments)

        return noted

    async def answer(self, request: Request, handle: Callable[[], Awaitable[Response]]) -> Response:
        """The answer of the endpoint; `handle` has the framework find its arguments."""
        query = request.scope["query_string"]
        call = request.state.access, query
        known = self._known.get(call)
        if known is not None:
            return await run_in_threadpool(self._endpoint, **known, **request.path_params)
        asked: dict[str, Any] = {}
        token = _asked.set(asked)
        try:
            response = await handle()
        finally:
            _asked.reset(token)
        if asked and len(query) <= MAX_QUERY_BYTES:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[call] = {name: value for name, value in asked.items() if name not in request.path_params}
        return response


def is_of_query_alone(dependant: Dependant) -> bool:
    """Whether the arguments are words of the path, and otherwise follow from the caller and the query."""
    takes_more = (
        dependant.header_params
        or dependant.cookie_params
        or dependant.body_params
        or dependant.response_param_name
        or dependant.background_tasks_param_name
    )
    words = all(param.type_ is str and not param.field_info.metadata for param in dependant.path_params)
    return not takes_more and words and all(map(is_of_query_alone, dependant.dependencies))
