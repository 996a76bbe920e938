"""Announces the player on its networks by multicast DNS, and answers those that ask who is there.

It keeps nothing of what it hears, reads and answers so many packets a second and no more, and opens its socket when the
board shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import struct
from collections.abc import Callable

from player.domain.announcement import Announcement
from player.domain.network import Interface
from player.link.mdns_packets import Answers, read_query

log = logging.getLogger(__name__)

GROUP, PORT = "224.0.0.251", 5353
LOOK_SECONDS = 5.0
"""Between two looks at the player's state and at the addresses: nobody is told of a change later, or more often."""
AGAIN_SECONDS = 1.0
"""After it an announcement is repeated once (RFC 6762, section 8.3)."""
ANSWER_SECONDS = 1.0
"""Between two answers to one network (RFC 6762, section 6)."""
MAX_PACKETS_PER_SECOND = 100
"""Received packets; more are left to the kernel, which drops them."""
MAX_PACKET_BYTES = 9000
"""The largest packet (RFC 6762, section 17)."""
RETRY_SECONDS = 60.0
"""Until the socket is opened again, where another program has the port for itself."""

_BUFFER_BYTES = 64 * 1024
_ANSWER_DELAY = (0.02, 0.12)
"""Seconds, at random, so that not all players answer at once (RFC 6762, section 6)."""
_GROUP = socket.inet_aton(GROUP)
_ANY = bytes(4)
_IP_MULTICAST_ALL, _IP_PKTINFO = 49, 8
_PKTINFO = struct.Struct("=i4s4s")


class Announcer:
    """`announcement` is asked again and again; None means that there is nothing to announce yet. `interfaces` gives the
    networks that the device is on."""

    def __init__(
        self,
        *,
        announcement: Callable[[], Announcement | None],
        random: Callable[[], float],
        interfaces: Callable[[], tuple[Interface, ...]],
    ) -> None:
        self._ask = announcement
        self._random = random
        self._ask_interfaces = interfaces
        self._announced: Announcement | None = None
        self._answers: Answers | None = None
        self._joined: dict[int, Interface] = {}
        self._answer_at: dict[int, float] = {}
        """When each network was, or will be, answered."""
        self._second = 0
        self._packets = 0
        self._paused: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Announce until cancelled, and then say goodbye."""
        while True:
            try:
                with _open() as opened:
                    await self._announce(opened)
            except OSError as error:
                log.info("this screen is not announced on the network: %s", error.strerror or error)
            await asyncio.sleep(RETRY_SECONDS)

    async def _announce(self, opened: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(opened, self._receive, opened)
        try:
            while True:
                changed = self._look(opened)
                self._tell(opened, changed)
                if changed:
                    await asyncio.sleep(AGAIN_SECONDS)
                    self._tell(opened, changed)
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            loop.remove_reader(opened)
            if self._paused:
                self._paused.cancel()
                self._paused = None
            self._leave(opened)
            self._announced = self._answers = None
            self._joined, self._answer_at = {}, {}

    def _look(self, opened: socket.socket) -> tuple[Interface, ...]:
        """Take in what has changed; returns the networks that have to be told."""
        there = {interface.index: interface for interface in self._ask_interfaces()}
        for index in self._joined.keys() - there:
            _join(opened, index, socket.IP_DROP_MEMBERSHIP)
            self._answer_at.pop(index, None)
        for index in there.keys() - self._joined:
            _join(opened, index, socket.IP_ADD_MEMBERSHIP)
        announcement = self._ask()
        if announcement == self._announced:
            changed = tuple(each for index, each in there.items() if self._joined.get(index) != each)
        else:
            if not (self._announced and announcement and self._announced.label == announcement.label):
                self._leave(opened)
            changed = tuple(there.values())
        self._joined = there
        self._announced, self._answers = announcement, Answers(announcement) if announcement else None
        return changed if announcement else ()

    def _tell(self, opened: socket.socket, told: tuple[Interface, ...]) -> None:
        if self._answers:
            for interface in told:
                _send(opened, interface, self._answers.packet([interface.address]))

    def _leave(self, opened: socket.socket) -> None:
        """Say goodbye: lists of others drop this player at once."""
        if self._answers:
            for interface in self._joined.values():
                _send(opened, interface, self._answers.packet([interface.address], ttl=0))

    def _receive(self, opened: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        if int(loop.time()) != self._second:
            self._second, self._packets = int(loop.time()), 0
        self._packets += 1
        if self._packets > MAX_PACKETS_PER_SECOND:
            loop.remove_reader(opened)
            self._paused = loop.call_at(self._second + 1, loop.add_reader, opened, self._receive, opened)
            return
        with contextlib.suppress(BlockingIOError, OSError):
            packet, notes, _, _ = opened.recvmsg(MAX_PACKET_BYTES, socket.CMSG_SPACE(_PKTINFO.size))
            for level, kind, note in notes:
                if (level, kind) == (socket.IPPROTO_IP, _IP_PKTINFO):
                    self._hear(opened, packet, self._joined.get(_PKTINFO.unpack_from(note)[0]))

    def _hear(self, opened: socket.socket, packet: bytes, on: Interface | None) -> None:
        if on is None or self._answers is None or not self._answers.concern(read_query(packet)):
            return
        loop = asyncio.get_running_loop()
        last = self._answer_at.get(on.index, -ANSWER_SECONDS)
        if last > loop.time():
            return  # An answer to all is on its way.
        least, most = _ANSWER_DELAY
        due = max(loop.time() + least + self._random() * (most - least), last + ANSWER_SECONDS)
        self._answer_at[on.index] = due
        loop.call_at(due, self._answer, opened, on.index)

    def _answer(self, opened: socket.socket, index: int) -> None:
        if opened.fileno() >= 0 and (interface := self._joined.get(index)):
            self._tell(opened, (interface,))


def _open() -> socket.socket:
    """A socket for the group only: what is sent to this device alone may come from anywhere. Raises OSError."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    try:
        for name in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            opened.setsockopt(socket.SOL_SOCKET, name, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        for name, value in (
            (_IP_MULTICAST_ALL, 0),
            (_IP_PKTINFO, 1),
            (socket.IP_MULTICAST_TTL, 255),
            (socket.IP_MULTICAST_LOOP, 1),
        ):
            opened.setsockopt(socket.IPPROTO_IP, name, value)
        opened.bind((GROUP, PORT))
    except OSError:
        opened.close()
        raise
    return opened


def _join(opened: socket.socket, index: int, change: int) -> None:
    with contextlib.suppress(OSError):
        opened.setsockopt(socket.IPPROTO_IP, change, struct.pack("=4s4si", _GROUP, _ANY, index))


def _send(opened: socket.socket, interface: Interface, packet: bytes) -> None:
    """A network that takes nothing, or is gone, is no fault of the board."""
    with contextlib.suppress(OSError):
        opened.setsockopt(
            socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("=4s4si", _ANY, interface.address, interface.index)
        )
        opened.sendto(packet, (GROUP, PORT))
