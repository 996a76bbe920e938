"""Looks again at what a step has found: the cause may be a log-in page, a proxy, a wrong clock or a wrong address."""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import re
import socket
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus

from menu.text.phrase import phrase
from player.domain.link.fault import Fault
from player.link.authorities import Certificate, alone, trusted, unverified, whenever
from player.link.lines import traffic_of
from player.link.probe.dial import Dial, connect_with
from player.link.probe.exchange import Line, StepFailed, encrypt, exchange
from player.link.probe.way import Way

_PORTAL_WORDS = re.compile(
    rb"<form|http-equiv|log ?in|sign in|welcome|wi-?fi|wlan|hotspot|guest|voucher|accept|terms of use|portal",
    re.IGNORECASE,
)
"""Words of a log-in page."""

_WPAD = "wpad"
"""The name by which a network offers a proxy (Web Proxy Auto-Discovery); the resolver adds the network's domains."""
_NAMED = re.compile(rb"\b(PROXY|HTTPS?)\s+([A-Za-z0-9.-]{1,253}:[0-9]{1,5})\b")
"""A proxy in the script that tells browsers which to take."""

OF_TIME = frozenset({Fault.CERTIFICATE_EXPIRED, Fault.CERTIFICATE_NOT_YET_VALID})

OF_SIGNER = frozenset(
    {
        Fault.CERTIFICATE_UNKNOWN_CA,
        Fault.CERTIFICATE_SELF_SIGNED,
        Fault.CERTIFICATE_WRONG_NAME,
    }
)
"""Faults of a certificate by whose it is, or by who has signed it."""

SMALL_PACKET = 500
"""Bytes of TCP in a packet that any line carries: IPv4 takes 576 with what belongs to it."""

MAX_NAMES = 3
"""Names of a certificate that are told."""

Behind = tuple[Fault, str]
"""A fault that is behind another one, and what was seen of it."""


