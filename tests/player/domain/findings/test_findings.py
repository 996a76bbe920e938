"""Findings of a running board, with since when, from the conductor's facts; on a clock set by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from player.domain import actions as act
from player.domain import events as ev
from player.domain.connection import ConnectionFault as Fault
from player.domain.connection import ConnectionTest, Step, StepResult
from player.domain.findings.connection import DECIDING_SECONDS, UNTESTED_SECONDS
from player.domain.findings.content import CATCHING_UP_SECONDS, CHANGE_SECONDS, FIRST_MENU_SECONDS
from player.domain.findings.diagnosis import diagnose
from player.domain.findings.link import QUIET_SECONDS
from tests.support.board import COFFEE, ITEMS, LUNCH, Board
from tests.support.menus import NOON, HandClock, asset, entry, item, menu_scene


def codes(board: Board) -> list[str]:
    return [finding.code for finding in diagnose(board.state)]


def playing(clock: HandClock | None = None) -> Board:
    board = Board(clock=clock).trust_the_clock()
    board.receive(items=ITEMS, scenes=[COFFEE, LUNCH], entries=[entry("coffee"), entry("lunch")])
    board.swap()
    return board


def test_a_board_that_plays_finds_nothing() -> None:
    board = playing()
    for _ in range(5):
        board.pass_(30)
        board.swap()
        assert codes(board) == []


def test_a_screen_without_a_menu_says_so_after_some_seconds() -> None:
    board = Board().trust_the_clock()
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(FIRST_MENU_SECONDS - 1)
    assert codes(board) == []
    board.pass_(1)
    assert codes(board) == ["no_menu_yet"]


def test_a_playlist_that_is_taken_off_is_told_while_its_scenes_still_show() -> None:
    board = playing()
    shown = board.glass
    board.receive(version=None, revision=9, without_playlist={"reason": "unassigned"})
    assert (board.glass, codes(board)) == (shown, ["no_playlist"])
    board.receive(version=None, revision=10, without_playlist={"reason": "unpublished", "name": "Draft"})
    (finding,) = diagnose(board.state)
    assert (finding.code, "“Draft”" in finding.what) == ("never_published", True)
    board.pass_(60)
    assert (board.glass.partition(":")[0], codes(board)) == ("house", ["never_published"])


def test_an_outage_is_told_with_since_when_and_is_over_with_the_first_answer() -> None:
    board = playing()
    for _ in range(4):
        board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.UNREACHABLE, detail="no connection"))
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
    result = StepResult(step=step, passed=fault is None, fault=fault or "", evidence="it said so")
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=board.state.at, steps=(result,))))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ((ev.Trouble.CAPTIVE_PORTAL, Fault.PORTAL), Fault.MOVED),
        ((ev.Trouble.TLS, Fault.CERTIFICATE_UNKNOWN_CA), Fault.PORTAL),
    ],
)
def test_what_a_call_says_is_told_once_a_test_has_looked_behind_it(
    said: tuple[ev.Trouble, Fault], found: Fault
) -> None:
    failed = ev.ServiceFailed(call="manifest", trouble=said[0], detail="it said so", fault=said[1])
    board = playing()
    board.tell(failed)
    board.pass_(2)
    assert codes(board) == [], "a test is under way"
    end_test(board, found, Step.SERVICE)
    assert codes(board) == [f"connection_{found}"]

    board = playing()
    board.tell(failed)
    board.pass_(DECIDING_SECONDS)
    assert codes(board) == [f"connection_{said[1]}"], "no test has ended"
    end_test(board, None, Step.SERVICE)
    assert codes(board) == [f"connection_{said[1]}"], "it has found the way well, and the call still fails"


def test_a_name_server_that_is_gone_stays_found_while_an_open_connection_is_answered() -> None:
    board = playing()
    board.tell(ev.ServiceFailed(call="heartbeat", trouble=ev.Trouble.UNREACHABLE, detail="no such name"))
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
    unreachable = StepResult(step=Step.TCP, passed=False, fault=Fault.UNREACHABLE)
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=at, steps=(unreachable,))))
    assert codes(board) == []
    tests = len(board.asked(act.TestConnection))
    board.pass_(1)
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert len(board.asked(act.TestConnection)) == tests + 1
    end_test(board, Fault.UNREACHABLE, Step.TCP)
    assert codes(board) == ["connection_unreachable"]


def test_a_cable_with_a_loose_contact_is_one_finding_while_it_is_in_and_while_it_is_out() -> None:
    board = playing()
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


def test_a_clock_that_is_corrected_moves_since_when_with_it() -> None:
    board = playing()
    board.tell(ev.HealthRead(health=ev.Health(temperature_celsius=90.0)))
    board.clock.step(timedelta(hours=1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    board.swap()
    (finding,) = diagnose(board.state)
    assert finding.since is not None
    assert board.state.at - finding.since < timedelta(seconds=1)


def test_a_clock_that_steps_does_not_make_the_seconds_pass_that_a_finding_has_to_stay() -> None:
    board = Board()
    board.receive(items=ITEMS, scenes=[COFFEE], entries=[entry("coffee")])
    board.swap()
    assert "clock_unknown" in board.state.found
    snapshot = board.state
    board.clock.step(timedelta(hours=1))
    board.clock.pass_(1)
    # Nobody has told the board of it yet.
    assert diagnose(snapshot.as_of(board.clock.monotonic())) == ()
    board.clock.pass_(15)
    (finding,) = diagnose(snapshot.as_of(board.clock.monotonic()))
    assert finding.code == "clock_unknown"


def test_a_clock_that_says_it_is_synchronised_and_is_an_hour_off_is_found_by_the_service_s_time() -> None:
    board = playing()
    for offset in (0, -3600):
        board.tell(
            ev.HeartbeatAnswered(
                server_time=board.clock.wall() + timedelta(seconds=offset),
                sent=board.clock.monotonic(),
                received=board.clock.monotonic(),
                screen_name="Counter",
                settings=board.state.settings,
            )
        )
        board.pass_(3)
        if offset == 0:
            assert codes(board) == []
            board.clock.step(timedelta(hours=1))
            board.tell(ev.ClockChecked(synchronised=True, stepped=True))
            board.swap()
            board.pass_(3)
        (finding,) = diagnose(board.state)
        assert finding.code == "clock_differs"
        assert "1 hour fast" in finding.what


def test_a_board_of_which_every_scene_is_damaged_says_why_the_house_card_shows() -> None:
    board = Board().trust_the_clock()
    board.receive(items=ITEMS, scenes=[menu_scene("coffee", "Coffee") | {"widgets": [{"id": "w", "type": "menu"}]}])
    board.swap()
    (finding,) = diagnose(board.state)
    assert finding.code == "no_scene_can_show"
    assert "“coffee”" in finding.why


def test_a_part_that_is_left_out_is_named_as_people_name_it() -> None:
    board = Board().trust_the_clock()
    scene = menu_scene("morning") | {"name": "Morning"}
    scene["widgets"].append({"id": "w", "type": "orbit"})
    board.receive(items=(*ITEMS, item("Cake", -1)), scenes=[scene])
    board.swap()
    (finding,) = diagnose(board.state)
    assert "tem “Cake”: " in finding.why
    assert "in “Morning”: " in finding.why


def test_a_picture_that_is_missing_is_named_by_its_scene() -> None:
    board = Board().trust_the_clock()
    scene = menu_scene("morning", image="cake") | {"name": "Morning"}
    board.receive(items=ITEMS, scenes=[scene, LUNCH], images=["cake"])
    board.swap()
    assert codes(board) == []
    running = board.state.running
    assert running is not None
    board.tell(ev.AssetsMissing(key=running.key, reasons={asset("cake")[0]: "it answers 404"}, remaining=1))
    board.swap()
    board.pass_(6)
    (finding,) = diagnose(board.state)
    assert (finding.code, finding.why) == ("files_missing", "In “Morning”: it answers 404.")
    board.tell(ev.AssetsVerified(key=running.key))
    board.swap()
    assert codes(board) == []


def test_a_price_that_stays_off_the_glass_is_found() -> None:
    board = playing()
    board.clock.pass_(CATCHING_UP_SECONDS)
    board.receive(items=(item("Flat white", 9.9), *ITEMS[1:]), scenes=[COFFEE, LUNCH], revision=2)
    board.clock.pass_(CHANGE_SECONDS - 1)
    assert codes(board) == []
    board.clock.pass_(1)
    assert codes(board) == ["change_not_shown"]


def test_prices_that_change_faster_than_they_are_drawn_are_no_finding_and_those_that_stay_behind_are() -> None:
    board, revision = playing(), 1

    def change() -> int:
        nonlocal revision
        revision += 1
        board.receive(items=(item("Flat white", revision), *ITEMS[1:]), scenes=[COFFEE, LUNCH], revision=revision)
        return board.orders()[-1].order.serial

    ordered = change()
    for _ in range(60):
        board.clock.pass_(0.5)
        drawn, ordered = ordered, change()
        board.tell(ev.FramePresented(serial=drawn, at=board.clock.monotonic()))
        assert codes(board) == []
    for _ in range(19):
        board.clock.pass_(1)
        board.tell(ev.TimePassed())
    assert codes(board) == ["change_not_shown"]


def test_a_disk_that_fails_is_not_called_write_protected_when_its_file_system_lets_nothing_be_written_any_more() -> (
    None
):
    board = playing()
    board.tell(ev.DiskFailed(subject="latest", code="disk_failing", detail="Input/output error"))
    board.tell(ev.DiskFailed(subject="latest", code="disk_read_only", detail="Read-only file system"))
    board.tell(ev.DiskFailed(subject="clock", code="disk_read_only", detail="Read-only file system"))
    assert codes(board) == ["disk_failing"]
    board.tell(ev.DiskWritten(subjects=frozenset({"latest", "clock"})))
    assert codes(board) == []


def test_a_page_whose_port_is_taken_is_found() -> None:
    board = playing()
    board.tell(ev.TaskFailed(subject="page", code="page_port_taken", detail="another program has port 8085"))
    (finding,) = diagnose(board.state)
    assert finding.code == "page_port_taken"
    assert "port 8085" in finding.why


def test_a_slow_line_tells_how_many_files_are_here() -> None:
    board = playing()
    board.receive(items=ITEMS, scenes=[COFFEE], version=2, revision=2, images=["cake", "tart", "pie"], fetched=False)
    staged = board.state.staged
    assert staged is not None
    assert staged.key is not None
    board.tell(ev.AssetsMissing(key=staged.key, reasons={}, remaining=1))
    board.swap()
    assert codes(board) == []
    board.pass_(61)
    board.swap()
    (finding,) = diagnose(board.state)
    assert (finding.code, finding.why) == ("files_on_their_way", "2 of 3 pictures and films are here.")
