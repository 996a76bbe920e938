"""Finds the program that listens at a TCP port of this machine; never fails."""

from __future__ import annotations

from pathlib import Path

from player.plain_file import read_plain

MAX_PROCESSES = 4096
MAX_TABLE_BYTES = 4 * 1024**2

_LISTENS = "0A"


def port_holder(port: int, *, root: Path = Path("/")) -> str | None:
    """The name of the program, with its process id; None if none listens, or this user may not see which."""
    sockets = listeners(port, root=root)
    if not sockets:
        return None
    for process in sorted((root / "proc").glob("[0-9]*"))[:MAX_PROCESSES]:
        try:
            if any(str(link.readlink()) in sockets for link in (process / "fd").iterdir()):
                name = read_plain(process / "comm", 64).decode(errors="replace").strip()
                return f"{name} (process {process.name})"
        except OSError:
            continue  # Gone, or another user's.
    return None


def listeners(port: int, *, root: Path = Path("/")) -> set[str]:
    """The sockets that listen there, as the links to open files name them."""
    found = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = read_plain(root / "proc/net" / table, MAX_TABLE_BYTES).decode("ascii", "replace").splitlines()
        except OSError:
            continue
        for fields in (line.split() for line in lines[1:]):
            if len(fields) > 9 and fields[1].endswith(f":{port:04X}") and fields[3] == _LISTENS:
                found.add(f"socket:[{fields[9]}]")
    return found
