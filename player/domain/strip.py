"""Decides when the strip at the lower edge of the display is shown, and its content; pure.

It is for a technician who stands in front of the screen with a phone, and must not cover prices: it shows over the
pairing card and the house card, for `START_SECONDS` after the first frame of a start, and from the time that the
service has not been reached for `UNREACHED_SECONDS` until it is reached again. The safe card has it all the time.
"""

from __future__ import annotations

from msgspec import Struct

from menu.text.phrase import in_language, phrase
from player.domain.finding import Finding, Severity
from player.domain.state import PlayerState
from player.domain.view import Identity, SceneView, Strip, View

START_SECONDS = 20.0
UNREACHED_SECONDS = 300.0

MAX_QR_BYTES = 228
"""Length of a finding in a code: more would need more than 61 modules with its quiet zone (ISO/IEC 18004, version 9,
level L). A phone reads each of them from 3 m away if it is 2 mm wide, as four lines of a 43-inch panel with 1080
are."""

MAX_NAME = 80
"""Characters of a name; the glass cuts it to its width, too."""

_CUT = "…"


class StripTimes(Struct, frozen=True, kw_only=True):
    """Instants from which the strip's times are counted, in monotonic seconds: when the first frame was displayed, and
    when the service was reached last, or the player was started."""

    reached_at: float
    presented_at: float | None = None

    def shows(self, view: View, now: float) -> bool:
        if self.presented_at is None:
            # The first frame waits for nothing.
            return False
        if not isinstance(view, SceneView):
            return True
        return now < self.presented_at + START_SECONDS or now >= self.reached_at + UNREACHED_SECONDS

    def next_change(self, now: float) -> float | None:
        """Returns when it may next appear or disappear, while nothing else happens."""
        if self.presented_at is None:
            return None
        instants = (self.presented_at + START_SECONDS, self.reached_at + UNREACHED_SECONDS)
        return min((instant for instant in instants if instant > now), default=None)


def strip(state: PlayerState, finding: Finding | None, *, locale: str) -> Strip:
    """Returns the strip, with the finding to act on first."""
    name = screen_name(state)
    what = in_language(finding.what, locale) if finding else ""
    version = in_language(phrase("Menu Player {version}", version=state.device.app_version), locale)
    address = page_address(state)
    qr = address
    if finding is not None and not address:
        lines = (what, in_language(finding.do, locale), f"{name} · {version}")
        qr = _cut("\n".join(line for line in lines if line), MAX_QR_BYTES)
    return Strip(
        name=name,
        version=version,
        address=address,
        finding=what,
        is_fault=finding is not None and finding.severity is Severity.FAULT,
        qr=qr,
    )


def screen_name(state: PlayerState) -> str:
    """Returns the screen's name for people: its name and location, or else its short id."""
    place = state.location.name if state.location is not None else ""
    known = [part[:MAX_NAME] for part in (state.pairing.screen_name or "", place) if part]
    return " · ".join(known if state.pairing.screen_name else [*known, state.device.short_id])


def identity(state: PlayerState) -> Identity:
    place = state.location.name if state.location is not None else ""
    return Identity(
        name=state.pairing.screen_name or place or "Menu Player",
        location=place if state.pairing.screen_name else "",
        short_id=state.device.short_id,
        address=page_address(state),
    )


def page_address(state: PlayerState) -> str:
    """Returns the address of the device's page, as a phone opens it; empty while none can."""
    return state.pages[0].rstrip("/") if state.pages else ""


def _cut(text: str, size: int) -> str:
    raw = text.encode()
    if len(raw) <= size:
        return text
    return raw[: size - len(_CUT.encode())].decode(errors="ignore").rstrip() + _CUT
