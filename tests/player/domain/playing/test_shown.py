"""The view, and how seldom its menus are listed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from menu.documents.manifest import VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.link.fault import Fault
from player.domain.playing import playback
from player.domain.playing.listings import listings
from player.domain.view import MenuListing
from tests.support.board import (
    COFFEE,
    ITEMS,
    LUNCH,
    Board,
    answer,
)
from tests.support.menus import NOON


@pytest.fixture
def menus_listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The menu widgets whose items have been listed, in order."""
    listed: list[str] = []

    def counted(*args: Any, **fields: Any) -> dict[str, MenuListing]:
        found = listings(*args, **fields)
        listed.extend(found)
        return found

    monkeypatch.setattr(playback, "listings", counted)
    return listed


NO_CHANGE: tuple[ev.Event, ...] = (
    ev.TimePassed(),
    ev.ClockChecked(synchronised=True, stepped=False),
    ev.HealthRead(health=ev.Health(temperature_celsius=51.0)),
    ev.FramePresented(serial=10_000, at=0.0),
    ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=1)),
    ev.AssetsVerified(key=VersionKey(playlist_id="pl_other", version=9)),
)


def test_events_that_change_nothing_publish_nothing_and_list_no_menu(menus_listed: list[str]) -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    for event in NO_CHANGE:
        board.tell(event)
    orders, published = len(board.orders()), len(board.published)
    menus_listed.clear()
    for _ in range(3):
        board.clock.pass_(2)
        for event in NO_CHANGE:
            board.tell(event)
    assert menus_listed == []
    assert len(board.published) == published
    assert len(board.orders()) == orders
    assert board.state.at == NOON + timedelta(seconds=6), "the state is of now, whenever it was last published"


def test_events_that_change_no_menu_list_none(menus_listed: list[str]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    menus_listed.clear()
    board.tell(ev.ServiceAnswered(call="manifest"))
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.SLOW, detail="…"))
    board.tell(answer(board.clock, server_time=NOON + timedelta(milliseconds=100)))
    board.swap()
    assert menus_listed == ["menu", "menu"], "the clock is corrected now, so schedules count: the view and the next one"
    menus_listed.clear()
    board.receive(fetched=False, scenes=[LUNCH], items=ITEMS, version=2)
    assert menus_listed == ["menu", "menu"]
    menus_listed.clear()
    for remaining in (3, 2, 1):
        board.tell(ev.AssetsMissing(key=VersionKey(playlist_id="pl_1", version=2), remaining=remaining))
    assert menus_listed == []
    assert board.state.staged is not None
    assert board.state.staged.assets_remaining == 1


def test_time_alone_changes_the_view_and_publishes(menus_listed: list[str]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    menus_listed.clear()
    published = len(board.published)
    board.clock.pass_(10)
    board.tell(ev.TimePassed())
    assert board.glass == "v1 lunch: Soup"
    assert menus_listed == ["menu", "menu"]
    assert len(board.published) == published + 1
    board.clock.step(timedelta(hours=-10))
    board.tell(ev.TimePassed())
    board.pass_(10)
    assert board.glass.startswith("v1 coffee"), "a time before the view's is not taken for its own"


def test_a_scene_that_is_alone_is_not_worked_out_again_at_the_end_of_each_loop(menus_listed: list[str]) -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(60)
    menus_listed.clear()
    woken = [action.instant for action in board.actions if isinstance(action, act.WakeAt)][-1]
    assert woken is not None
    assert woken >= NOON + timedelta(minutes=5), "the next is the strip of a service that is away"
    board.tell(ev.TimePassed())
    assert menus_listed == []
    assert board.glass.startswith("v1 coffee")
