"""Findings about pairing: each with its cause and something to do."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain.link.fault import Fault
from player.domain.pairing.pairing import EnrolmentRefusal, Refusal
from player.domain.state import (
    PairingFacts,
    PairingPhase,
    PlayerState,
)
from tests.player.domain.findings.states import (
    CODE,
    HEALTHY,
    UNPAIRED,
    Case,
    check,
    failing,
    parametrized,
)

CASES: list[Case] = [
    ("refused, not confirmed yet", replace(HEALTHY, contact=failing(Fault.SCREEN_REFUSED)), "screen_refused", "accept"),
    ("removed", replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, refusal=Refusal.REVOKED)),
     "screen_refused", "7 days"),
    ("unknown", replace(HEALTHY, pairing=PairingFacts(refusal=Refusal.UNKNOWN)), "screen_refused", "older backup"),
    ("credentials lost", replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE)),
     "pairing_lost", "WDJ-BMJ"),
    ("a card of another device",
     replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, from_another_device=True)),
     "copied_card", "WDJ-BMJ"),
    ("two devices", replace(HEALTHY, pairing=replace(HEALTHY.pairing, two_devices=True)), "two_devices", "one card"),
    ("not paired", replace(UNPAIRED, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE)),
     "not_paired", "enter WDJ-BMJ"),
    ("not paired, no code yet", UNPAIRED, "not_paired", "within seconds"),
    *((f"an enrolment token: {refusal}",
       replace(UNPAIRED, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, enrolment=refusal)),
       "enrolment_refused", "enter WDJ-BMJ") for refusal in EnrolmentRefusal),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)
