"""What a running service does in time, and which of it only one of several processes does: the one that leads.

A job that fails is logged, holds up no other, and is tried again when its turn comes.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock, sleep
from service.storage.leadership import Leadership

UPKEEP_SECONDS = 1
"""How soon a step of the clock is noticed, and that nobody leads."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """Something that every process does in a thread, every so many seconds."""

    name: str
    every: int
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class LeaderJob:
    """Something that the process that leads does, told since when it does."""

    name: str
    every: int
    run: Callable[[datetime], None]


class Upkeep:
    """Runs the jobs in their order, a second between two rounds. `run` belongs to the event loop."""

    def __init__(self, *, clock: Clock, leadership: Leadership, jobs: Sequence[Job | LeaderJob]) -> None:
        self._clock = clock
        self._leadership = leadership
        self._jobs = jobs
        self._leading_since: datetime | None = None

    @property
    def leading(self) -> bool:
        """Whether this process leads, as of the last round."""
        return self._leading_since is not None

    async def run(self, *, on_loop: Callable[[int], None]) -> None:
        """Until it is cancelled. `on_loop` is called in each round with the seconds since the start, and is quick."""
        seconds = 0
        await self._look()
        while True:
            await sleep(self._clock, UPKEEP_SECONDS)
            seconds += UPKEEP_SECONDS
            on_loop(seconds)
            await self._look()
            for job in self._jobs:
                if seconds % job.every == 0:
                    await self._do(job)

    async def _look(self) -> None:
        leads = await run_in_threadpool(self._leadership.held)
        if leads != self.leading:
            self._leading_since = self._clock.now() if leads else None

    async def _do(self, job: Job | LeaderJob) -> None:
        try:
            match job:
                case Job():
                    await run_in_threadpool(job.run)
                case LeaderJob() if self._leading_since is not None:
                    await run_in_threadpool(job.run, self._leading_since)
                case LeaderJob():
                    pass
        except Exception:
            _log.exception("upkeep failed: %s; it is tried again", job.name)
