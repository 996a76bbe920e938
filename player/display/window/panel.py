"""Mounting of the panel: its rotation, and the share of its edge that the frame hides; imports no Qt."""

from __future__ import annotations

from msgspec import Struct


class Panel(Struct, frozen=True, kw_only=True):
    """The device's own settings, each of which overrides the service's: `rotation` is in degrees clockwise, `overscan`
    is the margin at each edge, in percent of the side; None for the service's."""

    rotation: int | None = None
    overscan: float | None = None

    def effective_rotation(self, given: int) -> int:
        """The rotation in degrees, where the service gives this one."""
        return given if self.rotation is None else self.rotation

    def effective_overscan(self, given: float) -> float:
        """The margin in percent, where the service gives this one."""
        return given if self.overscan is None else self.overscan

    def room(self, width: int, height: int, *, rotation: int, overscan: float = 0.0) -> tuple[float, float]:
        """Width and height of a view, as the guest sees them, in a window of this size."""
        seen = (width, height) if self.effective_rotation(rotation) % 180 == 0 else (height, width)
        share = 1 - 2 * self.effective_overscan(overscan) / 100
        return seen[0] * share, seen[1] * share
