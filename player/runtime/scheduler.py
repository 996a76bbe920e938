"""Named jobs on APScheduler that keep their delays when the system clock steps.

APScheduler works in wall time. Delays here are monotonic: after a step of the wall clock `reanchor` moves each job back
to where its delay puts it. Without it a step of an hour would stop the heartbeat for an hour.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from apscheduler.executors.asyncio import AsyncIOExecutor
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from msgspec import Struct
from msgspec.structs import replace

from player.domain.time.clock import Clock

Work = Callable[[], Awaitable[float | None]]
"""Does the work once; returns the seconds until the next run, None for no further run."""


class _Job(Struct, frozen=True):
    work: Work
    due: float
    """Monotonic seconds."""


class Scheduler:
    """Runs named jobs; at most one of a name at a time. `start` needs the running event loop.

    `failed` gets the error of a job, and returns in how many seconds it runs again; `worked` is called after a run
    without, and for a job that is dropped.
    """

    def __init__(
        self, *, clock: Clock, failed: Callable[[str, BaseException], float], worked: Callable[[str], None]
    ) -> None:
        self._clock = clock
        self._failed = failed
        self._worked = worked
        self._jobs: dict[str, _Job] = {}
        self._under_way: set[str] = set()
        self._stopped = False
        self._scheduler = AsyncIOScheduler(
            timezone=UTC,
            executors={"default": AsyncIOExecutor()},
            # `_under_way` keeps each name to one run at a time. APScheduler drops what is beyond its own limit, and a
            # job that is dropped never runs again.
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1_000_000},
        )

    def start(self) -> None:
        """Start; jobs that are due run at the loop's next iteration."""
        self._scheduler.start()

    def stop(self) -> None:
        """Drop every job; work that is under way is cancelled."""
        self._jobs.clear()
        self._stopped = True
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def after(self, name: str, seconds: float, work: Work) -> None:
        """Run `work` in `seconds`, and again as its result says; replaces a job of that name."""
        self._jobs[name] = _Job(work=work, due=self._clock.monotonic() + seconds)
        self._enter(name)

    def at(self, name: str, instant: datetime, work: Work) -> None:
        """Run `work` at a wall-clock instant; at once if that is past."""
        self.after(name, max(0.0, (instant - self._clock.wall()).total_seconds()), work)

    def cancel(self, *names: str) -> None:
        """Drop these jobs; work under way ends, and is not repeated."""
        for name in names:
            self._worked(name)
            if self._jobs.pop(name, None) is not None and self._scheduler.get_job(name):
                self._scheduler.remove_job(name)

    def reanchor(self) -> None:
        """Move every job to where its delay puts it, after a step of the wall clock."""
        for name in self._jobs:
            self._enter(name)

    def _enter(self, name: str) -> None:
        if name in self._under_way:
            return  # entered when that run is over
        left = max(0.0, self._jobs[name].due - self._clock.monotonic())
        # APScheduler uses the system clock, also when the player runs on a rehearsal clock.
        when = datetime.now(UTC) + timedelta(seconds=left)
        self._scheduler.add_job(self._run, "date", run_date=when, args=(name,), id=name, replace_existing=True)

    async def _run(self, name: str) -> None:
        job = self._jobs.get(name)
        if job is None or name in self._under_way:
            return  # replaced while it started: entered when that run is over
        self._under_way.add(name)
        try:
            delay = await job.work()
            self._worked(name)
        except (asyncio.CancelledError, Exception) as error:
            # Shutting down, APScheduler cancels what is under way, and would log each as a failure.
            if self._stopped:
                return
            delay = self._failed(name, error)
        finally:
            self._under_way.discard(name)
        if self._jobs.get(name) is job:
            if delay is None:
                del self._jobs[name]
                return
            self._jobs[name] = replace(job, due=self._clock.monotonic() + delay)
        if name in self._jobs:
            self._enter(name)
