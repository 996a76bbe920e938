"""Wake-ups come when something changes of itself."""

from __future__ import annotations

from datetime import timedelta

from player.domain import events as ev
from player.domain.access import Pin
from player.domain.time.wake_up import WakeUp, wake_up
from tests.support.board import (
    Board,
)
from tests.support.menus import NOON


def test_a_wake_up_does_not_come_a_part_of_a_microsecond_before_what_it_is_for() -> None:
    board = Board()
    board.tell(ev.PinChanged(pin=Pin(digits="482913", until=board.clock.monotonic() + 120.0000004)))
    due = board.woken_at()
    assert due is not None
    board.clock.pass_((due - board.clock.wall()).total_seconds())
    board.tell(ev.TimePassed())
    assert board.orders()[-1].order.pin is None


def test_it_is_the_first_instant_and_is_ordered_again_only_when_it_moves() -> None:
    later = NOON + timedelta(seconds=90)
    first = wake_up(instants=(None, later), ends=(None, 99.0, 160.0), now=NOON, monotonic=100.0)
    assert first == WakeUp(instant=NOON + timedelta(seconds=60), due=160.0), "what has ended wakes nobody"
    assert first == wake_up(instants=(first.instant,), ends=(), now=NOON, monotonic=100.01)
    assert first != wake_up(instants=(first.instant,), ends=(), now=NOON, monotonic=101.0)
    assert wake_up(instants=(None,), ends=(), now=NOON, monotonic=100.0) == WakeUp()
