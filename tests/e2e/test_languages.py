"""A board in two languages through both programs: from the API to the glass."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QImage

from tests.e2e.conftest import Shop
from tests.support.programs import eventually, on_glass

RED = "#FF0000"


@pytest.mark.long
def test_a_board_shows_its_languages_in_turn_and_mirrors_itself(shop: Shop) -> None:
    [soup] = [
        shop.service.post("/content/items", {"name": "Linsensuppe", "category": "Suppen", "price": 5.9})["id"],
    ]
    menu = {"id": "menu", "type": "menu", "x": 480, "y": 0, "width": 1440, "height": 900, "itemIds": [soup]}
    mark: dict[str, Any] = {"id": "mark", "type": "shape", "shape": "rectangle", "color": RED}
    scene = shop.service.post(
        "/scenes",
        {
            "name": "Menu",
            "languages": ["de", "ar"],
            "mirrorBoxes": True,
            "transition": {"type": "cut"},
            "widgets": [menu, mark | {"x": 0, "y": 0, "width": 400, "height": 900}],
        },
    )["id"]
    shop.pair(shop.playlist("All day", (scene, 2)))
    shop.player.wait_for("the menu is on the glass", on_glass)
    seen: set[str] = set()

    def both_languages() -> bool:
        glass = QImage.fromData(shop.player.glass())
        for side, x in (("left", 20), ("right", glass.width() - 20)):
            if glass.pixelColor(x, 100).red() > 200 and glass.pixelColor(x, 100).green() < 60:
                seen.add(side)
        return seen == {"left", "right"}

    eventually(both_languages, what="the mark is on the left in German, on the right in Arabic")

    # The operator reads what is still to be translated, and the board what has been, without a publish.
    def missing() -> list[str]:
        return [one["code"] for one in shop.player.state()["rejections"] if one["code"] == "translation_missing"]

    eventually(lambda: bool(missing()), what="the missing name is reported")
    shop.service.patch(f"/content/items/{soup}", {"translations": {"ar": {"name": "شوربة عدس"}}})
    eventually(lambda: not missing(), what="nothing is missing any more")
