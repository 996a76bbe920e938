"""Upkeep goes on whatever fails in it, and a process in which it stands still is not ready."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from service.services.operations import upkeep as upkeep_module
from service.services.operations.upkeep import Job, Upkeep
from tests.service.support.application import Service, VirtualClock, until


class Leader:
    """Leadership that may fail in a way that nobody foresaw."""

    def __init__(self) -> None:
        self.fault: Exception | None = None

    def held(self) -> bool:
        if self.fault is not None:
            raise self.fault
        return True

    def close(self) -> None: ...


@asynccontextmanager
async def running(upkeep: Upkeep, clock: VirtualClock, on_loop: Callable[[int], None]) -> AsyncIterator[None]:
    task = asyncio.create_task(upkeep.run(on_loop=on_loop))
    try:
        await until(lambda: clock.waiting == 1 or task.done())
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))


async def rounds(clock: VirtualClock, count: int) -> None:
    for _ in range(count):
        await clock.advance(1)
        await until(lambda: clock.waiting == 1)


@pytest.mark.proves("service-periodic-jobs")
async def test_a_fault_in_a_round_costs_that_round_only(clock: VirtualClock, caplog: pytest.LogCaptureFixture) -> None:
    leader, done, ticks = Leader(), list[int](), list[int]()
    upkeep = Upkeep(clock=clock, leadership=leader, jobs=[Job("counting", 1, lambda: done.append(1))])

    def on_loop(seconds: int) -> None:
        ticks.append(seconds)
        if seconds == 3:
            raise RuntimeError("a tick")

    async with running(upkeep, clock, on_loop):
        await rounds(clock, 1)
        leader.fault = OSError("no thread can be started")
        await rounds(clock, 1)
        assert not upkeep.leading, "who cannot ask does not lead"
        leader.fault = None
        await rounds(clock, 3)

    assert (ticks, len(done)) == ([1, 2, 3, 4, 5], 5)
    assert upkeep.leading
    assert [record.message for record in caplog.records] == [
        "leadership cannot be asked for; trying again",
        "upkeep failed in part; trying again",
    ]


async def test_a_first_question_that_fails_is_asked_again(clock: VirtualClock) -> None:
    leader = Leader()
    leader.fault = OSError("too early")
    upkeep = Upkeep(clock=clock, leadership=leader, jobs=())
    async with running(upkeep, clock, lambda _: None):
        leader.fault = None
        await rounds(clock, 1)
        assert upkeep.leading


@pytest.mark.proves("service-periodic-jobs")
async def test_a_process_without_upkeep_is_not_ready(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await service.client.get("/readyz")).status_code == 200

    monkeypatch.setattr(upkeep_module, "STALLED_SECONDS", -1.0)

    answer = await service.client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "upkeep_stalled")
    assert "Restart" in answer.json()["detail"]
