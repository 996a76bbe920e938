"""Finds the route of a request by the words of its path.

The framework tries one route after the other, which takes longer than many a read.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

_FIRST_WORDS = slice(1, 3)
"""The words that tell routes apart, such as `v1` and `content`: no route has a parameter there."""

Key = tuple[str, int, tuple[str, ...]]


class RouteIndex(BaseRoute):
    """A route in front of all others: matches what one of them matches as a whole, and hands it on."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes: defaultdict[Key, list[APIRoute]] = defaultdict(list)
        for route in routes:
            if isinstance(route, APIRoute):
                for method in route.methods:
                    self._routes[_key(method, route.path.split("/"))].append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The first of the routes that matches; the others are tried by the framework."""
        if scope["type"] == "http":
            for route in self._routes.get(_key(scope["method"], scope["path"].split("/")), ()):
                match, found = route.matches(scope)
                if match is Match.FULL:
                    return match, found
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands the request to the route that was found."""
        route: Any = scope["route"]
        await route.handle(scope, receive, send)


def _key(method: str, words: Sequence[str]) -> Key:
    return method, len(words), tuple(words[_FIRST_WORDS])
