"""Findings about playlist, scenes, items and changes: each with its cause and something to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from menu.rules.timeline import WhyNot
from player.domain import events as ev
from player.domain.findings.content import CATCHING_UP_SECONDS, CHANGE_SECONDS, FIRST_MENU_SECONDS
from player.domain.findings.diagnosis import diagnose
from player.domain.state import HouseReason, PlayerState
from tests.player.domain.findings.states import (
    DAMAGED,
    HEALTHY,
    NEW,
    NOW,
    Case,
    check,
    codes,
    house,
    parametrized,
    passed_over,
    playing,
    rejected,
    staged,
)
from tests.support.board import COFFEE, ITEMS, LUNCH, Board
from tests.support.menus import item, menu_scene

CASES: list[Case] = [
    ("a playlist that is taken off, while its scenes show",
     replace(HEALTHY, staged=replace(staged(takes_over_at=NOW + timedelta(seconds=40)), key=None, unpublished="")),
     "no_playlist", "13:00"),
    ("a playlist that was never published, while the scenes of another one show",
     replace(HEALTHY, staged=replace(staged(), key=None, unpublished="Draft")), "never_published", "“Draft”, which"),
    ("no menu comes", house(HouseReason.WAITING_FOR_PROGRAM, state=NEW), "no_menu_yet", "not received"),
    ("no playlist", house(HouseReason.NO_PLAYLIST, state=replace(NEW, location=HEALTHY.location)),
     "no_playlist", "Assign a playlist"),
    ("no playlist, as the service says",
     house(HouseReason.NO_PLAYLIST, state=replace(NEW, location=HEALTHY.location, unpublished="")),
     "no_playlist", "no playlist is assigned"),
    ("never published",
     house(HouseReason.NEVER_PUBLISHED, state=replace(NEW, location=HEALTHY.location, unpublished="Draft")),
     "never_published", "“Draft”"),
    ("every scene damaged", DAMAGED, "no_scene_can_show", "none of its widgets"),
    ("all sold out",
     house(HouseReason.NOTHING_SHOWABLE, others=(passed_over("Lunch", WhyNot.SOLD_OUT),)),
     "all_sold_out", "sold out"),
    ("nothing scheduled today any more",
     house(HouseReason.NOTHING_SCHEDULED, next_scheduled=NOW + timedelta(hours=4)), "nothing_scheduled", "at 17:00."),
    ("nothing scheduled until Monday",
     house(HouseReason.NOTHING_SCHEDULED, next_scheduled=datetime(2026, 11, 23, 5, 30, tzinfo=UTC)),
     "nothing_scheduled", "at Monday 23 November at 06:30."),
    ("nothing scheduled ever", house(HouseReason.NOTHING_SCHEDULED), "nothing_scheduled", "nor at any time"),
    ("a damaged scene", rejected("scene_bad", "none of its widgets can be drawn", subject="scn_1", name="Breakfast"),
     "scenes_rejected", "cene “Breakfast”: none of its widgets"),
    ("an item", rejected("item_bad", '"price" is negative', subject="itm_" + "0" * 32, name="Flat white"),
     "parts_rejected", "tem “Flat white”: \"price\" is negative"),
    ("a widget", rejected("widget_unknown", 'no widget of type "orbit"', subject="scn_1/w", name="Lunch"),
     "parts_rejected", "n “Lunch”: no widget of type"),
    ("a version that waits for its turn",
     replace(HEALTHY, staged=staged(takes_over_at=NOW + timedelta(minutes=40))), "version_waits", "13:40"),
    ("a price not on the glass", replace(HEALTHY, revision=8), "change_not_shown", "12:57"),
    ("one scene's items sold out", replace(HEALTHY, showing=replace(
        HEALTHY.showing, others=(passed_over("Lunch", WhyNot.SOLD_OUT),))), "menu_sold_out", "“Lunch”"),
    ("one menu's items sold out", rejected("menu_empty", "no item of this menu can be had", subject="scn_1/w",
     name="Lunch"), "menu_sold_out", "n “Lunch”: no item"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


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
