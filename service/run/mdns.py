"""Announces the service on the local network by mDNS (docs/protocol.md).

An announcement only suggests an address during the set-up of a player; TLS authenticates it.
"""

import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

SERVICE_TYPE = "_menu-display._tcp.local."
INSTANCE = "Menu service"
MAX_LABEL_BYTES = 63
"""Limit of a label of a DNS name (RFC 1035, section 2.3.4)."""
MAX_TEXT_BYTES = 255
"""Limit of one string of a TXT record, with its key and the equals sign (RFC 6763, section 6.1)."""
_PORTS = {"http": 80, "https": 443}


def announcement_fault(public_url: str | None) -> str | None:
    """Returns why this address cannot be announced; None if it can."""
    if public_url is None:
        return "--announce needs a --public-url: the address that players are to call"
    host = urlsplit(public_url).hostname or ""
    if is_this_machine(host):
        return f"--announce needs a --public-url that others can reach, and {host} is this machine only"
    if not public_url.isascii() or len(f"url={public_url}") > MAX_TEXT_BYTES:
        return f"--announce needs a --public-url in ASCII of at most {MAX_TEXT_BYTES - len('url=')} characters"
    return None


@asynccontextmanager
async def announced(public_url: str, *, interfaces: Sequence[str] = ()) -> AsyncIterator[None]:
    """Announces the address inside the `with` block. `interfaces` are own addresses to use; none means all IPv4 ones.

    Raises OSError if the network refuses.
    """
    network = (
        AsyncZeroconf(ip_version=IPVersion.V4Only, interfaces=list(interfaces))
        if interfaces
        else AsyncZeroconf(ip_version=IPVersion.V4Only)
    )
    try:
        info = _info(public_url)
        # A second service on the network gets another name.
        await network.async_register_service(info, allow_name_change=True)
        try:
            yield
        finally:
            await (await network.async_unregister_service(info))
    finally:
        await network.async_close()


def _info(public_url: str) -> AsyncServiceInfo:
    parts = urlsplit(public_url)
    label = socket.gethostname().partition(".")[0].encode()[:MAX_LABEL_BYTES].decode(errors="ignore")
    return AsyncServiceInfo(
        SERVICE_TYPE,
        f"{INSTANCE}.{SERVICE_TYPE}",
        port=parts.port or _PORTS[parts.scheme],
        properties={"url": public_url},
        server=f"{label or 'menu-service'}.local.",
    )


def is_this_machine(host: str) -> bool:
    """Returns whether only this machine can reach the name or address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
