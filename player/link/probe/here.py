"""Steps of a test that need no connection: link, address, route and name."""

from __future__ import annotations

import asyncio
import secrets
import socket
from enum import StrEnum
from typing import assert_never

from menu.text.phrase import listed, phrase
from player.domain.link.fault import Fault
from player.domain.link.network import Adapter, NetworkState
from player.link.probe.exchange import StepFailed
from player.link.probe.way import Number, Way

MAX_ADDRESSES = 3
"""Addresses of a name that are tried."""

MAX_PACKET_BYTES = 4096
"""The longest answer; UDP cuts longer ones, and the rest is not needed."""


class NameAnswer(StrEnum):
    ADDRESS = "address"
    """It knows an address, or another name to ask for."""
    UNKNOWN = "unknown"
    """The name does not exist, or has no address."""
    FAILS = "fails"
    """It cannot or will not say."""
    SILENT = "silent"
    """Nothing."""


async def link(network: NetworkState, last_adapter: str) -> str:
    """Describes the adapters. Raises StepFailed if none that may lead out is connected."""
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
        raise StepFailed(Fault.NO_ADAPTER)
    on = [adapter for adapter in asked if adapter.is_on]
    if not on:
        raise StepFailed(Fault.LINK_OFF, seen)
    wired = any(not adapter.wifi for adapter in on)
    raise StepFailed(Fault.NO_CABLE if wired else Fault.WIFI_NOT_JOINED, seen)


def adapter_in_use(network: NetworkState) -> Adapter | None:
    """Returns the adapter that leads out; if none does, the first that is connected."""
    out, linked = network.default, [adapter for adapter in network.adapters if adapter.linked]
    return next((adapter for adapter in linked if out and adapter.name == out.adapter), linked[0] if linked else None)


async def address(network: NetworkState) -> str:
    """Returns the device's addresses. Raises StepFailed."""
    addresses = network.addresses
    own = ", ".join(str(address) for address in addresses)
    if any(not address.is_link_local for address in addresses):
        return own
    raise StepFailed(Fault.NO_ADDRESS, own)


async def route(network: NetworkState, number: Number | None) -> str:
    """Returns the route out. Raises StepFailed if the address that is asked for is beyond the networks here. Without a
    route out a name may still be of one of them: the next steps show how far it goes."""
    if (out := network.default) is not None:
        if not out.gateway:
            return phrase("by a way without a router, {adapter}", adapter=out.adapter)
        return phrase("by {gateway}, {adapter}", gateway=out.gateway, adapter=out.adapter)
    ways = ", ".join(sorted({str(route.to) for route in network.routes}))
    evidence = phrase("no way beyond {networks}", networks=ways) if ways else phrase("no way out")
    if number is not None and not any(
        number in route.to for route in network.routes if route.to.version == number.version
    ):
        raise StepFailed(Fault.NO_ROUTE, evidence)
    return evidence


async def name(way: Way, network: NetworkState) -> list[str]:
    """Resolves the name. Asks as the calls do, and asks each name server, for what the system does not report. Raises
    StepFailed."""
    host, port = way.first
    began = asyncio.get_running_loop().time()
    known = asyncio.ensure_future(way.resolve(host, port))
    said = asyncio.ensure_future(_ask_name_servers(way, network, host))
    try:
        await asyncio.wait((known, said), return_when=asyncio.FIRST_COMPLETED)
        if not known.done():
            # A name that the servers know will come, other names are given a moment: there is more than they know.
            await asyncio.wait((known,), timeout=None if said.result() is NameAnswer.ADDRESS else 0.5)
        if known.done() and known.exception() is None and known.result():
            if asyncio.get_running_loop().time() - began >= 3.0:  # Calls wait no longer.
                servers = ", ".join(network.name_servers)
                seen = phrase("{host}, asked of {servers}", host=host, servers=servers)
                raise StepFailed(Fault.NAME_SERVER_FAILS, seen)
            return list(known.result()[:MAX_ADDRESSES])
        answer = await said
    finally:
        known.cancel()
        said.cancel()
        await asyncio.gather(known, said, return_exceptions=True)
    servers = ", ".join(network.name_servers)
    match answer:
        case None:
            raise StepFailed(Fault.NO_NAME_SERVER)
        case NameAnswer.SILENT:
            raise StepFailed(Fault.NAME_SERVER_SILENT, servers)
        case NameAnswer.FAILS | NameAnswer.ADDRESS:
            raise StepFailed(Fault.NAME_SERVER_FAILS, servers)
        case NameAnswer.UNKNOWN:
            proxy = way.proxy is not None
            fault = Fault.PROXY_SILENT if proxy else Fault.NAME_UNKNOWN
            raise StepFailed(fault, phrase("{host}, asked of {servers}", host=host, servers=servers))
        case _:
            assert_never(answer)


async def _ask_name_servers(way: Way, network: NetworkState, host: str) -> NameAnswer | None:
    """Returns the best answer of a name server; None if there is none."""
    port = way.name_server_port
    asked = [_ask(server, host, port) for server in network.name_servers]
    said = await asyncio.gather(*asked)
    return min(said, key=list(NameAnswer).index, default=None)


async def _ask(server: str, name: str, port: int) -> NameAnswer:
    """Queries one name server: the system's resolver only reports that it failed. One packet each (RFC 1035)."""
    number = secrets.token_bytes(2)
    try:
        packet = number + b"\1\0" + b"\0\1\0\0\0\0\0\0" + _labels(name) + b"\0\1\0\1"
        family = socket.AF_INET6 if ":" in server else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as line:
            line.settimeout(0)
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(4.5):
                # Connected: only its answers are heard, and that nobody listens there.
                await loop.sock_connect(line, (server, port))
                await loop.sock_sendall(line, packet)
                while (answer := await loop.sock_recv(line, MAX_PACKET_BYTES))[:2] != number:
                    pass
    except (OSError, UnicodeError, ValueError):
        return NameAnswer.SILENT
    return _meaning(answer)


def _labels(name: str) -> bytes:
    labels = name.rstrip(".").encode("idna").split(b".")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _meaning(answer: bytes) -> NameAnswer:
    if len(answer) < 12:
        return NameAnswer.FAILS
    code, answers = answer[3] & 0x0F, int.from_bytes(answer[6:8], "big")
    if code == 3 or (code == 0 and answers == 0):  # NXDOMAIN.
        return NameAnswer.UNKNOWN
    return NameAnswer.ADDRESS if code == 0 else NameAnswer.FAILS
