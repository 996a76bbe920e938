"""Tells which process uses the player's directory, and whether that is a player."""

from __future__ import annotations

from pathlib import Path

from player.plain_file import read_plain

MAX_TABLE_BYTES = 4 * 1024**2


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


def _text(path: Path) -> str:
    try:
        return read_plain(path, MAX_TABLE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
