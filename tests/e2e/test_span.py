"""One board over several screens, through both programs: what the players draw side by side is the whole board."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from tests.e2e.conftest import Shop
from tests.support.programs import Player, eventually, on_glass

GAP = 40
PART = QRect(0, 0, 960, 400)
"""A part, but for the strip for technicians."""
# Qt draws letters of more than 64 pixels as outlines, whose edges differ by up to 4 of 255 with the letters of that
# font that a player has drawn before, such as those of its strip: none here is as large.
MENU = {"type": "menu", "y": 300, "width": 1720, "height": 700}
WALL: dict[str, Any] = {
    "width": 3880,
    "span": {"panels": 2, "gap": GAP},
    "background": {"gradient": {"from": "#102030", "to": "#503010"}},
    "widgets": [
        {
            "id": "rule",
            "type": "shape",
            "shape": "line",
            "color": "#E0A030",
            "x": 0,
            "y": 240,
            "width": 3880,
            "height": 8,
        },
        {"id": "word", "type": "text", "text": "Good day", "x": 100, "y": 40, "width": 1720, "height": 150},
        MENU | {"id": "coffee", "x": 100, "categories": ["Coffee"]},
        MENU | {"id": "lunch", "x": 2060, "categories": ["Lunch"]},
    ],
}


@pytest.fixture
def players(shop: Shop, tmp_path: Path) -> Iterator[tuple[Player, Player, Player]]:
    """The left one, the right one, and one that is as wide as both and the frames between them."""
    made = [shop.player]
    try:
        for name, size in (("right", "960x540"), ("wide", "1940x540")):
            (tmp_path / name).mkdir()
            player = Player(tmp_path / name, shop.service.address, size=size)
            made.append(player)
            player.start()
        left, right, wide = made
        yield left, right, wide
    finally:
        for player in made[1:]:
            player.kill()


def glass(player: Player) -> QImage:
    return QImage.fromData(player.glass()).convertToFormat(QImage.Format.Format_RGB888)


def alike(one: QImage, other: QImage) -> bool:
    """Whether nobody can tell them apart; a gradient may differ by a rounding."""
    pairs = zip(bytes(one.constBits()), bytes(other.constBits()), strict=True)
    return all(abs(a - b) <= 1 for a, b in pairs)


@pytest.mark.proves("screen-of-several", "screen-in-no-span")
@pytest.mark.long
def test_two_players_draw_one_board_and_go_on_without_each_other(
    shop: Shop, players: tuple[Player, Player, Player]
) -> None:
    left, right, wide = players
    wait_until = partial(eventually, players=players)
    scene = str(shop.service.post("/scenes", {"name": "Wall"} | WALL)["id"])
    playlist = shop.playlist("Wall", (scene, 20))
    screens = [shop.pair(playlist, player) for player in (left, right, wide)]
    every_item = {"Flat white", "Espresso", "Soup"}
    for player in players:
        player.wait_for("the board is on the glass", lambda s: on_glass(s).keys() == every_item)
        assert [one["code"] for one in player.state()["rejections"]] == ["span_whole"]
    version = left.state()["presented"]["version"]

    def parts() -> tuple[QImage, QImage]:
        board = glass(wide)
        return board.copy(PART), board.copy(PART.translated(PART.width() + GAP // 2, 0))

    def draw(first: Player, second: Player) -> bool:
        drawn = (glass(player).copy(PART) for player in (first, second))
        return all(map(alike, drawn, parts()))

    where = f"/locations/{shop.location}"
    shop.service.patch(where, {"spans": [{"screens": screens[:2]}]})
    wait_until(lambda: draw(left, right), what="each screen draws its part")
    assert [left.state()["rejections"], right.state()["rejections"]] == [[], []]

    shop.service.patch(f"/content/items/{shop.items['Flat white']}", {"price": 3.9})
    wait_until(lambda: on_glass(wide.state()).get("Flat white") == "3,90 €", what="the wide one has the price")
    wait_until(lambda: draw(left, right), what="the parts have it")

    shop.service.patch(where, {"spans": [{"screens": [screens[1], screens[0]]}]})
    wait_until(lambda: draw(right, left), what="they have changed places")
    assert left.state()["presented"]["version"] == version, "nothing was published"

    shop.service.patch(where, {"spans": [{"screens": screens[:2]}]})
    wait_until(lambda: draw(left, right), what="they have changed back")
    shop.service.delete(f"/screens/{screens[1]}")
    right.kill()
    shop.service.patch(where, {"name": "Corner"})
    shop.service.patch(f"/content/items/{shop.items['Espresso']}", {"eightySixed": True})
    wait_until(lambda: "Espresso" not in on_glass(wide.state()), what="the wide one has it")
    wait_until(lambda: alike(glass(left).copy(PART), parts()[0]), what="the left one goes on with its part")
    assert left.state()["rejections"] == []

    shop.service.kill()
    left.kill()
    left.start()
    left.wait_for("it is back without the service", on_glass)
    wait_until(lambda: alike(glass(left).copy(PART), parts()[0]), what="its part is stored")
