"""Findings about pairing: not paired, refused by the service, credentials lost."""

from __future__ import annotations

from collections.abc import Iterator

from menu.text.phrase import Phrase, phrase
from player.domain.finding import Finding, Who
from player.domain.findings.finding import at_stake, fault, finding
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import GRACE_SECONDS, EnrolmentRefusal, Refusal
from player.domain.state import PairingPhase, PlayerState

ENROLMENT_REFUSED = "enrolment_refused"

_REFUSED = {
    Refusal.UNKNOWN: (
        phrase("The service does not know this screen any more."),
        phrase("Its database may have been restored from an older backup, or another service answers at its address."),
    ),
    Refusal.REVOKED: (
        phrase("The service has removed this screen, or has paired another device in its place."),
        phrase(
            "Its menu stays for {days} days in which the player runs, and is then deleted.",
            days=round(GRACE_SECONDS / 86400),
        ),
    ),
}
_NOT_ENROLLED = {
    EnrolmentRefusal.UNKNOWN: phrase("The service does not know the enrolment token of this screen."),
    EnrolmentRefusal.EXPIRED: phrase("The enrolment token of this screen has run out."),
    EnrolmentRefusal.USED_UP: phrase(
        "The enrolment token of this screen is used up: it has made as many screens as it may."
    ),
    EnrolmentRefusal.KNOWN_DEVICE: phrase(
        "This device is a screen of the service already, so an enrolment token makes it no new one."
    ),
}


def of_pairing(state: PlayerState) -> Iterator[Finding]:
    """Explains why this device is no screen of the service, or will soon be none."""
    pairing, severity = state.pairing, at_stake(state)
    if pairing.refusal is not None:
        what, why = _REFUSED[pairing.refusal]
        yield finding(
            Fault.SCREEN_REFUSED,
            what,
            why,
            "{advice} If this was a mistake of the service, the board goes on by itself.",
            severity=severity,
            who=Who.OPERATOR,
            advice=_enter_code(state),
        )
    elif state.contact.fault is Fault.SCREEN_REFUSED:
        words = Fault.SCREEN_REFUSED.row
        yield finding(
            Fault.SCREEN_REFUSED,
            words.what,
            "It has said so once. The player asks again within a minute before it believes it.",
            words.do,
            severity=severity,
            who=words.who,
        )
    elif pairing.phase is not PairingPhase.PAIRED or (state.running is not None and pairing.screen_id is None):
        yield from _unpaired(state)
    elif pairing.two_devices:
        yield finding(
            "two_devices",
            "Another device calls the service as this screen, too.",
            "Both play from copies of one card.",
            "Find the other device. If both are to stay, remove this screen from the service: each then shows a code to"
            " pair it.",
            who=Who.OPERATOR,
        )


def _unpaired(state: PlayerState) -> Iterator[Finding]:
    pairing, advice = state.pairing, _enter_code(state)
    if pairing.enrolment is not None:
        yield fault(
            ENROLMENT_REFUSED,
            _NOT_ENROLLED[pairing.enrolment],
            "The token stands in the settings of this screen, or was in its boot file.",
            advice,
            who=Who.OPERATOR,
        )
    if state.running is None:
        yield fault(
            "not_paired",
            "This screen is not paired with the service yet, so it has no menu.",
            "Nobody has entered its code." if pairing.code else "The service has not given it a code yet.",
            advice,
            who=Who.OPERATOR,
        )
    elif pairing.from_another_device:
        yield finding(
            "copied_card",
            "The card of this screen comes from another device. It plays what it has, and hears of no change.",
            "A card that is copied or moved into another device needs a pairing of its own.",
            "{advice} If the other device is gone, remove its screen from the service.",
            severity=at_stake(state),
            who=Who.OPERATOR,
            advice=advice,
        )
    else:
        yield finding(
            "pairing_lost",
            "This screen has lost its pairing. It plays what it has, and hears of no change.",
            "What proves that it belongs to the service is gone from its disk, or damaged.",
            advice,
            severity=at_stake(state),
            who=Who.OPERATOR,
        )


def _enter_code(state: PlayerState) -> Phrase:
    code = state.pairing.code
    if code is None:
        return phrase("Pair it with the code that it will show within seconds.")
    return phrase(
        "Open {address} and enter {code}, the code on the screen.", address=code.verification_uri, code=code.user_code
    )
