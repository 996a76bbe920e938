"""When the way to the service is tested, and which calls count as failing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.connection_care import TEST_AGAIN_SECONDS, TEST_LEAST_SECONDS, TEST_MOST_SECONDS, ConnectionCare
from player.domain.link.fault import Fault
from tests.support.board import (
    ACCEPTED,
    COFFEE,
    ITEMS,
    REFUSED,
    Board,
    playing_board,
)
from tests.support.menus import NOON


def test_a_call_that_fails_stays_a_fault_while_others_are_answered() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.SERVICE_DECLINES, detail="it answers 500"))
    for call in ("heartbeat", "asset", "pairing"):
        board.tell(ev.ServiceAnswered(call=call))
        assert board.state.contact.fault is Fault.SERVICE_DECLINES, call
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.state.contact.fault is None


def test_a_file_that_fails_is_no_failing_call_and_has_the_way_tested_where_that_keeps_it() -> None:
    board = Board()
    board.tell(ev.ServiceFailed(call="asset", fault=Fault.SERVICE_DECLINES, detail="it answers 404"))
    assert not [action for action in board.actions if isinstance(action, act.TestConnection)]
    for _ in range(3):
        board.tell(ev.ServiceFailed(call="asset", fault=Fault.SLOW, detail="no answer"))
    assert len([action for action in board.actions if isinstance(action, act.TestConnection)]) == 1
    assert not board.state.contact.failing


def test_the_way_to_the_service_is_tested_at_the_first_failure_and_while_it_lasts() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    failed = ev.ServiceFailed(call="manifest", fault=Fault.NO_CONNECTION, detail="no route")
    tested_at = []
    for second in range(100):
        board.tell(failed)
        if len(board.asked(act.TestConnection)) > len(tested_at):
            tested_at.append(second)
        board.pass_(1)
    assert tested_at == [0, 30, 60, 90]

    failure = StepResult(step=Step.LINK, passed=False, fault=Fault.NO_CABLE, evidence="eth0 has no cable")
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON, steps=[failure])))
    assert board.state.connection is not None
    assert board.state.connection.failure == failure
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert len(board.asked(act.TestConnection)) == 5, "what it found is not so any more"

    board.tell(failed)
    assert len(board.asked(act.TestConnection)) == 5, "one is under way"
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON + timedelta(seconds=100), steps=[failure])))
    board.pass_(10)
    board.tell(failed)
    assert len(board.asked(act.TestConnection)) == 6
    board.pass_(10)
    board.tell(replace(failed, fault=Fault.PORTAL))
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON + timedelta(seconds=110), steps=[failure])))
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert len(board.asked(act.TestConnection)) == 7, "it fails in another way"


def test_what_is_on_the_way_to_the_service_is_worse_than_one_call_s_own_fault() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.SERVICE_DECLINES, detail="it answers 500"))
    board.pass_(5)
    board.tell(ev.ServiceFailed(call="heartbeat", fault=Fault.NO_CONNECTION, detail="no route"))
    assert board.state.contact.fault is Fault.NO_CONNECTION
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    assert board.state.contact.fault is Fault.SERVICE_DECLINES


def test_calls_of_a_refused_screen_leave_no_trouble_behind() -> None:
    board = playing_board()
    refused = ev.ServiceFailed(call="manifest", fault=Fault.SCREEN_REFUSED, detail="unknown")
    board.tell(refused)
    board.tell(REFUSED)
    assert board.state.contact.fault is None
    board.tell(replace(refused, fault=Fault.NO_CONNECTION))
    board.tell(ev.ServiceFailed(call="pairing", fault=Fault.NO_CONNECTION, detail="no route"))
    board.tell(refused)
    assert [failing.call for failing in board.state.contact.failing] == ["pairing"], "the service answers manifests"
    board.tell(ACCEPTED)
    assert board.state.contact.fault is None


def test_the_way_to_the_service_is_tested_once_however_often_somebody_asks() -> None:
    board = Board()
    for _ in range(5):
        board.tell(ev.StaffAsked(action=ev.StaffAction.TEST))
    assert board.asked(act.TestConnection) == [act.TestConnection()]
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON, steps=[])))
    board.pass_(TEST_LEAST_SECONDS)
    board.tell(ev.StaffAsked(action=ev.StaffAction.TEST))
    assert len(board.asked(act.TestConnection)) == 2


@pytest.mark.goes_beyond("MAX_LINKS_LOST")
def test_losses_of_a_link_are_remembered_up_to_a_bound() -> None:
    board = Board()
    board.tell(ev.NetworkChanged(lost=1_000_000))
    assert len(board.published[-1].links_lost) == 100


def test_a_test_waits_for_the_one_under_way_but_not_for_ever() -> None:
    care, actions = replace(ConnectionCare(reached_at=0.0), owed=True).due(100.0)
    assert (actions, care.owed) == ((act.TestConnection(),), False)
    owed = replace(care, owed=True)
    assert owed.due(100.0 + TEST_LEAST_SECONDS) == (owed, ())
    assert owed.due(100.0 + TEST_MOST_SECONDS)[1] == (act.TestConnection(),)
    done = replace(owed, testing=False)
    assert done.due(100.0 + TEST_LEAST_SECONDS)[1] == (act.TestConnection(),)
    assert replace(done, owed=False).due(100.0 + TEST_LEAST_SECONDS)[1] == ()
    assert replace(done, owed=False).due(100.0 + TEST_AGAIN_SECONDS)[1] == (act.TestConnection(),)
