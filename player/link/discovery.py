"""Finds services on the local network by mDNS. It suggests addresses and proves nothing: TLS decides."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping

from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from player.domain.address import AddressError, service_address

SERVICE_TYPE = "_menu-display._tcp.local."
SEARCH_SECONDS = 3.0
"""How long to listen; a responder answers within a second (RFC 6762, section 6)."""
ASK_MILLISECONDS = 2000
"""Time-out for resolving one announcement."""
MAX_SUGGESTIONS = 20


async def discover(
    *,
    seconds: float = SEARCH_SECONDS,
    interfaces: tuple[str, ...] = (),
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> tuple[str, ...]:
    """The announced base URLs, sorted; also plain HTTP ones, which only an installer may accept.

    `interfaces` are addresses to listen on; empty means every IPv4 one. Raises OSError if no socket can be opened.
    """
    names: set[str] = set()

    def collect(*, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        del zeroconf, service_type
        if state_change is not ServiceStateChange.Removed and len(names) < MAX_SUGGESTIONS:
            names.add(name)

    network = (
        AsyncZeroconf(ip_version=IPVersion.V4Only, interfaces=list(interfaces))
        if interfaces
        else AsyncZeroconf(ip_version=IPVersion.V4Only)
    )
    try:
        browser = AsyncServiceBrowser(network.zeroconf, SERVICE_TYPE, handlers=[collect])
        try:
            await sleep(seconds)
            infos = [AsyncServiceInfo(SERVICE_TYPE, name) for name in sorted(names)]
            await asyncio.gather(*(info.async_request(network.zeroconf, ASK_MILLISECONDS) for info in infos))
        finally:
            await browser.async_cancel()
    finally:
        await network.async_close()
    suggested = (suggestion(info.properties) for info in infos)
    return tuple(sorted({url for url in suggested if url is not None}))


def suggestion(properties: Mapping[bytes, bytes | None]) -> str | None:
    """The base URL in a TXT record; None if it has none, or an invalid one."""
    with contextlib.suppress(AddressError, UnicodeDecodeError):
        return service_address((properties.get(b"url") or b"").decode("ascii"), allow_plain_http=True)
    return None
