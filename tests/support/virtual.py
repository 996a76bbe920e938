"""Owns virtual time for tests: an event loop whose clock jumps to the next timer whenever nothing else can happen."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

GRACE_SECONDS = 0.002
"""How long, in real time, bytes that were written to a socket of this process may take to be readable there."""


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
            # Only a thread, or the world outside, can bring news; it is waited for in real time.
            return super().select(None if timeout is None else 1.0)
        ready = super().select(GRACE_SECONDS)
        if not ready:
            self._jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Real sockets and threads; timers fire as soon as neither has news. Nothing is ever waited for in real time."""

    def __init__(self) -> None:
        self.jumps = 0
        """How often it slept until a timer: what wakes a program that nobody asks for anything."""
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
        # Threads end in real time, however long a runner's patience is in virtual time.
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
    """A player's Clock on a loop's `time`; `step` moves the wall clock, as an administrator would."""

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
    """A random source that gives these numbers in turn, over and over."""

    def __init__(self, numbers: Sequence[float] = (0.5,)) -> None:
        self._numbers = numbers
        self._thrown = 0

    def __call__(self) -> float:
        self._thrown += 1
        return self._numbers[(self._thrown - 1) % len(self._numbers)]
