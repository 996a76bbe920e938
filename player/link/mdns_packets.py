"""Recognises multicast DNS queries for players, and writes the records of an announced one (RFC 6762, RFC 6763).

Does only what an answering player needs, because zeroconf keeps whatever comes from the network, for as long as that
says, and takes 4.5 MiB (docs/adr/0110-a-player-announces-itself.md).
"""

from __future__ import annotations

import struct

from player.domain.link.announcement import Announcement

Name = tuple[bytes, ...]
"""The labels of a name."""

PLAYER_TYPE = "_menu-player._tcp.local."
_SERVICES: Name = (b"_services", b"_dns-sd", b"_udp", b"local")
"""Asks which types of service there are (RFC 6763, section 9)."""
_TYPE: Name = (b"_menu-player", b"_tcp", b"local")

TTL_SECONDS = 120
"""Others may list a board that went without a goodbye for this long."""

_HEADER = struct.Struct("!6H")
_RECORD = struct.Struct("!2HIH")
_IN, _FLUSH = 1, 0x8001
_A, _PTR, _TXT, _SRV = 1, 12, 16, 33


def asks_for(announcement: Announcement, packet: bytes) -> bool:
    """True if a packet asks for players, for types of service, or for the address of this player. Its names are
    searched for and not parsed: a superfluous answer does no harm."""
    names = packet[_HEADER.size :].lower()
    # 0x80 marks responses.
    is_query = len(packet) > _HEADER.size and not packet[2] & 0x80
    return is_query and any(_label(each) in names for each in (_TYPE[0], _SERVICES[0], _host(announcement)[0]))


def packet_of(announcement: Announcement, address: bytes, *, ttl: int = TTL_SECONDS) -> bytes:
    """Returns the packet for a network on which the player has this address. `ttl` 0 says goodbye."""
    instance, host = (announcement.label.encode(), *_TYPE), _host(announcement)
    service = struct.pack("!3H", 0, 0, announcement.port) + _name(host)
    text = b"".join(_label(f"{key}={text}".encode()) for key, text in announcement.texts.items())
    records = [
        _record(_TYPE, _PTR, _IN, ttl, _name(instance)),
        # Another player may still be there when this one says goodbye.
        _record(_SERVICES, _PTR, _IN, ttl or TTL_SECONDS, _name(_TYPE)),
        _record(instance, _SRV, _FLUSH, ttl, service),
        _record(instance, _TXT, _FLUSH, ttl, text),
        _record(host, _A, _FLUSH, ttl, address),
    ]
    return _HEADER.pack(0, 0x8400, 0, len(records), 0, 0) + b"".join(records)  # A response that is authoritative.


def _host(announcement: Announcement) -> Name:
    return f"menu-player-{announcement.short_id}".lower().encode(), b"local"


def _record(name: Name, kind: int, group: int, ttl: int, data: bytes) -> bytes:
    return _name(name) + _RECORD.pack(kind, group, ttl, len(data)) + data


def _name(labels: Name) -> bytes:
    return b"".join(map(_label, labels)) + b"\0"


def _label(label: bytes) -> bytes:
    return bytes([len(label)]) + label
