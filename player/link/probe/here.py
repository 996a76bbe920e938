"""The steps of a test that need no connection: link, address, route and name."""

from __future__ import annotations

import asyncio
from typing import assert_never

from player.domain.connection import ConnectionFault
from player.domain.network import Adapter, NetworkState
from player.domain.words.phrase import listed, phrase
from player.link.probe.exchange import StepFailed
from player.link.probe.name_query import NameAnswer, ask
from player.link.probe.way import Number, Way

SLOW_NAME_SECONDS = 3.0
"""The system's resolver may take so long: calls wait no longer."""
RESOLVE_SECONDS = 0.5
"""The system's resolver may take this long beyond the name servers themselves."""
NAME_SERVER_SECONDS = 4.5
"""A name server may take this long to answer the player's own question."""
MAX_ADDRESSES = 3
"""Addresses of a name that are tried."""


async def link(network: NetworkState, last_adapter: str) -> str:
    """The adapters, as words. Raises StepFailed if none that may lead out is connected."""
    adapters = {adapter.name: adapter for adapter in network.adapters}
    out = network.default
    if out is not None and out.adapter not in adapters:
        return f"{out.adapter}"  # A modem, a tunnel or a bridge: it has no cable of its own.
    last = adapters.get(out.adapter if out is not None else last_adapter)
    asked = [last] if last is not None and not last.linked else list(adapters.values())
    seen = listed([adapter.words for adapter in adapters.values()]) if adapters else ""
    if any(adapter.linked for adapter in asked):
        return seen
    if not asked:
        raise StepFailed(ConnectionFault.NO_ADAPTER)
    on = [adapter for adapter in asked if adapter.is_on]
    if not on:
        raise StepFailed(ConnectionFault.LINK_OFF, seen)
    wired = any(not adapter.wifi for adapter in on)
    raise StepFailed(ConnectionFault.NO_CABLE if wired else ConnectionFault.WIFI_NOT_JOINED, seen)


def adapter_in_use(network: NetworkState) -> Adapter | None:
    """The adapter that leads out; where none does, the first that is connected."""
    out, linked = network.default, [adapter for adapter in network.adapters if adapter.linked]
    return next((adapter for adapter in linked if out and adapter.name == out.adapter), linked[0] if linked else None)


async def address(network: NetworkState) -> str:
    """The device's addresses. Raises StepFailed."""
    addresses = network.addresses
    own = ", ".join(str(address) for address in addresses)
    if any(not address.is_link_local for address in addresses):
        return own
    raise StepFailed(ConnectionFault.SELF_ASSIGNED if addresses else ConnectionFault.NO_ADDRESS, own)


async def route(network: NetworkState, number: Number | None) -> str:
    """The way out. Raises StepFailed if the address that is asked for is beyond the networks here. Without a way out a
    name may still be of one of them: the next steps show how far it goes."""
    if (out := network.default) is not None:
        if not out.gateway:
            return phrase("by a way without a router, {adapter}", adapter=out.adapter)
        return phrase("by {gateway}, {adapter}", gateway=out.gateway, adapter=out.adapter)
    ways = ", ".join(sorted({str(route.to) for route in network.routes}))
    evidence = phrase("no way beyond {networks}", networks=ways) if ways else phrase("no way out")
    if number is not None and not any(
        number in route.to for route in network.routes if route.to.version == number.version
    ):
        raise StepFailed(ConnectionFault.NO_ROUTE, evidence)
    return evidence


async def name(way: Way, network: NetworkState) -> list[str]:
    """The addresses of the name. Asks as the calls do, and asks each name server, for what the system does not tell.
    Raises StepFailed."""
    host, port = way.first
    began = asyncio.get_running_loop().time()
    known = asyncio.ensure_future(way.resolve(host, port))
    said = asyncio.ensure_future(_ask_name_servers(way, network, host))
    try:
        await asyncio.wait((known, said), return_when=asyncio.FIRST_COMPLETED)
        if not known.done():
            # A name that the servers know will come, other names are given a moment: there is more than they know.
            await asyncio.wait((known,), timeout=None if said.result() is NameAnswer.ADDRESS else RESOLVE_SECONDS)
        if known.done() and known.exception() is None and known.result():
            if asyncio.get_running_loop().time() - began >= SLOW_NAME_SECONDS:
                servers = ", ".join(network.name_servers)
                seen = phrase("{host}, asked of {servers}", host=host, servers=servers)
                raise StepFailed(ConnectionFault.NAME_SERVER_SLOW, seen)
            return list(known.result()[:MAX_ADDRESSES])
        answer = await said
    finally:
        known.cancel()
        said.cancel()
        await asyncio.gather(known, said, return_exceptions=True)
    servers = ", ".join(network.name_servers)
    match answer:
        case None:
            raise StepFailed(ConnectionFault.NO_NAME_SERVER)
        case NameAnswer.SILENT:
            raise StepFailed(ConnectionFault.NAME_SERVER_SILENT, servers)
        case NameAnswer.FAILS | NameAnswer.ADDRESS:
            raise StepFailed(ConnectionFault.NAME_SERVER_FAILS, servers)
        case NameAnswer.UNKNOWN:
            proxy = way.proxy is not None
            fault = ConnectionFault.PROXY_NAME_UNKNOWN if proxy else ConnectionFault.NAME_UNKNOWN
            raise StepFailed(fault, phrase("{host}, asked of {servers}", host=host, servers=servers))
        case _:
            assert_never(answer)


async def _ask_name_servers(way: Way, network: NetworkState, host: str) -> NameAnswer | None:
    """The best that a name server says; None if there is none."""
    port = way.name_server_port
    asked = [ask(server, host, seconds=NAME_SERVER_SECONDS, port=port) for server in network.name_servers]
    said = await asyncio.gather(*asked)
    return min(said, key=list(NameAnswer).index, default=None)
