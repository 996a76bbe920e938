"""Tests the way to the service, step by step (docs/adr/0104-test-the-way-to-the-service.md).

It speaks to the service, its proxy and the device's name servers, sends no token, and waits for nothing longer than
its bounds say. The codes of what it finds are those of `player/domain/link/fault.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from menu.text.phrase import phrase
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault
from player.domain.link.network import NetworkState
from player.link.lines import Traffic, traffic_of
from player.link.probe import here
from player.link.probe.dial import MAX_ROUNDS, Dial
from player.link.probe.exchange import Answer, StepFailed, clean, encrypt
from player.link.probe.second_look import OF_SIGNER, OF_TIME, Behind, SecondLook
from player.link.probe.verdict import SLOW_LINE_SECONDS, Observed, cause_of
from player.link.probe.way import ASKED, Way, number_of

STEP_SECONDS = 4.0
"""The longest for a step, as for the connection of a call."""
PORTAL_SECONDS = 1.5
"""The longest for a second look without a connection: a log-in page is near, and the rest has been waited for."""
NAME_SECONDS = 5.5
"""The longest for the name; calls wait 3 s at most, so that a slower one is of no use."""

T = TypeVar("T")


class Probe(Way):
    last_adapter = ""
    """The adapter over which the device last went out."""

    def look(self) -> NetworkState:
        """Reads the state of the network, and remembers over which adapter the device goes out, while it does: when no
        cable is connected, that one is missing."""
        network = self.network()
        if (route := network.default) is not None:
            self.last_adapter = route.adapter
        return network

    async def run(self, *, step_seconds: float = STEP_SECONDS) -> ConnectionTest:
        return await _Run(self, step_seconds).result()


class _Run:
    """One test, and the results of its steps so far."""

    def __init__(self, probe: Probe, step_seconds: float) -> None:
        self._probe = probe
        self._step_seconds = step_seconds
        self._began = asyncio.get_running_loop().time()
        self._at = probe.now().at
        self._network = NetworkState()
        self._results = {step: StepResult(step=step, passed=None) for step in Step}
        self._addresses: Sequence[str] = ()
        self._line_to: str | None = None
        self._twin: socket.socket | None = None
        self._traffic = Traffic()
        self._dial = Dial(by_proxy=probe.proxy is not None)
        self._lost_rounds = 0
        self._others_before = probe.traffic()
        self._sent_on = False
        """Whether something redirects to a log-in page."""

    async def result(self) -> ConnectionTest:
        with contextlib.suppress(StepFailed):
            try:
                await self._here()
            except StepFailed as failed:
                await self._look_for_proxy(failed.fault)
                raise
            await self._there()
        self._weigh()
        return self._test

    @property
    def _test(self) -> ConnectionTest:
        return ConnectionTest(at=self._at, steps=tuple(self._results.values()))

    # The steps

    async def _here(self) -> None:
        """Runs the steps that need no connection."""
        host, _ = self._probe.first
        self._network = await asyncio.to_thread(self._probe.network)
        number = number_of(host)
        if host != "localhost" and not (number is not None and number.is_loopback):
            await self._step(Step.LINK, here.link(self._network, self._probe.last_adapter))
            await self._step(Step.ADDRESS, here.address(self._network))
            await self._step(Step.ROUTE, here.route(self._network, number))
        if number is None:
            self._addresses = await self._step(Step.NAME, here.name(self._probe, self._network))
        else:
            self._addresses = (host,)

    async def _there(self) -> None:
        probe = self._probe
        async with contextlib.AsyncExitStack() as stack:
            try:
                line = await self._step(Step.TCP, self._dial.connect(self._addresses, probe.first[1]))
                self._lost_rounds = self._dial.rounds - 1
                self._line_to = str(line[1].get_extra_info("peername")[0])
                stack.callback(lambda: line[1].transport.abort())
                # Its own: a step that takes too long closes the other.
                self._twin = stack.enter_context(line[1].get_extra_info("socket").dup())
                if self._test.handshakes >= SLOW_LINE_SECONDS:
                    self._count()
                    return  # The rest would take as long again.
                if probe.proxy is not None:
                    await self._step(Step.PROXY, probe.through_proxy(line))
                if probe.encrypted:
                    await self._step(Step.TLS, encrypt(line, probe.certificates, probe.host))
                answer = await self._step(Step.HTTP, probe.ask(line))
                await self._step(Step.SERVICE, self._identify(answer))
            except StepFailed as failed:
                self._count()
                await self._look_again(failed.fault)
                raise
            self._count()

    def _count(self) -> None:
        if self._twin is not None:
            self._traffic, self._twin = traffic_of(self._twin), None

    async def _step(self, step: Step, work: Awaitable[T]) -> T:
        loop = asyncio.get_running_loop()
        began, evidence = loop.time(), ""
        fault: Fault | None = None
        seconds, look = min(NAME_SECONDS if step is Step.NAME else self._step_seconds, self._left), None
        try:
            async with asyncio.timeout(seconds) as bound:
                if step is Step.TCP:
                    look = loop.call_later(seconds - 0.1, self._wait_longer, bound)
                done = await work
                evidence = ", ".join(done) if isinstance(done, list) else done if isinstance(done, str) else ""
                return done
        except TimeoutError:
            by_proxy = step is Step.TCP and self._probe.proxy is not None
            fault = Fault.PROXY_SILENT if by_proxy else _SILENT.get(step, Fault.HTTP_SILENT)
            evidence = phrase("no answer within {count} s", count=round(loop.time() - began))
            raise StepFailed(fault, evidence) from None
        except StepFailed as failed:
            fault, evidence = failed.fault, failed.evidence
            raise
        finally:
            if look is not None:
                look.cancel()
            self._results[step] = StepResult(
                step=step,
                passed=not fault,
                milliseconds=round(1000 * (loop.time() - began), 1),
                fault=fault,
                evidence=clean(evidence),
            )

    def _wait_longer(self, bound: asyncio.Timeout) -> None:
        """Waits as long again, if other connections have moved bytes since the test began: the line is not dead."""
        if any(other.received + other.acknowledged > 0 for other in self._others):
            self._dial.most_rounds = 2 * MAX_ROUNDS
            bound.reschedule(asyncio.get_running_loop().time() + min(self._step_seconds, self._left))

    @property
    def _others(self) -> list[Traffic]:
        """Increase of the calls' traffic since the test began."""
        return [now.since(self._others_before.get(line, Traffic())) for line, now in self._probe.traffic().items()]

    @property
    def _left(self) -> float:
        # What has not been done by then is left out.
        return max(0.0, self._began + 15.0 - asyncio.get_running_loop().time())

    @property
    def _is_certified(self) -> bool:
        """True if the answering host has a certificate for the service's name, which no guest network has."""
        return bool(self._results[Step.TLS].passed)

    async def _identify(self, answer: Answer) -> str:
        probe, status = self._probe, answer.status
        if answer.is_marked:
            if (fault := answer.own_fault) is not None:
                raise StepFailed(fault, answer)
            return phrase("it answers {status}", status=status)
        target = answer.target(probe.service.geturl())
        is_elsewhere = target is not None and target.hostname != probe.host and not self._is_certified
        self._sent_on = status == 511 or is_elsewhere
        # With these a service sends that has moved; portals send for the moment.
        has_moved = target is not None and status in (301, 308) and target.path.endswith(ASKED)
        if self._sent_on and not has_moved:
            raise StepFailed(
                Fault.PORTAL, phrase("it redirects to {address}", address=target.netloc) if target else answer
            )
        if target is not None:
            raise StepFailed(
                Fault.MOVED, phrase("it redirects to {address}", address=f"{target.scheme}://{target.netloc}")
            )
        if status == 407:
            raise answer.proxy_failure
        if self._is_certified and status < 500:
            seen = phrase("{answer}, and its certificate is valid for {host}", answer=answer.words, host=probe.host)
            raise StepFailed(Fault.NOT_THE_SERVICE, seen)
        if 200 <= status < 300 and answer.is_page:
            raise StepFailed(Fault.PORTAL, answer)
        if probe.proxy is not None and not probe.encrypted and status in (403, 451, 502, 503, 504):
            raise answer.proxy_failure
        raise StepFailed(Fault.GATEWAY if status >= 500 else Fault.NOT_THE_SERVICE, answer)

    # A second look at what was found

    async def _look_again(self, fault: Fault) -> None:
        """Looks for the cause of a failure of the steps beyond the name."""
        probe = self._probe
        step = next(result.step for result in self._results.values() if result.passed is False)
        # Not coroutines: those of a test that is given up here would never be awaited.
        looks: dict[str, Callable[[], Awaitable[Behind | None]]] = {}
        second = SecondLook(probe, self._addresses, self._line_to)
        if probe.proxy is None:
            if number_of(probe.host) is None and fault is not Fault.SERVICE_FAILS:
                looks["name"] = second.elsewhere
            if fault not in _SURE and not self._is_certified:
                looks["portal"] = partial(second.portal, fault)
            if fault in _WITH_A_PROXY:
                looks["proxy"] = second.proxy
        if fault in OF_TIME:
            looks["certificate"] = second.compare_times
        if fault in OF_SIGNER:
            looks["certificate"] = partial(second.certificate, fault)
        if fault is Fault.TLS_SILENT:
            looks["plain"] = second.plain_http
            looks["small"] = second.small_packets
        least = 3.0 if step is not Step.TCP else PORTAL_SECONDS
        known = await asyncio.gather(*(self._bounded(look, least) for look in looks.values()))
        found = dict(zip(looks, known, strict=True))
        if (wrong := found.get("name")) is not None and not (self._sent_on or second.sent_on):
            self._fail(Step.NAME, *wrong)
        elif (
            behind := next(
                (seen for look in ("portal", "proxy", "certificate", "plain", "small") if (seen := found.get(look))),
                None,
            )
        ) is not None:
            self._fail(step, *behind)

    async def _look_for_proxy(self, fault: Fault) -> None:
        """Looks for a proxy: a network that lets nobody out directly often knows no names of the internet either."""
        if fault in _WITH_A_PROXY and self._probe.proxy is None:
            second = SecondLook(self._probe, self._addresses, self._line_to)
            if (found := await self._bounded(second.proxy, PORTAL_SECONDS)) is not None:
                self._fail(Step.NAME, *found)

    async def _bounded(self, look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
        try:
            async with asyncio.timeout(min(seconds, self._left)):
                return await look()
        except (StepFailed, OSError):
            return None

    def _weigh(self) -> None:
        seen = Observed(
            test=self._test,
            network=self._network,
            addresses=self._addresses,
            traffic=self._traffic,
            others=self._others,
            lost_rounds=self._lost_rounds,
        )
        if (cause := cause_of(seen, self._probe)) is not None:
            self._fail(*cause)

    def _fail(self, step: Step, fault: Fault, evidence: str) -> None:
        """Records that this step failed, and that those after it were not done."""
        after = False
        for each, result in self._results.items():
            if each is step:
                self._results[each] = replace(result, passed=False, fault=fault, evidence=clean(evidence))
            elif after:
                self._results[each] = StepResult(step=each, passed=None)
            after = after or each is step


_SILENT = {
    Step.NAME: Fault.NAME_SERVER_SILENT,
    Step.TCP: Fault.SILENT,
    Step.PROXY: Fault.PROXY_SILENT,
    Step.TLS: Fault.TLS_SILENT,
}
"""The fault of a step that gets no answer in its time; the first three steps ask nobody."""
_WITH_A_PROXY = frozenset(
    {
        *(Fault.NAME_UNKNOWN, Fault.NAME_SERVER_FAILS),
        *(Fault.SILENT, Fault.REFUSED),
    }
)
"""Faults of a device that goes out directly where only a proxy may."""
_SURE = frozenset({Fault.PORTAL, Fault.SERVICE_FAILS, Fault.MOVED})
"""Nothing else can be behind these."""
