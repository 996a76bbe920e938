"""How the panel hangs: its rotation, and how much of its edge the frame hides; imports no Qt."""

from __future__ import annotations

from msgspec import Struct


class Panel(Struct, frozen=True, kw_only=True):
    """`rotation` is in degrees clockwise, None for the location's; `overscan` is the margin at each edge, in percent of
    the side."""

    rotation: int | None = None
    overscan: float = 0.0

    def effective_rotation(self, location: int) -> int:
        """The rotation in degrees; the device's own overrides the location's."""
        return location if self.rotation is None else self.rotation

    def room(self, width: int, height: int, *, location: int) -> tuple[float, float]:
        """Width and height of a view, as the guest sees them, in a window of this size."""
        seen = (width, height) if self.effective_rotation(location) % 180 == 0 else (height, width)
        share = 1 - 2 * self.overscan / 100
        return seen[0] * share, seen[1] * share
