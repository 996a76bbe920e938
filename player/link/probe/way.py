"""Connects to the service or its proxy, and sends what the steps of a test need."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from player.domain.link.fault import Fault
from player.domain.link.network import NetworkState
from player.link.lines import Traffic
from player.link.probe.exchange import Answer, Line, StepFailed, encrypt, exchange

ASKED = "/v1/player/manifest"
"""The path that a test asks for."""

Number = ipaddress.IPv4Address | ipaddress.IPv6Address

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a name, as the system finds them. Raises OSError."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class BestTime(Struct, frozen=True, kw_only=True):
    """Best known time, and the device's clock; `certain` if a source confirms it."""

    at: datetime
    system: datetime
    certain: bool


class Way:
    """Connection settings of one service. `proxy` and `certificates` are those of the calls. `now` gives the best known
    time, `network` the state of the device's network, `reached` the address at which the service last answered, None if
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

    @property
    def first(self) -> tuple[str, int]:
        """Host and port that is connected to: the proxy, or the service."""
        if self.proxy is None:
            return self.host, self.port
        return self.proxy.hostname or "", self.proxy.port or (443 if self.proxy.scheme == "https" else 80)

    async def through_proxy(self, line: Line) -> str:
        """Has the proxy forward a connection. Raises StepFailed."""
        proxy = self.proxy
        if proxy is None:
            raise RuntimeError("there is no proxy")
        if proxy.scheme == "https":
            try:
                await encrypt(line, self.certificates, proxy.hostname or "")
            except StepFailed as failed:
                raise StepFailed(Fault.PROXY_FAILS, failed.evidence) from None
        if not self.encrypted:
            return ""
        there = f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
        try:
            answer = await exchange(
                line, f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n{self._credentials}\r\n", body=False
            )
        except StepFailed as failed:
            raise StepFailed(Fault.PROXY_FAILS, failed.evidence) from None
        if not 200 <= answer.status < 300:
            raise answer.proxy_failure
        return ""

    @property
    def _credentials(self) -> str:
        proxy = self.proxy
        if proxy is None or proxy.username is None:
            return ""
        pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        return f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}\r\n"

    async def ask(self, line: Line) -> Answer:
        """Asks the service without a token: its refusal identifies it."""
        path = f"{self.service.path}{ASKED}"
        if self.proxy is None or self.encrypted:
            return await exchange(line, self.request(path))
        return await exchange(line, self.request(f"http://{self.service.netloc}{path}", more=self._credentials))

    def request(self, target: str, *, more: str = "") -> str:
        """Returns a request for this, with the lines `more` in its head."""
        return (
            f"GET {target} HTTP/1.1\r\nHost: {self.service.netloc}\r\nAccept: application/json\r\n"
            f"User-Agent: menu-player/{self.app_version}\r\nConnection: close\r\n{more}\r\n"
        )


def number_of(host: str) -> Number | None:
    """Parses the host as an address; None if it is a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
