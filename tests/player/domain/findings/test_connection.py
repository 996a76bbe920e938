"""Findings about the way to the service: each with its cause and something to do."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.finding import Severity
from player.domain.findings.connection import CONNECTION_CODES, DECIDING_SECONDS, QUIET_SECONDS, UNTESTED_SECONDS
from player.domain.findings.diagnosis import diagnose, diagnosed
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.contact import Call, Contact
from player.domain.link.fault import Fault
from player.domain.state import (
    HouseReason,
    PlayerState,
)
from player.domain.time.clock import ClockState, Trust
from tests.player.domain.findings.states import (
    HEALTHY,
    NEW,
    NOW,
    SHA,
    UNPAIRED,
    Case,
    check,
    codes,
    failing,
    first,
    house,
    lacking,
    lost,
    parametrized,
    playing,
    probed,
    rejected,
)
from tests.support.board import Board
from tests.support.menus import NOON

CASES: list[Case] = [
    ("unreachable", replace(HEALTHY, contact=failing()), "connection_no_connection", "menus.example.com"),
    ("unreachable, the clock unknown for it",
     replace(HEALTHY, contact=failing(), clock=ClockState()), "connection_no_connection", "network cable"),
    ("cable out", probed(Step.LINK, Fault.NO_CABLE), "connection_no_cable", "Push the cable in"),
    ("a cable that came and went, and is out for good",
     replace(probed(Step.LINK, Fault.NO_CABLE), links_lost=lost(61, 80, 100)),
     "connection_no_cable", "Push the cable in"),
    ("cable out, nothing known of the time", replace(probed(Step.LINK, Fault.NO_CABLE), clock=ClockState()),
     "connection_no_cable", "Push the cable in"),
    ("cable out, files missing", replace(lacking({SHA: "no connection"}), contact=failing(),
     connection=probed(Step.LINK, Fault.NO_CABLE).connection), "connection_no_cable", "cable"),
    ("cable out before the first menu",
     house(HouseReason.WAITING_FOR_PROGRAM, state=probed(Step.LINK, Fault.NO_CABLE, state=NEW)),
     "connection_no_cable", "cable"),
    ("cable out before pairing", probed(Step.LINK, Fault.NO_CABLE, state=UNPAIRED),
     "connection_no_cable", "cable"),
    ("a certificate that has run out", probed(Step.TLS, Fault.CERTIFICATE_EXPIRED),
     "connection_certificate_expired", "new certificate"),
    ("a certificate, by a wrong clock",
     replace(probed(Step.TLS, Fault.CLOCK_WRONG), clock=ClockState()), "connection_clock_wrong", "NTP"),
    ("a certificate, by a wrong clock, not paired",
     replace(probed(Step.TLS, Fault.CLOCK_WRONG, state=UNPAIRED), clock=ClockState()),
     "connection_clock_wrong", "NTP"),
    ("a certificate that has run out, not paired, and no time server",
     replace(probed(Step.TLS, Fault.CERTIFICATE_EXPIRED, state=UNPAIRED), clock=ClockState()),
     "connection_certificate_expired", "new certificate"),
    ("a certificate by a clock that was right",
     replace(probed(Step.TLS, Fault.CLOCK_WRONG), clock=ClockState(trust=Trust.CORRECTED,
                                                                             offset=timedelta(hours=9))),
     "connection_clock_wrong", "NTP"),
    ("slow", replace(HEALTHY, contact=failing(Fault.SLOW)), "connection_slow", "so slow"),
    ("slow, and now and then a call is answered",
     replace(probed(Step.HTTP, Fault.SLOW), contact=Contact(last_answer_at=NOW)),
     "connection_slow", "so slow"),
    ("a log-in page", replace(HEALTHY, contact=failing(Fault.PORTAL)), "connection_portal", "guest network"),
    ("nonsense", replace(HEALTHY, contact=failing(Fault.NOT_UNDERSTOOD)),
     "connection_not_understood", "not understand"),
    ("a fault of the service",
     replace(HEALTHY, contact=failing(Fault.SERVICE_FAILS, detail="it answers 500")),
     "connection_service_fails", "It answers 500"),
    ("nothing at the path that is set, not paired",
     replace(UNPAIRED, contact=failing(Fault.WRONG_PATH, call=Call.PAIRING)),
     "connection_wrong_path", "Correct the address"),
    ("too many calls", replace(HEALTHY, contact=failing(Fault.SERVICE_DECLINES, detail="it answers 429")),
     "connection_service_declines", "It answers 429"),
    ("a proxy that asks who it is",
     replace(HEALTHY, contact=failing(Fault.PROXY_SIGN_IN)),
     "connection_proxy_sign_in", "user and a password"),
    ("another site", replace(HEALTHY, contact=failing(Fault.NOT_THE_SERVICE)),
     "connection_not_the_service", "answers at"),
    ("another service, and no cable",
     rejected("other_service", "they are for http://a", subject="credentials",
              state=probed(Step.LINK, Fault.NO_CABLE, state=UNPAIRED)), "connection_no_cable", "cable"),
    ("a weak Wi-Fi, and calls that fail",
     replace(HEALTHY, contact=failing(Fault.SLOW), wifi_signal=-83),
     "connection_wifi_weak", "-83 dBm"),
    ("a cable that comes and goes, and is in", replace(HEALTHY, links_lost=lost(20, 40, 60)),
     "connection_unstable", "3 times in the last minutes"),
    ("a cable that comes and goes, and is out",
     replace(probed(Step.LINK, Fault.NO_CABLE), links_lost=lost(4, 24, 44)), "connection_unstable", "clicks"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


@pytest.mark.parametrize("fault", sorted(CONNECTION_CODES))
def test_every_fault_of_the_connection_is_told_at_once_and_by_its_own_words(fault: Fault) -> None:
    state = probed(Step.TCP, fault, evidence="it said so")
    just_begun = replace(state, contact=failing(seconds=594))
    for each in (state, just_begun):
        found = diagnose(each)
        # A service that restarts, and a connection that is cut once, pass by themselves.
        assert [finding.code for finding in found] == ([] if fault.row.passes else [fault])
    finding = first(state)
    assert finding.why.startswith("It said so.")
    assert finding.do.endswith(".")
    assert "{" not in finding.what + finding.do.replace("{user", "")


def test_an_outage_of_seconds_that_nothing_has_tested_is_no_finding_and_a_lasting_one_is() -> None:
    state = replace(HEALTHY, contact=failing(seconds=1))
    state = replace(state, found=diagnosed(state).found)
    assert diagnose(state) == ()
    late = replace(state, at=state.at + timedelta(seconds=UNTESTED_SECONDS))
    assert [finding.code for finding in diagnose(late)] == ["connection_no_connection"]


def test_a_test_of_an_earlier_outage_says_nothing_of_this_one() -> None:
    answered = replace(failing(seconds=20), last_answer_at=NOW - timedelta(seconds=30))
    state = replace(probed(Step.LINK, Fault.NO_CABLE), contact=answered)
    assert first(state).code == "connection_no_connection"


def test_an_outage_with_nothing_to_show_is_a_fault_and_with_a_menu_a_warning() -> None:
    assert first(replace(NEW, contact=failing())).severity is Severity.FAULT
    assert first(replace(HEALTHY, contact=failing())).severity is Severity.WARNING


def test_an_outage_is_told_with_since_when_and_is_over_with_the_first_answer() -> None:
    board = playing()
    for _ in range(4):
        board.tell(ev.ServiceFailed(call="manifest", fault=Fault.NO_CONNECTION, detail="no connection"))
        board.pass_(UNTESTED_SECONDS)
        board.swap()
        # Another call that is answered hides nothing.
        board.tell(ev.ServiceAnswered(call="heartbeat"))
        (finding,) = diagnose(board.state)
        assert (finding.code, finding.since) == ("connection_no_connection", NOON)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert codes(board) == []


def end_test(board: Board, fault: Fault | None, step: Step) -> None:
    """A test that begins and ends now."""
    result = StepResult(step=step, passed=fault is None, fault=fault, evidence="it said so")
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=board.state.at, steps=(result,))))


@pytest.mark.parametrize(("said", "found"), [(Fault.PORTAL, Fault.MOVED), (Fault.CERTIFICATE_UNKNOWN_CA, Fault.PORTAL)])
def test_what_a_call_says_is_told_once_a_test_has_looked_behind_it(said: Fault, found: Fault) -> None:
    failed = ev.ServiceFailed(call="manifest", fault=said, detail="it said so")
    board = playing()
    board.tell(failed)
    board.pass_(2)
    assert codes(board) == [], "a test is under way"
    end_test(board, found, Step.SERVICE)
    assert codes(board) == [found]

    board = playing()
    board.tell(failed)
    board.pass_(DECIDING_SECONDS)
    assert codes(board) == [said], "no test has ended"
    end_test(board, None, Step.SERVICE)
    assert codes(board) == [said], "it has found the way well, and the call still fails"


def test_a_name_server_that_is_gone_stays_found_while_an_open_connection_is_answered() -> None:
    board = playing()
    board.tell(ev.ServiceFailed(call="heartbeat", fault=Fault.NO_CONNECTION, detail="no such name"))
    end_test(board, Fault.NAME_SERVER_SILENT, Step.NAME)
    board.pass_(3)
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    assert codes(board) == ["connection_name_server_silent"]
    tests = len(board.asked(act.TestConnection))
    board.pass_(2)
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert len(board.asked(act.TestConnection)) == tests + 1
    board.pass_(5)
    board.swap()
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert codes(board) == ["connection_name_server_silent"]
    end_test(board, None, Step.NAME)
    assert codes(board) == []


def test_what_a_test_found_that_an_answer_overtook_is_told_when_it_is_found_again() -> None:
    """It was mended while the test waited."""
    board = playing()
    board.tell(ev.ServiceSilent())
    at = board.state.at
    board.pass_(3)
    board.tell(ev.ServiceAnswered(call="manifest"))
    board.pass_(1)
    unknown = StepResult(step=Step.NAME, passed=False, fault=Fault.NAME_UNKNOWN)
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=at, steps=(unknown,))))
    assert codes(board) == []
    tests = len(board.asked(act.TestConnection))
    board.pass_(1)
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert len(board.asked(act.TestConnection)) == tests + 1
    end_test(board, Fault.NAME_UNKNOWN, Step.NAME)
    assert codes(board) == ["connection_name_unknown"]


def test_a_cable_with_a_loose_contact_is_one_finding_while_it_is_in_and_while_it_is_out() -> None:
    board = playing()
    board.tell(ev.NetworkChanged(lost=2))
    for _ in range(4):
        board.tell(ev.NetworkChanged(lost=1))
        board.pass_(10)
        board.tell(ev.NetworkChanged())
        board.tell(ev.ServiceAnswered(call="manifest"))
        assert codes(board) == ["connection_unstable"]
        board.pass_(10)
        assert codes(board) == ["connection_unstable"]
        board.swap()
    board.pass_(QUIET_SECONDS)
    board.swap()
    assert codes(board) == []
