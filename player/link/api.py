"""HTTP calls of docs/protocol.md, and their failures; the only importer of httpx."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx

from player.domain.link.address import service_address
from player.domain.link.fault import Fault
from player.link.asset_links import NoUseError, Sink, linked_target, of_store, received
from player.link.authorities import Authorities, Told, system_certificates
from player.link.backoff import Reach
from player.link.http_outcomes import (
    CONNECT_SECONDS,
    MAX_ANSWER_BYTES,
    BrokenError,
    broken,
    denied,
    failed_by,
    failure,
    fresh,
    plain_400,
    refusal,
    without,
)
from player.link.lines import Traffic, traffic_of
from player.link.outcomes import Denied, Failed, Fetched, Fresh, Refused, Unchanged

log = logging.getLogger(__name__)

READ_SECONDS = 15.0
"""The longest silence within an answer."""
MAX_HOLD_SECONDS = 45
"""The longest hold that is asked for, whatever the service's settings: a connection that has died without a word is
noticed within a minute."""
HELD_GRACE_SECONDS = 10.0
"""Beyond `wait`: how long a held request may take to begin its answer."""
SILENT_SECONDS = 2.5
"""Beyond `wait`: after so long a call is told as unanswered. It fails only much later, and may still be answered."""
HELD_AT_LEAST_SECONDS = 2.0
"""A connection that breaks after this long was cut for being held; one that breaks sooner has another fault."""
CALL_SECONDS = 45.0
"""The longest that a whole answer may take beyond its hold: a slow body must not block the calls after it."""
ASSET_CALL_SECONDS = 600.0
"""The longest for one attempt at an asset; the next resumes where it stopped."""

MAX_SOCKETS = 16
"""Connections whose traffic is counted; there are never as many."""
MAX_MANIFEST_BYTES = 4 * 1024**2
"""Decompressed."""
_UNCACHED = {"Cache-Control": "no-cache, no-store"}
"""For what changes: a cache on the way is to ask the service, and to keep nothing."""

ANY_IPV4 = "0.0.0.0"  # noqa: S104 -- connections are made from it
CLIENT_ID = "menu-player"
DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


QUIET_PEER_SECONDS = 5
"""Between two probes of a silent connection, which keep a router from forgetting a held request, too."""
DEAD_PEER_SECONDS = 30
"""A connection on which nothing has been acknowledged for so long is broken."""

_SOCKET_OPTIONS = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, QUIET_PEER_SECONDS),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, QUIET_PEER_SECONDS),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, DEAD_PEER_SECONDS // QUIET_PEER_SECONDS),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * DEAD_PEER_SECONDS),
    # Requests are small and written in two parts: the second must not wait for the first to be acknowledged.
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
)


class ServiceApi:
    """A client for one service. Each call returns its outcome; nothing that a server does raises.

    TLS is always verified, against the system's certificates; redirects are not followed, but for one of an asset to
    where the service keeps it, without the token (docs/adr/0191); cookies are not stored,
    proxies and credentials are not taken from the environment. `service` is checked here (AddressError). `reach` knows
    whether the service answers.
    """

    def __init__(
        self,
        service: str,
        *,
        app_version: str,
        allow_plain_http: bool = False,
        proxy: str | None = None,
        ca_file: Path | None = None,
        certificates: ssl.SSLContext | None = None,
        told_of_ca_file: Told = lambda _: None,
    ) -> None:
        """`proxy` is a URL that may hold a user and a password; the certificates in `ca_file` are trusted beside the
        system's, as they are when a connection begins, and `told_of_ca_file` is called with the reason if they cannot
        be used."""
        self.service = service_address(service, allow_plain_http=allow_plain_http)
        self._base = f"{self.service}/v1/player"
        self._app_version = app_version
        self.reach = Reach()
        self.certificates = certificates or _certificates(self.service, ca_file, proxy, told_of_ca_file)
        self._proxied = proxy is not None
        self.reached_at: str | None = None
        """The service's address, as far as it has answered there."""
        self.sockets: deque[socket.socket] = deque(maxlen=MAX_SOCKETS)
        """The newest connections; some may be closed."""
        # Connections are made only when they are used.
        self._both, self._ipv4 = (self._client_for(proxy, local_address=own) for own in (None, ANY_IPV4))
        self._client = self._both
        self._links_passed_over = 0
        """Assets that are still to be asked of the service itself."""

    def _client_for(self, proxy: str | None, *, local_address: str | None) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(
                verify=self.certificates,
                trust_env=False,
                # Idle for 5 s, by default: one that dies unseen would hold up the first call after an outage.
                limits=httpx.Limits(max_connections=8, max_keepalive_connections=4),
                proxy=proxy,
                socket_options=_SOCKET_OPTIONS,
                local_address=local_address,
            ),
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"User-Agent": f"menu-player/{self._app_version}", "Accept-Encoding": "gzip"},
        )

    def traffic(self) -> Mapping[int, Traffic]:
        """Counts of each connection, by a number of its own."""
        return {id(each): traffic_of(each) for each in self.sockets if each.fileno() >= 0}

    async def close(self) -> None:
        await self._both.aclose()
        await self._ipv4.aclose()

    async def authorize_device(self, *, device_id: str, enrolment_token: str | None = None) -> Fresh | Failed:
        """Ask for a pairing code (RFC 8628, section 3.1). With an enrolment token nobody has to enter it."""
        form = {"client_id": CLIENT_ID, "device_id": device_id, "app_version": self._app_version}
        if enrolment_token:
            form["enrolment_token"] = enrolment_token
        return without(await self._call("POST", "/device_authorization", data=form))

    async def token(self, *, device_code: str, wait: int = 0) -> Fresh | Denied | Failed:
        """Ask whether the code has been claimed (RFC 8628, section 3.4), held up to `wait` seconds while it is not."""
        form = {"grant_type": DEVICE_CODE_GRANT, "device_code": device_code, "client_id": CLIENT_ID}
        headers = {"Prefer": f"wait={wait}"} if wait > 0 else None
        outcome = await self._call("POST", "/token", data=form, headers=headers, wait=wait)
        return outcome if isinstance(outcome, Denied) else without(outcome)

    async def manifest(
        self, *, token: str, etag: str | None, wait: int, holds: str = "", unlike: int | None = None
    ) -> Fresh | Unchanged | Refused | Failed:
        """Ask for the manifest, held up to `wait` seconds while it is still `etag`; `holds` says what newer one the
        board has. With another `unlike` the request is like no other, so that no cache has an answer."""
        headers, wait = {"Authorization": f"Bearer {token}", **_UNCACHED}, min(wait, MAX_HOLD_SECONDS)
        if etag is not None:
            headers["If-None-Match"] = f'"{etag}"'
        if holds:
            headers["Menu-Holds"] = holds
        if wait > 0:
            headers |= {"Prefer": f"wait={wait}", "Menu-Heartbeat": "accepted"}
        path = "/manifest" if unlike is None else f"/manifest?unlike={unlike}"
        outcome = await self._call("GET", path, headers=headers, wait=wait, limit=MAX_MANIFEST_BYTES)
        return plain_400(outcome) if isinstance(outcome, Denied) else outcome

    async def heartbeat(self, *, token: str, body: bytes) -> Fresh | Refused | Failed:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        outcome = await self._call("POST", "/heartbeat", headers=headers, content=body)
        return outcome if isinstance(outcome, Refused) else without(outcome)

    async def receipts(self, *, token: str, body: bytes) -> Fresh | Refused | Failed:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        outcome = await self._call("POST", "/receipts", headers=headers, content=body)
        return outcome if isinstance(outcome, Refused) else without(outcome)

    async def upload(self, path: str, *, token: str, content: bytes, media_type: str) -> Fresh | Refused | Failed:
        """Send a picture or a log."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": media_type}
        outcome = await self._call("PUT", path, headers=headers, content=content)
        return outcome if isinstance(outcome, Refused) else without(outcome)

    async def asset(self, *, token: str, digest: str, offset: int, sink: Sink) -> Fetched | Refused | Failed:
        """Fetch an asset, from byte `offset` on if the server supports it. Raises what the sink raises."""
        outcome = await self._asset(token=token, digest=digest, offset=offset, sink=sink)
        self._note(outcome)
        return outcome

    async def _asset(self, *, token: str, digest: str, offset: int, sink: Sink) -> Fetched | Refused | Failed:
        headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
        if offset > 0:
            headers |= {"Range": f"bytes={offset}-", "If-Range": f'"{digest}"'}
        if self._links_passed_over > 0:
            self._links_passed_over -= 1
        else:
            headers["Menu-Redirect"] = "accepted"
        try:
            async with self._answer("GET", f"/assets/sha256:{digest}", ASSET_CALL_SECONDS, headers=headers) as response:
                if response.status_code == httpx.codes.UNAUTHORIZED:
                    return await refusal(response)
                target = linked_target(response) if "Menu-Redirect" in headers else None
                if target is None and response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
                    return await failure(response)
                if target is None:
                    return await received(response, sink)
            return await self._by_link(target, offset, sink)
        except NoUseError as error:
            # A shop's firewall may let nothing through but the service, which sends the bytes itself then.
            log.warning("%s; the service is asked for it", error)
            # So many assets come from the service itself before the next link is tried.
            self._links_passed_over = 20
            return await self._asset(token=token, digest=digest, offset=offset, sink=sink)
        except BrokenError as error:
            return error.failed

    async def _by_link(self, target: httpx.URL, offset: int, sink: Sink) -> Fetched | Failed:
        """Fetches the bytes from the store that the service names, which gets no token. No redirect is followed. Raises
        NoUseError where no byte came."""
        headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={offset}-"} if offset > 0 else {})}
        timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
        built = self._client.build_request("GET", target, timeout=timeout, headers=headers)
        has_begun = False
        try:
            async with self._answer_to(built, ASSET_CALL_SECONDS) as response:
                if response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
                    raise NoUseError(target, f"it answers {response.status_code}")
                has_begun = True
                outcome = await received(response, sink)
        except BrokenError as error:
            if not has_begun:
                raise NoUseError(target, error.failed.detail) from None
            return of_store(target, error.failed.detail, cut=error.failed.cut)
        if isinstance(outcome, Failed):
            raise NoUseError(target, outcome.detail)
        return outcome

    async def _call(self, method: str, path: str, **more: Any) -> Fresh | Unchanged | Refused | Denied | Failed:
        outcome = await self._outcome(method, path, **more)
        if isinstance(outcome, Failed) and outcome.of_another_machine and self._is_over_ipv6():
            outcome = await self._over_ipv4(outcome, method, path, **more)
        elif isinstance(outcome, Failed) and outcome.away:
            self._client = self._both
        self._note(outcome)
        return outcome

    def _is_over_ipv6(self) -> bool:
        return not self._proxied and bool(self.sockets) and self.sockets[-1].family == socket.AF_INET6

    async def _over_ipv4(
        self, first: Failed, method: str, path: str, **more: Any
    ) -> Fresh | Unchanged | Refused | Denied | Failed:
        """Repeats the call over IPv4: the IPv6 address may be that of another machine, where no connection fails and no
        answer is right."""
        self._client = self._ipv4
        outcome = await self._outcome(method, path, **more)
        if not isinstance(outcome, Failed):
            log.warning("over IPv6 something else answers (%s); the calls go over IPv4", first.detail)
            return outcome
        self._client = self._both
        return first

    def _note(self, outcome: Fresh | Unchanged | Refused | Denied | Fetched | Failed) -> None:
        if not isinstance(outcome, Failed):
            self.reach.answered()
        elif outcome.away:
            self.reach.missed()

    async def _outcome(
        self, method: str, path: str, *, limit: int = MAX_ANSWER_BYTES, **more: Any
    ) -> Fresh | Unchanged | Refused | Denied | Failed:
        try:
            async with self._answer(method, path, CALL_SECONDS, **more) as response:
                match response.status_code:
                    case httpx.codes.OK:
                        found = await fresh(response, limit)
                        if isinstance(found, Fresh) and not self._proxied:
                            self.reached_at = _address_of(response)
                        return found
                    case httpx.codes.NOT_MODIFIED:
                        await response.aread()  # Though it is empty: otherwise the connection is closed.
                        return Unchanged(
                            heartbeat_wanted=response.headers.get("menu-heartbeat") == "now",
                            held=response.headers.get("preference-applied", "").startswith("wait="),
                        )
                    case httpx.codes.UNAUTHORIZED:
                        return await refusal(response)
                    case httpx.codes.BAD_REQUEST:
                        return await denied(response)
                    case _:
                        return await failure(response)
        except BrokenError as error:
            return error.failed

    async def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            # A held request keeps its connection for days, beside those that come and go.
            still_open = [each for each in self.sockets if each.fileno() >= 0]
            self.sockets.clear()
            self.sockets += (*still_open, info["return_value"].get_extra_info("socket"))

    @asynccontextmanager
    async def _answer(
        self, method: str, path: str, seconds: float, *, wait: int = 0, **request: Any
    ) -> AsyncIterator[httpx.Response]:
        """Yields the answer's head, with the body unread. `request` is its headers and its body, as httpx takes them.
        Any failure until the block is left is raised as BrokenError."""
        silence = wait + HELD_GRACE_SECONDS if wait else READ_SECONDS
        timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, read=silence)
        built = self._client.build_request(
            method, self._base + path, timeout=timeout, extensions={"trace": self._trace}, **request
        )
        async with self._answer_to(built, wait + seconds) as response:
            yield response

    @asynccontextmanager
    async def _answer_to(self, built: httpx.Request, seconds: float) -> AsyncIterator[httpx.Response]:
        try:
            async with asyncio.timeout(seconds):
                try:
                    response = await self._client.send(built, stream=True)
                except (OSError, ValueError) as error:
                    # A name server that knows the name and no address for it makes a ValueError of the library's.
                    raise broken(Fault.NO_CONNECTION, f"no connection: {error}") from error
                try:
                    yield response
                finally:
                    await response.aclose()
        except TimeoutError:
            raise broken(Fault.SLOW, f"its answer took longer than {seconds:.0f} s", cut=True) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise BrokenError(failed_by(error)) from error


def _address_of(response: httpx.Response) -> str | None:
    """Returns the address that the answer came from."""
    address = response.extensions["network_stream"].get_extra_info("server_addr")
    return str(address[0]) if address else None


def _certificates(service: str, ca_file: Path | None, proxy: str | None, told: Told) -> ssl.SSLContext:
    if any(address.lower().startswith("https:") for address in (service, proxy or "")):
        return system_certificates() if ca_file is None else Authorities(ca_file, told)
    # Never used. An empty one is made at once; loading the system's takes long from a slow card.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
