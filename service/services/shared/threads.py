"""Runs calls that wait or work for long on threads of their own, so that they take none from other requests."""

import functools
from collections.abc import AsyncIterator, Callable, Generator
from typing import ParamSpec, TypeVar

import anyio

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """At most so many calls at a time; others wait for their turn. With none, a call runs where it is made."""

    def __init__(self, at_a_time: int) -> None:
        self._limiter = anyio.CapacityLimiter(at_a_time) if at_a_time else None

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of the call."""
        if self._limiter is None:
            return call(*args, **kwargs)
        return await anyio.to_thread.run_sync(functools.partial(call, *args, **kwargs), limiter=self._limiter)

    async def portions(self, of: Generator[T]) -> AsyncIterator[T]:
        """The portions that a generator makes, none of them empty."""
        try:
            while portion := await self.run(next, of, None):
                yield portion
        finally:
            # Also where the caller has gone.
            of.close()
