"""Parses the validity period of an unverified certificate (X.690, RFC 5280)."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

_SEQUENCE, _UTC_TIME, _VERSION = 0x30, 0x17, 0xA0


class Validity(Struct, frozen=True):
    """From when to when a certificate is valid."""

    begins: datetime
    ends: datetime

    def holds_at(self, instant: datetime) -> bool:
        """Whether it is valid then."""
        return self.begins <= instant <= self.ends


def validity_of(der: bytes) -> Validity | None:
    """When this certificate is valid; None if it cannot be read."""
    try:
        tag, at, _ = _element(der, 0)
        tag, at, _ = _element(der, at)
        if tag != _SEQUENCE:
            return None
        tag, _, _ = _element(der, at)
        skipped = 4 if tag == _VERSION else 3  # version?, serial number, signature, issuer
        for _ in range(skipped):
            _, _, at = _element(der, at)
        tag, at, _ = _element(der, at)
        begins, at = _instant(der, at)
        ends, _ = _instant(der, at)
    except (IndexError, ValueError):
        return None
    return Validity(begins, ends)


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """Tag, first byte and end of the content of the element at a byte."""
    tag, length, at = der[at], der[at + 1], at + 2
    if length & 0x80:
        size = length & 0x7F
        length, at = int.from_bytes(der[at : at + size], "big"), at + size
    if at + length > len(der):
        raise IndexError
    return tag, at, at + length


def _instant(der: bytes, at: int) -> tuple[datetime, int]:
    tag, at, end = _element(der, at)
    text = der[at:end].decode("ascii")
    if tag == _UTC_TIME:
        text = ("19" if int(text[:2]) >= 50 else "20") + text
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC), end
