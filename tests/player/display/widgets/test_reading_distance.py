"""The smallest words of a board are read from as far as docs/scene.md says."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QFont, QFontMetricsF

from tests.player.display.conftest import Glass, descendants
from tests.player.display.scenes import listing, one_menu, row

PANEL_SIDE = 43 * 25.4 * 9 / math.hypot(16, 9)
"""The shorter side of a 43-inch panel, in mm."""
HEIGHTS_AWAY = 575
"""A capital letter is read from this many times its height."""
LEAST_METRES = 5.0
SMALL_LETTERS = 0.75
"""Height of Inter's small letters in that of its capitals: words in capitals are read as far with smaller type."""


def metres(font: QFont, text: str) -> float:
    """From how far away a word in this font is read, on a canvas of 1080."""
    height = QFontMetricsF(font).capHeight() / 1080 * PANEL_SIDE * HEIGHTS_AWAY / 1000
    return height / SMALL_LETTERS if text == text.upper() else height


@pytest.mark.parametrize("count", [3, 60, 300])
def test_the_words_of_a_menu_are_read_from_five_metres_on_a_panel_of_43_inches(glass: Glass, count: int) -> None:
    rows = [
        row(f"Flat white {number}", "3,40 €", item_id=f"itm_{number}", description="Double shot, steamed milk",
            tags=("new",), allergens=("milk",))
        for number in range(count)
    ]  # fmt: skip
    glass.show(one_menu(listing(("Coffee", rows))))

    words = {
        str(item.property("text")): metres(QFont(item.property("font")), str(item.property("text")))
        for item in descendants(glass.root)
        if item.objectName() in {"name", "price", "details", "legend", "headingText"} and item.isVisible()
    }
    assert {"COFFEE", "3,40 €", "Double shot, steamed milk"} <= set(words)
    assert {text: found for text, found in words.items() if found < LEAST_METRES - 0.05} == {}
