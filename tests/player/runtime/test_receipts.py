"""Receipts reach the service once it is there, in bounded reports; one that does not know them is left alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from menu.documents.manifest import VersionKey
from player.domain import actions as act
from player.domain.events import Event, PartFailed
from player.domain.state import Kind, PlayerState, Presented
from player.domain.time.clock import ClockState, Trust
from player.link.api import ServiceApi
from player.runtime.receipts import MOST_BODY_BYTES, MOST_SENT, UNKNOWN_SECONDS, Recorder
from player.storage.durable import StorageError
from player.storage.manifests import ManifestStore
from player.storage.receipts import ReceiptLog
from player.storage.store import StateStore
from player.storage.writer import DiskWriter
from tests.player.domain.findings.states import HEALTHY, NOW
from tests.support.hostile import HostileServer, document, hostile_server, problem
from tests.support.patience import PATIENCE_SECONDS
from tests.support.virtual import VirtualClock

TAKEN = document(200, {"taken": 1})


class Board:
    """A recorder, and the glass that it follows."""

    def __init__(self, folder: Path, server: HostileServer) -> None:
        self.clock = VirtualClock(asyncio.get_running_loop().time)
        self.server = server
        self.heard: list[Event] = []
        self.revision = 0
        self.now = 0.0
        self.set_by = timedelta()
        """How far the clock was corrected since the start."""
        self.trust = Trust.TRUSTED
        self.store = StateStore.open(folder)
        self.api = ServiceApi(server.url, app_version="0.1.0")
        self.writer = DiskWriter(self.store, emit=self.heard.append, failed=lambda *_: None, worked=lambda _: None)
        self.writing = asyncio.ensure_future(self.writer.run())
        self.recorder = Recorder(
            store=self.store.receipts,
            writer=self.writer,
            api=self.api,
            token=lambda: "tok-1",
            snapshot=lambda: self.state,
            clock=self.clock,
        )
        self.recorder.look(self.state)

    @property
    def state(self) -> PlayerState:
        presented = Presented(
            serial=self.revision,
            kind=Kind.SCENE,
            key=VersionKey(playlist_id="pl_1", version=3),
            revision=self.revision,
            scene_id="scn_1",
            entry_id="ent_1",
        )
        at = NOW + timedelta(seconds=self.now) + self.set_by
        return replace(
            HEALTHY, at=at, monotonic=self.now, presented=presented, clock=ClockState(trust=self.trust), faults=()
        )

    def change(self) -> None:
        """Another minute, and another price."""
        self.now += 60
        self.recorder.look(self.state)
        self.revision += 1
        self.recorder.look(self.state)

    def reports(self) -> list[Any]:
        return [request.json for request in self.server.asked("/receipts")]

    async def close(self) -> None:
        self.writing.cancel()
        await asyncio.gather(self.writing, return_exceptions=True)
        await self.api.close()
        self.store.close()


@pytest_asyncio.fixture
async def board(tmp_path: Path) -> AsyncIterator[Board]:
    async with hostile_server() as server:
        server.on("/receipts", TAKEN)
        board = Board(tmp_path, server)
        yield board
        await board.close()


async def test_what_the_service_has_is_not_sent_again(board: Board) -> None:
    board.change()
    board.change()
    await board.recorder.run()
    board.change()
    await board.recorder.run()
    sent = [[one["sequence"] for one in report["receipts"]] for report in board.reports()]
    assert sent == [[1, 2], [2, 3]], "the last one goes on"


async def test_what_shows_while_the_service_is_away_is_sent_once_it_is_back(board: Board) -> None:
    board.server.on("/receipts", problem(503, "storage_full"))
    for _ in range(5):
        board.change()
        await board.recorder.run()
    board.server.on("/receipts", TAKEN)
    await board.recorder.run()
    last = board.reports()[-1]["receipts"]
    assert [one["revision"] for one in last] == [0, 1, 2, 3, 4]
    assert all(one["to"] == other["from"] for one, other in pairwise(last))


@pytest.mark.goes_beyond("MOST_SENT")
async def test_reports_are_bounded_in_number(board: Board) -> None:
    for _ in range(MOST_SENT + 50):
        board.change()
    await board.recorder.run()
    assert [len(report["receipts"]) for report in board.reports()] == [MOST_SENT, 50]


@pytest.mark.goes_beyond("MOST_BODY_BYTES")
async def test_reports_are_bounded_in_bytes(board: Board) -> None:
    fat = {"kind": "house", "from": "x", "to": "y", "why": "w" * (MOST_BODY_BYTES // 3)}
    board.store.receipts.keep(dict.fromkeys(range(1, 6), fat))
    await board.recorder.run()
    assert [len(report["receipts"]) for report in board.reports()] == [2, 2, 1]


async def test_a_service_that_does_not_know_the_call_is_asked_once_a_day(board: Board) -> None:
    board.server.on("/receipts", problem(404, "no_such_path"))
    board.change()
    for _ in range(10):
        board.change()
        await board.recorder.run()
    assert len(board.reports()) == 1
    await asyncio.sleep(UNKNOWN_SECONDS)
    board.server.on("/receipts", TAKEN)
    await board.recorder.run()
    assert len(board.reports()[-1]["receipts"]) == 11, "they stayed on the disk"


async def test_receipts_that_are_refused_hold_up_no_others(board: Board) -> None:
    board.server.on("/receipts", problem(422, "invalid"))
    board.change()
    board.change()
    board.change()
    await board.recorder.run()
    board.server.on("/receipts", TAKEN)
    board.change()
    await board.recorder.run()
    assert [one["sequence"] for one in board.reports()[-1]["receipts"]] == [3, 4]


async def test_what_shows_before_the_time_is_known_is_told_once_it_is(board: Board, tmp_path: Path) -> None:
    board.trust = Trust.UNKNOWN
    board.change()
    board.change()
    await board.recorder.run()
    await board.recorder.run()
    assert board.reports() == []
    board.trust = Trust.TRUSTED
    await board.recorder.run()
    told = board.reports()[0]["receipts"]
    assert [one["to"] for one in told] == ["2026-11-20T12:01:00.000Z", "2026-11-20T12:02:00.000Z"]


@pytest.mark.parametrize("by", [timedelta(hours=1), timedelta(hours=-1)], ids=["ahead", "back"])
async def test_a_receipt_ends_where_the_clock_is_corrected_and_claims_no_time_that_never_was(
    board: Board, by: timedelta
) -> None:
    board.now += 20
    await board.recorder.run()
    board.now += 5
    board.set_by = by
    await board.recorder.run()
    board.now += 300
    await board.recorder.run()

    told = {one["sequence"]: one for report in board.reports() for one in report["receipts"]}
    assert (told[1]["from"], told[1]["to"]) == ("2026-11-20T12:00:00.000Z", "2026-11-20T12:00:25.000Z")
    hour = "13" if by > timedelta() else "11"
    assert (told[2]["from"], told[2]["to"]) == (f"2026-11-20T{hour}:00:25.000Z", f"2026-11-20T{hour}:05:25.000Z")
    assert (told[2]["before"], sorted(told)) == ("clock", [1, 2])


async def test_what_was_not_told_yet_is_told_by_the_corrected_clock(board: Board) -> None:
    board.now += 20
    board.recorder.look(board.state)
    board.set_by = timedelta(hours=1)
    board.now += 5
    await board.recorder.run()
    [told] = board.reports()[0]["receipts"]
    assert (told["from"], told["to"]) == ("2026-11-20T13:00:00.000Z", "2026-11-20T13:00:25.000Z")
    assert "before" not in told


async def test_a_clock_that_drifts_ends_no_receipt(board: Board) -> None:
    for _ in range(10):
        board.now += 300
        board.set_by += timedelta(milliseconds=900)
        await board.recorder.run()
    assert {one["sequence"] for report in board.reports() for one in report["receipts"]} == {1}


async def test_a_disk_that_refuses_loses_nothing_that_the_memory_holds(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError(code="disk_full", subject="receipts", detail="No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ReceiptLog, "keep", full)
        for _ in range(3):
            board.change()
            await board.recorder.run()
    assert [event.code for event in board.heard if isinstance(event, PartFailed)] == ["disk_full"] * 3
    await board.recorder.run()
    assert [one["revision"] for one in board.reports()[-1]["receipts"]] == [0, 1, 2]


async def test_an_answer_that_comes_after_the_screen_was_unpaired_counts_for_no_receipt_of_the_next_workspace(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(20):
        board.change()
    receipts, tokens = board.api.receipts, ["tok-1"]
    board.recorder._token = lambda: tokens[0] if tokens else None

    async def answered_late(**call: Any) -> Any:
        outcome = await receipts(**call)
        # Staff has the screen paired again while the answer is on its way.
        tokens.clear()
        board.recorder.forget()
        board.writer.later(act.ForgetVersions())
        await board.writer.written()
        return outcome

    monkeypatch.setattr(board.api, "receipts", answered_late)
    await board.recorder.run()
    monkeypatch.undo()
    tokens.append("tok-2")
    for _ in range(5):
        board.change()
        await board.recorder.run()
    logs = {report["log"] for report in board.reports()}
    assert len(logs) == 2, "the next workspace hears of what it has had shown"


async def test_receipts_of_one_workspace_are_not_sent_to_the_next_one_while_the_disk_forgets_them(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        board.change()
    await board.recorder._record()
    settled, settle = threading.Event(), ManifestStore.settle

    def slow(manifests: ManifestStore) -> None:
        assert settled.wait(PATIENCE_SECONDS)
        settle(manifests)

    monkeypatch.setattr(ManifestStore, "settle", slow)
    pending = ReceiptLog.pending

    def first(log: ReceiptLog, most: int) -> object:
        found = pending(log, most)
        settled.set()
        return found

    monkeypatch.setattr(ReceiptLog, "pending", first)
    # The screen has the token of another workspace.
    board.recorder.forget()
    board.writer.later(act.ForgetVersions())
    await board.recorder._send()
    settled.set()
    await board.writer.written()
    assert board.reports() == []
