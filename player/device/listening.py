"""Names the program that listens at a port of this machine, from the kernel's tables (proc(5): net/tcp, fd)."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from player.device.kernel_files import kernel_text

MAX_TABLE_BYTES = 1024**2
"""Bytes of the kernel's table of connections that are read: 7,000 of them."""

_LISTENS = "0A"


class Listener(Struct, frozen=True):
    """A process that listens, and the name of its program."""

    process: int
    name: str


def listener_at(port: int, *, proc: Path = Path("/proc")) -> Listener | None:
    """Returns the program that listens at this port; None if there is none, or this user may not see whose it is: only
    root sees what programs of other users have open."""
    sockets = {f"socket:[{number}]" for number in _listening(port, proc)}
    if not sockets:
        return None
    for folder in proc.iterdir():
        if folder.name.isdecimal() and _has_open(folder, sockets):
            return Listener(int(folder.name), kernel_text(folder / "comm"))
    return None


def _listening(port: int, proc: Path) -> set[str]:
    """Returns the numbers (inodes) of the sockets that listen there."""
    found = set[str]()
    for table in ("tcp", "tcp6"):
        for line in kernel_text(proc / "net" / table, most=MAX_TABLE_BYTES).splitlines()[1:]:
            columns = line.split()
            if len(columns) > 9 and columns[3] == _LISTENS and columns[1].endswith(f":{port:04X}"):
                found.add(columns[9])
    return found


def _has_open(folder: Path, sockets: set[str]) -> bool:
    try:
        return any(str(opened.readlink()) in sockets for opened in (folder / "fd").iterdir())
    except OSError:
        return False  # It has ended, or belongs to another user.
