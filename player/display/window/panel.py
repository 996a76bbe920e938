"""Mounting of the panel: its rotation, and the share of its edge that the frame hides; imports no Qt."""

from __future__ import annotations

from msgspec import Struct

from menu.documents.scene import Place


class Mounting(Struct, frozen=True, kw_only=True):
    """Placement of the picture on the panel: degrees clockwise, and the margin at each edge in percent of the side;
    `place` is the panel's among those that draw one board."""

    rotation: int = 0
    overscan: float = 0.0
    place: Place | None = None

    def room(self, width: int, height: int) -> tuple[float, float]:
        """Returns width and height of a view, as the guest sees them, in a window of this size."""
        seen = (width, height) if self.rotation % 180 == 0 else (height, width)
        share = 1 - 2 * self.overscan / 100
        return seen[0] * share, seen[1] * share


class Panel(Struct, frozen=True, kw_only=True):
    """Device's own settings, each of which overrides the service's; None for the service's."""

    rotation: int | None = None
    overscan: float | None = None

    def mounting(self, rotation: int, overscan: float = 0.0, place: Place | None = None) -> Mounting:
        """Returns the mounting, with the device's settings first."""
        return Mounting(
            rotation=rotation if self.rotation is None else self.rotation,
            overscan=overscan if self.overscan is None else self.overscan,
            place=place,
        )
