"""Runs periodic jobs: some in every process, others only in the leader.

A job that fails is logged and does not stop the others; its next run is the retry.
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock, sleep
from service.storage.full_disk import is_full_disk
from service.storage.leadership import Leadership

UPKEEP_SECONDS = 1
"""The time within which a step of the clock or the loss of the leader is noticed."""
STALLED_SECONDS = 300.0
"""A round that takes longer hangs: each of its jobs waits for the database for some seconds at most."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A job that every process runs in a thread, every `every` seconds."""

    name: str
    every: int
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class LeaderJob:
    """A job that only the leader runs; `run` is called with the start of its leadership, in monotonic time."""

    name: str
    every: int
    run: Callable[[timedelta], None]


class Upkeep:
    """Runs the jobs in order, with a second between two rounds. Call `run` on the event loop."""

    def __init__(self, *, clock: Clock, leadership: Leadership, jobs: Sequence[Job | LeaderJob]) -> None:
        self._clock = clock
        self._leadership = leadership
        self._jobs = jobs
        self._leading_since: timedelta | None = None
        self._round_at = time.monotonic()

    @property
    def stalled(self) -> bool:
        """True if no round has begun for a long time: the process serves, but its jobs do not run."""
        return time.monotonic() - self._round_at > STALLED_SECONDS

    @property
    def leading(self) -> bool:
        """True if this process was the leader in the last round."""
        return self._leading_since is not None

    async def run(self, *, on_loop: Callable[[int], None]) -> None:
        """Runs until it is cancelled. Calls `on_loop`, which must not block, with the seconds since the start."""
        seconds = 0
        await self._check_leadership()
        while True:
            await sleep(self._clock, UPKEEP_SECONDS)
            seconds += UPKEEP_SECONDS
            self._round_at = time.monotonic()
            try:
                on_loop(seconds)
            except Exception:
                _log.exception("upkeep failed in part; trying again")
            await self._check_leadership()
            for job in self._jobs:
                if seconds % job.every == 0:
                    await self._run_job(job)

    async def _check_leadership(self) -> None:
        try:
            leads = await run_in_threadpool(self._leadership.held)
        except Exception:
            _log.exception("leadership cannot be asked for; trying again")
            leads = False
        if leads != self.leading:
            self._leading_since = self._clock.monotonic() if leads else None

    async def _run_job(self, job: Job | LeaderJob) -> None:
        try:
            match job:
                case Job():
                    await run_in_threadpool(job.run)
                case LeaderJob() if self._leading_since is not None:
                    await run_in_threadpool(job.run, self._leading_since)
                case LeaderJob():
                    pass
        except Exception as fault:
            if not is_full_disk(fault):
                _log.exception("upkeep job failed: %s; trying again", job.name)
