"""The strip for a technician: when it shows, and what it and its code say."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from player.domain import events as ev
from player.domain.finding import Finding, Severity
from player.domain.link.fault import Fault
from player.domain.playing.board import Restored
from player.domain.state import PlayerState
from player.domain.strip import MAX_QR_BYTES, START_SECONDS, UNREACHED_SECONDS, StripTimes, strip
from player.domain.view import HouseCard, PairingCard
from tests.player.display.scenes import listing, one_menu, row
from tests.support.board import (
    COFFEE,
    ITEMS,
    Board,
    new_screen,
    strip_of,
)

MENU = one_menu(listing(("", [row("Soup")])))
PAGE = "http://192.168.1.23:8085"
UNPLUGGED = Finding(
    code="no_cable",
    severity=Severity.FAULT,
    what="No network cable is plugged in.",
    why="",
    do="Plug it in.",
)


def test_over_a_menu_it_shows_after_a_start_and_while_the_service_is_not_reached() -> None:
    times = StripTimes(reached_at=100.0)
    assert not times.shows(MENU, 1000.0), "no frame has been shown yet"
    times = replace(times, presented_at=100.0)
    at = [100.0, 100.0 + START_SECONDS - 1, 100.0 + START_SECONDS, 100.0 + UNREACHED_SECONDS - 1, 401.0, 90_000.0]
    assert [times.shows(MENU, now) for now in at] == [True, True, False, False, True, True]
    assert times.next_change(100.0) == 100.0 + START_SECONDS
    assert times.next_change(120.0) == 100.0 + UNREACHED_SECONDS
    assert times.next_change(400.0) is None
    assert not replace(times, reached_at=401.0).shows(MENU, 401.0)


def test_over_the_cards_it_always_shows() -> None:
    times = StripTimes(reached_at=100.0, presented_at=100.0)
    assert times.shows(HouseCard(), 200.0)
    assert times.shows(PairingCard(), 200.0)


def test_it_names_the_screen_its_page_and_what_is_wrong() -> None:
    state = replace(Board().state, pages=(PAGE, "http://[fd00::2]:8085"), addresses=("192.168.1.23",))
    said = strip(state, None, locale="en")
    assert (said.name, said.version, said.address) == ("DDDDDD", "Menu Player 0", PAGE)
    assert (said.finding, said.is_fault, said.qr) == ("", False, PAGE)
    said = strip(state, UNPLUGGED, locale="en")
    assert (said.finding, said.is_fault, said.qr) == (UNPLUGGED.what, True, PAGE)


def test_without_a_page_to_open_the_code_says_what_is_wrong() -> None:
    state = Board().state
    said = strip(state, UNPLUGGED, locale="en")
    assert said.address == ""
    assert said.qr == "No network cable is plugged in.\nPlug it in.\nDDDDDD · Menu Player 0"
    assert strip(state, None, locale="en").qr == ""


def test_a_long_finding_still_has_a_code_that_can_be_scanned() -> None:
    said = strip(Board().state, replace(UNPLUGGED, do="لا يمكن الوصول " * 40), locale="ar")
    assert len(said.qr.encode()) <= MAX_QR_BYTES
    assert said.qr.endswith("…")


def test_the_strip_shows_for_a_while_after_the_first_frame() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert strip_of(board) is None, "the first frame does not wait for it"
    board.swap()
    board.tell(ev.AddressesRead(addresses=("192.168.1.23",), pages=("http://192.168.1.23:8085",)))
    strip = strip_of(board)
    assert strip is not None
    assert (strip.address, strip.qr) == ("http://192.168.1.23:8085", "http://192.168.1.23:8085")

    board.pass_(START_SECONDS - 1)
    assert strip_of(board) is not None
    board.pass_(1)
    assert strip_of(board) is None
    board.swap()
    assert strip_of(board) is None, "later frames are no start"


def test_the_strip_shows_from_the_fifth_minute_without_the_service_until_it_is_reached() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(UNREACHED_SECONDS - 15)
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.NO_CONNECTION, detail="no route"))
    board.pass_(14)
    assert strip_of(board) is None
    board.pass_(1)
    strip = strip_of(board)
    assert strip is not None
    assert strip.finding, "it says what is wrong"
    board.pass_(86_400)
    assert strip_of(board) is not None
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    assert strip_of(board) is None


@pytest.mark.parametrize("fault", [Fault.SERVICE_DECLINES, Fault.SCREEN_REFUSED])
def test_a_service_that_answers_with_a_fault_is_reached(fault: Fault) -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    for _ in range(10):
        board.pass_(60)
        board.tell(ev.ServiceFailed(call="manifest", fault=fault, detail="503"))
    assert strip_of(board) is None


def test_the_strip_stays_on_the_cards() -> None:
    board = Board(Restored())
    board.swap()
    assert strip_of(board) is not None, "nothing is paired"
    board.tell(new_screen("scr_1"))
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(120)
    assert strip_of(board) is not None, "nothing can be shown"


def test_a_defect_in_what_is_told_of_the_board_costs_only_the_strip(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: PlayerState) -> None:
        raise ValueError("a defect")

    monkeypatch.setattr("player.runtime.conductor.diagnosed", fail)
    board = Board()
    board.swap()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.glass.startswith("v1 coffee")
    assert strip_of(board) is None
