"""Announces the player on its networks by multicast DNS, and answers queries for players.

Stores nothing that it receives, limits the packets that it reads and answers a second, and opens its socket when the
board shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import socket
import struct
from collections.abc import Callable, Mapping

from player.domain.link.announcement import Announcement
from player.domain.link.network import Interface
from player.link.mdns_packets import TTL_SECONDS, asks_for, packet_of
from player.whole_second import pause

log = logging.getLogger(__name__)

GROUP, PORT = "224.0.0.251", 5353
LOOK_SECONDS = 5.0
"""Between two looks at the player's state and at the addresses: nobody is told of a change later."""
APART_SECONDS = 1.0
"""Between two packets to one network (RFC 6762, section 6); those that ask meanwhile are answered together."""
MAX_PACKETS = 100
"""Received packets in that time; more are left to the kernel, which drops them."""
MAX_PACKET_BYTES = 9000
"""The largest packet (RFC 6762, section 17)."""
RETRY_SECONDS = 60.0
"""Until the socket is opened again, where another program has the port for itself."""


class Announcer:
    """Calls `announcement` repeatedly; None means that there is nothing to announce yet. `interfaces` gives the
    networks that the device is on."""

    def __init__(
        self,
        *,
        announcement: Callable[[], Announcement | None],
        interfaces: Callable[[], tuple[Interface, ...]],
    ) -> None:
        self._ask = announcement
        self._ask_interfaces = interfaces
        self._announced: Announcement | None = None
        self._interfaces: Mapping[int, Interface] = {}

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
        loop, due, look_at, asked = asyncio.get_running_loop(), 0.0, 0.0, False
        try:
            while True:
                changed = False
                if loop.time() >= look_at:
                    changed, look_at = self._look(opened), math.floor(loop.time()) + LOOK_SECONDS
                if changed or asked or loop.time() >= due:
                    self._tell(opened)
                    due = loop.time() + 60.0  # Each packet may get lost.
                await pause(APART_SECONDS)
                asked = await self._is_asked(opened, until=look_at)
        finally:
            self._tell(opened, ttl=0)
            self._announced, self._interfaces = None, {}

    def _look(self, opened: socket.socket) -> bool:
        """Reads the player's state and its networks; True if they have changed."""
        before, announcement = self._announced, self._ask()
        interfaces = {interface.index: interface for interface in self._ask_interfaces()}
        for index in interfaces.keys() - self._interfaces:
            with contextlib.suppress(OSError):
                opened.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, _membership(index))
        if before and not (announcement and announcement.label == before.label):
            self._tell(opened, ttl=0)
        changed = (announcement, interfaces) != (before, self._interfaces)
        self._announced, self._interfaces = announcement, interfaces
        return changed

    def _tell(self, opened: socket.socket, *, ttl: int = TTL_SECONDS) -> None:
        """Sends the records to every network; a `ttl` of 0 is a goodbye: lists of others drop this player at once."""
        if self._announced is None:
            return
        for each in self._interfaces.values():
            # A network that takes nothing, or is gone, is no fault of the board.
            with contextlib.suppress(OSError):
                opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, _membership(each.index, each.address))
                opened.sendto(packet_of(self._announced, each.address, ttl=ttl), (GROUP, PORT))

    async def _is_asked(self, opened: socket.socket, *, until: float) -> bool:
        """Waits for packets until the next look; True if one of them asks for this player."""
        try:
            async with asyncio.timeout_at(until):
                packets = [await asyncio.get_running_loop().sock_recv(opened, MAX_PACKET_BYTES)]
        except TimeoutError:
            return False
        with contextlib.suppress(BlockingIOError):
            while len(packets) < MAX_PACKETS:
                packets.append(opened.recv(MAX_PACKET_BYTES))
        announced = self._announced
        return announced is not None and any(asks_for(announced, packet) for packet in packets)


def _open() -> socket.socket:
    """Opens a socket for the group only: what is sent to this device alone may come from anywhere. Raises OSError."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    try:
        for name in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            opened.setsockopt(socket.SOL_SOCKET, name, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        # IP_MULTICAST_ALL.
        for name, value in ((49, 0), (socket.IP_MULTICAST_TTL, 255), (socket.IP_MULTICAST_LOOP, 1)):
            opened.setsockopt(socket.IPPROTO_IP, name, value)
        opened.bind((GROUP, PORT))
    except OSError:
        opened.close()
        raise
    return opened


def _membership(index: int, address: bytes = bytes(4)) -> bytes:
    return struct.pack("=4s4si", socket.inet_aton(GROUP), address, index)