class SecondLook:
    """Each look returns the fault that it finds, or None. `addresses` are those of the name, `line_to` the one at which
    the failed test was connected. A look raises what its connection raises."""

    def __init__(self, way: Way, addresses: Sequence[str], line_to: str | None) -> None:
        self._way = way
        self._addresses = addresses
        self._line_to = line_to
        self.sent_on = False
        """Whether a log-in page says of itself that it is one: it sends the device there."""

    async def elsewhere(self) -> Behind | None:
        """Checks whether the service answers at its previous address, and not where its name points now."""
        before = self._way.reached()
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
            if self._way.encrypted:
                await encrypt(line, self._way.certificates, self._way.host)
            if not (await self._way.ask(line)).is_marked:
                return None
        now = ", ".join(address for address in self._addresses if address != before)
        return Fault.NAME_WRONG, f"the name server says {now}; the service answers at {before}"

    async def portal(self, fault: Fault) -> Behind | None:
        """Checks whether a log-in page answers plain HTTP in the service's place."""
        way = self._way
        if not way.encrypted and way.port == way.portal_port:
            return None
        async with self._line(self._addresses, way.portal_port) as line:
            answer = await exchange(line, way.request("/"))
        target = answer.target(f"http://{way.service.netloc}")
        if answer.is_marked:
            return None
        self.sent_on = answer.status == 511 or (target is not None and target.hostname != way.host)
        if target is not None and self.sent_on:
            return Fault.PORTAL, f"plain HTTP redirects to {target.netloc}"
        page = answer.is_page and answer.status < 300 and fault not in OF_TIME
        if answer.status == 511 or (page and _PORTAL_WORDS.search(answer.body)):
            return Fault.PORTAL, str(answer)
        return None

    async def compare_times(self) -> Behind | None:
        """Judges a certificate's dates by the other side's time, or by the best known one."""
        best, said = self._way.now(), None
        async with self._secured(whenever(self._way.certificates)) as line:
            certificate = line[1].get_extra_info("peercert")
            begins, ends = (
                datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate[name]), UTC)
                for name in ("notBefore", "notAfter")
            )
            with contextlib.suppress(StepFailed, ValueError, TypeError):
                said = email.utils.parsedate_to_datetime((await self._way.ask(line)).headers["date"]).replace(
                    tzinfo=UTC
                )
        # The other side's own date tells a certificate that has run out from a clock that is wrong, and sure of itself.
        now = said or best.at
        dates = f"it is valid from {begins:%Y-%m-%d %H:%M} to {ends:%Y-%m-%d %H:%M} UTC"
        clock = f"the device's clock says {best.system:%Y-%m-%d %H:%M} UTC"
        if begins <= best.system <= ends:
            return None  # One of those that vouch for it is not.
        guessed = not best.certain and said is None and now < begins
        if begins <= now <= ends or guessed:
            return Fault.CLOCK_WRONG, f"{dates}; {clock}"
        early = now < begins
        fault = Fault.CERTIFICATE_NOT_YET_VALID if early else Fault.CERTIFICATE_EXPIRED
        return fault, f"{dates}; {clock}"

    async def certificate(self, fault: Fault) -> Behind | None:
        """Distinguishes the reasons why no known authority has signed a certificate, by its contents."""
        shown = await self._shown_certificate()
        certificate = await self._read(alone(shown))
        if certificate is None:
            fault, certificate = Fault.CERTIFICATE_WRONG_NAME, await self._read(alone(shown, any_name=True))
        if certificate is None:
            return None
        if fault is Fault.CERTIFICATE_WRONG_NAME:
            names = [name for _, name in certificate.get("subjectAltName", ())]
            told = ", ".join(names[:MAX_NAMES]) or _named(certificate, "subject")
            return fault, phrase("it is the certificate of {names}", names=told)
        if fault is Fault.CERTIFICATE_SELF_SIGNED:
            return fault, phrase("it names nobody else who vouches for it")
        if self._lacks_intermediate(certificate):
            fault = Fault.CERTIFICATE_INCOMPLETE
        return fault, phrase("it is signed by “{name}”", name=_named(certificate, "issuer"))

    def _lacks_intermediate(self, certificate: Certificate) -> bool:
        """True if its signer is certified by a known authority, and is none itself: only public authorities write into
        a certificate where that of its signer is available, and a private one bears the name of its organization."""
        known = trusted(self._way.certificates).get_ca_certs()
        signer = certificate.get("issuer")
        if any(each.get("subject") == signer for each in known):
            return False
        organization = _part(certificate, "issuer", "organizationName")
        of_known = organization and any(_part(each, "subject", "organizationName") == organization for each in known)
        return bool(certificate.get("caIssuers") or of_known)

    async def _shown_certificate(self) -> bytes:
        """Returns the certificate that is shown, whatever it is (DER)."""
        async with self._secured(unverified()) as line:
            shown: bytes = line[1].get_extra_info("ssl_object").getpeercert(binary_form=True)
            return shown

    async def _read(self, certificates: ssl.SSLContext) -> Certificate | None:
        """Returns the parts of the certificate that is shown; None if it is of another name than the service's."""
        try:
            async with self._secured(certificates) as line:
                read: Certificate = line[1].get_extra_info("peercert")
                return read
        except StepFailed as failed:
            if failed.fault is Fault.CERTIFICATE_WRONG_NAME:
                return None
            raise

    async def small_packets(self) -> Behind | None:
        """Checks whether an answer comes at once in small packets, where nothing came in those of the usual size."""
        # Over a line that is slow, or loses much, small packets arrive late, too.
        async with asyncio.timeout(1.0), self._sized_line(SMALL_PACKET) as line:
            if self._way.encrypted:
                await encrypt(line, self._way.certificates, self._way.host)
            if not (await self._way.ask(line)).is_marked or _resent(line):
                return None
        return Fault.LARGE_LOST, phrase("only packets of at most {count} bytes arrive", count=SMALL_PACKET)

    @asynccontextmanager
    async def _sized_line(self, packet: int) -> AsyncIterator[Line]:
        """Opens a connection with the largest packet that either side sends, in bytes."""
        where = self._line_to or self._addresses[0], self._way.first[1]
        line = await connect_with(*where, (socket.TCP_MAXSEG, packet))
        try:
            if self._way.proxy is not None:
                await self._way.through_proxy(line)
            yield line
        finally:
            line[1].transport.abort()

    async def plain_http(self) -> Behind | None:
        """Checks whether a host that is silent on a secure connection answers plain HTTP. Servers of secure connections
        may, too, with the answer that it was a bad request."""
        async with self._line(self._addresses) as line:
            if self._way.proxy is not None:
                await self._way.through_proxy(line)
            answer = await exchange(line, self._way.request("/"))
        if answer.status == HTTPStatus.BAD_REQUEST:
            return None
        return Fault.NO_TLS, phrase("without encryption {answer}", answer=answer.words)

    @asynccontextmanager
    async def _secured(self, certificates: ssl.SSLContext) -> AsyncIterator[Line]:
        async with self._line(self._addresses) as line:
            if self._way.proxy is not None:
                await self._way.through_proxy(line)
            await encrypt(line, certificates, self._way.host)
            yield line

    async def proxy(self) -> Behind | None:
        """Checks whether the network offers a proxy. The player does not use it by itself: anybody can answer to that
        name."""
        port = self._way.portal_port
        for address in (await self._way.resolve(_WPAD, port))[:1]:
            line = await asyncio.open_connection(address, port)
            try:
                answer = await exchange(line, f"GET /wpad.dat HTTP/1.1\r\nHost: {_WPAD}\r\nConnection: close\r\n\r\n")
            finally:
                line[1].transport.abort()
            named = _NAMED.search(answer.body) if b"FindProxyForURL" in answer.body else None
            if answer.status == 200 and named is not None:
                proxy = f"{'https' if named[1] == b'HTTPS' else 'http'}://{named[2].decode()}"
                words = phrase(
                    "the network names the proxy {proxy} (wpad.dat at {address})", proxy=proxy, address=address
                )
                return Fault.PROXY_OFFERED, words
        return None

    @asynccontextmanager
    async def _line(self, addresses: Sequence[str], port: int | None = None) -> AsyncIterator[Line]:
        line = await Dial(by_proxy=self._way.proxy is not None).connect(addresses, port or self._way.first[1])
        try:
            yield line
        finally:
            line[1].transport.abort()


def _part(certificate: Certificate, of: str, part: str) -> str:
    """Returns a part of the name of a certificate's subject or issuer; empty if it has none."""
    return next((value for group in certificate.get(of, ()) for name, value in group if name == part), "")


def _named(certificate: Certificate, of: str) -> str:
    return _part(certificate, of, "commonName") or _part(certificate, of, "organizationName") or "?"


def _resent(line: Line) -> bool:
    return traffic_of(line[1].get_extra_info("socket").dup()).resent > 0
