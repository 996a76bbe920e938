"""Owns what is due when, on APScheduler: named jobs that survive a step of the system clock; knows not what they do.

APScheduler reckons in wall time. Delays here are monotonic: `reanchor` moves each job back to where its delay puts it
after the wall clock has jumped. Without it a step of an hour would stop the heartbeat for an hour.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from msgspec import Struct
from msgspec.structs import replace

from player.domain.clock import Clock

log = logging.getLogger(__name__)

RETRY_SECONDS = 5.0
"""A job that failed in a way nobody foresaw is tried again after this long."""

Work = Callable[[], Awaitable[float | None]]
"""Does the work once; answers after how many seconds it wants to be called again, None for not at all."""


class _Job(Struct, frozen=True):
    work: Work
    due: float
    """Monotonic seconds."""


class Scheduler:
    """Named jobs, at most one of a name under way; `start` needs the running event loop."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._jobs: dict[str, _Job] = {}
        self._under_way: set[str] = set()
        self._stopped = False
        self._scheduler = AsyncIOScheduler(
            timezone="UTC",
            executors={"default": AsyncIOExecutor()},
            # Two, because a run enters its successor before APScheduler has seen it end; `_under_way` keeps it to one.
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 2},
        )

    def start(self) -> None:
        """Begin; what is due already runs at the loop's next turn."""
        self._scheduler.start()

    def stop(self) -> None:
        """Forget every job; work that is under way is cancelled."""
        self._jobs.clear()
        self._stopped = True
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def after(self, name: str, seconds: float, work: Work) -> None:
        """Do `work` once `seconds` from now, and then as often as its answer says; replaces a job of that name."""
        self._jobs[name] = _Job(work=work, due=self._clock.monotonic() + seconds)
        self._enter(name)

    def at(self, name: str, instant: datetime, work: Work) -> None:
        """Do `work` at a wall-clock instant, at once if that is past."""
        self.after(name, max(0.0, (instant - self._clock.wall()).total_seconds()), work)

    def cancel(self, name: str) -> None:
        """Drop a job; work under way is not stopped, but not repeated either."""
        if self._jobs.pop(name, None) is not None and self._scheduler.get_job(name):
            self._scheduler.remove_job(name)

    def reanchor(self) -> None:
        """The wall clock has jumped: put every job where its delay says it belongs."""
        for name in self._jobs:
            self._enter(name)

    def _enter(self, name: str) -> None:
        if name in self._under_way:
            return  # entered when that run is over
        left = max(0.0, self._jobs[name].due - self._clock.monotonic())
        # The scheduler's own clock is the system's, also where the player's is a rehearsal's.
        when = datetime.now(self._scheduler.timezone) + timedelta(seconds=left)
        self._scheduler.add_job(self._run, "date", run_date=when, args=(name,), id=name, replace_existing=True)

    async def _run(self, name: str) -> None:
        job = self._jobs.get(name)
        if job is None:
            return
        self._under_way.add(name)
        delay: float | None = RETRY_SECONDS
        try:
            delay = await job.work()
        except asyncio.CancelledError:
            # Shutting down, APScheduler cancels what is under way, and would log each as a failure.
            if not self._stopped:
                raise
            return
        except Exception:
            log.exception("%s failed; trying again in %g s", name, RETRY_SECONDS)
        finally:
            self._under_way.discard(name)
        if self._jobs.get(name) is job:
            if delay is None:
                del self._jobs[name]
                return
            self._jobs[name] = replace(job, due=self._clock.monotonic() + delay)
        if name in self._jobs:
            self._enter(name)
