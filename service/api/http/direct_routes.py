"""Calls the endpoints of players without the framework, which takes longer for an answer than the service does.

Such an endpoint takes the request and returns its response, so there is nothing between the two to do. The framework
keeps its route for the API document and for other methods. Failures are answered by the framework's handlers.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

Endpoint = Callable[[Request], Awaitable[Response]]


class DirectRoute(APIRoute):
    """A route whose endpoint reads the request by itself and writes its response; with words in its path, an ordinary
    one."""


class DirectRoutes:
    """ASGI middleware: answers at the direct routes of the application, and passes everything else to `app`."""

    def __init__(self, app: ASGIApp, *, of: FastAPI) -> None:
        self._app = app
        self._routes: Mapping[tuple[str, str], DirectRoute] = {
            (method, route.path): route
            for route in of.routes
            if isinstance(route, DirectRoute) and not route.param_convertors
            for method in route.methods
        }
        self._handlers = cast("Mapping[Any, Callable[[Request, Exception], Response]]", of.exception_handlers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        route = self._routes.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = route
        request = Request(scope, receive)
        try:
            response = await cast("Endpoint", route.endpoint)(request)
        except Exception as fault:
            known = next(kind for kind in type(fault).__mro__ if kind in self._handlers)
            await self._handlers[known](request, fault)(scope, receive, send)
            if known is Exception:
                # The server that runs the application logs its traceback.
                raise
            return
        await response(scope, receive, send)
