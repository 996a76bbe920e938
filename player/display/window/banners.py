"""Banners over the views: identification, pairing notice, strip and PIN, from the order that shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.media.qr_image import PLAIN, qr_source
from player.display.qt.qml_property import qml_property
from player.display.qt.slot import slot
from player.display.typography.theme import MeasuredFont
from player.display.views.cards import LEAST_PIXELS, card_fonts, displayed_address, displayed_code
from player.domain.access import Pin
from player.domain.view import DisplayOrder, Identity, Locality, PairingNotice, Strip


class Banners(QObject):
    """The banners of an order. `seen`: they are not left out of a picture."""

    changed = Signal()
    seenChanged = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._identity: Identity | None = None
        self._notice: PairingNotice | None = None
        self._strip: Strip | None = None
        self._locality = Locality()
        self._pin: Pin | None = None
        self._seen = True
        self._banner_fonts: dict[str, dict[str, MeasuredFont]] = {}

    def show(self, order: DisplayOrder) -> None:
        """Show the banners of this order."""
        banners = (order.identify, order.notice, order.strip, order.locality, order.pin)
        if banners != (self._identity, self._notice, self._strip, self._locality, self._pin):
            self._identity, self._notice, self._strip, self._locality, self._pin = banners
            self.changed.emit()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Leave them out."""
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
        if locale not in self._banner_fonts:
            self._banner_fonts = {locale: card_fonts(locale)}
        return self._banner_fonts[locale][name].at_size(max(LEAST_PIXELS, round(pixels)))

    def _notice_facts(self) -> dict[str, str]:
        notice = self._notice
        if notice is None:
            return {"name": "", "locale": "en", "fault": "", "advice": "", "code": "", "at": "", "address": ""}
        return {
            "name": notice.name,
            "locale": notice.locale,
            "fault": notice.fault,
            "advice": notice.advice,
            "code": displayed_code(notice.user_code),
            "at": notice.at,
            "address": displayed_address(notice.address),
        }

    def _identity_facts(self) -> dict[str, object]:
        identity = self._identity or Identity(name="", short_id="")
        return {
            "locale": self._locality.locale,
            "rightToLeft": self._locality.right_to_left,
            "name": identity.name,
            "location": identity.location,
            "shortId": identity.short_id,
            "address": identity.address,
        }

    def _strip_facts(self) -> dict[str, object]:
        strip = self._strip or Strip(name="", version="")
        return {
            "locale": self._locality.locale,
            "rightToLeft": self._locality.right_to_left,
            "name": strip.name,
            "version": strip.version,
            "address": strip.address,
            "finding": strip.finding,
            "isFault": strip.is_fault,
            "qr": qr_source(strip.qr, PLAIN),
        }

    seen = qml_property(bool, lambda self: self._seen, notify=seenChanged)
    identity = qml_property("QVariantMap", lambda self: self._identity_facts(), notify=changed)
    identityShows = qml_property(bool, lambda self: self._identity is not None, notify=changed)
    notice = qml_property("QVariantMap", lambda self: self._notice_facts(), notify=changed)
    pin = qml_property(str, lambda self: self._pin.grouped if self._pin is not None else "", notify=changed)
    """The page's PIN in two groups; empty for none."""
    noticeShows = qml_property(bool, lambda self: self._notice is not None, notify=changed)
    strip = qml_property("QVariantMap", lambda self: self._strip_facts(), notify=changed)
    stripShows = qml_property(bool, lambda self: self._strip is not None, notify=changed)
