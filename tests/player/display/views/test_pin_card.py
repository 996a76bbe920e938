"""The page's PIN in a corner of the glass."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF

from player.domain.pairing.access import Pin
from player.domain.view import Identity, PairingNotice
from tests.player.display.conftest import Glass
from tests.player.display.views.test_pairing_notice import MENU

IDENTITY = Identity(
    name="A very long name of a screen that hangs over the counter, left",
    short_id="DDDDDD",
    location="Corner Café",
    address="http://192.168.1.23:8085",
)
NOTICE = PairingNotice(
    name="Counter",
    locale="en",
    fault="This screen has lost its pairing. Its menu stays.",
    advice="A code will show here.",
)


@pytest.mark.parametrize(("digits", "grouped"), [("482913", "482 913"), ("4829130572", "48291 30572")])
@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920), (800, 480)])
def test_the_pin_is_small_in_a_corner_over_everything_and_goes_again(
    qtbot: object, size: tuple[int, int], digits: str, grouped: str
) -> None:
    glass = Glass(qtbot, size=size)  # type: ignore[arg-type]
    try:
        glass.show(MENU, notice=NOTICE, identify=IDENTITY, pin=Pin(digits=digits, until=1e9))
        assert glass.texts("pinDigits") == [grouped]
        [card], [banner], [notice] = glass.find("pinCard"), glass.find("banner"), glass.find("notice")
        box = card.mapRectToItem(glass.root, QRectF(0, 0, card.width(), card.height()))
        assert QRectF(0, 0, *size).contains(box)
        assert box.width() * box.height() < 0.05 * size[0] * size[1]
        for other in (banner, notice):
            assert not box.intersects(other.mapRectToItem(glass.root, QRectF(0, 0, other.width(), other.height())))
        [drawn] = glass.find("pinDigits")
        assert drawn.mapToItem(glass.root, QPointF(0, 0)).x() > size[0] / 2
        # Digits of 15 mm are read from two metres; a board of 1080 pixels is half a metre high.
        assert drawn.property("font").pixelSize() >= 0.04 * min(size)
        glass.show(MENU)
        assert glass.find("pinCard") == []
    finally:
        glass.display.close()
