"""Virtual time for tests: an event loop whose clock jumps to the next timer when nothing else is pending."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

GRACE_SECONDS = 0.002
"""Real time that bytes written to a socket of this process may take to become readable."""


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, jump: Callable[[float], None], busy: Callable[[], bool]) -> None:
        super().__init__()
        self._jump = jump
        self._busy = busy

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is None or self._busy():
            # Only a thread or another process can wake the loop: wait in real time.
            return super().select(None if timeout is None else 1.0)
        ready = super().select(GRACE_SECONDS)
        if not ready:
            self._jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Real sockets and threads; a timer fires as soon as neither has anything pending, not in real time."""

    def __init__(self) -> None:
        self.jumps = 0
        """The number of times that the loop slept until a timer: the wake-ups of an idle program."""
        self._virtual = 0.0
        self._jobs = 0
        super().__init__(_JumpingSelector(self._jump, lambda: self._jobs > 0))

    def time(self) -> float:
        return self._virtual

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        future = super().run_in_executor(executor, func, *args)
        self._jobs += 1
        future.add_done_callback(self._job_done)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 -- asyncio's own
        # Threads end in real time: the timeout, which is virtual, does not apply.
        del timeout
        self._jobs += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self._jobs -= 1

    def _job_done(self, _: asyncio.Future[Any]) -> None:
        self._jobs -= 1

    def _jump(self, seconds: float) -> None:
        self.jumps += 1
        self._virtual += seconds


class VirtualClock:
    """A Clock on a loop's `time`; `step` sets the wall clock, as an administrator would."""

    def __init__(
        self, time: Callable[[], float], *, start: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
    ) -> None:
        self._time = time
        self._start = start
        self._stepped = timedelta()

    def wall(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic()) + self._stepped

    def monotonic(self) -> float:
        return self._time()

    def step(self, by: timedelta) -> None:
        self._stepped += by


class Dice:
    """A random source that repeats these numbers."""

    def __init__(self, numbers: Sequence[float] = (0.5,)) -> None:
        self._numbers = numbers
        self._calls = 0

    def __call__(self) -> float:
        self._calls += 1
        return self._numbers[(self._calls - 1) % len(self._numbers)]
