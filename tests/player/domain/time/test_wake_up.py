"""Wake-ups come when something changes of itself."""

from __future__ import annotations

from datetime import timedelta

from player.domain import actions as act
from player.domain import events as ev
from player.domain.link.contact import Call
from player.domain.pairing.access import Pin
from player.domain.time.wake_up import WakeUp, wake_up
from tests.support.board import COFFEE, ITEMS, Board
from tests.support.menus import NOON


def test_a_wake_up_does_not_come_a_part_of_a_microsecond_before_what_it_is_for() -> None:
    board = Board()
    board.tell(ev.PinChanged(pin=Pin(digits="482913", until=board.clock.monotonic() + 120.0000004)))
    due = board.woken_at()
    assert due is not None
    board.clock.pass_((due - board.clock.wall()).total_seconds())
    board.tell(ev.TimePassed())
    assert board.orders()[-1].order.pin is None


def test_it_is_the_first_instant_and_is_ordered_again_only_when_it_comes_earlier() -> None:
    later = NOON + timedelta(seconds=90)
    first = wake_up(instants=(None, later), ends=(None, 99.0, 160.0), now=NOON, monotonic=100.0)
    assert first == WakeUp(instant=NOON + timedelta(seconds=60), due=160.0), "what has ended wakes nobody"
    assert first.replaces(None, now=NOON)
    for after in (0.0, 0.00001, 10.0):
        same = wake_up(instants=(later,), ends=(160.0 + after,), now=NOON, monotonic=100.0)
        assert same is not None
        assert not same.replaces(first, now=NOON)
        assert same.replaces(first, now=NOON + timedelta(seconds=61)), "the one that was ordered is past"
    for now, monotonic in ((NOON + timedelta(seconds=1), 100.0), (NOON, 99.0)):
        corrected = wake_up(instants=(first.instant,), ends=(), now=now, monotonic=monotonic)
        assert corrected is not None
        assert corrected.replaces(first, now=now), "the clock was corrected"
    assert wake_up(instants=(None,), ends=(), now=NOON, monotonic=100.0) is None


def test_it_is_not_put_off_for_what_is_told_meanwhile() -> None:
    """A board at rest hears of its service and its machine all the time."""
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(60)
    board.actions.clear()
    for _ in range(100):
        board.clock.pass_(1)
        board.tell(ev.ServiceAnswered(call=Call.MANIFEST, held_seconds=1.0))
        board.tell(ev.HealthRead(health=ev.Health()))
    assert not board.asked(act.WakeAt)
