"""Widgets that the display could not draw: the file on the device is checked before what was uploaded is blamed."""

from __future__ import annotations

import pytest

from menu.documents.manifest import VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.events import WidgetUndrawable
from player.domain.recovery.undrawable import Undrawable
from player.runtime.situation import MAX_REJECTIONS
from tests.support.board import (
    COFFEE,
    ITEMS,
    LUNCH,
    Board,
    codes,
    lacking,
)
from tests.support.menus import asset, menu_scene

BROKEN = WidgetUndrawable(subject="scn_1/logo", code="asset_unreadable", detail="it is no picture", asset="a" * 64)


@pytest.mark.parametrize(("missing", "told"), [((), ["scn_1/logo"]), ((BROKEN.asset,), [])])
def test_a_file_is_blamed_once_it_has_been_checked_and_is_whole(missing: tuple[str, ...], told: list[str]) -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset)
    assert found.told(()) == ()
    assert [each.subject for each in found.checked().told(missing)] == told


def test_a_file_that_has_come_again_may_be_doubted_again() -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset).checked()
    assert BROKEN.asset in found.doubted
    come = found.without_faults_of({BROKEN.asset})
    assert come.told(()) == ()
    assert BROKEN.asset not in come.doubted


def test_a_file_that_is_being_checked_is_not_blamed_because_another_version_runs() -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset).of_version(None)
    assert found.told(()) == ()
    assert found.checked().told(())


def test_an_image_that_never_comes_costs_its_widget_when_nothing_ran_before() -> None:
    board = Board()
    with_image = menu_scene("pictured", "Coffee", image="hero")
    board.receive(fetched=False, scenes=[with_image, LUNCH], items=ITEMS, images=["hero"])
    assert board.glass == "house: The menu is on its way"
    key = VersionKey(playlist_id="pl_1", version=1)
    board.tell(ev.AssetsMissing(key=key, reasons={asset("hero")[0]: "404"}, remaining=1))
    assert board.glass == "v1 pictured: Flat white, Espresso"
    assert lacking(board) == {asset("hero")[0]}
    board.tell(ev.AssetsVerified(key=key))
    assert board.glass == "v1 pictured: Flat white, Espresso"
    assert lacking(board) == set()


def test_a_file_that_the_display_cannot_draw_is_checked_before_what_was_uploaded_is_blamed() -> None:
    board, hero = Board(), asset("hero")[0]
    board.receive(scenes=[menu_scene("pictured", "Coffee", image="hero")], items=ITEMS, images=["hero"])
    key = VersionKey(playlist_id="pl_1", version=1)
    fault = ev.WidgetUndrawable(subject="scn_pictured/picture", code="asset_undecodable", detail="no image", asset=hero)
    board.tell(fault)
    board.tell(fault)
    assert board.asked(act.RecheckAssets) == [act.RecheckAssets(asset=hero)], "once, however often it is drawn"
    board.tell(ev.AssetsMissing(key=key, reasons={hero: None}, remaining=1))
    assert codes(board.state) == ["asset_lacking"]
    board.tell(ev.AssetsVerified(key=key))
    assert codes(board.state) == [], "the fault ends with the file"
    board.tell(fault)
    board.tell(ev.AssetsVerified(key=key))
    assert codes(board.state) == ["asset_undecodable"], "it is as it was uploaded"


def test_a_part_that_cannot_be_drawn_is_reported_until_another_program_runs() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.WidgetUndrawable(subject="scn_coffee/picture", code="image_broken", detail="not a PNG"))
    assert codes(board.state) == ["image_broken"]
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.pass_(10)
    assert codes(board.state) == []


def test_a_part_that_is_drawn_well_again_is_not_reported_any_more() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.WidgetUndrawable(subject="scn_coffee/menu", code="menu_continues", detail="9 pages"))
    board.tell(ev.WidgetDrawn(subject="scn_coffee/menu", codes=frozenset({"menu_too_long"})))
    board.tell(ev.WidgetDrawn(subject="scn_coffee/other", codes=frozenset({"menu_continues"})))
    assert codes(board.state) == ["menu_continues"]
    board.tell(ev.WidgetDrawn(subject="scn_coffee/menu", codes=frozenset({"menu_continues"})))
    assert codes(board.state) == []


def test_what_the_next_version_cannot_draw_is_still_told_when_it_has_taken_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(4)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert board.orders()[-1].order.upcoming is not None
    board.tell(ev.WidgetUndrawable(subject="scn_lunch/film", code="video_broken", detail="not a film"))
    board.tell(ev.WidgetUndrawable(subject="scn_coffee/picture", code="image_broken", detail="not a PNG"))
    board.pass_(10)
    assert board.glass == "v2 lunch: Soup"
    assert [(part.subject, part.name) for part in board.state.rejections] == [("scn_lunch/film", "lunch")]
    board.receive(scenes=[COFFEE], items=ITEMS, version=3)
    board.pass_(20)
    assert codes(board.state) == []


def test_the_number_of_rejections_is_bounded() -> None:
    board = Board()
    for number in range(MAX_REJECTIONS * 2):
        board.tell(ev.WidgetUndrawable(subject=f"scn/{number}", code="image_broken", detail=""))
        board.tell(ev.PartFailed(subject=f"file-{number}", code="disk_full", detail=""))
    assert len(board.state.rejections) == MAX_REJECTIONS
