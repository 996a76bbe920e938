"""Decides when to call the service again: after an exponential backoff with full jitter, so that a fleet does not come
back all at once, or as soon as another part's call is answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable


class Reach:
    """Stores whether the service can be reached, as the newest call of any part has found. Use it on one event loop."""

    def __init__(self) -> None:
        self._away = False
        self._back = asyncio.Event()

    def answered(self) -> None:
        """Notes that a call was answered, which ends the waits for the service."""
        if self._away:
            self._away = False
            self._back.set()
            self._back = asyncio.Event()

    def missed(self) -> None:
        """Notes that a call did not reach the service."""
        self._away = True

    async def back(self) -> None:
        """Return when the service answers again after it was away."""
        await self._back.wait()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds, or when the service answers again after it was away."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._back.wait()


MAX_SECONDS = 30.0
"""The longest pause after answers that are of no use: a service with a fault gets no more calls for it."""
AWAY_MAX_SECONDS = 3.5
"""The longest pause while the service is away: trying to connect costs nobody much, and a board is back within five
seconds of the service."""
LEAST_SECONDS = 0.1

Random = Callable[[], float]
"""Uniform between 0 and 1, as `random.random`."""


class Backoff:
    """Counts failures in a row; each doubles the range that the next pause is drawn from."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._failures = 0

    def succeeded(self) -> None:
        """Reset the count."""
        self._failures = 0

    def failed(self, *, retry_after: float | None = None, away: bool = False) -> float:
        """Returns the seconds to wait: at least what the service asked for. `away` means that the service could not be
        asked."""
        most = AWAY_MAX_SECONDS if away else MAX_SECONDS
        span = min(most, 2.0 ** min(self._failures, 10))
        self._failures += 1
        return max(LEAST_SECONDS, self._random() * span, retry_after or 0.0)
