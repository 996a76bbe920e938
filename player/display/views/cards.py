"""View models of the pairing card and the house card."""

from __future__ import annotations

import math
from functools import lru_cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from menu.text.phrase import Phrase, in_language, phrase
from menu.text.wording import Locality, back_text, clock_text
from player.display.media.qr_image import qr_source
from player.display.media.resources import Resources
from player.display.qt.typed import qml_property, slot
from player.display.typography.theme import (
    ACCENT_COLOR,
    BODY_FAMILY,
    TEXT_COLOR,
    TITLE_FAMILY,
    MeasuredFont,
    family_chain,
)
from player.display.views.view_model import ViewModel
from player.domain.view import HouseCard, PairingCard

LEAST_PIXELS = 10
PAIR = phrase("Pair this screen")
CODE_GROUP = 3
"""Letters of a pairing code between two hyphens."""


@lru_cache(2)
def card_fonts(locale: str) -> dict[str, MeasuredFont]:
    """Player's own fonts, by their use on cards and banners."""
    body, title = family_chain(BODY_FAMILY, locale=locale), family_chain(TITLE_FAMILY, locale=locale)
    return {
        "body": MeasuredFont(body),
        "title": MeasuredFont(title, QFont.Weight.DemiBold),
        "thin": MeasuredFont(body, QFont.Weight.Light, tabular=True),
    }


class CardViewModel(ViewModel):
    """A card, in the player's own fonts and colours."""

    def __init__(self, source: str, locality: Locality, resources: Resources, parent: QObject) -> None:
        super().__init__(source, asynchronous=False, right_to_left=locality.right_to_left, parent=parent)
        self._resources = resources
        self.locality = locality
        self._fonts = card_fonts(locality.locale)

    @slot(str, float, result=QFont)
    def font(self, name: str, pixels: float) -> QFont:
        """One of the card's fonts at a size that stays legible in a small window."""
        return self._fonts[name].at_size(max(LEAST_PIXELS, round(pixels)))

    text = qml_property(str, lambda _: TEXT_COLOR)
    accent = qml_property(str, lambda _: ACCENT_COLOR)


class PairingViewModel(CardViewModel):
    """Pairing card; the code's remaining time goes down with each tick."""

    changed = Signal()
    remainingChanged = Signal()

    def __init__(self, view: PairingCard, resources: Resources, parent: QObject) -> None:
        super().__init__("views/PairingCard.qml", view.locality, resources, parent)
        self._view = view
        self._remaining = self._seconds_left()
        self._lifetime = max(self._remaining, 1)

    def update(self, view: PairingCard) -> None:
        is_another, self._view = view.good_until != self._view.good_until, view
        if is_another:
            self._lifetime = max(self._seconds_left(), 1)
        self.changed.emit()
        self.tick()

    @property
    def wants_ticks(self) -> bool:
        """Whether a code is running out."""
        return self._remaining > 0

    def tick(self) -> None:
        remaining = self._seconds_left()
        if remaining != self._remaining:
            self._remaining = remaining
            self.remainingChanged.emit()

    def _seconds_left(self) -> int:
        left = math.ceil(self._view.good_until - self._resources.monotonic())
        return max(0, left) if self._view.user_code else 0

    def _facts(self) -> dict[str, object]:
        view = self._view
        return {
            "code": displayed_code(view.user_code or ""),
            "address": displayed_address(view.verification_uri),
            "qr": qr_source(view.verification_uri_complete) if view.user_code else "",
            "trouble": view.trouble or "",
            "isPaired": view.is_paired,
            **{name: self._said(text) for name, text in self._words().items()},
        }

    def _words(self) -> dict[str, Phrase]:
        view = self._view
        if view.is_paired:
            name = view.paired_as
            title = phrase("Paired as {name}", name=name) if name else phrase("This screen is paired")
            return {"title": title, "intro": phrase("The menu is on its way")}
        if not view.user_code:
            return {"title": PAIR, "intro": phrase("Asking the service for a pairing code…")}
        return {"title": PAIR, "intro": phrase("Enter this code at"), "scan": phrase("or scan with a phone")}

    def _said(self, text: Phrase) -> str:
        return in_language(text, self._view.locality.locale)

    def _remaining_text(self) -> str:
        left = f"{self._remaining // 60}:{self._remaining % 60:02d}"
        return self._said(phrase("Good for {time} min. A new code follows by itself.", time=left))

    facts = qml_property("QVariantMap", _facts, notify=changed)
    remaining = qml_property(str, _remaining_text, notify=remainingChanged)
    share = qml_property(float, lambda self: min(1.0, self._remaining / self._lifetime), notify=remainingChanged)
    """The remaining share of the code's lifetime, 1 to 0."""


class HouseViewModel(CardViewModel):
    """House card: the location's name, the time, and when something is scheduled again."""

    changed = Signal()

    wants_ticks = True

    def __init__(self, view: HouseCard, resources: Resources, parent: QObject) -> None:
        super().__init__("views/HouseCard.qml", view.locality, resources, parent)
        self._view = view
        self._facts = self._facts_now()

    def update(self, view: HouseCard) -> None:
        """Show another card in place."""
        self._view = view
        self.tick()

    def tick(self) -> None:
        facts = self._facts_now()
        if facts != self._facts:
            self._facts = facts
            self.changed.emit()

    def _facts_now(self) -> dict[str, str]:
        now, view, locality = self._resources.now(), self._view, self._view.locality
        return {
            "name": view.location_name,
            "reason": view.reason,
            "time": clock_text("HH:mm", now, locality.timezone, locality.locale),
            "day": clock_text("EEEE", now, locality.timezone, locality.locale),
            "next": back_text(view.next_at, now, locality) if view.next_at is not None else "",
        }

    facts = qml_property("QVariantMap", lambda self: self._facts, notify=changed)


def displayed_code(code: str) -> str:
    """Formats `wdjbmj` and `WDJ BMJ` alike as `WDJ-BMJ`."""
    letters = "".join(letter for letter in code.upper() if letter.isalnum())
    return "-".join(letters[at : at + CODE_GROUP] for at in range(0, len(letters), CODE_GROUP))


def displayed_address(uri: str) -> str:
    """Formats an address as a person types it: without scheme and closing slash."""
    return uri.removeprefix("https://").removeprefix("http://").rstrip("/")
