"""Findings about the way to the service: the first step of the test that fails, or what the calls themselves say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from menu.text.phrase import Phrase, phrase
from player.domain.connection import MADE_ONCE, WEAK_SIGNAL, StepResult
from player.domain.connection import ConnectionFault as Fault
from player.domain.contact import ON_THE_WAY
from player.domain.events import Trouble
from player.domain.finding import Finding, Who
from player.domain.findings.finding import (
    Words,
    at_stake,
    finding,
    joined,
    plain,
    plays_on,
    seconds_since,
    sentence,
    spoken_time,
)
from player.domain.findings.texts import CONNECTION, NO_CONNECTION, NOT_UNDERSTOOD, SERVICE_DECLINES
from player.domain.state import PlayerState

OUTAGE_SECONDS = 6.0
"""A shorter outage is no finding as long as no test has said where the way ends: nobody needs to act."""

UNTESTED_SECONDS = 12.0
"""The same of calls that only got no answer: by then a test has said where the way ends, or found it well."""

DECIDING_SECONDS = 8.0
"""The same of calls that say themselves what is wrong: a test may know better, such as whether a redirect is that of a
log-in page or of a service that has moved. It nearly always ends sooner."""

LOOSE_LINKS = 3
LOOSE_SECONDS = 300.0
"""A cable or a Wi-Fi that is lost so often in such a time comes and goes; a network box that starts loses it twice."""
QUIET_SECONDS = 180.0
"""After which it does so no more."""
OUT_SECONDS = 60.0
"""After which a link that is still away is told before that."""

_TEST_EARLIER = timedelta(seconds=2)
"""A test may have begun this long before the failure that it explains was noted."""


_TROUBLES: dict[Trouble, str] = {
    Trouble.UNREACHABLE: NO_CONNECTION,
    Trouble.TIMEOUT: Fault.SLOW,
    Trouble.TLS: Fault.TLS_FAILS,
    Trouble.CAPTIVE_PORTAL: Fault.PORTAL,
    Trouble.IN_BETWEEN: Fault.NOT_THE_SERVICE,
    Trouble.REFUSED: SERVICE_DECLINES,
    Trouble.FAULT: SERVICE_DECLINES,
    Trouble.GARBAGE: NOT_UNDERSTOOD,
}
"""The fault that a call's trouble stands for, where no test says it better."""

PREFIX = "connection_"
"""The prefix of the code of each finding here; the rest is the code of the fault."""

PASSING = frozenset(
    f"{PREFIX}{code}"
    for code in (
        SERVICE_DECLINES, Fault.SERVICE_FAILS, Fault.GATEWAY, Fault.REFUSED,
        Fault.HTTP_FAILS, Fault.TLS_FAILS,
    )
)  # fmt: skip
"""Faults that may be over in a moment. The rest is told at once; a test that found silence has waited as long."""

UNANSWERED = frozenset({f"{PREFIX}{NO_CONNECTION}", f"{PREFIX}slow"})
"""Findings from calls alone, of a way that no test has found broken."""

OF_THE_CLOCK = frozenset(
    f"{PREFIX}{fault}" for fault in (Fault.CLOCK_WRONG, Fault.CERTIFICATE_EXPIRED, Fault.CERTIFICATE_NOT_YET_VALID)
)
"""Consequences of a wrong clock of the device."""

WITHOUT_NETWORK = frozenset(
    f"{PREFIX}{fault}"
    for fault in (
        Fault.NO_ADAPTER, Fault.LINK_OFF, Fault.NO_CABLE, Fault.WIFI_NOT_JOINED, Fault.WIFI_WEAK, Fault.NO_ADDRESS,
        Fault.NO_ROUTE, Fault.OTHER_IP,
        Fault.NO_NAME_SERVER, Fault.NAME_SERVER_SILENT, Fault.NAME_SERVER_FAILS,
        Fault.NAME_WRONG, Fault.SILENT, Fault.PORTAL, Fault.PROXY_OFFERED, NO_CONNECTION,
    )
)  # fmt: skip
"""Faults that keep the device from a time server, too."""

CONNECTION_CODES = frozenset(f"{PREFIX}{code}" for code in CONNECTION)


def of_connection(state: PlayerState) -> Iterator[Finding]:
    """Whether the link comes and goes, and the first thing that keeps a call from the service."""
    loose, ended = list(_of_loose_link(state)), list(_of_way(state))
    if loose and seconds_since(state.links_lost[-1], state) < OUT_SECONDS:
        # What is on the way is one thing while the link is there, and another while it is not.
        yield from (*loose, *ended)
    else:
        yield from (*ended, *loose)


def _of_loose_link(state: PlayerState) -> Iterator[Finding]:
    ages = [seconds_since(at, state) for at in state.links_lost]
    lost = sum(0 <= age < LOOSE_SECONDS for age in ages)
    if lost >= LOOSE_LINKS and 0 <= ages[-1] < QUIET_SECONDS:
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
    if failing is None or failing.trouble is Trouble.REFUSED:
        return
    evidence = failing.detail
    if failing.fault is not None:
        code: str = failing.fault
    elif failing.trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT) and (state.wifi_signal or 0) <= WEAK_SIGNAL:
        # The test may have had a good moment.
        code = Fault.WIFI_WEAK
        evidence = phrase("{evidence} (signal: {signal} dBm)", evidence=evidence, signal=str(state.wifi_signal))
    else:
        code = _TROUBLES[failing.trouble]
    yield _finding(state, code, evidence=evidence)


def advice(trouble: Trouble, service: str, fault: Fault | None = None) -> str:
    """Texts of a fault on the way to the service at this address, by the calls alone."""
    return joined(*_said(CONNECTION[fault or _TROUBLES[trouble]], service))


def is_tested(code: str, state: PlayerState) -> bool:
    """Whether a test has found this, and not the calls alone."""
    failed = _failed_step(state)
    return failed is not None and code == f"{PREFIX}{failed.fault}"


def awaits_test(code: str, state: PlayerState) -> bool:
    """Whether this is the word of a call alone, and no test has ended that began after the call failed."""
    failing = state.contact.worst
    if code not in CONNECTION_CODES or is_tested(code, state) or failing is None or failing.trouble not in ON_THE_WAY:
        return False
    return state.connection is None or state.connection.at < failing.since


def _failed_step(state: PlayerState) -> StepResult | None:
    """The step that the newest test found, unless a call has been answered since that needed this step."""
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


def _finding(state: PlayerState, code: str, *, evidence: str) -> Finding:
    words, why = CONNECTION[code], sentence(evidence)
    what, do = _said(words, state.device.service)
    goes_on = words.who is Who.SERVICE and plays_on(state)
    if state.contact.last_answer_at is not None:
        last = spoken_time(state.contact.last_answer_at, state)
        why = joined(why, phrase("The service last answered at {time}.", time=last))
    more = phrase("The board goes on with what it has.") if goes_on else ""
    return Finding(f"{PREFIX}{code}", at_stake(state), what, why, joined(do, more), words.who)


def _said(words: Words, service: str) -> tuple[Phrase, Phrase]:
    parts = urlsplit(service)
    names = {
        "host": plain(parts.hostname or "") or phrase("the menu service"),
        "port": str(parts.port or (80 if parts.scheme == "http" else 443)),
        "address": service,
    }
    return phrase(words.what, **names), phrase(words.do, **names)
