"""Routes of players, whose endpoints read the request and write the response themselves.

The framework has their routes for the API document; Starlette's own, which do less per call, answer the calls. A held
poll runs through them thousands at a time.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from service.api.http.authentication import DEVICE_TOKEN, secured


class DirectRoute(APIRoute):
    """A route in the API document whose endpoint takes the request alone; with words in its path, an ordinary one."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **named: Any) -> None:
        named["openapi_extra"] = secured(DEVICE_TOKEN, named.get("openapi_extra"))
        super().__init__(path, endpoint, **named)


def direct_routes(routes: Iterable[BaseRoute]) -> Iterator[Route]:
    """Starlette's routes for the direct ones among these; they belong in front of them."""
    for route in routes:
        if isinstance(route, DirectRoute) and "{" not in route.path:
            yield Route(route.path, _named(route), methods=list(route.methods or ()))


def _named(route: DirectRoute) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        # As the framework does: metrics and log lines name the route.
        request.scope["route"] = route
        response: Response = await route.endpoint(request)
        return response

    return endpoint
