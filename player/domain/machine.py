"""Facts of the device for a technician; plain data."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Display(Struct, frozen=True, kw_only=True):
    """A socket for a display: its name, and whether something is plugged in. `mode` is the display's best one."""

    name: str
    connected: bool
    mode: str = ""


class Glass(Struct, frozen=True, kw_only=True):
    """Picture that the player draws on a whole screen: its pixels, and whether it is upright to the viewer. Without a
    screen (`is_screen`) it has the requested size."""

    width: int
    height: int
    upright: bool = False
    is_screen: bool = True

    @property
    def shape(self) -> float:
        """Width as a multiple of its height, as a guest sees it."""
        long, short = max(self.width, self.height), min(self.width, self.height)
        return short / long if self.upright else long / short


class WindowMode(StrEnum):
    FULLSCREEN = "fullscreen"
    """The whole screen, no frame, no cursor, no way out."""
    WINDOWED = "windowed"
    """A window on a desktop; Escape leaves."""
    OFFSCREEN = "offscreen"
    """No screen: drawn for snapshots only."""


class Machine(Struct, frozen=True, kw_only=True):
    """Hardware and system; unknown fields are empty, None or 0. `versions` are of the programs beneath, `started_at` is
    when the device was switched on."""

    model: str = ""
    system: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    memory_bytes: int = 0
    disk_bytes: int = 0
    started_at: datetime | None = None
    displays: tuple[Display, ...] = ()
