"""Attributes a failure to the earlier step that is its cause, from the test as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from menu.text.phrase import Phrase, phrase
from player.domain.link.connection import WEAK_SIGNAL, ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault
from player.domain.link.network import NetworkState
from player.link.lines import Traffic
from player.link.probe.here import adapter_in_use
from player.link.probe.way import Way, number_of

SLOW_LINE_SECONDS = 2.5
"""Handshakes that take longer are those of a line that is too slow: by satellite they take 2 s."""

_OWN_NAMES = frozenset(
    {
        "test", "example", "invalid", "localhost", "local", "localdomain", "lan", "home", "internal", "arpa",
        "intranet", "corp", "private", "box",
    }
)  # fmt: skip
"""Last labels of names that are not of the internet: such a name may have an address of the shop's network."""

_PROXYS = (Fault.PROXY_SIGN_IN, Fault.PROXY_OTHER_SIGN_IN, Fault.PROXY_FORBIDS, Fault.PROXY_FAILS)
Cause = tuple[Step, Fault, str]
"""The step that failed, why, and what was seen of it."""


class Observed(Struct, frozen=True, kw_only=True):
    """Test as its steps left it. `traffic` is that of its own connection, `others` the increase of the calls' since it
    began; `lost_rounds` counts the rounds of its connection that nothing came of."""

    test: ConnectionTest
    network: NetworkState
    addresses: Sequence[str]
    traffic: Traffic
    others: Sequence[Traffic]
    lost_rounds: int

    @property
    def results(self) -> Mapping[Step, StepResult]:
        return {result.step: result for result in self.test.steps}


def cause_of(seen: Observed, way: Way) -> Cause | None:
    """Returns the cause, if it is another step or fault than the one that failed."""
    results, failed = seen.results, seen.test.failure
    if _is_slow(seen, failed):
        ended = Step.HTTP if results[Step.HTTP].passed else Step.TCP
        return failed.step if failed else ended, Fault.SLOW, _slowness(seen)
    if failed is None:
        return None
    no_way = results[Step.ROUTE].passed and seen.network.default is None and number_of(way.first[0]) is None
    if no_way and failed.step in (Step.NAME, Step.TCP):
        return Step.ROUTE, Fault.NO_ROUTE, results[Step.ROUTE].evidence
    if failed.step is Step.TCP and (other := _other_ip(seen, way)) is not None:
        return Step.ROUTE, Fault.OTHER_IP, other
    fault = failed.fault
    if fault in _PROXYS and failed.step is Step.SERVICE:
        return Step.PROXY, fault, failed.evidence
    adapter = adapter_in_use(seen.network)
    if fault is not None and fault.row.silent and adapter is not None and (adapter.signal or 0) <= WEAK_SIGNAL:
        return Step.LINK, Fault.WIFI_WEAK, adapter.words
    beyond_name = failed.step in (Step.TCP, Step.TLS, Step.HTTP, Step.SERVICE)
    if beyond_name and failed.fault != Fault.PORTAL and _is_lie(seen, way):
        return Step.NAME, Fault.NAME_WRONG, ", ".join(seen.addresses)
    return None


def _other_ip(seen: Observed, way: Way) -> Phrase | None:
    """Describes the versions of IP on both sides, if they have none in common."""
    here = {address.version for address in seen.network.addresses if not address.is_link_local}
    there = {number.version for address in seen.addresses if (number := number_of(address)) is not None}
    if len(here) != 1 or len(there) != 1 or here == there:
        return None
    own, other, host = here.pop(), there.pop(), way.first[0]
    return phrase("this network has only IPv{own}, and {host} only IPv{other}", own=own, host=host, other=other)


def _is_slow(seen: Observed, failed: StepResult | None) -> bool:
    """True if the line itself is so slow, or loses so much, that calls fail, though this test may not have."""
    test, traffic = seen.test, seen.traffic
    if failed is None:
        return (
            test.handshakes >= SLOW_LINE_SECONDS
            # Over a line of 1 kB/s TLS takes 1.5 s longer than the way there and back; with a small certificate 0.8 s,
            # and then the answer takes long, too.
            or test.excess >= 1.5
            or (test.excess >= 0.8 and test.seconds(Step.HTTP) >= 2.0)
            or traffic.resent + seen.lost_rounds >= 3
        )
    if failed.fault == Fault.TLS_SILENT:
        late = (seen.results[Step.TCP].milliseconds or 0.0) >= 950.0  # It was asked for again.
        lost = seen.lost_rounds > 0 or (traffic.resent >= 1 and (traffic.acknowledged > 1 or late))
        return lost or traffic.received > 0
    # A whole handshake came through: one packet that was sent again is not why the rest does not.
    resent = traffic.resent + sum(other.resent for other in seen.others)
    much = resent + seen.lost_rounds > 1 or test.handshakes >= SLOW_LINE_SECONDS
    return failed.fault == Fault.HTTP_SILENT and much


def _slowness(seen: Observed) -> str:
    if seen.traffic.resent:
        return phrase("part of what is sent gets lost, or comes late")
    return phrase("it took {count} s until an answer came", count=round(seen.test.handshakes))


def _is_lie(seen: Observed, way: Way) -> bool:
    """True if none of the addresses can be that of the name: they are of the device, or of the shop's network."""
    host = way.host
    if way.proxy is not None or number_of(host) is not None or host.lower() in seen.network.hosts:
        return False
    if way.reached() in seen.addresses:
        return False
    numbers = [number for address in seen.addresses if (number := number_of(address)) is not None]
    if host != "localhost" and all(number.is_loopback or number.is_unspecified for number in numbers):
        return bool(numbers)
    for_all = "." in host.rstrip(".") and host.rstrip(".").rpartition(".")[2].lower() not in _OWN_NAMES
    if not for_all or not numbers:
        return False
    if way.reached() is not None:
        return all(number.is_private or number.is_link_local for number in numbers)
    # A company may have its service in a network of its own: only what stands in the shop is in its place.
    near = [route.to for route in seen.network.routes if route.to.prefixlen and not route.gateway]
    return all(number.is_link_local or any(number in each for each in near) for number in numbers)
