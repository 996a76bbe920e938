"""Finds services and players on the local network by mDNS. It suggests addresses and proves nothing: TLS decides.

Anybody on the network may have written what is found: names and versions come without characters that a terminal obeys.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from ipaddress import IPv4Address

from msgspec import Struct, to_builtins
from zeroconf import Error, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from player.domain.link.address import AddressError, service_address
from player.domain.link.announcement import CONDITIONS
from player.link.mdns_packets import PLAYER_TYPE

SERVICE_TYPE = "_menu-display._tcp.local."
MAX_SEARCH_SECONDS = 60.0
MAX_SUGGESTIONS = 20
MAX_PLAYERS = 200
MAX_SHOWN = 60
"""Characters of a name; 16 of everything else."""
_MAX_FIELD = 16


class FoundPlayer(Struct, frozen=True, kw_only=True):
    """An announced player. `state` is of CONDITIONS, or empty; `page` is empty where it has none."""

    name: str
    short_id: str
    state: str
    version: str
    address: str
    page: str


class Found(Struct, frozen=True, kw_only=True):
    """Announcements: base URLs of services, also plain HTTP ones, which only an installer may accept, and players.
    `left_out` counts what exceeded the bounds."""

    services: tuple[str, ...] = ()
    players: tuple[FoundPlayer, ...] = ()
    left_out: int = 0

    @property
    def json(self) -> str:
        """JSON in ASCII: names may have any letters, and a terminal any encoding."""
        return json.dumps(to_builtins(self), indent=2)


async def discover(*, seconds: float = 3.0, interfaces: tuple[str, ...] = ()) -> Found:
    """Listens for exactly so many seconds. `interfaces` are addresses to listen on; empty means every IPv4 one.

    Raises OSError if no socket can be opened.
    """
    infos: dict[tuple[str, str], AsyncServiceInfo] = {}
    most = {SERVICE_TYPE: MAX_SUGGESTIONS, PLAYER_TYPE: MAX_PLAYERS}
    left_out = 0

    def collect(*, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        nonlocal left_out
        del zeroconf
        infos.pop((service_type, name), None)
        if state_change is ServiceStateChange.Removed:
            return
        if sum(kind == service_type for kind, _ in infos) >= most[service_type]:
            left_out += 1
            return
        # Names that cannot be: whatever is on the network may have any.
        with contextlib.suppress(Error, ValueError):
            infos[service_type, name] = AsyncServiceInfo(service_type, name)

    network = (
        AsyncZeroconf(ip_version=IPVersion.V4Only, interfaces=list(interfaces))
        if interfaces
        else AsyncZeroconf(ip_version=IPVersion.V4Only)
    )
    try:
        browser = AsyncServiceBrowser(network.zeroconf, [SERVICE_TYPE, PLAYER_TYPE], handlers=[collect])
        try:
            await asyncio.sleep(seconds)
        finally:
            await browser.async_cancel()
        for info in infos.values():
            info.load_from_cache(network.zeroconf)  # What answers to its type tells the rest with it.
    finally:
        await network.async_close()
    urls = {suggestion(info.properties) for (kind, _), info in infos.items() if kind == SERVICE_TYPE}
    players = [
        found_player(info.properties, info.addresses_by_version(IPVersion.V4Only), info.port or 0)
        for (kind, _), info in infos.items()
        if kind == PLAYER_TYPE and info.properties
    ]
    return Found(
        services=tuple(sorted(url for url in urls if url)),
        players=tuple(sorted(players, key=lambda player: (player.name, player.short_id, player.address))),
        left_out=left_out,
    )


def suggestion(properties: Mapping[bytes, bytes | None]) -> str | None:
    """Returns the base URL in a TXT record; None if it has none, or an invalid one."""
    with contextlib.suppress(AddressError, UnicodeDecodeError):
        return service_address((properties.get(b"url") or b"").decode("ascii"), allow_plain_http=True)
    return None


def found_player(properties: Mapping[bytes, bytes | None], addresses: list[bytes], port: int) -> FoundPlayer:
    """Parses an announcement, and sanitises its texts."""

    def text(key: bytes, most: int = _MAX_FIELD) -> str:
        return harmless((properties.get(key) or b"").decode(errors="replace"), most=most)

    known = sorted(map(IPv4Address, addresses[:8]), key=lambda each: (each.is_loopback, each.is_link_local, each))
    address, scheme, state = str(known[0]) if known else "", text(b"page"), text(b"state")
    return FoundPlayer(
        name=text(b"name", MAX_SHOWN),
        short_id=text(b"id"),
        state=state if state in CONDITIONS else "",
        version=text(b"version"),
        address=address,
        page=f"{scheme}://{address}:{port}/" if address and port and scheme in ("http", "https") else "",
    )


def harmless(text: str, *, most: int = MAX_SHOWN) -> str:
    """Replaces every character that a terminal may obey by a question mark, and cuts the text to `most`."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[: most + 1])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
