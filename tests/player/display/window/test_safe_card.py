"""The safe card, which stands in for the whole display."""

from __future__ import annotations

from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from player.display.window.panel import Panel
from player.display.window.safe_card import SafeDisplay
from player.display.window.window import DisplayMode
from player.domain.access import Pin
from player.domain.view import HouseCard
from tests.player.display.scenes import order


def test_the_page_s_pin_shows_on_the_safe_card_too(qtbot: QtBot) -> None:
    display = SafeDisplay(mode=DisplayMode.OFFSCREEN, size=(960, 540), panel=Panel())
    drawn = []
    for pin in (None, Pin(digits="482913", until=1e9), None):
        display.show(order(1, HouseCard(), pin=pin))
        image = QImage(960, 540, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        display._window.draw(painter, 960, 540)
        painter.end()
        drawn.append(image)
    display.close()
    assert drawn[0] == drawn[2]
    assert drawn[0] != drawn[1]
