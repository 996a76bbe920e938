"""The safe card: stands in for the whole display when that cannot show anything; QPainter and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter, QPaintEvent, QRasterWindow, QTransform

from player.display.qt.constants import FRAMELESS_WINDOW
from player.display.qt.single_shot import single_shot_timer
from player.display.qt.worker import Worker
from player.display.window.panel import Panel
from player.display.window.screens import seen_screen
from player.display.window.screenshot import encode_png, upright
from player.display.window.window import DEFAULT_SIZE, DisplayMode
from player.domain.events import DisplayLooked
from player.domain.phrase import in_language, phrase
from player.domain.view import DisplayOrder
from player.domain.wording import FALLBACK_LOCALE

GROUND, TEXT, QUIET = "#14181D", "#F4F1EA", "#A9A59C"
TITLE = phrase("The menu cannot be shown on this screen right now")
WHY = phrase(
    "Its display program failed several times. Details: the screen's page in the menu service, or this device's log."
)
WHAT_NEXT = phrase("This screen tries again by itself every ten minutes, and as soon as a new menu is published.")
TITLE_SHARE, BODY_SHARE, PIN_SHARE = 0.055, 0.03, 0.045
"""Text sizes, of the shorter side."""
GAP_SHARE = 0.04
"""Between two texts."""
MARGIN_SHARE = 0.1
ALIGN_CENTER_WRAPPED = 0x84 | 0x1000
"""Qt.AlignCenter and Qt.TextWordWrap."""
FOLLOW_SECONDS = 1.0


class SafeCard(QRasterWindow):
    """The window."""

    def __init__(self, *, rotation: Callable[[], int], locale: Callable[[], str]) -> None:
        super().__init__()
        self._locale = locale
        self._rotation = rotation
        self.pin = ""
        """The PIN of the screen's page; empty for none."""
        self.setTitle("Menu Player")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        self.draw(painter, self.width(), self.height())
        painter.end()

    def draw(self, painter: QPainter, width: int, height: int) -> None:
        """Draw the card in these pixels, as the panel hangs."""
        painter.fillRect(QRect(0, 0, width, height), QColor(GROUND))
        rotation = self._rotation()
        painter.translate(width / 2, height / 2)
        painter.rotate(rotation)
        if rotation % 180:
            width, height = height, width
        short = min(width, height)
        margin = round(short * MARGIN_SHARE)
        room = QRect(-width // 2 + margin, -height // 2 + margin, width - 2 * margin, height - 2 * margin)
        lines: list[tuple[str, QFont, str, QRect]] = []
        locale = self._locale()
        for sentence, share, color in (
            (TITLE, TITLE_SHARE, TEXT),
            (WHY, BODY_SHARE, QUIET),
            (WHAT_NEXT, BODY_SHARE, QUIET),
            *(((f"PIN  {self.pin}", PIN_SHARE, TEXT),) if self.pin else ()),
        ):
            text = in_language(sentence, locale)
            font = QFont("Inter")
            font.setPixelSize(max(8, round(short * share)))
            painter.setFont(font)
            lines.append((text, font, color, painter.boundingRect(room, ALIGN_CENTER_WRAPPED, text)))
        gap = round(short * GAP_SHARE)
        top = -(sum(box.height() for *_, box in lines) + gap * (len(lines) - 1)) // 2
        for text, font, color, box in lines:
            painter.setFont(font)
            painter.setPen(QColor(color))
            painter.drawText(QRect(room.x(), top, room.width(), box.height()), ALIGN_CENTER_WRAPPED, text)
            top += box.height() + gap
        painter.setTransform(QTransform())


class SafeDisplay(QObject):
    """Takes the display's place: orders change nothing but rotation, language and the PIN of the page."""

    ready = Signal()

    def __init__(self, *, mode: DisplayMode, size: tuple[int, int] | None, panel: Panel) -> None:
        super().__init__()
        self._mode = mode
        self._panel = panel
        self._location_rotation = 0
        self._panel = panel
        self._locale = FALLBACK_LOCALE
        self._worker = Worker()
        self._window = SafeCard(
            rotation=lambda: panel.effective_rotation(self._location_rotation), locale=lambda: self._locale
        )
        self._window.resize(*(size or DEFAULT_SIZE))
        self._soon = single_shot_timer(0, self.ready.emit, self)
        self._follow = single_shot_timer(FOLLOW_SECONDS, self._follow_screen, self)
        self._has_screen = True

    def show(self, order: DisplayOrder) -> None:
        """Hang as the location's panels do, speak its language, and show the page's PIN."""
        pin = order.pin.grouped if order.pin is not None else ""
        shown = (order.rotation, order.locality.locale, pin)
        if shown != (self._location_rotation, self._locale, self._window.pin):
            self._location_rotation, self._locale, self._window.pin = shown
            self._window.update()

    def start(self) -> None:
        """Open the window."""
        if self._mode is DisplayMode.FULLSCREEN:
            self._window.setProperty("flags", FRAMELESS_WINDOW)
            self._follow_screen()
            self._window.showFullScreen()
        else:
            self._window.show()
        self._soon.start()

    def close(self) -> None:
        """Close the window."""
        self._soon.stop()
        self._follow.stop()
        self._worker.close()
        self._window.close()

    def forgive_crashes(self) -> None:
        """No video is played."""

    def look(self, turned_at: float) -> DisplayLooked:
        """The signs of life. No frame of an order ever comes."""
        return DisplayLooked(turned_at=turned_at, has_screen=self._has_screen, frames_seen=False)

    def grab(self, deliver: Callable[[bytes], None]) -> None:
        """Call `deliver` with the card as PNG, upright, on another thread."""
        image, rotation = self.grab_image(), self._panel.effective_rotation(self._location_rotation)
        self._worker.start(lambda: deliver(encode_png(upright(image, rotation))))

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
