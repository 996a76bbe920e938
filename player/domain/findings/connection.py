"""Findings about the way to the service: the first step of the test that fails, or what the calls themselves say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from player.domain.connection import MADE_ONCE, WEAK_SIGNAL, Step, StepResult
from player.domain.connection import ConnectionFault as Fault
from player.domain.contact import ON_THE_WAY, Call, Contact, FailingCall
from player.domain.events import Trouble
from player.domain.findings.finding import (
    Finding,
    Severity,
    Who,
    Words,
    at_stake,
    joined,
    plain,
    plays_on,
    seconds_since,
    sentence,
    spoken_time,
)
from player.domain.findings.link import BACK_SECONDS, loose_link, signal
from player.domain.state import PlayerState
from player.domain.words.phrase import phrase

OUTAGE_SECONDS = 6.0
"""A shorter outage is no finding as long as no test has said where the way ends: nobody needs to act."""

UNTESTED_SECONDS = 12.0
"""The same of calls that only got no answer: by then a test has said where the way ends, or found it well."""

DECIDING_SECONDS = 8.0
"""The same of calls that say themselves what is wrong: a test may know better, such as whether a redirect is that of a
log-in page or of a service that has moved. It nearly always ends sooner."""

_TEST_EARLIER = timedelta(seconds=2)
"""A test may have begun this long before the failure that it explains was noted."""


_FAULTS: dict[str, Words] = {
    Fault.NO_ADAPTER: Words(
        "The device has no network adapter.",
        "Plug in a network or Wi-Fi adapter, or have the device repaired.",
        Who.HERE,
    ),
    Fault.LINK_OFF: Words(
        "The network of the device is switched off.",
        "Switch its network or Wi-Fi on in the settings of the device (not flight mode), or restart it.",
        Who.HERE,
    ),
    Fault.NO_CABLE: Words(
        "No network cable is plugged in, or the box at its other end is off.",
        "Push the cable in at the device and at the box, see that the lamps beside it light up, and try another cable.",
        Who.HERE,
    ),
    Fault.WIFI_NOT_JOINED: Words(
        "The device is not connected to the Wi-Fi.",
        "See that the Wi-Fi is on and its name and password are those set on the device, or plug in a cable.",
        Who.HERE,
    ),
    Fault.WIFI_WEAK: Words(
        "The Wi-Fi signal at the device is too weak.",
        "Move the device or the Wi-Fi access point closer together, or use a cable.",
        Who.HERE,
    ),
    Fault.NO_ADDRESS: Words(
        "The network gives the device no address.",
        "Restart the network box (router). If that does not help, ask whoever runs the network whether its DHCP"
        " has addresses left, and lets this device in.",
        Who.NETWORK,
    ),
    Fault.SELF_ASSIGNED: Words(
        "The network gives the device no address, so it has chosen one that leads nowhere.",
        "Restart the network box (router). If that does not help, ask whoever runs the network whether its DHCP"
        " has addresses left, and lets this device in.",
        Who.NETWORK,
    ),
    Fault.NO_ROUTE: Words(
        "The device is in the network of the shop, but knows no way out of it.",
        "Restart the network box (router). If the device has a fixed address, check the gateway that is set beside it.",
        Who.NETWORK,
    ),
    Fault.ADDRESS_TAKEN: Words(
        "Another machine in the network of the shop has the same address as this device, so answers get lost.",
        "Restart the network box (router), then this device. If it comes back, one of the two has a fixed address: give"
        " it another one, or none.",
        Who.NETWORK,
    ),
    Fault.NO_NAME_SERVER: Words(
        "The device knows no name server (DNS), so it cannot look up {host}.",
        "Restart the network box (router). If the device has a fixed address, set a name server beside it.",
        Who.NETWORK,
    ),
    Fault.NAME_SERVER_SILENT: Words(
        "The name server (DNS) of this network does not answer, so the device cannot look up {host}.",
        "Restart the network box (router). If other devices can use the internet, ask whoever runs the network"
        " about port 53.",
        Who.NETWORK,
    ),
    Fault.NAME_SERVER_SLOW: Words(
        "The name server (DNS) of this network takes too long to say where {host} is.",
        "Restart the network box (router). If that does not help, ask whoever runs the network about its name server.",
        Who.NETWORK,
    ),
    Fault.NAME_SERVER_FAILS: Words(
        "The name server (DNS) of this network does not say where {host} is.",
        "Restart the network box (router). If that does not help, tell whoever runs the network.",
        Who.NETWORK,
    ),
    Fault.NAME_UNKNOWN: Words(
        "The name server (DNS) says that there is no {host}.",
        "Check that the address of the service is spelled right on this device ({address}). If it is, a filter of this"
        " network may block the name.",
        Who.HERE,
    ),
    Fault.NAME_WRONG: Words(
        "The name server (DNS) gives a wrong address for {host}.",
        "A filter or a log-in page of this network sends the device elsewhere: ask whoever runs the network to let"
        " {host} through, or use another network.",
        Who.NETWORK,
    ),
    Fault.PROXY_NAME_UNKNOWN: Words(
        "The proxy that is set on this device cannot be found.",
        "Check the name of the proxy in the player's settings.",
        Who.NETWORK,
    ),
    Fault.REFUSED: Words(
        "The machine at {host} takes no connections at port {port}.",
        "Check that the address of the service is right on this device ({address}). If it is, the service is not"
        " running: tell whoever runs it.",
        Who.SERVICE,
    ),
    Fault.SILENT: Words(
        "Nothing answers at {host}, port {port}.",
        "See whether other devices here can use the internet; if not, restart the network box. If they can, a"
        " firewall drops the connection, or the service is down. Ask whoever runs the network to let the device"
        " out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.UNREACHABLE: Words(
        "This network cannot reach {host}.",
        "See whether other devices here can use the internet; if not, restart the network box or call the internet"
        " provider. Ask whoever runs the network to let the device out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.PROXY_OFFERED: Words(
        "This network does not let the device out to {host} directly: it has a proxy, and none is set on this device.",
        'Write the proxy that is named here into the player\'s settings: proxy = "http://host:port". Then restart the'
        " player. If it does not help, ask whoever runs the network for the proxy that devices without a user take.",
        Who.NETWORK,
    ),
    Fault.PROXY_REFUSED: Words(
        "The proxy that is set on this device takes no connections.",
        "Check the address and the port of the proxy in the player's settings, and that the proxy runs.",
        Who.NETWORK,
    ),
    Fault.PROXY_SILENT: Words(
        "The proxy that is set on this device does not answer.",
        "Check the address of the proxy in the player's settings, and that the proxy runs.",
        Who.NETWORK,
    ),
    Fault.PROXY_UNREACHABLE: Words(
        "This network cannot reach the proxy that is set on this device.",
        "Check the address of the proxy in the player's settings.",
        Who.NETWORK,
    ),
    Fault.PROXY_SIGN_IN: Words(
        "The proxy asks this device for a user and a password, or does not accept those that are set.",
        'Write them into the player\'s settings: proxy = "http://user:password@host:port".',
        Who.NETWORK,
    ),
    Fault.PROXY_FORBIDS: Words(
        "The proxy does not let this device through to {host}.",
        "Ask whoever runs the proxy to allow {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.PROXY_FAILS: Words(
        "The proxy cannot reach {host}.",
        "Ask whoever runs the proxy. Check, too, that what is set on this device is the address of a proxy.",
        Who.NETWORK,
    ),
    Fault.TLS_SILENT: Words(
        "{host} accepts the connection, and then nothing comes.",
        "Often a firewall holds the connection up, or the line is overloaded. Ask whoever runs the network to let"
        " the device out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.TLS_FAILS: Words(
        "No secure connection to {host} can be made.",
        "A firewall or a filter of this network breaks it off, or the address is not that of the service ({address}). "
        "Ask whoever runs the network to let the device out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.CERTIFICATE_EXPIRED: Words(
        "The certificate of {host} has run out.",
        "Tell whoever runs the service: it needs a new certificate.",
        Who.SERVICE,
    ),
    Fault.CERTIFICATE_NOT_YET_VALID: Words(
        "The certificate of {host} is not valid yet.",
        "Compare the clock on the board with a phone. If it is right, tell whoever runs the service that the"
        " certificate begins too late.",
        Who.SERVICE,
    ),
    Fault.CLOCK_WRONG: Words(
        "The device's clock is wrong, so it cannot make a secure connection.",
        "Let the device reach a time server (NTP, UDP port 123), or set its clock.",
        Who.NETWORK,
    ),
    Fault.CERTIFICATE_WRONG_NAME: Words(
        "What answers at {host} shows the certificate of another name.",
        "Check the address of the service on this device ({address}). If it is right, something on this network answers"
        " in its place: ask whoever runs the network, or use another one.",
        Who.NETWORK,
    ),
    Fault.CERTIFICATE_UNKNOWN_CA: Words(
        "The certificate that {host} shows is signed by nobody whom this device trusts.",
        "A filter of this network opens secure connections: ask whoever runs it to leave {host} alone. If the company"
        " has certificates of its own, set ca_file in the player's settings.",
        Who.NETWORK,
    ),
    Fault.PORTAL: Words(
        "This is a guest network whose log-in page answers in place of the service.",
        "Use another network, or have whoever runs this one let the device in without the page.",
        Who.NETWORK,
    ),
    Fault.SLOW: Words(
        "The connection to {host} is so slow, or loses so much, that answers do not arrive.",
        "See whether other devices here are slow, too, and what uses the line. On Wi-Fi: move the device or the"
        " access point closer together, or use a cable.",
        Who.NETWORK,
    ),
    Fault.HTTP_SILENT: Words(
        "{host} takes the request, and no answer comes.",
        "Wait some minutes. If it stays, tell whoever runs the service; a filter of this network may also hold the"
        " answer up.",
        Who.SERVICE,
    ),
    Fault.HTTP_FAILS: Words(
        "The connection to {host} breaks before an answer comes.",
        "Check that the address is that of the service ({address}). If it is, a filter of this network breaks the"
        " connection, or the service fails: tell whoever runs them.",
        Who.NETWORK,
    ),
    Fault.MOVED: Words(
        "{host} sends the device to another address.",
        "Check the address of the service on this device ({address}), and set the new one if it has moved. On a guest"
        " network this may be its log-in page.",
        Who.HERE,
    ),
    Fault.NOT_THE_SERVICE: Words(
        "Something other than the menu service answers at {host}.",
        "Check the address of the service on this device ({address}). If it is right, a filter of this network answers"
        " in its place: ask whoever runs it to let {host} through.",
        Who.NETWORK,
    ),
    Fault.OLD_MENU: Words(
        "Something on the way to {host} keeps giving this device an old menu; the service has a newer one.",
        "A cache or a filter of this network answers in place of the service: ask whoever runs it to keep nothing of"
        " {host}, or use another network. Until then the board may show what is sold out.",
        Who.NETWORK,
    ),
    Fault.GATEWAY: Words(
        "The menu service at {host} is down: only the machine before it answers.",
        "Wait some minutes, then tell whoever runs the service.",
        Who.SERVICE,
    ),
    Fault.WRONG_PATH: Words(
        "The menu service at {host} answers, but not at the address that is set on this device.",
        "Correct the address of the service on this device ({address}): see what follows {host} in it.",
        Who.HERE,
    ),
    Fault.SERVICE_FAILS: Words(
        "The menu service answers with a fault of its own.",
        "Tell whoever runs the service.",
        Who.SERVICE,
    ),
}

_STEPS: dict[Step, Fault] = {
    Step.LINK: Fault.NO_CABLE,
    Step.ADDRESS: Fault.NO_ADDRESS,
    Step.ROUTE: Fault.NO_ROUTE,
    Step.NAME: Fault.NAME_SERVER_FAILS,
    Step.TCP: Fault.SILENT,
    Step.PROXY: Fault.PROXY_FAILS,
    Step.TLS: Fault.TLS_FAILS,
    Step.HTTP: Fault.HTTP_FAILS,
    Step.SERVICE: Fault.NOT_THE_SERVICE,
}
"""What is said of a step whose fault this release does not know."""

_TROUBLES: dict[Trouble, tuple[str, Words]] = {
    Trouble.UNREACHABLE: (
        "no_connection",
        Words(
            "{host} cannot be reached.",
            "Check the network cable or the Wi-Fi, and that this network lets the device out to that address.",
            Who.NETWORK,
        ),
    ),
    Trouble.TIMEOUT: (Fault.SLOW, _FAULTS[Fault.SLOW]),
    Trouble.TLS: (
        Fault.TLS_FAILS,
        Words(
            "No secure connection to {host} can be made.",
            "Compare the clock on the board with a phone. If it is right, something on this network stands in between,"
            " or the service's certificate has run out.",
            Who.NETWORK,
        ),
    ),
    Trouble.CAPTIVE_PORTAL: (
        Fault.PORTAL,
        Words(
            "Something on this network answers in place of {host}.",
            "It looks like the log-in page of a guest network. Use another network, or let the device through.",
            Who.NETWORK,
        ),
    ),
    Trouble.IN_BETWEEN: (Fault.NOT_THE_SERVICE, _FAULTS[Fault.NOT_THE_SERVICE]),
    Trouble.FAULT: (
        "service_declines",
        Words(
            "The menu service does not do what this device asks of it.",
            "Wait some minutes. If it stays, tell whoever runs the service.",
            Who.SERVICE,
        ),
    ),
    Trouble.GARBAGE: (
        "not_understood",
        Words(
            "The menu service answers with something that this player does not understand.",
            "Check the address of the service on this device ({address}), and that the player is not older than the"
            " service allows.",
            Who.SERVICE,
        ),
    ),
}
"""Code and words for what the calls themselves say, where no test says it better."""

PREFIX = "connection_"
"""Of the code of each finding here; the rest is the code of the fault."""

PASSING = frozenset(
    f"{PREFIX}{code}"
    for code in (
        "service_declines", Fault.SERVICE_FAILS, Fault.GATEWAY, Fault.REFUSED,
        Fault.HTTP_FAILS, Fault.TLS_FAILS,
    )
)  # fmt: skip
"""What may be over in a moment. The rest is told at once; a test that found silence has waited as long."""

UNANSWERED = frozenset({f"{PREFIX}no_connection", f"{PREFIX}slow"})
"""What the calls alone say of a way that no test has found broken."""

OF_THE_CLOCK = frozenset(
    f"{PREFIX}{fault}" for fault in (Fault.CLOCK_WRONG, Fault.CERTIFICATE_EXPIRED, Fault.CERTIFICATE_NOT_YET_VALID)
)
"""What a wrong clock of the device leads to."""

WITHOUT_NETWORK = frozenset(
    f"{PREFIX}{fault}"
    for fault in (
        Fault.NO_ADAPTER, Fault.LINK_OFF, Fault.NO_CABLE, Fault.WIFI_NOT_JOINED, Fault.WIFI_WEAK, Fault.NO_ADDRESS,
        Fault.SELF_ASSIGNED, Fault.ADDRESS_TAKEN, Fault.NO_ROUTE,
        Fault.NO_NAME_SERVER, Fault.NAME_SERVER_SILENT, Fault.NAME_SERVER_FAILS,
        Fault.NAME_WRONG, Fault.SILENT, Fault.UNREACHABLE, Fault.PORTAL, Fault.PROXY_OFFERED, "no_connection",
    )
)  # fmt: skip
"""What keeps the device from a time server, too."""

CONNECTION_CODES = frozenset(f"{PREFIX}{code}" for code in (*_FAULTS, *(code for code, _ in _TROUBLES.values())))


def of_connection(state: PlayerState) -> Iterator[Finding]:
    """The first thing that keeps a call from the service: one finding; and whether the link comes and goes."""
    ended, loose = list(_of_way(state)), loose_link(state)
    if loose is None:
        yield from ended
    elif loose.severity is Severity.NOTE:
        yield from ended or [loose]
    elif seconds_since(state.links_lost[-1], state) < BACK_SECONDS:
        # What is on the way is one thing when the link is there, and another when it is not.
        yield from (loose, *ended)
    else:
        yield from (*ended, loose)


def _of_way(state: PlayerState) -> Iterator[Finding]:
    failed = _failed_step(state)
    if failed is not None:
        code = failed.fault if failed.fault in _FAULTS else _STEPS[failed.step]
        yield _finding(state, code, _FAULTS[code], evidence=failed.evidence)
        return
    failing = _failing_call(state)
    if failing is None or failing.trouble is Trouble.REFUSED:
        return
    code, words = _TROUBLES[failing.trouble]
    evidence = failing.detail
    if failing.fault is not None:
        code, words = failing.fault, _FAULTS[failing.fault]
    elif failing.trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT) and signal(state) <= WEAK_SIGNAL:
        # The test may have had a good moment.
        code, words = Fault.WIFI_WEAK, _FAULTS[Fault.WIFI_WEAK]
        evidence = phrase("{evidence} (signal: {signal} dBm)", evidence=evidence, signal=str(signal(state)))
    yield _finding(state, code, words, evidence=evidence)


def _failing_call(state: PlayerState) -> FailingCall | None:
    """The one to tell of. A file that the service does not give is told by name, as one that is missing."""
    return Contact(failing=tuple(each for each in state.contact.failing if each.call != Call.ASSET)).worst


def is_tested(code: str, state: PlayerState) -> bool:
    """Whether a test has found this, and not the calls alone."""
    failed = _failed_step(state)
    return failed is not None and code == f"{PREFIX}{failed.fault}"


def awaits_test(code: str, state: PlayerState) -> bool:
    """Whether this is the word of a call alone, and no test has ended that began after the call failed."""
    failing = _failing_call(state)
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
    if failure.fault == Fault.SLOW or answered is None or answered < test.at:
        return failure  # Over a slow line some calls are answered.
    if failure.step in MADE_ONCE and not test.overtaken:
        return failure  # The test that follows the answer says when it is over.
    # Another call that fails since before the answer still does.
    begun = (each.since for each in contact.failing)
    return failure if any(since <= answered and since - _TEST_EARLIER <= test.at for since in begun) else None


def _finding(state: PlayerState, code: str, words: Words, *, evidence: str) -> Finding:
    address = state.device.service
    parts = urlsplit(address)
    host = plain(parts.hostname or "") or phrase("the menu service")
    port = parts.port or (80 if parts.scheme == "http" else 443)
    names = {"host": host, "port": str(port), "address": address}
    why = sentence(evidence)
    if state.contact.last_answer_at is not None:
        last = spoken_time(state.contact.last_answer_at, state)
        why = joined(why, phrase("The service last answered at {time}.", time=last))
    return Finding(
        code=f"{PREFIX}{code}",
        severity=at_stake(state),
        what=phrase(words.what, **names),
        why=why,
        do=joined(
            phrase(words.do, **names),
            phrase("The board goes on with what it has.") if words.who is Who.SERVICE and plays_on(state) else "",
        ),
        who=words.who,
    )
