"""Banners over the views: identification, pairing notice, strip and PIN, from the current order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import asdict
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.media.qr_image import PLAIN, qr_source
from player.display.qt.typed import qml_property, slot
from player.display.views.cards import LEAST_PIXELS, card_fonts, displayed_address, displayed_code
from player.domain.view import DisplayOrder


class Banners(QObject):
    """Banners of an order. `seen`: they are not left out of a picture."""

    changed = Signal()
    seenChanged = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._order: tuple[object, ...] = ()
        # Those of a banner that goes stay until QML has removed it.
        self._identity: dict[str, object] = {}
        self._notice: dict[str, object] = {}
        self._strip: dict[str, object] = {}
        self._pin = ""
        self._shows: frozenset[str] = frozenset()
        self._seen = True

    def show(self, order: DisplayOrder) -> None:
        banners = (order.identify, order.notice, order.strip, order.locality, order.pin)
        if banners == self._order:
            return
        self._order, (identity, notice, strip, locality, pin) = banners, banners
        place = {"locale": locality.locale, "rightToLeft": locality.right_to_left}
        if identity is not None:
            self._identity = {**place, **asdict(identity)}
        if strip is not None:
            self._strip = {**place, **asdict(strip), "qr": qr_source(strip.qr, PLAIN)}
        if notice is not None:
            code, address = displayed_code(notice.user_code), displayed_address(notice.address)
            self._notice = {**place, **asdict(notice), "code": code, "address": address}
        self._pin = pin.grouped if pin is not None else ""
        shown = {"identity": identity, "notice": notice, "strip": strip}
        self._shows = frozenset(name for name, banner in shown.items() if banner is not None)
        self.changed.emit()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        self._set_seen(seen=False)
        try:
            yield
        finally:
            self._set_seen(seen=True)

    def _set_seen(self, *, seen: bool) -> None:
        self._seen = seen
        self.seenChanged.emit()

    @slot(str, str, float, result=QFont)
    def font(self, locale: str, name: str, pixels: float) -> QFont:
        """A font of the cards, for a banner."""
        return card_fonts(locale)[name].at_size(max(LEAST_PIXELS, round(pixels)))

    seen = qml_property(bool, lambda self: self._seen, notify=seenChanged)
    identity = qml_property("QVariantMap", lambda self: self._identity, notify=changed)
    identityShows = qml_property(bool, lambda self: "identity" in self._shows, notify=changed)
    notice = qml_property("QVariantMap", lambda self: self._notice, notify=changed)
    noticeShows = qml_property(bool, lambda self: "notice" in self._shows, notify=changed)
    pin = qml_property(str, lambda self: self._pin, notify=changed)
    """The page's PIN in two groups; empty for none."""
    strip = qml_property("QVariantMap", lambda self: self._strip, notify=changed)
    stripShows = qml_property(bool, lambda self: "strip" in self._shows, notify=changed)
