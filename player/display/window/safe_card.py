"""Safe card: replaces the whole display when that cannot show anything."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage

from menu.text.phrase import in_language, phrase
from menu.text.wording import Locality
from player.display.qt.typed import single_shot_timer
from player.display.window.card import Card, Note, Notice
from player.display.window.panel import Panel
from player.display.window.screens import seen_screen
from player.display.window.screenshot import Screenshot
from player.display.window.window import DEFAULT_SIZE
from player.domain.events import DetailsAsked, DisplayChecked
from player.domain.machine import WindowMode
from player.domain.view import DisplayOrder

TITLE = phrase("The menu cannot be shown on this screen right now")
WHY = phrase(
    "Its display program failed several times. Details: the screen's page in the menu service, or this device's log."
)
WHAT_NEXT = phrase("This screen tries again by itself every ten minutes, and as soon as a new menu is published.")


def safe_notice(order: DisplayOrder | None) -> Notice:
    """Returns the content of the card: its sentences, the screen's identification, the strip, and the PIN of the
    page."""
    locality = order.locality if order is not None else Locality()
    title, why, then = (in_language(sentence, locality.locale) for sentence in (TITLE, WHY, WHAT_NEXT))
    notes = [Note("", why)]
    notice = Notice(title, (), then, right_to_left=locality.right_to_left)
    if order is not None and order.identify is not None:
        place = " · ".join(filter(None, (order.identify.location, order.identify.short_id)))
        notes.insert(0, Note(place, title))
        notice = notice._replace(title=order.identify.name)
    if order is not None and order.strip is not None:
        strip = order.strip
        if strip.finding:
            notes.append(Note("", strip.finding))
        notice = notice._replace(caption=f"{strip.name}   {strip.version}", address=strip.address, code=strip.qr)
    pin = order.pin.grouped if order is not None and order.pin is not None else ""
    return notice._replace(notes=tuple(notes), pin=pin)


class SafeDisplay(QObject):
    """Replaces the display: orders change only rotation, language, the PIN of the page, and notices about the screen
    itself. `emit` receives requests to identify the screen."""

    ready = Signal()
    is_at_rest = True

    def __init__(
        self,
        *,
        mode: WindowMode,
        size: tuple[int, int] | None,
        panel: Panel,
        emit: Callable[[DetailsAsked], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._mode = mode
        self._panel = panel
        self._rotation = panel.mounting(0).rotation
        self._window = Card(safe_notice(None), rotation=self._rotation)
        self._window.detailsAsked.connect(lambda: emit(DetailsAsked()))
        self._window.resize(*(size or DEFAULT_SIZE))
        self._soon = single_shot_timer(0, self.ready.emit, self)
        self._follow = single_shot_timer(1.0, self._follow_screen, self)
        self._has_screen = True

    def show(self, order: DisplayOrder) -> None:
        """Applies the order's rotation, language, page PIN and screen identification."""
        self._rotation = self._panel.mounting(order.rotation).rotation
        self._window.say(safe_notice(order), rotation=self._rotation)

    def start(self) -> None:
        if self._mode is WindowMode.FULLSCREEN:
            self._window.setFlags(Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
            self._window.setCursor(Qt.CursorShape.BlankCursor)
            self._follow_screen()
            self._window.showFullScreen()
        else:
            self._window.show()
        self._soon.start()

    def close(self) -> None:
        self._soon.stop()
        self._follow.stop()
        self._window.close()

    def forgive_crashes(self) -> None:
        """Does nothing: no video is played."""

    def look(self, turned_at: float) -> DisplayChecked:
        """Returns the signs of life. No frame of an order is ever presented."""
        return DisplayChecked(turned_at=turned_at, has_screen=self._has_screen, frames_seen=False)

    def screenshot(self) -> Screenshot:
        return Screenshot(self.grab_image(), self._rotation)

    def grab_image(self) -> QImage:
        return self._window.image(self._window.width(), self._window.height())

    def _follow_screen(self) -> None:
        screen = seen_screen()
        self._has_screen = screen is not None
        if screen is not None and QGuiApplication.platformName() == "xcb":
            self._window.setGeometry(screen.geometry())
        self._follow.start()
