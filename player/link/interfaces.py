"""The networks that this device is on: interfaces that are up, with their IPv4 addresses."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct
from collections.abc import Iterator

from msgspec import Struct

MAX_INTERFACES = 8

_GET_FLAGS, _GET_ADDRESS = 0x8913, 0x8915
"""ioctls of netdevice(7)."""
_UP, _LOOPBACK, _POINT_TO_POINT, _RUNNING = 0x1, 0x8, 0x10, 0x40
_REQUEST = struct.Struct("16s24x")


class Interface(Struct, frozen=True):
    """An interface, and its address as 4 bytes."""

    index: int
    name: str
    address: bytes


def networks() -> tuple[Interface, ...]:
    """Those with others on them; the loopback where there is none."""
    found = list(_interfaces())
    others = [interface for interface, flags in found if not flags & _LOOPBACK]
    return tuple(others or [interface for interface, _ in found])[:MAX_INTERFACES]


def _interfaces() -> Iterator[tuple[Interface, int]]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for index, name in sorted(socket.if_nameindex()):
            request = _REQUEST.pack(name.encode())
            # Without an address, or gone in between.
            with contextlib.suppress(OSError):
                (flags,) = struct.unpack_from("H", fcntl.ioctl(any_socket, _GET_FLAGS, request), 16)
                if flags & _UP and flags & _RUNNING and not flags & _POINT_TO_POINT:
                    address = fcntl.ioctl(any_socket, _GET_ADDRESS, request)[20:24]
                    yield Interface(index, name, address), flags
