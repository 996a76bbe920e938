"""Tests the way to the service, step by step (docs/adr/0104-test-the-way-to-the-service.md).

It speaks to the service, its proxy and the device's name servers, sends no token, and waits for nothing longer than
its bounds say. The codes of what it finds are those of `player/domain/connection.py`.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import email.utils
import errno
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar, assert_never
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from player.domain.connection import WEAK_SIGNAL, ConnectionFault, ConnectionTest, Step, StepResult
from player.domain.network import Adapter, NetworkState
from player.domain.words.phrase import Phrase, listed, phrase
from player.link.faults import proxy_fault
from player.link.lines import Traffic, traffic_of
from player.link.probe.address_owner import other_owner
from player.link.probe.certificate import validity_of
from player.link.probe.exchange import Answer, Line, StepFailed, clean, encrypt, exchange
from player.link.probe.name_query import NameAnswer, ask
from player.link.probe.proxy_offer import offered_proxy

ALL_SECONDS = 15.0
"""The longest for a test; what has not been done by then is left out."""
STEP_SECONDS = 4.0
"""The longest for a step, as for the connection of a call."""
MORE_SECONDS = 3.0
"""The longest for a second look at what a step has found."""
NAME_SECONDS = 5.5
"""The longest for the name; calls wait less, so that one that takes longer than SLOW_NAME_SECONDS is of no use."""
SLOW_NAME_SECONDS = 3.0
SLOW_LINE_SECONDS = 2.5
"""Handshakes that take longer are those of a line that is too slow: by satellite they take 2 s."""
THIN_LINE_SECONDS = 1.5
"""TLS takes so much longer than the way there and back over a line of 1 kB/s."""
THIN_TLS_SECONDS = 0.8
THIN_ANSWER_SECONDS = 2.0
"""Or so much with a small certificate; then the answer takes long, too."""
LOSSY_LINE = 3
"""From how many packets of a test that were sent again on the line loses too much."""
PORTAL_SECONDS = 1.5
"""The same where no connection was made: a log-in page is near, and the rest has been waited for."""
RESOLVE_SECONDS = 0.5
"""How long the system's resolver may take beyond the name servers themselves."""
NAME_SERVER_SECONDS = 4.5
"""How long a name server may take to answer the player's own question."""
AGAIN_SECONDS = 0.7
"""After which an address that has not answered is tried once more, beside the first time: the kernel repeats what was
lost after 1 and 3 s, too seldom to tell a line that loses half from one that is dead."""
MAX_ROUNDS = 5
"""In which an address is tried; once more as many where the line moves bytes of other connections."""
LOOK_EARLIER_SECONDS = 0.1
"""Before the end of a step it is decided whether to wait longer for it."""
MAX_ADDRESSES = 3
"""Addresses of a name that are tried."""
T = TypeVar("T")

_PORTAL_WORDS: tuple[bytes, ...] = (
    b"<form",
    b"http-equiv",
    b"log in",
    b"login",
    b"sign in",
    b"welcome",
    b"wi-fi",
    b"wifi",
    b"wlan",
)
_PORTAL_WORDS += (b"hotspot", b"guest", b"voucher", b"accept", b"terms of use", b"portal")
_OWN_NAMES: tuple[str, ...] = (
    "test",
    "example",
    "invalid",
    "localhost",
    "local",
    "localdomain",
    "lan",
    "home",
    "internal",
    "arpa",
)
_OWN_NAMES += ("intranet", "corp", "private", "box")
"""Last labels of names that are not of the internet: such a name may have an address of the shop's network."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a name, as the system finds them. Raises OSError."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, by the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class BestTime(Struct, frozen=True, kw_only=True):
    """The best known time, and what the device's clock says; `certain` if something vouches for it."""

    at: datetime
    system: datetime
    certain: bool


