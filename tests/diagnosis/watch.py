"""Injects faults and judges what the page says of them, looking as often as a person could."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tests.diagnosis.fault import Fault
from tests.diagnosis.rig import Rig, wait_until

LOOK_SECONDS = 0.5
STAY_SECONDS = 30.0
"""Seconds for which a finding is watched once it is there, and a healthy state in all."""


class Verdict(StrEnum):
    RIGHT = "right"
    PARTLY = "partly"
    """Among the findings, but not the first one; or another one was told first."""
    WRONG = "wrong"
    MISSING = "missing"


@dataclass(frozen=True)
class Look:
    """The findings of the page so many seconds after the fault; None where it did not answer."""

    at: float
    codes: tuple[str, ...] | None


@dataclass
class Outcome:
    """The observations of one fault."""

    name: str
    healthy: bool
    verdict: Verdict
    seconds: float | None
    """Until the right finding was the first one."""
    visible: float | None
    """The share of looks from then on in which it was."""
    first: str
    """The first finding that was told, whatever it was."""
    told: list[tuple[float, list[str] | None]] = field(default_factory=list)
    """Each time that the findings changed."""
    mended: bool = True
    """Whether the board was well again in time."""


def watch(rig: Rig, fault: Fault, *, stay: float = STAY_SECONDS) -> Outcome:
    """Inject it, look, mend it, and wait until the board is well again."""
    before = _codes(rig) or ()
    with fault.inject(rig):
        looks = _look(rig, fault, before, stay)
    outcome = judge(fault, looks)
    if not fault.spoils:
        outcome.mended = wait_until(lambda: rig.is_well(rig.player.state()), fault.mended)
    return outcome


def _look(rig: Rig, fault: Fault, before: Sequence[str], stay: float) -> list[Look]:
    began, looks = time.monotonic(), list[Look]()
    until = stay if fault.healthy else max(fault.within, stay) + 15.0
    while (at := time.monotonic() - began) < until:
        codes = _codes(rig)
        if codes is not None:
            # What was there before the fault is not found; that it comes first all the same is wrong.
            codes = codes if codes[:1] != tuple(before[:1]) else tuple(code for code in codes if code not in before)
        looks.append(Look(round(at, 1), codes))
        if not fault.healthy and codes and codes[0] in fault.codes and until > at + stay:
            until = at + stay
        time.sleep(LOOK_SECONDS)
    return looks


def _codes(rig: Rig) -> tuple[str, ...] | None:
    found = rig.player.findings()
    return None if found is None else tuple(finding["code"] for finding in found)


def judge(fault: Fault, looks: Sequence[Look]) -> Outcome:
    """The verdict of the observations."""
    told: list[tuple[float, list[str] | None]] = []
    for look in looks:
        codes = None if look.codes is None else list(look.codes)
        if not told or told[-1][1] != codes:
            told.append((look.at, codes))
    if fault.healthy:
        wrong = [codes for _, codes in told if codes and set(codes) - fault.notes]
        verdict = Verdict.WRONG if wrong else Verdict.RIGHT
        return Outcome(fault.name, True, verdict, None, None, wrong[0][0] if wrong else "", told)
    first = next((codes[0] for _, codes in told if codes), "")
    hits = [look for look in looks if look.codes and look.codes[0] in fault.codes]
    seconds = hits[0].at if hits else None
    visible = None
    if seconds is not None and not fault.passes:
        later = [look for look in looks if look.at >= seconds]
        visible = sum(look in hits for look in later) / len(later)
    in_time = seconds is not None and seconds <= fault.within
    if in_time and first in fault.codes:
        verdict = Verdict.RIGHT
    elif in_time or any(look.codes and set(look.codes) & fault.codes for look in looks if look.at <= fault.within):
        verdict = Verdict.PARTLY
    elif any(look.codes for look in looks if look.at <= fault.within):
        verdict = Verdict.WRONG
    else:
        verdict = Verdict.MISSING
    return Outcome(fault.name, False, verdict, seconds, visible, first, told)
