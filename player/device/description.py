"""Describes the machine to a technician: model, system, memory, disk and displays; never fails."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timedelta
from pathlib import Path

from player.device.kernel_files import kernel_bytes, kernel_number, kernel_text
from player.domain.machine import Display, Machine

MAX_DISPLAYS = 8

_MODELS = ("proc/device-tree/model", "sys/class/dmi/id/product_name")


def describe_machine(
    state: Path,
    *,
    now: datetime,
    versions: tuple[tuple[str, str], ...] = (),
    root: Path = Path("/"),
) -> Machine:
    """`state` is a directory on the disk that counts, `now` the time as far as known, `versions`
    are of further programs. Blocks briefly."""
    up = kernel_number(kernel_text(root / "proc/uptime").partition(".")[0])
    return Machine(
        model=next(filter(None, (kernel_text(root / path) for path in _MODELS)), ""),
        system=_system(root),
        versions=(("Python", platform.python_version()), *versions),
        memory_bytes=kernel_bytes(root / "proc/meminfo", "MemTotal") or 0,
        disk_bytes=_disk(state),
        started_at=None if up is None else now - timedelta(seconds=up),
        displays=_displays(root / "sys/class/drm"),
    )


def _system(root: Path) -> str:
    lines = kernel_text(root / "etc/os-release").splitlines()
    names = [line.partition("=")[2].strip("\"'") for line in lines if line.startswith("PRETTY_NAME=")]
    kernel = kernel_text(root / "proc/sys/kernel/osrelease")
    return ", ".join(filter(None, (*names[:1], f"Linux {kernel}" if kernel else "")))


def _displays(cards: Path) -> tuple[Display, ...]:
    """Returns the sockets of the graphics hardware; `card1-HDMI-A-1` is the first HDMI socket of a card."""
    try:
        sockets = sorted(path for path in cards.iterdir() if "-" in path.name)[:MAX_DISPLAYS]
    except OSError:
        return ()
    return tuple(
        Display(
            name=socket.name.partition("-")[2],
            connected=kernel_text(socket / "status") == "connected",
            mode=kernel_text(socket / "modes").partition("\n")[0],
        )
        for socket in sockets
        if not socket.name.endswith("Writeback-1")
    )


def _disk(state: Path) -> int:
    try:
        disk = os.statvfs(state)
    except OSError:
        return 0
    return disk.f_blocks * disk.f_frsize
