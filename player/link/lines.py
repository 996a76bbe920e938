"""Counts what TCP connections move and lose, from TCP_INFO."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Mapping

from msgspec import Struct

MAX_LINES = 16
"""Connections that are watched; there are never as many."""

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

    def traffic(self) -> Mapping[int, Traffic]:
        """The counts of each connection, by a number of its own."""
        return {id(line): traffic_of(line) for line in self._lines if line.fileno() >= 0}
