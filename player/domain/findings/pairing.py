"""Findings about pairing: not paired, refused by the service, credentials lost."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.events import Trouble
from player.domain.finding import Finding, Severity, Who
from player.domain.findings.finding import at_stake
from player.domain.pairing import GRACE_SECONDS, EnrolmentRefusal, Refusal
from player.domain.state import PairingPhase, PlayerState
from player.domain.words.phrase import Phrase, phrase

SCREEN_REFUSED = "screen_refused"
ENROLMENT_REFUSED = "enrolment_refused"
PAIR_AGAIN = phrase("Pair it again with the code on the screen.")

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
    EnrolmentRefusal.NOT_SUPPORTED: phrase("The service is too old for enrolment tokens."),
}


def of_pairing(state: PlayerState) -> Iterator[Finding]:
    """Why this device is no screen of the service, or will soon be none."""
    pairing = state.pairing
    if pairing.refusal is not None:
        yield _refused(state, pairing.refusal)
    elif state.contact.trouble is Trouble.REFUSED:
        yield Finding(
            code=SCREEN_REFUSED,
            severity=at_stake(state),
            what=phrase("The service does not accept this screen any more."),
            why=phrase("It has said so once. The player asks again within a minute before it believes it."),
            do=phrase("If the screen was not removed on purpose, pair it again with the code that it will show."),
            who=Who.OPERATOR,
        )
    elif pairing.phase is not PairingPhase.PAIRED:
        if pairing.enrolment is not None:
            yield _not_enrolled(state, pairing.enrolment)
        yield _not_paired(state)
    elif state.running is not None and pairing.screen_id is None:
        yield _lost(state)
    elif pairing.two_devices:
        yield _two_devices()


def _refused(state: PlayerState, refusal: Refusal) -> Finding:
    what, why = _REFUSED[refusal]
    do = phrase(
        "{advice} If this was a mistake of the service, the board goes on by itself.", advice=_enter_code(state)
    )
    return Finding(code=SCREEN_REFUSED, severity=at_stake(state), what=what, why=why, do=do, who=Who.OPERATOR)


def _not_enrolled(state: PlayerState, refusal: EnrolmentRefusal) -> Finding:
    return Finding(
        code=ENROLMENT_REFUSED,
        severity=Severity.FAULT,
        what=_NOT_ENROLLED[refusal],
        why=phrase("The token stands in the settings of this screen, or was in its boot file."),
        do=_enter_code(state),
        who=Who.OPERATOR,
    )


def _not_paired(state: PlayerState) -> Finding:
    if state.running is not None:
        return (_copied if state.pairing.from_another_device else _lost)(state, _enter_code(state))
    return Finding(
        code="not_paired",
        severity=Severity.FAULT,
        what=phrase("This screen is not paired with the service yet, so it has no menu."),
        why=phrase("Nobody has entered its code.")
        if state.pairing.code
        else phrase("The service has not given it a code yet."),
        do=_enter_code(state),
        who=Who.OPERATOR,
    )


def _lost(state: PlayerState, do: Phrase = PAIR_AGAIN) -> Finding:
    return Finding(
        code="pairing_lost",
        severity=at_stake(state),
        what=phrase("This screen has lost its pairing. It plays what it has, and hears of no change."),
        why=phrase("What proves that it belongs to the service is gone from its disk, or damaged."),
        do=do,
        who=Who.OPERATOR,
    )


def _copied(state: PlayerState, do: Phrase) -> Finding:
    return Finding(
        code="copied_card",
        severity=at_stake(state),
        what=phrase("The card of this screen comes from another device. It plays what it has, and hears of no change."),
        why=phrase("A card that is copied or moved into another device needs a pairing of its own."),
        do=phrase("{advice} If the other device is gone, remove its screen from the service.", advice=do),
        who=Who.OPERATOR,
    )


def _two_devices() -> Finding:
    return Finding(
        code="two_devices",
        severity=Severity.WARNING,
        what=phrase("Another device calls the service as this screen, too."),
        why=phrase("Both play from copies of one card."),
        do=phrase(
            "Find the other device. If both are to stay, remove this screen from the service: each then shows a code "
            "to pair it."
        ),
        who=Who.OPERATOR,
    )


def _enter_code(state: PlayerState) -> Phrase:
    code = state.pairing.code
    if code is None:
        return phrase("Pair it with the code that it will show within seconds.")
    return phrase(
        "Open {address} and enter {code}, the code on the screen.", address=code.verification_uri, code=code.user_code
    )
