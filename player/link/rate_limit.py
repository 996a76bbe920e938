"""Bounds what all downloads together take of a shop's line, and spreads their starts over a chain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import sha256

from player.domain.documents.manifest import VersionKey


class RateLimit:
    """`kilobits` (thousands of bits) a second for all who pay. The bytes have come when they are paid for: a reader
    that pauses makes the sender wait."""

    def __init__(self, kilobits: int, *, monotonic: Callable[[], float]) -> None:
        self._bytes_per_second = kilobits * 1000 / 8
        self._monotonic = monotonic
        self._paid_until = 0.0

    async def pay(self, count: int) -> None:
        """Return when so many bytes have been paid for by time."""
        now = self._monotonic()
        self._paid_until = max(self._paid_until, now) + count / self._bytes_per_second
        await asyncio.sleep(self._paid_until - now)


def share_of(device_id: str, key: VersionKey) -> float:
    """From 0 to 1, different for each device and version, and the same at each try: so a chain spreads out evenly, and
    no board is always the last."""
    digest = sha256(f"{device_id}/{key.playlist_id}/{key.version}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
