"""Reads the machine's gauges: temperature, free disk and memory, throttling; never fails."""

from __future__ import annotations

import os
from pathlib import Path

from player.domain.events import Health

MAX_FACT_BYTES = 8192
"""Of any file that is read here."""

_THROTTLED_NOW = 0x000F
"""Undervoltage, capped frequency, throttled, soft temperature limit; the bits above remember the past."""


def read_health(state: Path, *, root: Path = Path("/")) -> Health:
    """A reading; unknown gauges are None. `state` is a directory on the disk to measure. Blocks briefly."""
    return Health(
        temperature_celsius=_temperature(root / "sys/class/thermal"),
        disk_free_bytes=_disk_free(state),
        memory_available_bytes=_memory_available(root / "proc/meminfo"),
        throttled=_throttled(root / "sys/devices/platform/soc/soc:firmware/get_throttled"),
    )


def read_boot_id(*, root: Path = Path("/")) -> str:
    """The kernel's id of this boot, 32 hex digits; empty if unknown."""
    return _text(root / "proc/sys/kernel/random/boot_id").strip().replace("-", "")


def _temperature(zones: Path) -> float | None:
    """The hottest zone, in degrees; a zone that is off reads as an error or as absurdly cold."""
    readings = [_number(_text(zone)) for zone in sorted(zones.glob("thermal_zone*/temp"))]
    degrees = [reading / 1000 for reading in readings if reading is not None and -40_000 < reading < 200_000]
    return max(degrees, default=None)


def _disk_free(state: Path) -> int | None:
    try:
        disk = os.statvfs(state)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


def _memory_available(meminfo: Path) -> int | None:
    for line in _text(meminfo).splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            kibibytes = _number(rest.removesuffix("kB"))
            return None if kibibytes is None else kibibytes * 1024
    return None


def _throttled(flags: Path) -> bool | None:
    text = _text(flags).strip()
    try:
        return bool(int(text, 16) & _THROTTLED_NOW) if text else None
    except ValueError:
        return None


def _number(text: str) -> int | None:
    try:
        return int(text.strip())
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FACT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
