"""Detects dead TCP connections, and counts what connections move and lose, from TCP_INFO."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Iterable
from typing import NoReturn

from msgspec import Struct

from player.domain.events import ServiceSilent
from player.whole_second import pause

_STATE, _RETRANSMITS, _PROBES = 0, 2, 3
"""Bytes of the kernel's struct tcp_info."""

_RESENT_IN_ALL, _KNOWN_BYTES = 100, 136


class Traffic(Struct, frozen=True):
    """Counts of one connection: packets sent again, bytes acknowledged by the other side, bytes received."""

    resent: int = 0
    acknowledged: int = 0
    received: int = 0

    def since(self, before: Traffic) -> Traffic:
        return Traffic(
            self.resent - before.resent, self.acknowledged - before.acknowledged, self.received - before.received
        )


def traffic_of(line: socket.socket) -> Traffic:
    """Reads the kernel's counts; zeros if it reports none."""
    with contextlib.suppress(OSError):
        known = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _KNOWN_BYTES)
        if len(known) == _KNOWN_BYTES:
            return Traffic(*struct.unpack_from("=I16xQQ", known, _RESENT_IN_ALL))
    return Traffic()


async def watch_lines(lines: Iterable[socket.socket], emit: Callable[[ServiceSilent], None]) -> NoReturn:
    """Emits an event, until cancelled, each time that the other end of a connection stops acknowledging what it was
    sent: bytes, or the kernel's own probes of a quiet connection (player/link/api.py: QUIET_PEER_SECONDS)."""
    silent = 0
    while True:
        await pause(2.0)  # What is silent in both looks is told.
        silent = silent + 1 if any(_is_silent(line) for line in lines) else 0
        if silent == 2:
            emit(ServiceSilent())


def _is_silent(line: socket.socket) -> bool:
    try:
        known = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)
    except OSError:
        return False
    if len(known) < 8 or known[_STATE] != 1:  # TCP_ESTABLISHED.
        return False
    return known[_PROBES] > 0 or known[_RETRANSMITS] >= 2  # Sent so often, the same bytes are taken for lost.