class Probe:
    """Tests the way to one service. `proxy` and `certificates` are those of the calls. `now` gives the best known time,
    `network` how the device stands in its network, `reached` the address at which the service last answered, None where
    that is not known, `traffic` what each connection of the calls has moved."""

    def __init__(
        self,
        *,
        service: str,
        certificates: ssl.SSLContext,
        now: Callable[[], BestTime],
        network: Callable[[], NetworkState],
        proxy: str | None = None,
        app_version: str = "0",
        reached: Callable[[], str | None] = lambda: None,
        traffic: Callable[[], Mapping[int, Traffic]] = dict,
        resolve: Resolve = system_resolve,
        name_server_port: int = 53,
        portal_port: int = 80,
    ) -> None:
        self.service = urlsplit(service)
        self.host = self.service.hostname or ""
        self.encrypted = self.service.scheme == "https"
        self.port = self.service.port or (443 if self.encrypted else 80)
        self.proxy = urlsplit(proxy) if proxy else None
        self.certificates = certificates
        self.now = now
        self.app_version = app_version
        self.reached = reached
        self.traffic = traffic
        self.network = network
        self.resolve = resolve
        self.name_server_port = name_server_port
        self.portal_port = portal_port
        self.last_adapter = ""

    @property
    def first(self) -> tuple[str, int]:
        """The machine that is connected to, and its port: the proxy, or the service."""
        if self.proxy is None:
            return self.host, self.port
        return self.proxy.hostname or "", self.proxy.port or (443 if self.proxy.scheme == "https" else 80)

    def note_way(self) -> int | None:
        """Remember over which adapter the device goes out, while it does: when no cable lives, that one is missing.
        Returns the signal of its Wi-Fi, in dBm; None for a cable, or where it is not known."""
        network = self.network()
        if (route := network.default) is None:
            return None
        self.last_adapter = route.adapter
        return next((adapter.signal for adapter in network.adapters if adapter.name == route.adapter), None)

    async def run(self) -> ConnectionTest:
        """Do the test."""
        return await _Run(self).result()


