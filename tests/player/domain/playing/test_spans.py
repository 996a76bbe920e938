"""Boards over several screens: the place of each, and what is said of one that has none."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import MIN_CANVAS, Place, Scene, Span
from player.domain import events as ev
from player.domain.machine import Glass
from tests.support.board import COFFEE, ITEMS, PAIRED, Board

LEFT, RIGHT = "scr_1", "scr_2"
WALL: dict[str, Any] = {**COFFEE, "width": 3880, "height": 1080, "span": {"panels": 2, "gap": 40}}


def board_of(*spans: list[str], screen: str = LEFT, **scene: Any) -> Board:
    board = Board(replace(PAIRED, screen_id=screen)).trust_the_clock()
    receive(board, *spans, **scene)
    return board


def receive(board: Board, *spans: list[str], revision: int = 1, **scene: Any) -> None:
    board.receive(scenes=[WALL | scene], items=ITEMS, spans=spans, revision=revision)


def place(board: Board) -> Place | None:
    return board.orders()[-1].order.place


def faults(board: Board) -> list[str]:
    return [one.code for one in board.state.rejections]


@pytest.mark.parametrize(
    ("spans", "screen", "expected"),
    [
        ([[LEFT, RIGHT]], LEFT, Place(number=0, of=2)),
        ([[LEFT, RIGHT]], RIGHT, Place(number=1, of=2)),
        ([["scr_8", "scr_9"], ["scr_7", RIGHT, LEFT]], LEFT, Place(number=2, of=3)),
        ([["scr_7", "scr_8"]], LEFT, None),
        ([], LEFT, None),
    ],
)
def test_a_screen_finds_its_place_in_its_location(spans: list[list[str]], screen: str, expected: Place | None) -> None:
    board = board_of(*spans, screen=screen)
    assert place(board) == expected
    assert faults(board) == ([] if expected in (Place(number=0, of=2), Place(number=1, of=2)) else ["span_whole"])


def test_a_change_of_places_shows_at_once_without_another_version() -> None:
    board = board_of([RIGHT, LEFT])
    before = board.orders()[-1].order
    receive(board, [LEFT, RIGHT], revision=2)
    after = board.orders()[-1].order
    assert (before.place, after.place) == (Place(number=1, of=2), Place(number=0, of=2))
    assert after.serial > before.serial
    receive(board, revision=3)
    assert place(board) is None
    assert faults(board) == ["span_whole"]


def test_a_board_of_one_screen_says_nothing_of_spans() -> None:
    assert faults(board_of(span=None)) == []


@pytest.mark.parametrize(
    ("glass", "expected"),
    [
        (Glass(width=1920, height=1080), []),
        (Glass(width=1366, height=768), []),
        (Glass(width=1280, height=1024), ["span_shape"]),
        (Glass(width=1920, height=1080, upright=True), ["span_shape"]),
        (Glass(width=1080, height=1920, upright=True), ["span_shape"]),
    ],
)
@pytest.mark.proves("screen-in-no-span")
def test_a_screen_of_another_shape_says_so(glass: Glass, expected: list[str]) -> None:
    board = board_of([LEFT, RIGHT])
    look = ev.DisplayChecked(
        turned_at=board.clock.monotonic(),
        has_screen=True,
        frames_seen=True,
        frame_asked_at=None,
        building=None,
        frames_late=False,
        glass=glass,
    )
    board.tell(look)
    assert faults(board) == expected


def test_upright_screens_side_by_side_are_not_called_turned() -> None:
    upright = Glass(width=1080, height=1920, upright=True)
    board = board_of([LEFT, RIGHT], width=2200, height=1920)
    board.swap()
    board.tell(
        ev.DisplayChecked(
            turned_at=board.clock.monotonic(),
            has_screen=True,
            frames_seen=True,
            frame_asked_at=None,
            building=None,
            frames_late=False,
            glass=upright,
        )
    )
    assert faults(board) == []
    assert "display_turned" not in {finding.code for finding in board.state.findings}


@pytest.mark.parametrize(
    ("span", "where", "part"),
    [
        (Span(panels=2, gap=40), Place(number=0, of=2), (0, 1920)),
        (Span(panels=2, gap=40), Place(number=1, of=2), (1960, 1920)),
        (Span(panels=2), Place(number=1, of=2), (1940, 1940)),
        (Span(panels=3, gap=20), Place(number=2, of=3), (2600, 1280)),
        (Span(panels=3), Place(number=1, of=2), (0, 3880)),
        (Span(panels=2), None, (0, 3880)),
        (None, Place(number=1, of=2), (0, 3880)),
        (Span(panels=2, gap=3880 - 2 * MIN_CANVAS + 1), Place(number=1, of=2), (0, 3880)),
    ],
)
def test_the_parts_are_equal_and_the_frames_hide_what_is_between_them(
    span: Span | None, where: Place | None, part: tuple[float, float]
) -> None:
    scene = Scene(id="wall", name="Wall", width=3880.0, height=1080.0, span=span)
    x, width = part
    assert scene.part(where) == Box(x=x, y=0, width=width, height=1080)
