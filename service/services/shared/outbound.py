"""Calls URLs that customers have entered, without giving them access to the operator's own network.

A name is resolved once, every address is checked, and the connection goes to a checked address: there is no second
look-up that could answer differently. Proxies of the environment are not used, redirects are not followed.
"""

import asyncio
import contextlib
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import httpx

TIMEOUT_SECONDS = 15
"""For the whole call, from the look-up to the last byte read."""
MAX_ADDRESSES = 4
"""Addresses of one name, tried one after another."""
USER_AGENT = "menu-service"

_DEFAULT_PORTS = {"https": 443, "http": 80}
_HOST = re.compile(rb"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
_PORTS = range(1, 65_536)
# IPv4 addresses behind a translator (RFC 6052).
_NAT64 = IPv6Network("64:ff9b::/96")
# Of protocols, not of hosts (RFC 6890, RFC 7526); Python calls some of them global.
_OF_PROTOCOLS = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""The addresses of a name, for a port. Raises OSError."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A response with this status."""

    status: int


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No response, or the call was not made; `reason` is a short word such as `timeout`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """Status and body of the response; None for a body beyond the limit."""

    status: int
    body: bytes | None


Outcome = Answered | Unanswered


class RefusedUrlError(Exception):
    """Raised if the URL must not be called. The message is for the caller."""


def check_url(text: str, *, allow_private: bool) -> httpx.URL:
    """Checks the URL as far as possible without a look-up. Raises RefusedUrlError."""
    try:
        url = httpx.URL(text)
        port = _port(url)
        _ = url.netloc
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise RefusedUrlError("This is not a URL.") from None
    if url.scheme != "https" and not (allow_private and url.scheme == "http"):
        raise RefusedUrlError("Deliveries go to https only.")
    if not _HOST.fullmatch(url.raw_host) or url.userinfo or url.fragment or port not in _PORTS:
        raise RefusedUrlError("The URL needs a host, and takes no user name, password, fragment or strange port.")
    if not allow_private:
        address = _address(url.host)
        if _is_localhost(url.host) or (address is not None and not is_public(address)):
            raise RefusedUrlError("Deliveries go to public addresses only.")
    return url


def is_public(address: Address) -> bool:
    """Returns whether the address is on the public internet, not in the operator's own network."""
    if isinstance(address, IPv6Address):
        inner = _embedded_ipv4(address)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    elif any(address in network for network in _OF_PROTOCOLS):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


class Outbound:
    """Sends requests and returns their outcomes. Never raises for errors of the other side."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        resolve: Resolver | None = None,
        certificates: ssl.SSLContext | None = None,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        """`allow_private` allows receivers on the operator's own network: plain HTTP and any address."""
        self._allow_private = allow_private
        self._resolve = resolve or look_up
        self._certificates = certificates
        self._timeout = timeout
        self._client: httpx.AsyncClient | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """Sends the body. Reads only the status of the response."""
        outcome = await self._call("POST", url, body, headers, limit=0)
        return Answered(outcome.status) if isinstance(outcome, Fetched) else outcome

    async def fetch(self, url: str, *, limit: int) -> Fetched | Unanswered:
        """Gets a body of at most `limit` bytes."""
        # Not compressed: a small body could unpack into one beyond the limit.
        return await self._call("GET", url, b"", {"Accept-Encoding": "identity"}, limit=limit)

    async def _call(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str], *, limit: int
    ) -> Fetched | Unanswered:
        try:
            async with asyncio.timeout(self._timeout):
                checked = check_url(url, allow_private=self._allow_private)
                return await self._send(method, checked, body, headers, limit=limit)
        except RefusedUrlError:
            return Unanswered("refused_url")
        except (TimeoutError, httpx.TimeoutException):
            return Unanswered("timeout")
        except socket.gaierror:
            return Unanswered("unknown_host")
        except httpx.ConnectError as fault:
            # The client gives no error code; a bad certificate is a fault that the receiver's operator can mend.
            return Unanswered("bad_certificate" if "CERTIFICATE_VERIFY_FAILED" in str(fault) else "no_connection")
        except (httpx.HTTPError, OSError):
            return Unanswered("broken_connection")

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _send(
        self, method: str, url: httpx.URL, body: bytes, headers: Mapping[str, str], *, limit: int
    ) -> Fetched | Unanswered:
        addresses = [ipaddress.ip_address(text) for text in await self._resolve(url.host, _port(url))]
        if not self._allow_private and not all(map(is_public, addresses)):
            return Unanswered("private_address")
        failure: httpx.TransportError | None = None
        for address in addresses[:MAX_ADDRESSES]:
            try:
                return await self._send_to(address, method, url, body, headers, limit=limit)
            except (httpx.ConnectError, httpx.ConnectTimeout) as fault:
                failure = fault
        if failure is None:
            return Unanswered("unknown_host")
        raise failure

    async def _send_to(
        self, address: Address, method: str, url: httpx.URL, body: bytes, headers: Mapping[str, str], *, limit: int
    ) -> Fetched:
        # The receiver needs the name in the Host header, its certificate in the TLS server name.
        request = self._open().build_request(
            method,
            url.copy_with(host=str(address)),
            content=body,
            headers={"Host": url.netloc.decode("ascii"), "User-Agent": USER_AGENT, **headers},
            extensions={"sni_hostname": url.raw_host.decode("ascii")},
        )
        response = await self._open().send(request, stream=True)
        try:
            return Fetched(response.status_code, await _read(response, limit=limit) if limit else None)
        finally:
            await response.aclose()

    def _open(self) -> httpx.AsyncClient:
        # On first use: reading the certificates takes longer than the rest of the start.
        if self._client is None:
            self._client = httpx.AsyncClient(
                verify=self._certificates or True,
                trust_env=False,
                timeout=httpx.Timeout(None, connect=5),  # For each of several addresses.
                # Idle connections are found by address, and many names share one.
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            )
        return self._client


async def _read(response: httpx.Response, *, limit: int) -> bytes | None:
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > limit:
            return None
    return bytes(raw)


async def look_up(host: str, port: int) -> tuple[str, ...]:
    """Resolves a name as this machine does. Raises OSError."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def finish(addresses: tuple[str, ...], fault: OSError | None) -> None:
        if found.done():
            return
        if fault is None:
            found.set_result(addresses)
        else:
            found.set_exception(fault)

    def ask() -> None:
        addresses: tuple[str, ...] = ()
        failure: OSError | None = None
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
            addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
        except OSError as fault:
            failure = fault
        except UnicodeError:
            failure = socket.gaierror(socket.EAI_NONAME, "not a host name")
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing waits for the result
            loop.call_soon_threadsafe(finish, addresses, failure)

    # Not a pool: hanging look-ups would fill it and delay the others and the end of the process.
    threading.Thread(target=ask, name="look-up", daemon=True).start()
    return await found


def _port(url: httpx.URL) -> int:
    return _DEFAULT_PORTS.get(url.scheme, 0) if url.port is None else url.port


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_localhost(host: str) -> bool:
    name = host.lower().rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
