"""Another mode of the panel under a real compositor: the board fills it, whole, and goes on."""

from __future__ import annotations

from itertools import chain, pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.kiosk.board import Board
from tests.kiosk.machine import eventually
from tests.kiosk.test_board import seen

FOLLOWS_SECONDS = 10.0
"""From the new mode to a picture that fills it, on a slow machine."""

NEAR, MOST_STEP = 8, 6
"""Pixels of which a ground's greys are no further apart than this."""


def switch(board: Board, mode: str) -> None:
    where = "XDG_RUNTIME_DIR=/run/menu-player WAYLAND_DISPLAY=wayland-0"
    board.machine.sh(f"{where} /usr/bin/wlr-randr --output HEADLESS-1 --custom-mode {mode}")


def edges(image: QImage) -> set[str]:
    """Colours of the middles of the four sides."""
    right, bottom = image.width() - 1, image.height() - 1
    middles = ((right // 2, 0), (right // 2, bottom), (0, bottom // 2), (right, bottom // 2))
    return {image.pixelColor(*at).name() for at in middles}


@pytest.fixture(scope="module")
def playing(board: Board) -> Board:
    board.play_sample()
    return board


@pytest.mark.proves("screen-changes-mode")
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (3840, 2160), (1920, 1080)])
def test_the_board_fills_another_mode_of_its_shape(playing: Board, pictures: Path, width: int, height: int) -> None:
    board, before, name = playing, playing.started, f"mode-{width}x{height}.png"
    switch(board, f"{width}x{height}@60")

    def filled() -> QImage | None:
        image = seen(board.picture(pictures / name))
        whole = (image.width(), image.height()) == (width, height) and "#000000" not in edges(image)
        return image if whole else None

    eventually(filled, what=f"the menu fills {width}x{height}", seconds=FOLLOWS_SECONDS)
    assert board.started == before, "the player goes on"
    assert board.machine.unit("menu-player")["NRestarts"] == "0"


def is_calm(image: QImage) -> bool:
    """Whether it is a ground, of one colour or more that run into each other: nothing in it has an edge."""
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    bits, stride = bytes(grey.constBits()), grey.bytesPerLine()
    rows = [bits[begin : begin + grey.width()] for begin in range(0, len(bits), stride * NEAR)]
    beside = (pair for row in rows for pair in zip(row, row[NEAR:], strict=False))
    below = (pair for row, other in pairwise(rows) for pair in zip(row, other, strict=True))
    return all(abs(one - other) <= MOST_STEP for one, other in chain(beside, below))


def test_in_an_upright_mode_it_lies_across_and_is_whole(playing: Board, pictures: Path) -> None:
    switch(playing, "1080x1920@60")

    def is_across() -> bool:
        image = seen(playing.picture(pictures / "mode-1080x1920.png"))
        # Further down is the strip, which says so.
        above, middle, below = (image.copy(0, top, 1080, height) for top, height in ((0, 600), (660, 600), (1320, 240)))
        return image.width() == 1080 and is_calm(above) and not is_calm(middle) and is_calm(below)

    eventually(is_across, what="the scene is in the middle", seconds=FOLLOWS_SECONDS)
