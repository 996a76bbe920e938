"""Holds token calls: a device that waits to be paired is answered as soon as its code is claimed.

Runs on the event loop, as `held_polls`. At most one call of a code is held, so the bounds of pending codes, for an
address and for all, bound the held calls too.
"""

import asyncio
import contextlib
from collections.abc import Iterator

from service.core.changes import Change, ChangesMissed, CodeClaimed
from service.core.clock import Clock

MAX_WAIT_SECONDS = 30


class Hold:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting = False

    async def wait(self, seconds: float) -> None:
        """Returns once the code may have been claimed since the hold began, or after so many seconds."""
        timer = self._clock.call_later(min(seconds, MAX_WAIT_SECONDS), self.end)
        self.waiting = True
        try:
            await self._over
        finally:
            self.waiting = False
            timer.cancel()

    def end(self) -> None:
        """Makes `wait` return now; may be called any number of times."""
        if not self._over.done():
            self._over.set_result(None)


class HeldCodes:
    """Holds token calls. Call its methods on the event loop; `on_change` is safe from any thread."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._holds: dict[str, Hold] = {}
        self._closed = False

    def open(self) -> None:
        """Begins to hold calls, on the running loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Answers every held call now, and holds none from now on."""
        self._closed = True
        self._end_all()

    @property
    def holding(self) -> int:
        return sum(hold.waiting for hold in self._holds.values())

    @contextlib.contextmanager
    def hold(self, digest: str) -> Iterator[Hold]:
        """Holds the call with this device code, in place of an earlier one. Claims count from here on."""
        if digest in self._holds:
            self._holds.pop(digest).end()
        hold = self._holds[digest] = Hold(self._clock)
        if self._closed:
            hold.end()
        try:
            yield hold
        finally:
            if self._holds.get(digest) is hold:
                del self._holds[digest]

    def on_change(self, change: Change) -> None:
        """Ends the hold of a code that was claimed, here or at another process."""
        match change:
            case CodeClaimed(digest=digest):
                self._call_soon(digest)
            case ChangesMissed():
                self._call_soon(None)
            case _:
                pass

    def _call_soon(self, digest: str | None) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._end_all if digest is None else lambda: self._end(digest))

    def _end(self, digest: str) -> None:
        hold = self._holds.get(digest)
        if hold is not None:
            hold.end()

    def _end_all(self) -> None:
        for hold in list(self._holds.values()):
            hold.end()
