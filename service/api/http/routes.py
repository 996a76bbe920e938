"""Lists the calls of a module: functions whose first argument is the services, or a part of the application."""

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from fastapi import APIRouter
from fastapi.routing import APIRoute

from service.api.http.routing import PROBLEMS
from service.services.registry import Services

Part = TypeVar("Part")
Reply = TypeVar("Reply")
P = ParamSpec("P")


class Decorator(Protocol[Part]):
    """Decorates a handler, which stays what it is."""

    def __call__(self, handler: Callable[Concatenate[Part, P], Reply], /) -> Callable[Concatenate[Part, P], Reply]: ...


class Routes(Generic[Part]):
    """Calls in their order. `of` makes their first argument from the services of an application.

    The arguments of `get`, `post`, … beside the path are those of the framework's decorators.
    """

    def __init__(
        self, of: Callable[[Services], Part], *, route: type[APIRoute] | None = None, **of_router: Any
    ) -> None:
        """`route` is a class of routes of its own; without it they have that of the application."""
        self._of = of
        self._route = route
        self._of_router = of_router
        self._calls: list[tuple[Callable[..., Any], dict[str, Any]]] = []

    def get(self, path: str = "", **facts: Any) -> Decorator[Part]:
        """Lists a call that reads."""
        return self._listing(path, "GET", facts)

    def post(self, path: str = "", **facts: Any) -> Decorator[Part]:
        """Lists a call that creates or acts."""
        return self._listing(path, "POST", facts)

    def put(self, path: str = "", **facts: Any) -> Decorator[Part]:
        """Lists a call that replaces."""
        return self._listing(path, "PUT", facts)

    def patch(self, path: str = "", **facts: Any) -> Decorator[Part]:
        """Lists a call that changes."""
        return self._listing(path, "PATCH", facts)

    def delete(self, path: str = "", **facts: Any) -> Decorator[Part]:
        """Lists a call that removes and answers 204."""
        return self._listing(path, "DELETE", {"status_code": 204, "response_model": None, **facts})

    def router(self, services: Services, route: type[APIRoute]) -> APIRouter:
        """The router of an application. `route` is its class of routes."""
        router = APIRouter(route_class=self._route or route, **self._of_router)
        part = self._of(services)
        for handler, facts in self._calls:
            # A bound method has no more the argument that the framework knows nothing of.
            router.add_api_route(endpoint=MethodType(handler, part), **facts)
        return router

    def _listing(self, path: str, method: str, facts: dict[str, Any]) -> Decorator[Part]:
        def listed(handler: Callable[Concatenate[Part, P], Reply]) -> Callable[Concatenate[Part, P], Reply]:
            self._calls.append((handler, {"path": path, "methods": [method], **facts}))
            return handler

        return listed


def api_routes(
    prefix: str, *, tag: str | None, route: type[APIRoute] | None = None, problems: bool = True
) -> Routes[Services]:
    """Calls of the public API. Without a `route` of their own callers have a key."""
    return Routes(
        lambda services: services,
        route=route,
        prefix=prefix,
        tags=None if tag is None else [tag],
        responses=PROBLEMS if problems else None,
    )
