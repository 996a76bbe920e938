"""Asks the network whether another machine has an address of this one (RFC 5227); only a privileged process may."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct

from player.domain.words.phrase import Phrase, phrase

SECONDS = 1.0
"""Another machine may take this long to answer."""

_ARP = 0x0806
_PACKET = struct.Struct("!HHBBH6s4s6s4s")
_EVERYBODY = b"\xff" * 6


async def other_owner(address: ipaddress.IPv4Address, adapter: str) -> Phrase | None:
    """In words, another machine that answers to this address; None if none does, or the system does not
    let this process ask (it takes CAP_NET_RAW, which a board does not have and `sudo menu-player doctor` has)."""
    try:
        line = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, socket.htons(_ARP))
    except OSError:
        return None
    with line:
        loop = asyncio.get_running_loop()
        try:
            # Another adapter of this machine in the same network answers, too.
            own = {_hardware_of(line, name) for _, name in socket.if_nameindex()}
            asking = _hardware_of(line, adapter)
            # From nobody: it must not change what others have noted of this address.
            question = _PACKET.pack(1, 0x0800, 6, 4, 1, asking, bytes(4), bytes(6), address.packed)
            line.sendto(question, (adapter, _ARP, 0, 0, _EVERYBODY))
            async with asyncio.timeout(SECONDS):
                while True:
                    packet = await loop.sock_recv(line, 64)
                    if len(packet) < _PACKET.size:
                        continue
                    *_, hardware, said, _, _ = _PACKET.unpack_from(packet)
                    if said == address.packed and hardware not in own:
                        other = ":".join(f"{byte:02x}" for byte in hardware)
                        return phrase(
                            "{address} is also that of the machine {hardware}", address=str(address), hardware=other
                        )
        except (OSError, TimeoutError):
            return None


def _hardware_of(line: socket.socket, adapter: str) -> bytes:
    """The hardware address of an adapter, to which the socket is bound from now on."""
    line.bind((adapter, _ARP))
    return bytes(line.getsockname()[4])
