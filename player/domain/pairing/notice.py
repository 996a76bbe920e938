"""Texts of the pairing card, and of the quiet banner of a board that continues although it has to be paired again;
pure."""

from __future__ import annotations

from menu.documents.manifest import Location
from menu.text.phrase import in_language, phrase
from menu.text.wording import Locality
from player.domain.pairing.pairing import GRACE_SECONDS, Refusal
from player.domain.state import PairingFacts
from player.domain.view import PairingCard, PairingNotice

_GRACE_DAYS = round(GRACE_SECONDS / 86400)

_FAULTS = {
    Refusal.REVOKED: phrase(
        "This screen was removed from the menu service. Its menu stays for up to {days} days.", days=_GRACE_DAYS
    ),
    Refusal.UNKNOWN: phrase("The menu service does not know this screen any more. Its menu stays."),
    None: phrase("This screen has lost its pairing. Its menu stays."),
}
_FROM_ANOTHER_DEVICE = phrase("The card of this screen comes from another device. Its menu stays.")


def pairing_card(pairing: PairingFacts, *, is_new: bool, advice: str | None, locality: Locality) -> PairingCard:
    """Returns the card of a device without content: it is not paired yet, or `is_new` and waits for its first menu.
    `advice` is on trouble with the service."""
    advice = None if advice is None else in_language(advice, locality.locale)
    if is_new:
        return PairingCard(is_paired=True, paired_as=pairing.screen_name or "", trouble=advice, locality=locality)
    if (code := pairing.code) is None:
        return PairingCard(trouble=advice, locality=locality)
    return PairingCard(
        locality=locality,
        user_code=code.user_code,
        verification_uri=code.verification_uri,
        verification_uri_complete=code.verification_uri_complete,
        good_until=code.good_until,
        trouble=advice,
    )


def pairing_notice(pairing: PairingFacts, location: Location | None, *, trouble: str | None) -> PairingNotice:
    """Returns the banner; `trouble` says why there is no code yet."""
    place = location.name if location is not None else ""
    code = pairing.code
    name = " · ".join(part for part in (place, pairing.screen_name or "") if part)
    locale = location.locale if location is not None else "en"
    fault = in_language(_FROM_ANOTHER_DEVICE if pairing.from_another_device else _FAULTS[pairing.refusal], locale)
    if code is None:
        advice = in_language(trouble or phrase("A code to pair it again will show here."), locale)
        return PairingNotice(name=name, locale=locale, fault=fault, advice=advice)
    return PairingNotice(
        name=name,
        locale=locale,
        fault=fault,
        advice=in_language(phrase("To pair it again, enter"), locale),
        user_code=code.user_code,
        at=in_language(phrase("at"), locale),
        address=code.verification_uri,
    )
