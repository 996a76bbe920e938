"""Words the quiet banner of a board that goes on although it has to be paired again; pure."""

from __future__ import annotations

from player.domain.manifest import Location
from player.domain.pairing import GRACE_SECONDS, Refusal
from player.domain.state import PairingFacts
from player.domain.view import PairingNotice

_GRACE_DAYS = round(GRACE_SECONDS / 86400)

_FAULTS = {
    Refusal.REVOKED: f"This screen was removed from the menu service. Its menu stays for up to {_GRACE_DAYS} days.",
    Refusal.UNKNOWN: "The menu service does not know this screen any more. Its menu stays.",
    None: "This screen has lost its pairing. Its menu stays.",
}


def pairing_notice(pairing: PairingFacts, location: Location | None, *, trouble: str | None) -> PairingNotice:
    """The banner; `trouble` says why there is no code yet."""
    place = location.name if location is not None else ""
    fault, code = _FAULTS[pairing.refusal], pairing.code
    name = " · ".join(part for part in (place, pairing.screen_name or "") if part)
    locale = location.locale if location is not None else "en"
    if code is None:
        advice = trouble or "A code to pair it again will show here."
        return PairingNotice(name=name, locale=locale, fault=fault, advice=advice)
    return PairingNotice(
        name=name,
        locale=locale,
        fault=fault,
        advice="To pair it again, enter",
        user_code=code.user_code,
        address=code.verification_uri,
    )
