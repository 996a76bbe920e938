"""Findings about the connection to the service: the first step of the test that fails, or the calls' own errors."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from menu.text.phrase import Phrase, phrase
from player.domain.finding import Finding, Who
from player.domain.findings.finding import (
    at_stake,
    finding,
    joined,
    plain,
    plays_on,
    seconds_since,
    sentence,
    spoken_time,
)
from player.domain.link.connection import MADE_ONCE, WEAK_SIGNAL, StepResult
from player.domain.link.fault import UNANSWERED, Fault
from player.domain.state import PlayerState

OUTAGE_SECONDS = 6.0
"""A shorter outage is no finding as long as no test has said where the way ends: nobody needs to act."""

UNTESTED_SECONDS = 12.0
"""The same of calls that only got no answer: by then a test has said where the way ends, or found it well."""

DECIDING_SECONDS = 8.0
"""The same of calls that say themselves what is wrong: a test may know better, such as whether a redirect is that of a
log-in page or of a service that has moved. It nearly always ends sooner."""

QUIET_SECONDS = 180.0
"""After this time, a link that came and went does so no more."""

_TEST_EARLIER = timedelta(seconds=2)
"""A test may have begun this long before the failure that it explains was noted."""


OF_THE_CLOCK = frozenset({Fault.CLOCK_WRONG, Fault.CERTIFICATE_EXPIRED, Fault.CERTIFICATE_NOT_YET_VALID})
"""Consequences of a wrong clock of the device."""

CONNECTION_CODES = frozenset(Fault) - {Fault.SCREEN_REFUSED}
WITHOUT_NETWORK = frozenset(fault for fault in Fault if fault.row.offline)


def of_connection(state: PlayerState) -> Iterator[Finding]:
    """Reports a link that comes and goes, and the first fault that blocks a call to the service."""
    loose, ended = list(_of_loose_link(state)), list(_of_way(state))
    if loose and seconds_since(state.links_lost[-1], state) < 60.0:
        # What is on the way is one thing while the link is there, and another while it is not.
        yield from (*loose, *ended)
    else:
        yield from (*ended, *loose)


def _of_loose_link(state: PlayerState) -> Iterator[Finding]:
    ages = [seconds_since(at, state) for at in state.links_lost]
    lost = sum(0 <= age < 300.0 for age in ages)
    # A cable or a Wi-Fi that is lost three times in five minutes comes and goes; a network box that starts loses it
    # twice.
    if lost >= 3 and 0 <= ages[-1] < QUIET_SECONDS:
        yield finding(
            "connection_unstable",
            "The connection of the device to the network of the shop comes and goes.",
            "The cable or the Wi-Fi was lost {count} times in the last minutes, last at {time}.",
            "Push the cable in at the device and at the box until it clicks, and try another cable and another socket"
            " of the box. On Wi-Fi: move the device or the access point closer together, or use a cable.",
            count=lost,
            time=spoken_time(state.links_lost[-1], state),
        )


def _of_way(state: PlayerState) -> Iterator[Finding]:
    failed = _failed_step(state)
    if failed is not None and failed.fault is not None:
        yield _finding(state, failed.fault, evidence=failed.evidence)
        return
    failing = state.contact.worst
    if failing is None or failing.fault is Fault.SCREEN_REFUSED:
        return
    fault, evidence = failing.fault, failing.detail
    if fault in UNANSWERED and (state.wifi_signal or 0) <= WEAK_SIGNAL:
        # The test may have had a good moment.
        fault = Fault.WIFI_WEAK
        evidence = phrase("{evidence} (signal: {signal} dBm)", evidence=evidence, signal=str(state.wifi_signal))
    yield _finding(state, fault, evidence=evidence)


def advice(fault: Fault, service: str) -> str:
    """Texts of a fault on the way to the service at this address."""
    return joined(*_said(fault, service))


def is_tested(code: str, state: PlayerState) -> bool:
    """Whether a test found this, and not only the calls."""
    failed = _failed_step(state)
    return failed is not None and code == failed.fault


def awaits_test(code: str, state: PlayerState) -> bool:
    """Whether only a call found this, and no test has ended that began after the call failed."""
    failing = state.contact.worst
    if code not in CONNECTION_CODES or is_tested(code, state) or failing is None or not failing.fault.is_on_the_way:
        return False
    return state.connection is None or state.connection.at < failing.since


def _failed_step(state: PlayerState) -> StepResult | None:
    """Returns the step that failed in the newest test, unless a call that needs this step has been answered since."""
    test, contact = state.connection, state.contact
    failure = test.failure if test is not None else None
    if test is None or failure is None:
        return None
    answered = contact.last_answer_at
    if failure.fault in (Fault.SLOW, Fault.LARGE_LOST) or answered is None or answered < test.at:
        return failure  # Over such a line some calls are answered.
    if failure.step in MADE_ONCE and not test.overtaken:
        return failure  # The test that follows the answer says when it is over.
    # Another call that fails since before the answer still does.
    begun = (each.since for each in contact.failing)
    return failure if any(since <= answered and since - _TEST_EARLIER <= test.at for since in begun) else None


def _finding(state: PlayerState, fault: Fault, *, evidence: str) -> Finding:
    who, why = fault.row.who, sentence(evidence)
    what, do = _said(fault, state.device.service)
    goes_on = who is Who.SERVICE and plays_on(state)
    if state.contact.last_answer_at is not None:
        last = spoken_time(state.contact.last_answer_at, state)
        why = joined(why, phrase("The service last answered at {time}.", time=last))
    more = phrase("The board goes on with what it has.") if goes_on else ""
    return Finding(fault, at_stake(state), what, why, joined(do, more), who)


def _said(fault: Fault, service: str) -> tuple[Phrase, Phrase]:
    parts = urlsplit(service)
    names = {
        "host": plain(parts.hostname or "") or phrase("the menu service"),
        "port": str(parts.port or (80 if parts.scheme == "http" else 443)),
        "address": service,
    }
    return phrase(fault.row.what, **names), phrase(fault.row.do, **names)
