"""Presented frames: what counts as on the glass."""

from __future__ import annotations

from datetime import timedelta

from player.domain import actions as act
from player.domain import events as ev
from player.domain.playing.board import Restored
from player.domain.playing.frames import MAX_ORDERS_IN_FLIGHT
from player.domain.state import Kind
from tests.support.board import (
    COFFEE,
    ITEMS,
    LUNCH,
    Board,
)
from tests.support.menus import NOON, item, menu_scene

# Presented frames


def test_presented_follows_the_swapped_frame_not_the_order() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.state.presented.kind is Kind.NOTHING
    board.swap()
    presented = board.state.presented
    assert (presented.kind, presented.scene_id, presented.revision) == (Kind.SCENE, "scn_coffee", 1)
    assert presented.since == NOON


def test_latency_is_from_the_commit_to_the_frame() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(5)
    changed_at = board.clock.wall() - timedelta(milliseconds=300)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=2, revision_at=changed_at)
    board.clock.pass_(0.05)
    board.swap()
    presented = board.state.presented
    assert presented.revision == 2
    assert presented.latency == timedelta(milliseconds=350)
    assert presented.since == NOON, "the scene has been on the glass all the time"


def test_a_change_elsewhere_is_presented_too_so_that_an_operator_sees_it_everywhere() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.swap()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS[:2], revision=2)
    board.swap()
    assert board.state.presented.revision == 2


def test_a_new_view_on_the_glass_is_reported_at_once_and_the_same_one_is_not() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    told = len(board.asked(act.SendHeartbeat))
    assert told == 1
    board.pass_(60)
    board.swap()
    assert len(board.asked(act.SendHeartbeat)) == told


def test_a_frame_of_an_order_long_overtaken_changes_nothing() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.swap()
    old = board.orders()[0].order.serial
    before = board.state.presented
    board.tell(ev.FramePresented(serial=old, at=board.clock.monotonic()))
    assert board.state.presented == before


def test_orders_whose_frames_never_come_are_forgotten_and_the_newest_still_counts() -> None:
    board = Board(Restored(screen_id="scr_1"))
    for number in range(MAX_ORDERS_IN_FLIGHT + 10):
        board.receive(
            scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso", price=1 + number)], revision=1 + number
        )
    assert len(board.conductor._now.frames.in_flight) == MAX_ORDERS_IN_FLIGHT
    board.swap()
    assert board.state.presented.kind is Kind.SCENE
    assert not board.conductor._now.frames.in_flight
