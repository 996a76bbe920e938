"""Clocks of the machine, as they are or shifted for a rehearsal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import CLOCK_BOOTTIME, clock_gettime, monotonic

from player.device.health import read_boot_id
from player.device.kernel_files import kernel_number, kernel_text
from player.domain.time.clock import Boot
from player.plain_file import read_plain

MAX_OFFSET_FILE_BYTES = 100
MAX_OFFSET = timedelta(days=36_500)
"""A larger shift is ignored: the timeline looks more than a year ahead, and the calendar ends."""


_OF_THE_MAKERS = frozenset({"", "UTC", "Etc/UTC", "Universal", "GMT", "Etc/GMT", "Europe/London"})
"""Time zones that systems have until somebody sets one; the last is Raspberry Pi OS's."""


def zone_set(*, root: Path = Path("/")) -> str:
    """Returns the time zone that was set on the device by hand; empty if it may be a maker's default."""
    try:
        _, _, name = str((root / "etc/localtime").readlink()).partition("zoneinfo/")
    except OSError:
        return ""
    return "" if name in _OF_THE_MAKERS else name


def read_boot(*, root: Path = Path("/")) -> Boot:
    chips = sorted((root / "sys/class/rtc").glob("rtc*/hctosys"))
    return Boot(
        id=read_boot_id(root=root),
        seconds=clock_gettime(CLOCK_BOOTTIME),
        # Not set by a chip whose battery is empty: what that says is before the last known time.
        has_battery_clock=any(kernel_number(kernel_text(chip, most=MAX_OFFSET_FILE_BYTES)) == 1 for chip in chips),
    )


class SystemClock:
    def wall(self) -> datetime:
        """Returns the system's wall time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since the boot, without those in which the machine was suspended."""
        return monotonic()


class OffsetClock(SystemClock):
    """For rehearsals: wall time shifted by the seconds that a file holds now, if there is one that can be read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def wall(self) -> datetime:
        """Returns the shifted wall time, aware, in UTC."""
        try:
            offset = timedelta(seconds=float(read_plain(self._path, MAX_OFFSET_FILE_BYTES)))
        except (OSError, ValueError, OverflowError):
            return super().wall()
        return super().wall() + (offset if abs(offset) <= MAX_OFFSET else timedelta())
