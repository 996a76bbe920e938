"""Whether the service can be reached, as the newest call of any part has found; wakes those that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Reach:
    """One for all parts of the link. Use it on one event loop."""

    def __init__(self, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._sleep = sleep
        self._away = False
        self._back = asyncio.Event()

    def answered(self) -> None:
        """A call was answered; whoever waits for the service goes on."""
        if self._away:
            self._away = False
            self._back.set()
            self._back = asyncio.Event()

    def missed(self) -> None:
        """A call did not reach the service."""
        self._away = True

    async def back(self) -> None:
        """Return when the service answers again after it was away."""
        await self._back.wait()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds, or when the service answers again after it was away."""
        back = asyncio.ensure_future(self._back.wait())
        over = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait((back, over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in (back, over):
                waiting.cancel()
            await asyncio.gather(back, over, return_exceptions=True)
