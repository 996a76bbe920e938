"""Routes of players, whose endpoints read the request and write the response themselves.

The framework uses their routes for the API document and for other methods. A sold-out item wakes thousands of held
polls at once, for which its stack takes longer than the service.
"""

from collections.abc import Callable, Iterable
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from service.api.http.authentication import DEVICE_TOKEN, secured
from service.api.http.problems import HANDLERS


class DirectRoute(APIRoute):
    """A route in the API document whose endpoint takes the request alone; an ordinary one if its path has variables."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **named: Any) -> None:
        named["openapi_extra"] = secured(DEVICE_TOKEN, named.get("openapi_extra"))
        super().__init__(path, endpoint, **named)


class DirectRoutes:
    """ASGI middleware: answers at the direct routes among these, and passes all other requests to `app`."""

    def __init__(self, app: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = {
            (method, route.path): route
            for route in routes
            if isinstance(route, DirectRoute) and "{" not in route.path
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._routes.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        # As the framework does: metrics and log lines name the route.
        scope["route"] = route
        request = Request(scope, receive)
        try:
            response: Response = await route.endpoint(request)
        except Exception as fault:
            known = next(kind for kind in type(fault).__mro__ if kind in HANDLERS)
            await HANDLERS[known](request, fault)(scope, receive, send)
            if known is Exception:
                # The server that runs the application logs its traceback.
                raise
            return
        await response(scope, receive, send)
