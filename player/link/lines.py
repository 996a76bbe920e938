"""Counts what TCP connections move and lose, from TCP_INFO."""

from __future__ import annotations

import contextlib
import socket
import struct

from msgspec import Struct

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