class _Run:
    """One test, and the results of its steps so far."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._began = asyncio.get_running_loop().time()
        self._at = probe.now().at
        self._network = NetworkState()
        self._results = {step: StepResult(step=step, passed=None) for step in Step}
        self._addresses: Sequence[str] = ()
        self._adapter: Adapter | None = None
        self._no_route = ""
        self._line_to: str | None = None
        self._owner: asyncio.Future[Phrase | None] | None = None
        self._twin: socket.socket | None = None
        self._traffic = Traffic()
        self._rounds = self._lost_rounds = 0
        self._most_rounds = MAX_ROUNDS
        self._others_before = probe.traffic()
        self._sent_on = False
        """Whether a log-in page says of itself that it is one: it sends the device there."""

    async def result(self) -> ConnectionTest:
        with contextlib.suppress(StepFailed):
            try:
                await self._here()
            except StepFailed as failed:
                await self._look_for_proxy(failed.fault)
                raise
            await self._there()
        self._see_owner()
        self._weigh()
        return self._test

    @property
    def _test(self) -> ConnectionTest:
        return ConnectionTest(at=self._at, steps=tuple(self._results.values()))

    # The steps

    async def _here(self) -> None:
        """What the device knows by itself, and the name."""
        host, port = self._probe.first
        self._network = await asyncio.to_thread(self._probe.network)
        number = _number(host)
        if host != "localhost" and not (number is not None and number.is_loopback):
            await self._step(Step.LINK, self._link())
            await self._step(Step.ADDRESS, self._address())
            await self._step(Step.ROUTE, self._route(number))
            self._ask_for_owner()
        if number is None:
            await self._step(Step.NAME, self._name(host, port))
        else:
            self._addresses = (host,)

    async def _there(self) -> None:
        probe = self._probe
        async with contextlib.AsyncExitStack() as stack:
            try:
                line = await self._step(Step.TCP, self._tcp(self._addresses, probe.first[1]))
                self._lost_rounds = self._rounds - 1
                self._line_to = str(line[1].get_extra_info("peername")[0])
                stack.callback(lambda: line[1].transport.abort())
                # Its own: a step that takes too long closes the other.
                self._twin = stack.enter_context(line[1].get_extra_info("socket").dup())
                if self._handshakes >= SLOW_LINE_SECONDS:
                    self._count()
                    return  # The rest would take as long again.
                if probe.proxy is not None:
                    await self._step(Step.PROXY, self._through_proxy(line))
                if probe.encrypted:
                    await self._step(Step.TLS, encrypt(line, probe.certificates, probe.host))
                answer = await self._step(Step.HTTP, self._ask(line))
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
        began, fault, evidence = loop.time(), "", ""
        seconds, look = min(NAME_SECONDS if step is Step.NAME else STEP_SECONDS, self._left), None
        try:
            async with asyncio.timeout(seconds) as bound:
                if step is Step.TCP:
                    look = loop.call_later(seconds - LOOK_EARLIER_SECONDS, self._wait_longer, bound)
                done = await work
                evidence = done if isinstance(done, str) else ""
                return done
        except TimeoutError:
            fault = _SILENT[step] if self._probe.proxy is None or step is not Step.TCP else ConnectionFault.PROXY_SILENT
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
        """Wait as long again, if other connections have moved bytes since the test began: the line is not dead."""
        if any(other.received + other.acknowledged > 0 for other in self._others):
            self._most_rounds = 2 * MAX_ROUNDS
            bound.reschedule(asyncio.get_running_loop().time() + min(STEP_SECONDS, self._left))

    @property
    def _others(self) -> list[Traffic]:
        """What has come to the traffic of the calls' connections since the test began."""
        return [now.since(self._others_before.get(line)) for line, now in self._probe.traffic().items()]

    @property
    def _left(self) -> float:
        return max(0.0, self._began + ALL_SECONDS - asyncio.get_running_loop().time())

    async def _link(self) -> str:
        adapters = {adapter.name: adapter for adapter in self._network.adapters}
        out = self._network.default
        if out is not None and out.adapter not in adapters:
            return f"{out.adapter}"  # A modem, a tunnel or a bridge: it has no cable of its own.
        last = adapters.get(out.adapter if out is not None else self._probe.last_adapter)
        asked = [last] if last is not None and not last.linked else list(adapters.values())
        seen = listed([adapter.words for adapter in adapters.values()]) if adapters else ""
        if linked := [adapter for adapter in asked if adapter.linked]:
            self._adapter = next((adapter for adapter in linked if out and adapter.name == out.adapter), linked[0])
            return seen
        if not asked:
            raise StepFailed(ConnectionFault.NO_ADAPTER)
        on = [adapter for adapter in asked if adapter.is_on]
        if not on:
            raise StepFailed(ConnectionFault.LINK_OFF, seen)
        wired = any(not adapter.wifi for adapter in on)
        raise StepFailed(ConnectionFault.NO_CABLE if wired else ConnectionFault.WIFI_NOT_JOINED, seen)

    async def _address(self) -> str:
        addresses = self._network.addresses
        own = ", ".join(str(address) for address in addresses)
        if any(not address.is_link_local for address in addresses):
            return own
        raise StepFailed(ConnectionFault.SELF_ASSIGNED if addresses else ConnectionFault.NO_ADDRESS, own)

    async def _route(self, number: Number | None) -> str:
        if (out := self._network.default) is not None:
            if not out.gateway:
                return phrase("by a way without a router, {adapter}", adapter=out.adapter)
            return phrase("by {gateway}, {adapter}", gateway=out.gateway, adapter=out.adapter)
        ways = ", ".join(sorted({str(route.to) for route in self._network.routes}))
        evidence = phrase("no way beyond {networks}", networks=ways) if ways else phrase("no way out")
        if number is None:
            self._no_route = evidence  # Service and name server may be in this network: see how far it goes.
        elif not any(number in route.to for route in self._network.routes if route.to.version == number.version):
            raise StepFailed(ConnectionFault.NO_ROUTE, evidence)
        return evidence

    async def _name(self, host: str, port: int) -> str:
        """Ask as the calls do; and what each name server says, which the system does not tell."""
        began = asyncio.get_running_loop().time()
        known = asyncio.ensure_future(self._probe.resolve(host, port))
        said = asyncio.ensure_future(self._ask_name_servers(host))
        try:
            await asyncio.wait((known, said), return_when=asyncio.FIRST_COMPLETED)
            if not known.done():
                # A name that the servers know will come, other names are given a moment: there is more than they know.
                await asyncio.wait((known,), timeout=None if said.result() is NameAnswer.ADDRESS else RESOLVE_SECONDS)
            if known.done() and known.exception() is None and known.result():
                self._addresses = known.result()[:MAX_ADDRESSES]
                if asyncio.get_running_loop().time() - began >= SLOW_NAME_SECONDS:
                    servers = ", ".join(self._network.name_servers)
                    seen = phrase("{host}, asked of {servers}", host=host, servers=servers)
                    raise StepFailed(ConnectionFault.NAME_SERVER_SLOW, seen)
                return ", ".join(self._addresses)
            answer = await said
        finally:
            known.cancel()
            said.cancel()
            await asyncio.gather(known, said, return_exceptions=True)
        servers = ", ".join(self._network.name_servers)
        match answer:
            case None:
                raise StepFailed(ConnectionFault.NO_NAME_SERVER)
            case NameAnswer.SILENT:
                raise StepFailed(ConnectionFault.NAME_SERVER_SILENT, servers)
            case NameAnswer.FAILS | NameAnswer.ADDRESS:
                raise StepFailed(ConnectionFault.NAME_SERVER_FAILS, servers)
            case NameAnswer.UNKNOWN:
                proxy = self._probe.proxy is not None
                fault = ConnectionFault.PROXY_NAME_UNKNOWN if proxy else ConnectionFault.NAME_UNKNOWN
                raise StepFailed(fault, phrase("{host}, asked of {servers}", host=host, servers=servers))
            case _:
                assert_never(answer)

    async def _ask_name_servers(self, host: str) -> NameAnswer | None:
        """The best that a name server says; None if there is none."""
        port = self._probe.name_server_port
        asked = [ask(server, host, seconds=NAME_SERVER_SECONDS, port=port) for server in self._network.name_servers]
        said = await asyncio.gather(*asked)
        return min(said, key=list(NameAnswer).index, default=None)

    async def _tcp(self, addresses: Sequence[str], port: int) -> Line:
        """The first connection that is made; if none is, what says most."""
        errors: list[OSError] = []
        tries: dict[asyncio.Future[Line], str] = {}
        done, pending, open_ones = set[asyncio.Future[Line]](), set[asyncio.Future[Line]](), set(addresses)
        self._rounds = 0
        try:
            while open_ones:
                if not done and self._rounds < self._most_rounds:
                    self._rounds += 1
                    tries.update({_connection(each, port): each for each in open_ones})
                    pending = {attempt for attempt in tries if not attempt.done()}
                done, pending = await asyncio.wait(pending, timeout=AGAIN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    if (error := attempt.exception()) is None:
                        del tries[attempt]
                        return attempt.result()
                    if not isinstance(error, OSError):
                        raise error
                    errors.append(error)
                    open_ones.discard(tries[attempt])
                pending = {attempt for attempt in pending if tries[attempt] in open_ones}
        finally:
            await _drop(list(tries))
        refused = next((error for error in errors if isinstance(error, ConnectionRefusedError)), None)
        by_proxy = self._probe.proxy is not None
        if refused is not None:
            raise StepFailed(
                ConnectionFault.PROXY_REFUSED if by_proxy else ConnectionFault.REFUSED, ", ".join(addresses)
            )
        if any(error.errno == errno.ETIMEDOUT for error in errors):
            raise TimeoutError
        seen = "; ".join(str(error) for error in errors)
        raise StepFailed(ConnectionFault.PROXY_UNREACHABLE if by_proxy else ConnectionFault.UNREACHABLE, seen)

    async def _through_proxy(self, line: Line) -> str:
        probe, proxy = self._probe, self._probe.proxy
        if proxy is None:
            raise RuntimeError("there is no proxy")
        if proxy.scheme == "https":
            try:
                await encrypt(line, probe.certificates, proxy.hostname or "")
            except StepFailed as failed:
                raise StepFailed(ConnectionFault.PROXY_FAILS, failed.evidence) from None
        if not probe.encrypted:
            return ""
        there = f"[{probe.host}]:{probe.port}" if ":" in probe.host else f"{probe.host}:{probe.port}"
        try:
            answer = await exchange(
                line, f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n{self._credentials}\r\n", body=False
            )
        except StepFailed as failed:
            raise StepFailed(ConnectionFault.PROXY_FAILS, failed.evidence) from None
        if not 200 <= answer.status < 300:
            raise StepFailed(proxy_fault(answer.status), answer)
        return ""

    @property
    def _credentials(self) -> str:
        proxy = self._probe.proxy
        if proxy is None or proxy.username is None:
            return ""
        pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        return f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}\r\n"

    async def _ask(self, line: Line) -> Answer:
        """What the service is asked without a token: it refuses, and says who it is."""
        probe = self._probe
        path = f"{probe.service.path}{_ASKED}"
        if probe.proxy is None or probe.encrypted:
            return await exchange(line, self._request(path))
        return await exchange(line, self._request(f"http://{probe.service.netloc}{path}", more=self._credentials))

    def _request(self, target: str, *, more: str = "") -> str:
        return (
            f"GET {target} HTTP/1.1\r\nHost: {self._probe.service.netloc}\r\nAccept: application/json\r\n"
            f"User-Agent: menu-player/{self._probe.app_version}\r\nConnection: close\r\n{more}\r\n"
        )

    async def _identify(self, answer: Answer) -> str:
        probe, status = self._probe, answer.status
        if answer.is_marked:
            if (fault := answer.own_fault) is not None:
                raise StepFailed(fault, answer)
            return phrase("it answers {status}", status=status)
        target = answer.target(probe.service.geturl())
        self._sent_on = status == 511 or (target is not None and target.hostname != probe.host)
        if target is not None and status in _FOR_GOOD and target.path.endswith(_ASKED):
            raise StepFailed(
                ConnectionFault.MOVED, phrase("it redirects to {address}", address=f"{target.scheme}://{target.netloc}")
            )
        if self._sent_on:
            raise StepFailed(
                ConnectionFault.PORTAL, phrase("it redirects to {address}", address=target.netloc) if target else answer
            )
        if target is not None:
            raise StepFailed(
                ConnectionFault.MOVED, phrase("it redirects to {address}", address=f"{target.scheme}://{target.netloc}")
            )
        if status == 407:
            raise StepFailed(ConnectionFault.PROXY_SIGN_IN, answer)
        if 200 <= status < 300 and answer.is_page:
            raise StepFailed(ConnectionFault.PORTAL, answer)
        if probe.proxy is not None and not probe.encrypted and status in (403, 451, 502, 503, 504):
            raise StepFailed(proxy_fault(status), answer)
        raise StepFailed(ConnectionFault.GATEWAY if status >= 500 else ConnectionFault.NOT_THE_SERVICE, answer)

    # A second look at what was found

    async def _look_again(self, fault: ConnectionFault) -> None:
        """Find out what is behind a failure of the steps beyond the name."""
        probe = self._probe
        step = next(result.step for result in self._results.values() if result.passed is False)
        # Not coroutines: those of a test that is given up here would never be awaited.
        looks: dict[str, Callable[[], Awaitable[tuple[ConnectionFault, str] | None]]] = {}
        if probe.proxy is None:
            if _number(probe.host) is None and fault is not ConnectionFault.SERVICE_FAILS:
                looks["name"] = self._elsewhere
            if fault not in _SURE:
                looks["portal"] = partial(self._portal, fault)
            if fault in _WITH_A_PROXY:
                looks["proxy"] = self._offered_proxy
        if fault in _OF_TIME:
            looks["time"] = self._compare_times
        least = MORE_SECONDS if step is not Step.TCP else PORTAL_SECONDS
        known = await asyncio.gather(*(self._bounded(look, least) for look in looks.values()))
        found = dict(zip(looks, known, strict=True))
        if (wrong := found.get("name")) is not None and not self._sent_on:
            self._fail(Step.NAME, *wrong)
        elif (behind := found.get("portal") or found.get("proxy") or found.get("time")) is not None:
            self._fail(step, *behind)

    async def _look_for_proxy(self, fault: ConnectionFault) -> None:
        """A network that lets nobody out directly often knows no names of the internet either."""
        if fault in _WITH_A_PROXY and (found := await self._bounded(self._offered_proxy, PORTAL_SECONDS)) is not None:
            self._fail(Step.NAME, *found)

    def _ask_for_owner(self) -> None:
        """Ask, beside the other steps, whether another machine has the device's address."""
        own = next((each for each in self._network.addresses if isinstance(each, ipaddress.IPv4Address)), None)
        if own is not None and (out := self._network.default) is not None:
            self._owner = asyncio.ensure_future(other_owner(own, out.adapter))

    def _see_owner(self) -> None:
        """Answers that do not come may have gone to that machine."""
        owner, failure = self._owner, self._test.failure
        if owner is None or owner.cancel() or owner.cancelled() or owner.exception() is not None:
            return
        if failure is not None and failure.fault in _UNANSWERED and (said := owner.result()) is not None:
            self._fail(Step.ADDRESS, ConnectionFault.ADDRESS_TAKEN, said)

    async def _offered_proxy(self) -> tuple[ConnectionFault, str] | None:
        if self._probe.proxy is not None:
            return None
        offered = await offered_proxy(self._probe.resolve, self._probe.portal_port)
        return None if offered is None else (ConnectionFault.PROXY_OFFERED, offered)

    async def _bounded(self, look: Callable[[], Awaitable[T | None]], seconds: float) -> T | None:
        try:
            async with asyncio.timeout(min(seconds, self._left)):
                return await look()
        except (StepFailed, OSError):
            return None

    async def _elsewhere(self) -> tuple[ConnectionFault, str] | None:
        """Whether the service answers where it did before, and not where its name points now."""
        before = self._probe.reached()
        if self._line_to is not None and ":" in self._line_to:
            # Over IPv6 something answers that is not the service.
            before = next((address for address in self._addresses if ":" not in address), before)
        elif before in self._addresses:
            return None
        if before is None or before == self._line_to:
            return None
        if ":" not in before and all(":" in address for address in self._addresses):
            return None  # IPv6 alone, over which nothing goes here: that the name is right shows nothing.
        async with self._line((before,)) as line:
            if self._probe.encrypted:
                await encrypt(line, self._probe.certificates, self._probe.host)
            if not (await self._ask(line)).is_marked:
                return None
        now = ", ".join(address for address in self._addresses if address != before)
        return ConnectionFault.NAME_WRONG, f"the name server says {now}; the service answers at {before}"

    async def _portal(self, fault: ConnectionFault) -> tuple[ConnectionFault, str] | None:
        """Whether a log-in page answers plain HTTP in the service's place."""
        probe = self._probe
        if not probe.encrypted and probe.port == probe.portal_port:
            return None
        async with self._line(self._addresses, probe.portal_port) as line:
            answer = await exchange(line, self._request("/"))
        target = answer.target(f"http://{probe.service.netloc}")
        if answer.is_marked:
            return None
        self._sent_on = answer.status == 511 or (target is not None and target.hostname != probe.host)
        if target is not None and self._sent_on:
            return ConnectionFault.PORTAL, f"plain HTTP redirects to {target.netloc}"
        page = answer.is_page and answer.status < 300 and fault not in _OF_TIME
        if answer.status == 511 or (page and any(word in answer.body.lower() for word in _PORTAL_WORDS)):
            return ConnectionFault.PORTAL, str(answer)
        return None

    async def _compare_times(self) -> tuple[ConnectionFault, str] | None:
        """What is wrong with a certificate's dates: by the best known time, and by what the other side says of it."""
        best, unverified = self._probe.now(), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
        said: datetime | None = None
        async with self._line(self._addresses) as line:
            if self._probe.proxy is not None:
                await self._through_proxy(line)
            await encrypt(line, unverified, self._probe.host)
            secured = line[1].get_extra_info("ssl_object")
            validity = validity_of(secured.getpeercert(binary_form=True) or b"")
            with contextlib.suppress(StepFailed, ValueError, TypeError):
                said = email.utils.parsedate_to_datetime((await self._ask(line)).headers["date"]).replace(tzinfo=UTC)
        if validity is None:
            return None
        # The other side's own date tells a certificate that has run out from a clock that is wrong, and sure of itself.
        now = said or best.at
        dates = f"it is valid from {validity.begins:%Y-%m-%d %H:%M} to {validity.ends:%Y-%m-%d %H:%M} UTC"
        clock = f"the device's clock says {best.system:%Y-%m-%d %H:%M} UTC"
        if validity.holds_at(best.system):
            return None  # One of those that vouch for it is not.
        guessed = not best.certain and said is None and now < validity.begins
        if validity.holds_at(now) or guessed:
            return ConnectionFault.CLOCK_WRONG, f"{dates}; {clock}"
        early = now < validity.begins
        fault = ConnectionFault.CERTIFICATE_NOT_YET_VALID if early else ConnectionFault.CERTIFICATE_EXPIRED
        return fault, f"{dates}; {clock}"

    @asynccontextmanager
    async def _line(self, addresses: Sequence[str], port: int | None = None) -> AsyncIterator[Line]:
        line = await self._tcp(addresses, port or self._probe.first[1])
        try:
            yield line
        finally:
            line[1].transport.abort()

    def _weigh(self) -> None:
        """Give a failure to the step before it that is its cause."""
        failed = next((result for result in self._results.values() if result.passed is False), None)
        if self._is_slow(failed):
            ended = Step.HTTP if self._results[Step.HTTP].passed else Step.TCP
            self._fail(failed.step if failed else ended, ConnectionFault.SLOW, self._slowness)
            return
        if failed is None:
            return
        if self._no_route and failed.step in (Step.NAME, Step.TCP):
            self._fail(Step.ROUTE, ConnectionFault.NO_ROUTE, self._no_route)
        elif failed.fault in _PROXYS and failed.step is Step.SERVICE:
            self._fail(Step.PROXY, ConnectionFault(failed.fault), failed.evidence)
        elif (
            failed.fault in _LIKE_WEAK_WIFI and self._adapter is not None and (self._adapter.signal or 0) <= WEAK_SIGNAL
        ):
            self._fail(Step.LINK, ConnectionFault.WIFI_WEAK, self._adapter.words)
        elif failed.step in (Step.TCP, Step.TLS, Step.HTTP, Step.SERVICE) and self._is_lie and failed.fault != "portal":
            self._fail(Step.NAME, ConnectionFault.NAME_WRONG, ", ".join(self._addresses))

    @property
    def _handshakes(self) -> float:
        return self._test.handshakes

    def _is_slow(self, failed: StepResult | None) -> bool:
        """Whether the line itself is so slow, or loses so much, that calls fail, though this test may not have."""
        seen = self._traffic
        if failed is None:
            return (
                self._handshakes >= SLOW_LINE_SECONDS
                or self._test.excess >= THIN_LINE_SECONDS
                or (self._test.excess >= THIN_TLS_SECONDS and self._test.seconds(Step.HTTP) >= THIN_ANSWER_SECONDS)
                or seen.resent + self._lost_rounds >= LOSSY_LINE
            )
        late = (self._results[Step.TCP].milliseconds or 0.0) >= 950
        lost = self._lost_rounds > 0 or (seen.resent >= 1 and (seen.acknowledged > 1 or late))
        resent = seen.resent + sum(other.resent for other in self._others)
        if failed.fault == ConnectionFault.TLS_SILENT:
            return lost or seen.received > 0
        # A whole handshake came through: one packet that was sent again is not why the rest does not.
        much = resent + self._lost_rounds > 1 or self._handshakes >= SLOW_LINE_SECONDS
        return failed.fault == ConnectionFault.HTTP_SILENT and much

    @property
    def _slowness(self) -> str:
        if self._traffic.resent:
            return phrase("part of what is sent gets lost, or comes late")
        return phrase("it took {count} s until an answer came", count=round(self._handshakes))

    @property
    def _is_lie(self) -> bool:
        """Whether none of the addresses can be that of the name: they are of the device, or of the shop's network."""
        host = self._probe.host
        if self._probe.proxy is not None or _number(host) is not None or host.lower() in self._network.hosts:
            return False
        if self._probe.reached() in self._addresses:
            return False
        numbers = [number for address in self._addresses if (number := _number(address)) is not None]
        if host != "localhost" and all(number.is_loopback or number.is_unspecified for number in numbers):
            return bool(numbers)
        for_all = "." in host.rstrip(".") and host.rstrip(".").rpartition(".")[2].lower() not in _OWN_NAMES
        if not for_all or not numbers:
            return False
        if self._probe.reached() is not None:
            return all(number.is_private or number.is_link_local for number in numbers)
        # A company may have its service in a network of its own: only what stands in the shop is in its place.
        near = [route.to for route in self._network.routes if route.to.prefixlen and not route.gateway]
        return all(number.is_link_local or any(number in each for each in near) for number in numbers)

    def _fail(self, step: Step, fault: ConnectionFault, evidence: str) -> None:
        """Say that this step failed, and that those after it were not done."""
        after = False
        for each, result in self._results.items():
            if each is step:
                self._results[each] = replace(result, passed=False, fault=fault, evidence=clean(evidence))
            elif after:
                self._results[each] = StepResult(step=each, passed=None)
            after = after or each is step


