"""One queue leads to the disk: bounded, in order, and what is refused is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

from player.domain import actions as act
from player.domain.commands import Commands
from player.domain.events import Event, PartFailed, PartWell
from player.domain.panel.panel import ScreenDisplay
from player.storage.durable import StorageError
from player.storage.store import StateStore
from player.storage.writer import RULES, DiskWriter

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
CREDENTIALS = frozenset({"credentials"})


def fail(name: str, error: BaseException) -> NoReturn:
    raise AssertionError(name) from error


@asynccontextmanager
async def writing(store: StateStore, emit: Callable[[Event], None]) -> AsyncIterator[DiskWriter]:
    writer = DiskWriter(store, emit=emit, failed=fail, worked=lambda _: None)
    task = asyncio.ensure_future(writer.run())
    try:
        yield writer
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def waiting_in(writer: DiskWriter) -> int:
    return len(writer._waiting) + len(writer._refused)


def every_write(number: int) -> list[act.DiskWrite]:
    """One of each kind."""
    body: dict[str, Any] = {"body": b"%d" % number, "etag": str(number), "assets": frozenset()}
    return [
        act.ForgetVersions(),
        act.StoreRunning(**body, anchor=AT),
        act.StoreLatest(**body),
        act.StoreStaged(**body),
        act.DropStaged(),
        act.StoreCommands(commands=Commands()),
        act.StoreTime(instant=AT),
        act.StoreFailures(content=b"{}"),
        act.StoreAccess(content=b"{}"),
        act.StoreScreen(display=ScreenDisplay()),
    ]


async def test_a_refused_write_that_somebody_waits_for_is_told_and_not_tried_again(tmp_path: Path) -> None:
    heard: list[Event] = []
    with StateStore.open(tmp_path) as store:
        async with writing(store, heard.append) as writer:

            def refused() -> None:
                raise StorageError(code="disk_full", subject="credentials", detail="No space left on device")

            assert not await writer.write(refused, CREDENTIALS)
            assert [event.subject for event in heard if isinstance(event, PartFailed)] == ["credentials"]
            assert await writer.write(lambda: None, CREDENTIALS)
            assert heard[-1] == PartWell(subjects=CREDENTIALS), "the fault is over"
            assert waiting_in(writer) == 0


async def test_no_more_than_one_write_of_a_kind_waits_for_a_disk_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {type(write) for write in every_write(0)} == RULES.keys()
    hangs = threading.Event()
    with StateStore.open(tmp_path) as store:
        monkeypatch.setattr(store.manifests, "settle", hangs.wait)
        async with writing(store, lambda _: None) as writer:
            for number in range(1000):
                for write in every_write(number):
                    writer.later(write)
            # The pairing waits for one of its own, and so does a directory that was lost.
            waiting = [asyncio.ensure_future(writer.write(lambda: None, CREDENTIALS)) for _ in range(2)]
            await asyncio.sleep(0)
            most = waiting_in(writer)
            hangs.set()
            assert await asyncio.gather(*waiting) == [True, True]
            await writer.written()
            assert waiting_in(writer) == 0
    assert most <= len(RULES) + len(waiting)
