"""The safe card: stands in for the whole display when that cannot show anything; QPainter and nothing else."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QRasterWindow,
    QTransform,
    QWindow,
)

from player.display.media.qr_image import PLAIN, qr_image
from player.display.qt.constants import FRAMELESS_WINDOW
from player.display.qt.single_shot import single_shot_timer
from player.display.window.panel import Panel
from player.display.window.screens import seen_screen
from player.display.window.screenshot import Screenshot
from player.display.window.window import DEFAULT_SIZE, DisplayMode
from player.domain.events import DetailsAsked, DisplayLooked
from player.domain.view import DisplayOrder, Identity, Locality, Strip
from player.domain.words.phrase import in_language, phrase

log = logging.getLogger(__name__)

GROUND, TEXT, QUIET = "#14181D", "#F4F1EA", "#A9A59C"
TITLE = phrase("The menu cannot be shown on this screen right now")
WHY = phrase(
    "Its display program failed several times. Details: the screen's page in the menu service, or this device's log."
)
WHAT_NEXT = phrase("This screen tries again by itself every ten minutes, and as soon as a new menu is published.")
ADDRESS = "#E9B44C"
TITLE_SHARE, BODY_SHARE, PIN_SHARE = 0.055, 0.03, 0.045
"""Text sizes, of the shorter side."""
NAME_SHARE, ADDRESS_SHARE, FINDING_SHARE = 0.026, 0.033, 0.026
"""In the strip at the lower edge."""
MODULE_SHARE = 4 / 1080
"""Of the strip's code: a phone reads it from 3 m away (player/display/qml/Strip.qml)."""
STRIP_MARGIN_SHARE = 0.04
GAP_SHARE = 0.04
"""Between two texts."""
MARGIN_SHARE = 0.1
ALIGN_CENTER_WRAPPED = 0x84 | 0x1000
"""Qt.AlignCenter and Qt.TextWordWrap."""
ALIGN_LEFT_WRAPPED, ALIGN_RIGHT_WRAPPED = 0x1 | 0x10 | 0x1000, 0x2 | 0x10 | 0x1000
"""Qt.AlignLeft, Qt.AlignRight, Qt.AlignAbsolute: whatever the script of a line."""
F1 = 0x01000030
"""Qt.Key_F1."""
FOLLOW_SECONDS = 1.0


