"""Reads the machine's gauges: temperature, free disk and memory, throttling; never fails."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from player.device.kernel_files import kernel_bytes, kernel_number, kernel_text, kernel_word
from player.device.taken_back import read_no_way_back, read_refused_repositories
from player.domain.events import Health

MAX_MOUNTS_BYTES = 256 * 1024
"""Size of the list of mounts."""


def read_health(state: Path, *, root: Path = Path("/"), disk_sync_seconds: float | None = None) -> Health:
    """Reads the gauges; unknown ones are None. `state` is a directory on the disk to measure; `disk_sync_seconds` comes
    from the parts that write to it. Blocks briefly."""
    disk, is_dead = _disk(state)
    read_only, failing = _protected(state, root) if disk is not None else (False, False)
    firmware = _firmware_flags(root / "sys/devices/platform/soc/soc:firmware/get_throttled")
    return Health(
        temperature_celsius=_temperature(root / "sys/class/thermal"),
        disk_free_bytes=None if disk is None else disk.f_bavail * disk.f_frsize,
        memory_available_bytes=kernel_bytes(root / "proc/meminfo", "MemAvailable"),
        memory_kills=kernel_number(kernel_word(root / "proc/vmstat", "oom_kill", " ")),
        # Undervoltage, capped frequency, throttled, soft temperature limit; the bits above remember the past.
        throttled=None if firmware is None else bool(firmware & 0x000F),
        disk_read_only=None if disk is None else bool(disk.f_flag & os.ST_RDONLY) or read_only,
        disk_failing=True if is_dead else None if disk is None else failing,
        # Some file systems make room for files as they need it, and count none.
        disk_free_files=disk.f_favail if disk is not None and disk.f_files else None,
        # Now, or since the machine was switched on.
        under_voltage=_voltage_alarm(root / "sys/class/hwmon") if firmware is None else bool(firmware & 0x10001),
        disk_sync_seconds=disk_sync_seconds,
        no_way_back=read_no_way_back(root=root),
        refused_repositories=read_refused_repositories(root=root),
    )


def read_boot_id(*, root: Path = Path("/")) -> str:
    """Returns the kernel's id of this boot, 32 hex digits; empty if unknown."""
    return kernel_text(root / "proc/sys/kernel/random/boot_id").replace("-", "")


def _temperature(zones: Path) -> float | None:
    """Returns the hottest zone, in degrees; a zone that is off reads as an error or as absurdly cold."""
    readings = [kernel_number(kernel_text(zone)) for zone in sorted(zones.glob("thermal_zone*/temp"))]
    degrees = [reading / 1000 for reading in readings if reading is not None and -40_000 < reading < 200_000]
    return max(degrees, default=None)


def _disk(state: Path) -> tuple[os.statvfs_result | None, bool]:
    """Returns the state of the file system, and whether it is unknown because the disk cannot be read."""
    try:
        return os.statvfs(state), False
    except OSError as error:
        return None, error.errno == errno.EIO


def _protected(state: Path, root: Path) -> tuple[bool, bool]:
    """Returns whether the file system is read-only, and whether errors of its disk are the cause."""
    try:
        number = state.stat().st_dev
    except OSError:
        return False, False
    device = f"{os.major(number)}:{os.minor(number)}"
    options = set[str]()
    for line in kernel_text(root / "proc/self/mountinfo", most=MAX_MOUNTS_BYTES).splitlines():
        mount, _, file_system = line.partition(" - ")
        if mount.split()[2:3] == [device]:
            options = set((file_system.split() or [""])[-1].split(","))
    read_only = bool(options & {"ro", "emergency_ro"})
    try:
        name = (root / "sys/dev/block" / device).readlink().name
    except OSError:
        name = ""
    errors = kernel_number(kernel_text(root / "sys/fs/ext4" / name / "errors_count")) if name else None
    return read_only, read_only and ("emergency_ro" in options or bool(errors))


def _firmware_flags(flags: Path) -> int | None:
    try:
        return int(kernel_text(flags), 16)
    except ValueError:
        return None


def _voltage_alarm(monitors: Path) -> bool | None:
    """Reads a Raspberry Pi's alarm under Debian's kernel, which does not show the flags of its firmware."""
    for monitor in sorted(monitors.glob("hwmon*")):
        if kernel_text(monitor / "name") == "rpi_volt":
            alarm = kernel_number(kernel_text(monitor / "in0_lcrit_alarm"))
            return None if alarm is None else bool(alarm)
    return None
