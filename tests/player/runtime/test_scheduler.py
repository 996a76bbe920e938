"""The scheduler: what is due runs, once at a time, also when it fails, and also when the wall clock jumps."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from player.runtime.scheduler import Scheduler
from tests.support.patience import PATIENCE_SECONDS

AGAIN_SECONDS = 5.0


class SteppingClock:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.stepped = timedelta()

    def wall(self) -> datetime:
        return datetime(2026, 11, 20, 12, tzinfo=UTC) + timedelta(seconds=self.seconds - 1000) + self.stepped

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


class Told:
    """Events of the scheduler's jobs."""

    def __init__(self) -> None:
        self.errors: list[tuple[str, BaseException]] = []
        self.well: list[str] = []

    def failed(self, name: str, error: BaseException) -> float:
        self.errors.append((name, error))
        return AGAIN_SECONDS


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def scheduler(clock: SteppingClock, told: Told) -> AsyncIterator[Scheduler]:
    scheduler = Scheduler(clock=clock, failed=told.failed, worked=told.well.append)
    scheduler.start()
    yield scheduler
    scheduler.stop()


class Work:
    """Counts its runs; answers what it is told to."""

    def __init__(self, *answers: float | BaseException | None) -> None:
        self.answers = list(answers)
        self.runs = 0
        self._ran = asyncio.Event()

    async def __call__(self) -> float | None:
        self.runs += 1
        self._ran.set()
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def ran(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._ran.wait()
        self._ran.clear()


async def idle() -> None:
    """Let everything run that is ready to."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_due_runs_and_says_when_it_wants_to_run_again(scheduler: Scheduler) -> None:
    work = Work(0, 0, None)
    scheduler.after("beat", 0, work)
    for _ in range(3):
        await work.ran()
    await idle()
    assert work.runs == 3


async def test_a_job_that_is_not_due_waits(scheduler: Scheduler) -> None:
    later, now = Work(), Work()
    scheduler.after("later", 3600, later)
    scheduler.after("now", 0, now)
    await now.ran()
    assert later.runs == 0


@pytest.mark.parametrize("step", [timedelta(hours=-5), timedelta(hours=5)])
async def test_a_step_of_the_wall_clock_moves_no_delay(
    scheduler: Scheduler, clock: SteppingClock, step: timedelta
) -> None:
    work = Work()
    scheduler.after("heartbeat", 30, work)
    clock.stepped = step
    scheduler.reanchor()
    await idle()
    assert work.runs == 0
    clock.seconds += 30
    scheduler.reanchor()
    await work.ran()


async def test_an_instant_is_reckoned_on_the_wall_clock(scheduler: Scheduler, clock: SteppingClock) -> None:
    past, coming = Work(), Work()
    scheduler.at("coming", clock.wall() + timedelta(minutes=5), coming)
    scheduler.at("past", clock.wall() - timedelta(minutes=5), past)
    await past.ran()
    assert coming.runs == 0


@pytest.mark.parametrize("error", [RuntimeError("disk on fire"), asyncio.CancelledError()])
async def test_a_job_that_fails_is_told_and_tried_again(
    scheduler: Scheduler, clock: SteppingClock, told: Told, error: BaseException
) -> None:
    work = Work(error, None)
    scheduler.after("upkeep", 0, work)
    await work.ran()
    await idle()
    assert told.errors == [("upkeep", error)]
    assert told.well == []
    clock.seconds += AGAIN_SECONDS
    scheduler.reanchor()
    await work.ran()
    await idle()
    assert told.well == ["upkeep"]


async def test_a_name_asked_for_while_it_runs_runs_once_more_and_never_twice_at_a_time(scheduler: Scheduler) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()
    under_way = 0
    most = 0

    async def slow() -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        started.set()
        await go_on.wait()
        under_way -= 1

    after = Work()
    scheduler.after("poll", 0, slow)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await started.wait()
    scheduler.after("poll", 0, after)
    await idle()
    assert after.runs == 0
    go_on.set()
    await after.ran()
    assert most == 1


@pytest.mark.proves("report-due-last")
@pytest.mark.parametrize("steps", range(8))
async def test_a_job_asked_for_again_while_it_starts_runs_once_at_a_time_and_goes_on(
    scheduler: Scheduler, steps: int
) -> None:
    """However far the loop has come with the first request when the others arrive."""
    under_way = most = runs = 0
    again: list[float] = [0.0, 0.0, 0.0]
    enough = asyncio.Event()

    async def beat() -> float | None:
        nonlocal under_way, most, runs
        runs += 1
        under_way += 1
        most = max(most, under_way)
        await idle()
        if again:
            scheduler.after("beat", again.pop(), beat)
        under_way -= 1
        if runs >= 40:
            enough.set()
        return 0

    for _ in range(4):
        scheduler.after("beat", 0, beat)
        for _ in range(steps):
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await enough.wait()
    assert most == 1


async def test_a_cancelled_job_does_not_run(scheduler: Scheduler) -> None:
    dropped, kept = Work(), Work()
    scheduler.after("dropped", 0, dropped)
    scheduler.cancel("dropped")
    scheduler.after("kept", 0, kept)
    await kept.ran()
    await idle()
    assert dropped.runs == 0
