"""Reports changes of the device's network: a cable that is pulled, an address that is added. The kernel notifies of
them, so nothing is read while nothing happens (rtnetlink(7))."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import NoReturn

from player.domain.events import NetworkChanged
from player.domain.link.network import NetworkState

_LINKS, _ADDRESSES, _ROUTES, _ADDRESSES6, _ROUTES6 = 0x1, 0x10, 0x40, 0x100, 0x400
_MAX_BYTES = 65536


async def watch_network(*, emit: Callable[[NetworkChanged], None], network: Callable[[], NetworkState]) -> NoReturn:
    with _listen() as line:
        before = await asyncio.to_thread(network)
        while True:
            await _news(line)
            now = await asyncio.to_thread(network)
            if _standing(now) != _standing(before):
                emit(NetworkChanged(lost=now.lost_since(before)))
                before = now


async def _news(line: socket.socket) -> None:
    with contextlib.suppress(OSError):  # More was told than fits: there is news.
        await asyncio.get_running_loop().sock_recv(line, _MAX_BYTES)
    await asyncio.sleep(1.0)  # An address that is renewed goes and comes at once.
    with contextlib.suppress(OSError):
        while line.recv(_MAX_BYTES):
            pass


def _standing(state: NetworkState) -> tuple[object, ...]:
    adapters = {(adapter.name, adapter.is_on, adapter.linked, adapter.losses) for adapter in state.adapters}
    return adapters, set(state.addresses), {(route.to, route.adapter, route.gateway) for route in state.routes}


def _listen() -> socket.socket:
    line = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
    line.bind((0, _LINKS | _ADDRESSES | _ROUTES | _ADDRESSES6 | _ROUTES6))
    line.settimeout(0)
    return line
