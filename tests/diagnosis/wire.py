"""The line from the shop to the internet, packet by packet: thin, long, lossy, or dropping what a test says.

It lies in user space, as many kernels lack netem; an Ethernet frame that comes out of one adapter goes into the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import socket
import struct
from collections.abc import Callable
from random import Random

from tests.diagnosis.namespaces import Here, Machine

_ALL_PROTOCOLS = 0x0003
_OUTGOING = 4
_SIOCETHTOOL = 0x8946
_OFFLOADS = (0x17, 0x19, 0x1F, 0x24, 0x2C)
"""ETHTOOL_STXCSUM, SSG, STSO, SGSO, SGRO: what would leave frames unfinished, or larger than the line takes."""

QUEUE_SECONDS = 4.0
"""Queue of a thin line: packets that would wait longer are dropped, as by a modem."""

Drops = Callable[[bytes], bool]
"""Whether an Ethernet frame is lost."""


class Wire:
    """`rate` is in bytes a second each way, 0 for no bound; `delay` in seconds each way; `loss` a share of the packets;
    `drops` says of each packet whether it is lost. `carried` counts bytes to the shop."""

    def __init__(self) -> None:
        self.rate = 0.0
        self.delay = 0.0
        self.loss = 0.0
        self.drops: Drops = lambda _: False
        self.carried = 0
        self._random = Random(7)
        self._free_at = {True: 0.0, False: 0.0}

    def heal(self) -> None:
        """Pass on everything again, at once."""
        self.rate = self.delay = self.loss = 0.0
        self.drops = lambda _: False

    def lay(self, machine: Machine, inner: str, outer: str, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to carry frames between two adapters of a machine. Call it on the loop."""
        packets = socket.htons(_ALL_PROTOCOLS)
        ends = [machine.socket(socket.AF_PACKET, socket.SOCK_RAW, packets) for _ in range(2)]
        for end, name in zip(ends, (inner, outer), strict=True):
            end.bind((name, 0))
            end.setblocking(False)
        loop.add_reader(ends[0], self._carry, ends[0], ends[1], False, loop)
        loop.add_reader(ends[1], self._carry, ends[1], ends[0], True, loop)

    def _carry(self, from_: socket.socket, to: socket.socket, down: bool, loop: asyncio.AbstractEventLoop) -> None:
        try:
            frame, address = from_.recvfrom(65536)
        except OSError:
            return
        if address[2] == _OUTGOING or self.drops(frame) or (self.loss and self._random.random() < self.loss):
            return
        now = loop.time()
        at = now
        if self.rate:
            at = max(now, self._free_at[down])
            if at - now > QUEUE_SECONDS:
                return
            at = self._free_at[down] = at + len(frame) / self.rate
        self.carried += len(frame) if down else 0
        if at + self.delay > now:
            loop.call_at(at + self.delay, _send, to, frame)
        else:
            _send(to, frame)


def _send(to: socket.socket, frame: bytes) -> None:
    with contextlib.suppress(OSError):  # The other end is down.
        to.send(frame)


def finish_frames(machine: Machine | Here, adapter: str) -> None:
    """Have an adapter send frames as they would be on a cable: whole, and with their checksums."""
    with machine.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in _OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0), 8)
            request = struct.pack("16sP16x", adapter.encode(), ctypes.addressof(value))
            fcntl.ioctl(any_socket.fileno(), _SIOCETHTOOL, request)


# What a wire drops, by the packet in a frame


def everything(frame: bytes) -> bool:
    del frame
    return True


def large(frame: bytes) -> bool:
    """As behind a tunnel whose router says nothing."""
    return len(frame) > 600


def longer_than(most: int) -> Drops:
    """As the same with packets of at most so many bytes, which small questions and answers fit into."""
    return lambda frame: len(frame) > 14 + most


def to_port(port: int, *, tcp: bool = True) -> Drops:
    """Matches packets to a port, or from it (IPv4)."""

    def drops(frame: bytes) -> bool:
        if frame[12:14] != b"\x08\x00" or frame[23] != (6 if tcp else 17):
            return False
        at = 14 + 4 * (frame[14] & 0x0F)
        return port in struct.unpack_from("!HH", frame, at)

    return drops


def of_version(version: int) -> Drops:
    """IPv4 or IPv6."""
    kind = b"\x08\x00" if version == 4 else b"\x86\xdd"
    return lambda frame: frame[12:14] == kind
