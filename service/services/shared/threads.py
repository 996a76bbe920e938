"""Runs calls that block for long on threads of their own, so that they take none from other requests."""

import functools
from collections.abc import AsyncIterator, Callable, Generator
from typing import ParamSpec, TypeVar

import anyio

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Limits the number of calls at a time; others wait for their turn. With 0, a call runs in the calling thread."""

    def __init__(self, at_a_time: int) -> None:
        self._limiter = anyio.CapacityLimiter(at_a_time) if at_a_time else None

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._limiter is None:
            return call(*args, **kwargs)
        return await anyio.to_thread.run_sync(functools.partial(call, *args, **kwargs), limiter=self._limiter)

    async def portions(self, of: Generator[T]) -> AsyncIterator[T]:
        """Yields the portions of a generator, none of them empty."""
        try:
            while portion := await self.run(next, of, None):
                yield portion
        finally:
            # Also where the caller has gone.
            of.close()