_ASKED = "/v1/player/manifest"
"""Of the service, in a test."""
_FOR_GOOD = (301, 308)
"""Redirects that a service uses which has moved; portals send for the moment."""
_SILENT = {
    Step.LINK: ConnectionFault.NO_ADAPTER,
    Step.ADDRESS: ConnectionFault.NO_ADDRESS,
    Step.ROUTE: ConnectionFault.NO_ROUTE,
    Step.NAME: ConnectionFault.NAME_SERVER_SILENT,
    Step.TCP: ConnectionFault.SILENT,
    Step.PROXY: ConnectionFault.PROXY_SILENT,
    Step.TLS: ConnectionFault.TLS_SILENT,
    Step.HTTP: ConnectionFault.HTTP_SILENT,
    Step.SERVICE: ConnectionFault.HTTP_SILENT,
}
"""What it is when a step gets no answer in its time; the first three ask nobody."""
_OF_TIME = frozenset({ConnectionFault.CERTIFICATE_EXPIRED, ConnectionFault.CERTIFICATE_NOT_YET_VALID})
_WITH_A_PROXY = frozenset(
    {
        *(ConnectionFault.NAME_UNKNOWN, ConnectionFault.NAME_SERVER_FAILS),
        *(ConnectionFault.SILENT, ConnectionFault.UNREACHABLE, ConnectionFault.REFUSED),
    }
)
"""What a device meets that goes out directly where only a proxy may."""
_UNANSWERED = frozenset(
    {
        *(ConnectionFault.NAME_SERVER_SILENT, ConnectionFault.SILENT, ConnectionFault.UNREACHABLE),
        *(ConnectionFault.TLS_SILENT, ConnectionFault.HTTP_SILENT, ConnectionFault.HTTP_FAILS),
    }
)
_SURE = frozenset({ConnectionFault.PORTAL, ConnectionFault.SERVICE_FAILS, ConnectionFault.MOVED})
"""Nothing else can be behind these."""
_PROXYS = frozenset({ConnectionFault.PROXY_SIGN_IN, ConnectionFault.PROXY_FORBIDS, ConnectionFault.PROXY_FAILS})
_LIKE_WEAK_WIFI = frozenset(
    {
        ConnectionFault.NAME_SERVER_SILENT,
        ConnectionFault.SILENT,
        ConnectionFault.PROXY_SILENT,
        ConnectionFault.TLS_SILENT,
        ConnectionFault.HTTP_SILENT,
    }
)


def _connection(address: str, port: int) -> asyncio.Future[Line]:
    return asyncio.ensure_future(asyncio.open_connection(address, port))


async def _drop(tries: Sequence[asyncio.Future[Line]]) -> None:
    """Give up these connections, and close those that have been made."""
    for attempt in tries:
        attempt.cancel()
    for made in await asyncio.gather(*tries, return_exceptions=True):
        if not isinstance(made, BaseException):
            made[1].transport.abort()


Number = ipaddress.IPv4Address | ipaddress.IPv6Address


def _number(host: str) -> Number | None:
    """The host as an address; None where it is a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
