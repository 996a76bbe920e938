"""Finds a proxy that the network offers by the name `wpad` (Web Proxy Auto-Discovery); for a finding, never for a call.

The player does not use it by itself: anybody in a network can answer to that name.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence

from player.domain.words.phrase import Phrase, phrase
from player.link.probe.exchange import exchange

_NAME = "wpad"
"""The system's resolver adds the domains of the network."""
_NAMED = re.compile(rb"\b(PROXY|HTTPS?)\s+([A-Za-z0-9.-]{1,253}:[0-9]{1,5})\b")
"""A proxy in the script that tells browsers which to take."""


async def offered_proxy(resolve: Callable[[str, int], Awaitable[Sequence[str]]], port: int) -> Phrase | None:
    """In words, the proxy that the network offers, and where it says so; None if it offers none. Raises what the
    connection raises."""
    for address in (await resolve(_NAME, port))[:1]:
        line = await asyncio.open_connection(address, port)
        try:
            answer = await exchange(line, f"GET /wpad.dat HTTP/1.1\r\nHost: {_NAME}\r\nConnection: close\r\n\r\n")
        finally:
            line[1].transport.abort()
        named = _NAMED.search(answer.body) if b"FindProxyForURL" in answer.body else None
        if answer.status == 200 and named is not None:
            scheme = "https" if named[1] == b"HTTPS" else "http"
            return phrase(
                "the network names the proxy {proxy} (wpad.dat at {address})",
                proxy=f"{scheme}://{named[2].decode()}",
                address=address,
            )
    return None
