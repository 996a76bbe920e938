"""Findings about pictures and films: each with its cause and something to do."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from player.domain import events as ev
from player.domain.finding import Who
from player.domain.findings.diagnosis import diagnose
from player.domain.playing.sync import answered_in_between
from player.domain.state import (
    PlayerState,
)
from tests.player.domain.findings.states import (
    ALL_FILES_GONE,
    HEALTHY,
    SHA,
    Case,
    check,
    codes,
    failing,
    first,
    lacking,
    parametrized,
    playing,
    rejected,
    staged,
)
from tests.support.board import COFFEE, ITEMS, LUNCH, Board
from tests.support.menus import asset, menu_scene

CASES: list[Case] = [
    ("damaged on the disk, and no connection",
     replace(rejected("asset_damaged", subject=SHA, state=lacking({SHA: "no connection"})), contact=failing()),
     "files_damaged", "1 picture or film on the device's disk is damaged. In “Breakfast”."),
    ("a file that the service has lost, and all else well",
     lacking({SHA: "it answers 404"}),
     "files_missing", "it answers 404"),
    ("every file gone", ALL_FILES_GONE, "files_missing", "no scene can be shown"),
    ("a picture missing", lacking({SHA: "it answers 404"}), "files_missing", "n “Breakfast”: it answers 404"),
    ("a file of the new version that the service has lost",
     replace(HEALTHY, staged=staged(remaining=1, missing={SHA: "it answers 404"})), "files_failing", "11 of 12"),
    ("a slow line", replace(HEALTHY, staged=staged(remaining=9)), "files_on_their_way", "3 of 12"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


@pytest.mark.parametrize(
    "state",
    [
        lacking({SHA: answered_in_between(404)}),
        replace(HEALTHY, staged=staged(remaining=1, missing={SHA: answered_in_between(403)})),
    ],
)
def test_files_that_something_on_the_way_holds_back_need_no_upload(state: PlayerState) -> None:
    found = first(state)
    assert "omething in between answers 40" in found.why
    assert "upload" not in found.do
    assert "let everything of menus.example.com through" in found.do
    assert found.who is Who.NETWORK


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
