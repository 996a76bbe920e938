"""The safe card, which stands in for the whole display."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from menu.text.phrase import in_language, phrase
from menu.text.wording import Locality
from player.display.media import qr_image as codes
from player.display.media.qr_image import PLAIN, qr_image
from player.display.window import card
from player.display.window.card import ASIDE, CODE_SIDE, MARGIN
from player.display.window.panel import Panel
from player.display.window.safe_card import SafeDisplay
from player.display.window.screenshot import encode_png, is_flat, upright
from player.domain.events import DetailsAsked
from player.domain.machine import WindowMode
from player.domain.pairing.access import Pin
from player.domain.view import HouseCard, Identity, Strip
from tests.player.display.scenes import order
from tests.support.patience import PATIENCE_SECONDS

STRIP = Strip(
    name="Counter · Corner Café",
    version="Menu Player 0.1.0",
    address="http://192.168.7.20:8085",
    finding="The network cable is not plugged in.",
    qr="http://192.168.7.20:8085",
)
LOCALES = ("en-GB", "de-DE", "es-ES", "fr-FR", "ar-EG")


@pytest.fixture
def display(qtbot: QtBot) -> Iterator[SafeDisplay]:
    display = SafeDisplay(mode=WindowMode.OFFSCREEN, size=(1920, 1080), panel=Panel())
    yield display
    display.close()


def test_no_cursor_stands_on_it(qtbot: QtBot) -> None:
    display = SafeDisplay(mode=WindowMode.FULLSCREEN, size=None, panel=Panel())
    display.start()
    qtbot.waitUntil(display._window.isExposed, timeout=round(PATIENCE_SECONDS * 1000))
    assert display._window.cursor().shape() is Qt.CursorShape.BlankCursor
    display.close()


def locality(locale: str) -> Locality:
    return Locality(locale=locale, right_to_left=locale.startswith("ar"))


def finding_in(locale: str) -> str:
    return in_language(phrase("No network cable is plugged in, or the box at its other end is off."), locale)


@pytest.mark.first_case
@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("locale", LOCALES)
def test_strip_and_name_stand_on_the_card_in_every_language_and_clear_of_its_words(
    display: SafeDisplay, locale: str, rotation: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MENU_PICTURES names a folder for the pictures."""
    boxes: list[QRectF] = []

    class Watched(QPainter):
        def drawText(self, box: QRectF, *more: Any) -> None:
            boxes.append(box)
            super().drawText(box, *more)

        def drawImage(self, box: QRectF, *more: Any) -> None:
            boxes.append(box)
            super().drawImage(box, *more)

    monkeypatch.setattr(card, "QPainter", Watched)
    who = Identity(name="Theke", location="Corner Café", short_id="4BBBA6")
    strip = replace(STRIP, finding=finding_in(locale))
    more = {"locality": locality(locale), "rotation": rotation, "strip": strip}
    display.show(order(1, HouseCard(), **more))
    keep(display, tmp_path, f"safe-card-{locale}-{rotation}")
    display.show(order(1, HouseCard(), identify=who, pin=Pin(digits="482913", until=1e9), **more))
    boxes.clear()
    assert not is_flat(display.grab_image())
    drawn = list(boxes)
    keep(display, tmp_path, f"safe-card-{locale}-{rotation}-f1")
    assert len(drawn) == 3 + 1 + 3 + 3, "strip, its code, the name, the PIN, and the card's own words"
    seen = QRectF(-960, -540, 1920, 1080) if rotation == 0 else QRectF(-540, -960, 1080, 1920)
    for number, box in enumerate(drawn):
        assert seen.contains(box), box
        # A line's box is as wide as its room: those of the strip, and of the card, stand one above the other.
        assert not any(box.intersects(other) for other in drawn[number + 1 :]), (box, drawn)


def test_the_code_of_the_strip_is_the_address_of_the_page(display: SafeDisplay) -> None:
    display.show(order(1, HouseCard(), strip=STRIP))
    code, image = qr_image(STRIP.qr, PLAIN), display.grab_image()
    left, side = 1920 - MARGIN - ASIDE, CODE_SIDE - 8
    top = next(y for y in range(1080) if image.pixelColor(left + CODE_SIDE // 2, y).name() == "#ffffff")
    drawn = image.copy(left + 4, top + 4, side, side).scaled(code.size())
    assert drawn.convertToFormat(code.format()) == code


def test_f1_asks_which_screen_it_is(qtbot: QtBot) -> None:
    asked: list[DetailsAsked] = []
    display = SafeDisplay(mode=WindowMode.OFFSCREEN, size=(960, 540), panel=Panel(), emit=asked.append)
    QTest.keyClick(display._window, Qt.Key.Key_F1)
    QTest.keyClick(display._window, Qt.Key.Key_A)
    display.close()
    assert asked == [DetailsAsked()]


def test_a_code_that_cannot_be_drawn_costs_the_code_only(display: SafeDisplay, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> QImage:
        raise RuntimeError("damaged")

    monkeypatch.setattr(codes, "qr_image", fail)
    display.show(order(1, HouseCard(), strip=STRIP))
    with_fault = display.grab_image()
    display.show(order(1, HouseCard(), strip=replace(STRIP, qr="")))
    assert with_fault == display.grab_image()


def keep(display: SafeDisplay, folder: Path, name: str) -> None:
    """A picture for people, as the panel hangs."""
    image = upright(display.grab_image(), display._rotation)
    (Path(os.environ.get("MENU_PICTURES", folder)) / f"{name}.png").write_bytes(encode_png(image))


def test_the_page_s_pin_shows_on_the_safe_card_too(qtbot: QtBot) -> None:
    display = SafeDisplay(mode=WindowMode.OFFSCREEN, size=(960, 540), panel=Panel())
    drawn = []
    for pin in (None, Pin(digits="482913", until=1e9), None):
        display.show(order(1, HouseCard(), pin=pin))
        drawn.append(display.grab_image())
    display.close()
    assert drawn[0] == drawn[2]
    assert drawn[0] != drawn[1]
