"""Reads how much memory the player may still use where its control group, or a container, has a limit; never fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from player.device.kernel_files import kernel_number, kernel_text

NO_LIMIT_BYTES = 2**60
"""From which on the kernel's number means that there is none."""


class MemoryLimit(Struct, frozen=True, kw_only=True):
    """A limit, and what is left of it. Bytes."""

    limit: int
    left: int


class _Files(Struct, frozen=True, kw_only=True):
    """The kernel's names of limit, use and statistics, and the prefix of the words of the last."""

    limit: str
    used: str
    prefix: str


_FIRST = _Files(limit="memory.limit_in_bytes", used="memory.usage_in_bytes", prefix="total_")
_SECOND = _Files(limit="memory.max", used="memory.current", prefix="")
"""The two versions of control groups."""


def read_memory_limit(*, root: Path = Path("/")) -> MemoryLimit | None:
    """The limit that leaves the least, of this process's group and those above it; None where there is none."""
    found = (_limit_of(folder, files) for folder, files in _groups(root))
    return min((each for each in found if each is not None), key=lambda each: each.left, default=None)


def _groups(root: Path) -> Iterator[tuple[Path, _Files]]:
    for line in kernel_text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        top = root / "sys/fs/cgroup"
        if "memory" in controllers.split(","):
            top, files = top / "memory", _FIRST
        elif (number, controllers) == ("0", ""):
            files = _SECOND
        else:
            continue
        own = PurePosixPath(path.lstrip("/"))
        # A container sees its own group at the top, whatever it is called outside.
        for group in (own, *own.parents):
            if ".." not in group.parts:
                yield top / group, files


def _limit_of(folder: Path, files: _Files) -> MemoryLimit | None:
    limit, used = kernel_number(kernel_text(folder / files.limit)), kernel_number(kernel_text(folder / files.used))
    if limit is None or used is None or limit >= NO_LIMIT_BYTES:
        return None
    words = dict(line.split(" ", 1) for line in kernel_text(folder / "memory.stat").splitlines() if " " in line)
    of_files = sum(kernel_number(words.get(f"{files.prefix}{kind}_file", "")) or 0 for kind in ("inactive", "active"))
    # What was read from files can be given back; the kernel counts on half of it, too (MemAvailable).
    return MemoryLimit(limit=limit, left=max(0, limit - used + of_files // 2))
