"""Findings about pairing: not paired, refused by the service, credentials lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from player.domain.events import Trouble
from player.domain.findings.finding import Finding, Severity, Who
from player.domain.pairing import GRACE_SECONDS, Refusal
from player.domain.state import PairingPhase, PlayerState

SCREEN_REFUSED = "screen_refused"


def of_pairing(state: PlayerState) -> Iterator[Finding]:
    """Why this device is no screen of the service, or will soon be none."""
    pairing = state.pairing
    if pairing.refusal is not None:
        yield _refused(state, pairing.refusal)
    elif state.contact.trouble is Trouble.REFUSED:
        yield Finding(
            code=SCREEN_REFUSED,
            severity=Severity.WARNING,
            what="The service does not accept this screen any more.",
            why="It has said so once. The player asks again within a minute before it believes it.",
            do="If the screen was not removed on purpose, pair it again with the code that it will show.",
            who=Who.OPERATOR,
        )
    elif pairing.phase is not PairingPhase.PAIRED:
        yield _not_paired(state)
    elif state.running is not None and pairing.screen_id is None:
        yield _lost()


def _refused(state: PlayerState, refusal: Refusal) -> Finding:
    match refusal:
        case Refusal.UNKNOWN:
            what = "The service does not know this screen any more."
            why = "Its database may have been restored from an older backup, or another service answers at its address."
        case Refusal.REVOKED:
            what = "The service has removed this screen, or has paired another device in its place."
            why = f"Its menu stays for {GRACE_SECONDS / 86400:.0f} days in which the player runs, and is then deleted."
        case _:
            assert_never(refusal)
    do = f"{_enter_code(state)} If this was a mistake of the service, the board goes on by itself."
    return Finding(code=SCREEN_REFUSED, severity=Severity.WARNING, what=what, why=why, do=do, who=Who.OPERATOR)


def _not_paired(state: PlayerState) -> Finding:
    if state.running is not None:
        return _lost(_enter_code(state))
    return Finding(
        code="not_paired",
        severity=Severity.FAULT,
        what="This screen is not paired with the service yet, so it has no menu.",
        why="Nobody has entered its code." if state.pairing.code else "The service has not given it a code yet.",
        do=_enter_code(state),
        who=Who.OPERATOR,
    )


def _lost(do: str = "Pair it again with the code on the screen.") -> Finding:
    return Finding(
        code="pairing_lost",
        severity=Severity.WARNING,
        what="This screen has lost its pairing. It plays what it has, and hears of no change.",
        why="What proves that it belongs to the service is gone from its disk, or damaged.",
        do=do,
        who=Who.OPERATOR,
    )


def _enter_code(state: PlayerState) -> str:
    code = state.pairing.code
    if code is None:
        return "Pair it with the code that it will show within seconds."
    return f"Open {code.verification_uri} and enter {code.user_code}, the code on the screen."
