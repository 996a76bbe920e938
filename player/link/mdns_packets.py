"""Reads questions of multicast DNS and writes the answers of one announced player (RFC 6762, RFC 6763).

It does no more than an answering player needs, because zeroconf keeps whatever comes from the network, for as long as
that says, and takes 4.5 MiB (docs/adr/0110-a-player-announces-itself.md).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from player.domain.announcement import Announcement

Name = tuple[bytes, ...]
"""The labels of a name."""

PLAYER_TYPE = "_menu-player._tcp.local."
_SERVICES: Name = (b"_services", b"_dns-sd", b"_udp", b"local")
"""Asks which types of service there are (RFC 6763, section 9)."""
_TYPE: Name = (b"_menu-player", b"_tcp", b"local")

MAX_QUESTIONS = 32
_MAX_NAME = 255
_MAX_JUMPS = 16

TTL_SECONDS = 120
"""Others may list a board that went without a goodbye for this long."""

_HEADER = struct.Struct("!6H")
_QUESTION = struct.Struct("!2H")
_RECORD = struct.Struct("!2HIH")
_RESPONSE = 0x8000
_ANSWER = 0x8400
"""A response that is authoritative."""
_IN, _FLUSH = 1, 0x8001
_A, _PTR, _TXT, _SRV, _ANY = 1, 12, 16, 33, 255


Questions = tuple[tuple[Name, int], ...]
"""The names that are asked for, and the kinds of record."""


class PacketError(ValueError):
    """The bytes are not a packet of the DNS."""


def read_query(packet: bytes) -> Questions:
    """The questions; none for what is not a query, or not readable. Never raises."""
    try:
        _, flags, asked, *_ = _HEADER.unpack_from(packet)
        at, questions = _HEADER.size, list[tuple[Name, int]]()
        for _ in range(0 if flags & _RESPONSE else min(asked, MAX_QUESTIONS)):
            name, at = _read_name(packet, at)
            kind, _ = _QUESTION.unpack_from(packet, at)
            at += _QUESTION.size
            questions.append((name, kind))
    except (PacketError, struct.error, IndexError):
        return ()
    return tuple(questions)


def _read_name(packet: bytes, at: int) -> tuple[Name, int]:
    """The name in lower case, and where it ends."""
    labels: list[bytes] = []
    end, size, jumps = 0, 0, 0
    while length := packet[at]:
        if length >= 0xC0:
            end = end or at + 2
            at = (length & 0x3F) << 8 | packet[at + 1]
            jumps += 1
            if jumps > _MAX_JUMPS:
                raise PacketError("a name in a circle")
            continue
        size += 1 + length
        if length >= 0x40 or size > _MAX_NAME:
            raise PacketError("not a name")
        label = packet[at + 1 : at + 1 + length]
        labels.append(label.lower())
        at += 1 + length
    return tuple(labels), end or at + 1


class Answers:
    """The records of an announcement, as packets."""

    def __init__(self, announcement: Announcement) -> None:
        self._host: Name = (f"menu-player-{announcement.short_id}".lower().encode(), b"local")
        self._instance: Name = (announcement.label.encode(), *_TYPE)
        self._port = announcement.port
        self._text = b"".join(
            bytes([len(field)]) + field
            for field in (f"{key}={text}".encode() for key, text in announcement.texts.items())
        )
        self._kinds = {
            _SERVICES: {_PTR, _ANY},
            _TYPE: {_PTR, _ANY},
            _lower(self._instance): {_SRV, _TXT, _ANY},
            _lower(self._host): {_A, _ANY},
        }

    def concern(self, questions: Questions) -> bool:
        """Whether one of them is about this player."""
        return any(kind in self._kinds.get(name, ()) for name, kind in questions)

    def packet(self, addresses: Sequence[bytes], *, ttl: int = TTL_SECONDS) -> bytes:
        """For everybody on a network on which the player has these addresses. `ttl` 0 says goodbye."""
        service = struct.pack("!3H", 0, 0, self._port) + _name(self._host)
        records = [
            _record(_TYPE, _PTR, _IN, ttl, _name(self._instance)),
            # Another player may still be there when this one says goodbye.
            _record(_SERVICES, _PTR, _IN, ttl or TTL_SECONDS, _name(_TYPE)),
            _record(self._instance, _SRV, _FLUSH, ttl, service),
            _record(self._instance, _TXT, _FLUSH, ttl, self._text),
            *(_record(self._host, _A, _FLUSH, ttl, address) for address in addresses),
        ]
        return _HEADER.pack(0, _ANSWER, 0, len(records), 0, 0) + b"".join(records)


def _record(name: Name, kind: int, group: int, ttl: int, data: bytes) -> bytes:
    return _name(name) + _RECORD.pack(kind, group, ttl, len(data)) + data


def _name(labels: Name) -> bytes:
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _lower(labels: Name) -> Name:
    return tuple(label.lower() for label in labels)
