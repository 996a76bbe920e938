"""The banner with the screen's name, and the page's PIN."""

from __future__ import annotations

from datetime import timedelta

from player.domain import actions as act
from player.domain import events as ev
from player.domain.banners import DETAILS_SECONDS
from player.domain.pairing.access import Pin
from player.domain.strip import START_SECONDS
from tests.support.board import (
    COFFEE,
    ITEMS,
    Board,
    strip_of,
)
from tests.support.menus import NOON


def test_f1_shows_which_screen_it_is_and_what_is_wrong_until_it_is_pressed_again() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(START_SECONDS)
    shown = lambda: (board.orders()[-1].order.identify is not None, strip_of(board) is not None)  # noqa: E731
    assert shown() == (False, False)
    board.tell(ev.DetailsAsked())
    assert shown() == (True, True)
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    board.tell(ev.DetailsAsked())
    assert shown() == (False, False)
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    board.tell(ev.DetailsAsked())
    board.pass_(DETAILS_SECONDS - 1)
    assert shown() == (True, True)
    board.pass_(1)
    assert shown() == (False, False)


def test_the_page_s_pin_is_on_the_glass_until_its_time_is_over_or_it_was_used() -> None:
    board = Board()
    board.tell(ev.PinAsked())
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    pin = Pin(digits="482913", until=board.clock.monotonic() + 120)
    board.tell(ev.PinChanged(pin=pin))
    assert board.orders()[-1].order.pin == pin
    assert "482913" not in str(board.orders()[-1])
    assert board.asked(act.WakeAt)[-1].instant == NOON + timedelta(seconds=120)
    board.pass_(120)
    assert board.orders()[-1].order.pin is None
    board.tell(ev.PinChanged(pin=Pin(digits="111222", until=board.clock.monotonic() + 120)))
    board.tell(ev.PinChanged(pin=None))
    assert board.orders()[-1].order.pin is None


def test_identify_on_the_page_names_the_screen_and_shows_no_pin() -> None:
    board = Board()
    board.tell(ev.StaffAsked(action=ev.StaffAction.IDENTIFY))
    assert board.orders()[-1].order.identify is not None
    assert board.asked(act.ShowPin) == []
