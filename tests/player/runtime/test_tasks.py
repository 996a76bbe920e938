"""The timed jobs: what is due runs, once at a time, also when it fails."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from player.domain.events import Event, PartFailed, PartWell
from player.runtime.tasks import Tasks
from tests.support.patience import PATIENCE_SECONDS


@pytest.fixture
def told() -> list[Event]:
    return []


@pytest.fixture
async def tasks(told: list[Event]) -> AsyncIterator[Tasks]:
    tasks = Tasks(emit=told.append)
    yield tasks
    await tasks.end(within=1)


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


async def test_what_is_due_runs_and_says_when_it_wants_to_run_again(tasks: Tasks) -> None:
    work = Work(0, 0, None)
    tasks.after("beat", 0, work)
    for _ in range(3):
        await work.ran()
    await idle()
    assert work.runs == 3


async def test_a_job_that_is_not_due_waits(tasks: Tasks) -> None:
    later, now = Work(), Work()
    tasks.after("later", 3600, later)
    tasks.after("now", 0, now)
    await now.ran()
    assert later.runs == 0


async def test_a_job_waits_for_its_time(tasks: Tasks) -> None:
    work = Work(30)
    begun = asyncio.get_running_loop().time()
    tasks.after("heartbeat", 30, work)
    for runs in (1, 2):
        await work.ran()
        assert asyncio.get_running_loop().time() - begun == pytest.approx(30 * runs)


@pytest.mark.parametrize("error", [RuntimeError("disk on fire"), asyncio.CancelledError()])
async def test_a_job_that_fails_is_told_and_tried_again(tasks: Tasks, told: list[Event], error: BaseException) -> None:
    work = Work(error, None)
    tasks.after("upkeep", 0, work)
    await work.ran()
    await idle()
    assert [type(event) for event in told] == [PartFailed]
    await work.ran()
    await idle()
    assert [type(event) for event in told] == [PartFailed, PartWell]


async def test_a_name_asked_for_while_it_runs_runs_once_more_and_never_twice_at_a_time(tasks: Tasks) -> None:
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
    tasks.after("poll", 0, slow)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await started.wait()
    tasks.after("poll", 0, after)
    await idle()
    assert after.runs == 0
    go_on.set()
    await after.ran()
    assert most == 1


@pytest.mark.proves("report-due-last")
@pytest.mark.parametrize("steps", range(8))
async def test_a_job_asked_for_again_while_it_starts_runs_once_at_a_time_and_goes_on(tasks: Tasks, steps: int) -> None:
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
            tasks.after("beat", again.pop(), beat)
        under_way -= 1
        if runs >= 40:
            enough.set()
        return 0

    for _ in range(4):
        tasks.after("beat", 0, beat)
        for _ in range(steps):
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await enough.wait()
    assert most == 1


async def test_a_cancelled_job_does_not_run(tasks: Tasks) -> None:
    dropped, kept = Work(), Work()
    tasks.after("dropped", 0, dropped)
    tasks.cancel("dropped")
    tasks.after("kept", 0, kept)
    await kept.ran()
    await idle()
    assert dropped.runs == 0
