"""Whether the service can be reached, as the newest call of any part has found; wakes those that wait for it."""

from __future__ import annotations

import asyncio
import contextlib


class Reach:
    """One for all parts of the link. Use it on one event loop."""

    def __init__(self) -> None:
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
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._back.wait()
