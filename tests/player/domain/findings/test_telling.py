"""Findings that are told to the service at once."""

from __future__ import annotations

from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import FINDINGS_SECONDS, diagnose
from player.domain.link.fault import Fault
from tests.support.board import (
    COFFEE,
    ITEMS,
    Board,
)


def beats(board: Board) -> int:
    return len(board.asked(act.SendHeartbeat))


def weak(board: Board, *, supply: bool) -> None:
    """The power supply is read: it is too weak, or well."""
    board.tell(ev.HealthRead(health=ev.Health(under_voltage=supply)))


def test_a_finding_that_comes_or_goes_is_told_at_once() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(FINDINGS_SECONDS)
    weak(board, supply=False)
    board.pass_(FINDINGS_SECONDS)
    before = beats(board)
    weak(board, supply=True)
    assert [finding.code for finding in diagnose(board.state)] == ["under_voltage"]
    assert beats(board) == before + 1
    weak(board, supply=True)
    assert beats(board) == before + 1
    board.clock.pass_(FINDINGS_SECONDS)
    weak(board, supply=False)
    assert beats(board) == before + 2


def test_a_finding_that_comes_and_goes_all_the_time_is_told_now_and_then_and_at_last() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    before = beats(board)
    for second in range(60):
        weak(board, supply=second % 3 != 0)
        board.clock.pass_(1.0)
    assert 4 <= beats(board) - before <= 60 / FINDINGS_SECONDS + 1
    weak(board, supply=False)
    before = beats(board)
    for _ in range(int(FINDINGS_SECONDS)):
        board.clock.pass_(1.0)
        board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert beats(board) - before <= 1
    assert not diagnose(board.state)


def test_while_heartbeats_fail_a_finding_waits_for_the_next() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceFailed(call="heartbeat", fault=Fault.SERVICE_DECLINES, detail="500"))
    before = beats(board)
    for _ in range(5):
        board.clock.pass_(FINDINGS_SECONDS)
        weak(board, supply=True)
        board.clock.pass_(FINDINGS_SECONDS)
        weak(board, supply=False)
    assert beats(board) == before