class SafeCard(QRasterWindow):
    """The window."""

    detailsAsked = Signal()

    def __init__(self, *, rotation: Callable[[], int]) -> None:
        super().__init__()
        self._rotation = rotation
        self.locality = Locality()
        self.pin = ""
        """The PIN of the screen's page; empty for none."""
        self.identity: Identity | None = None
        self.strip: Strip | None = None
        self.setTitle("Menu Player")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        self.draw(painter, self.width(), self.height())
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """F1 asks which screen this is."""
        if event.key() == F1 and not event.isAutoRepeat():
            self.detailsAsked.emit()

    def draw(self, painter: QPainter, width: int, height: int) -> None:
        """Draw the card in these pixels, as the panel hangs."""
        painter.fillRect(QRect(0, 0, width, height), QColor(GROUND))
        rotation = self._rotation()
        painter.translate(width / 2, height / 2)
        painter.rotate(rotation)
        if rotation % 180:
            width, height = height, width
        short = min(width, height)
        used = 0
        try:
            used = self._draw_strip(painter, width, height)
        except Exception:
            # It stands in when everything else has failed: what is wrong with the strip must not take it away.
            log.exception("the strip could not be drawn")
        margin = round(short * MARGIN_SHARE)
        room = QRect(-width // 2 + margin, -height // 2 + margin, width - 2 * margin, height - 2 * margin - used)
        self._draw_lines(painter, room, short)
        painter.setTransform(QTransform())

    def _draw_lines(self, painter: QPainter, room: QRect, short: int) -> None:
        texts: list[tuple[str, float, str]] = [
            (TITLE, TITLE_SHARE, TEXT),
            (WHY, BODY_SHARE, QUIET),
            (WHAT_NEXT, BODY_SHARE, QUIET),
        ]
        one = self.identity
        if one is not None:
            place = " · ".join(filter(None, (one.location, one.short_id)))
            texts = [(one.name, TITLE_SHARE, TEXT), (place, PIN_SHARE, ADDRESS), *texts]
        if self.pin:
            texts.append((f"PIN  {self.pin}", PIN_SHARE, TEXT))
        lines: list[tuple[str, QFont, str, QRect]] = []
        for sentence, share, color in texts:
            text, font = in_language(sentence, self.locality.locale), _font(short, share)
            painter.setFont(font)
            lines.append((text, font, color, painter.boundingRect(room, ALIGN_CENTER_WRAPPED, text)))
        gap = round(short * GAP_SHARE)
        top = room.center().y() - (sum(box.height() for *_, box in lines) + gap * (len(lines) - 1)) // 2
        for text, font, color, box in lines:
            painter.setFont(font)
            painter.setPen(QColor(color))
            painter.drawText(QRect(room.x(), top, room.width(), box.height()), ALIGN_CENTER_WRAPPED, text)
            top += box.height() + gap

    def _draw_strip(self, painter: QPainter, width: int, height: int) -> int:
        """Draw the strip at the lower edge; returns its height."""
        strip, short = self.strip, min(width, height)
        if strip is None:
            return 0
        margin, mirrored = round(short * STRIP_MARGIN_SHARE), self.locality.right_to_left
        code = qr_image(strip.qr, PLAIN) if strip.qr else QImage()
        side = code.width() * math.ceil(short * MODULE_SHARE)
        beside = side + margin if side else 0
        room = QRect(-width // 2 + margin + (0 if mirrored else beside), 0, width - 2 * margin - beside, height // 2)
        align = ALIGN_RIGHT_WRAPPED if mirrored else ALIGN_LEFT_WRAPPED
        lines = []
        for text, share, color in (
            (f"{strip.name}   {strip.version}", NAME_SHARE, TEXT),
            (strip.address, ADDRESS_SHARE, ADDRESS),
            (strip.finding, FINDING_SHARE, TEXT),
        ):
            if text:
                font = _font(short, share)
                painter.setFont(font)
                lines.append((text, font, color, painter.boundingRect(room, align, text).height()))
        tall = sum(each[3] for each in lines)
        used = max(side, tall)
        bottom = height // 2 - margin
        if side:
            left = width // 2 - margin - side if mirrored else -width // 2 + margin
            painter.drawImage(QRect(left, bottom - (used + side) // 2, side, side), code)
        top = bottom - (used + tall) // 2
        for text, font, color, line in lines:
            painter.setFont(font)
            painter.setPen(QColor(color))
            painter.drawText(QRect(room.x(), top, room.width(), line), align, text)
            top += line
        return used + margin


def _hide_cursor(window: QWindow) -> None:
    """No cursor over it, even with a mouse connected."""
    from PySide6.QtCore import Qt

    window.setCursor(Qt.CursorShape.BlankCursor)


def _font(short: int, share: float) -> QFont:
    font = QFont("Inter")
    font.setPixelSize(max(8, round(short * share)))
    return font


class SafeDisplay(QObject):
    """Takes the display's place: orders change nothing but rotation, language, the PIN of the page, and what is said of
    the screen itself. `emit` takes the wish to see that."""

    ready = Signal()

    def __init__(
        self,
        *,
        mode: DisplayMode,
        size: tuple[int, int] | None,
        panel: Panel,
        emit: Callable[[DetailsAsked], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._mode = mode
        self._panel = panel
        self._given_rotation = 0
        self._window = SafeCard(rotation=lambda: panel.effective_rotation(self._given_rotation))
        self._window.detailsAsked.connect(lambda: emit(DetailsAsked()))
        self._window.resize(*(size or DEFAULT_SIZE))
        self._soon = single_shot_timer(0, self.ready.emit, self)
        self._follow = single_shot_timer(FOLLOW_SECONDS, self._follow_screen, self)
        self._has_screen = True

    def show(self, order: DisplayOrder) -> None:
        """Hang as the location's panels do, speak its language, show the page's PIN, and which screen this is."""
        window, pin = self._window, order.pin.grouped if order.pin is not None else ""
        shown = (order.rotation, order.locality, pin, order.identify, order.strip)
        if shown != (self._given_rotation, window.locality, window.pin, window.identity, window.strip):
            self._given_rotation = order.rotation
            window.locality, window.pin, window.identity, window.strip = shown[1:]
            window.update()

    def start(self) -> None:
        """Open the window."""
        if self._mode is DisplayMode.FULLSCREEN:
            self._window.setProperty("flags", FRAMELESS_WINDOW)
            _hide_cursor(self._window)
            self._follow_screen()
            self._window.showFullScreen()
        else:
            self._window.show()
        self._soon.start()

    def close(self) -> None:
        """Close the window."""
        self._soon.stop()
        self._follow.stop()
        self._window.close()

    def forgive_crashes(self) -> None:
        """No video is played."""

    def look(self, turned_at: float) -> DisplayLooked:
        """The signs of life. No frame of an order ever comes."""
        return DisplayLooked(turned_at=turned_at, has_screen=self._has_screen, frames_seen=False)

    def grab(self, deliver: Callable[[Screenshot], None]) -> None:
        """Call `deliver` with the card."""
        deliver(Screenshot(self.grab_image(), self._panel.effective_rotation(self._given_rotation)))

    def grab_image(self) -> QImage:
        """The card."""
        image = QImage(self._window.size(), QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self._window.draw(painter, image.width(), image.height())
        painter.end()
        return image

    def _follow_screen(self) -> None:
        screen = seen_screen()
        self._has_screen = screen is not None
        if screen is not None and QGuiApplication.platformName() == "xcb":
            self._window.setGeometry(screen.geometry())
        self._follow.start()
