"""Owns how the panel hangs: which way up its picture is, and how much of its edge the frame hides; imports no Qt."""

from __future__ import annotations

from msgspec import Struct


class Panel(Struct, frozen=True, kw_only=True):
    """`rotation` turns the picture clockwise by so many degrees, None as the location says; `overscan` keeps it off
    each edge by so many percent of the side."""

    rotation: int | None = None
    overscan: float = 0.0

    def turned(self, location: int) -> int:
        """By how many degrees the picture is turned where the location says `location`: the device's word counts."""
        return location if self.rotation is None else self.rotation

    def room(self, width: int, height: int, *, location: int) -> tuple[float, float]:
        """Width and height, as the guest sees them, that a picture may take of a window so large."""
        seen = (width, height) if self.turned(location) % 180 == 0 else (height, width)
        share = 1 - 2 * self.overscan / 100
        return seen[0] * share, seen[1] * share
