"""Detects dead TCP connections from TCP_INFO, before any call fails."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable, Mapping
from typing import NoReturn

from msgspec import Struct

from player.domain.events import ServiceSilent

LOOK_SECONDS = 1.5
"""Between two looks; what is silent in both is told."""
MAX_LINES = 16
"""Connections that are watched; there are never as many."""

_ESTABLISHED = 1
_RESENT = 2
"""From how many times on that the same bytes were sent they are taken for lost."""
_STATE, _RETRANSMITS, _PROBES = 0, 2, 3
"""Bytes of the kernel's struct tcp_info."""


_RESENT_IN_ALL, _ACKNOWLEDGED, _RECEIVED, _KNOWN_BYTES = 100, 120, 128, 136


class Traffic(Struct, frozen=True):
    """Counts of one connection: packets sent again, bytes acknowledged by the other side, bytes received."""

    resent: int = 0
    acknowledged: int = 0
    received: int = 0

    def since(self, before: Traffic | None) -> Traffic:
        """The increase since then."""
        if before is None:
            return self
        return Traffic(
            self.resent - before.resent, self.acknowledged - before.acknowledged, self.received - before.received
        )


def traffic_of(line: socket.socket) -> Traffic:
    """Reads the kernel's counts; zeros where it does not tell."""
    with contextlib.suppress(OSError):
        known = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _KNOWN_BYTES)
        if len(known) == _KNOWN_BYTES:
            (resent,), (acknowledged, received) = (
                struct.unpack_from("=I", known, _RESENT_IN_ALL),
                struct.unpack_from("=QQ", known, _ACKNOWLEDGED),
            )
            return Traffic(resent, acknowledged, received)
    return Traffic()


class Lines:
    """The connections of one client."""

    def __init__(self) -> None:
        self._lines: list[socket.socket] = []

    def add(self, line: socket.socket | None) -> None:
        """A connection that was made."""
        if line is not None:
            self._lines = [*self._lines, line][-MAX_LINES:]

    def are_silent(self) -> bool:
        """Whether the other end of one does not even acknowledge what it was sent: bytes, or the kernel's own probes
        of a quiet connection (player/link/api.py: QUIET_PEER_SECONDS)."""
        self._lines = [line for line in self._lines if line.fileno() >= 0]
        return any(_is_silent(line) for line in self._lines)

    def traffic(self) -> Mapping[int, Traffic]:
        """The counts of each connection, by a number of its own."""
        return {id(line): traffic_of(line) for line in self._lines if line.fileno() >= 0}

    async def watch(self, emit: Callable[[ServiceSilent], None]) -> NoReturn:
        """Tell once each time that they fall silent, until cancelled."""
        silent = 0
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            silent = silent + 1 if self.are_silent() else 0
            if silent == 2:
                emit(ServiceSilent())


def _is_silent(line: socket.socket) -> bool:
    try:
        known = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)
    except OSError:
        return False
    if len(known) < 8 or known[_STATE] != _ESTABLISHED:
        return False
    return known[_PROBES] > 0 or known[_RETRANSMITS] >= _RESENT
