"""Tells which process uses the player's directory, whether that is a player, and whether it listens at a port."""

from __future__ import annotations

from pathlib import Path

from player.plain_file import read_plain

MAX_TABLE_BYTES = 4 * 1024**2

_LISTENS = "0A"


def holder_of(folder: Path, root: Path) -> str | None:
    """The number of the process that uses the state directory. Not by trying its lock, which might keep a player from
    starting."""
    try:
        inode = (folder / "lock").stat().st_ino
    except OSError:
        return None
    held = (
        line.split() for line in _text(root / "proc/locks").splitlines() if f":{inode} " in line and "FLOCK" in line
    )
    return next((fields[4] for fields in held if "->" not in fields), None)


def is_player(process: str, root: Path) -> bool:
    """Whether a process is a player; also where nobody can tell."""
    words = _text(root / "proc" / process / "cmdline").rstrip("\0").split("\0")
    return words == [""] or any(Path(word).name in ("player", "menu-player") for word in words)


def environment_of(process: str | None, root: Path) -> dict[str, str]:
    """The environment that a process was started with; empty where that may not be read."""
    words = _text(root / "proc" / process / "environ").split("\0") if process else ()
    return dict(word.split("=", 1) for word in words if "=" in word)


def listens_for_another(holder: str, port: int, root: Path) -> bool:
    """Whether a program that is not the holder takes connections at this port. False where nobody can tell."""
    listening = set()
    for table in ("tcp", "tcp6"):
        for fields in (line.split() for line in _text(root / "proc/net" / table).splitlines()[1:]):
            if len(fields) > 9 and fields[1].endswith(f":{port:04X}") and fields[3] == _LISTENS:
                listening.add(f"socket:[{fields[9]}]")
    try:
        held = {str(link.readlink()) for link in (root / "proc" / holder / "fd").iterdir()}
    except OSError:
        return False
    return bool(listening) and not listening & held


def _text(path: Path) -> str:
    try:
        return read_plain(path, MAX_TABLE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
