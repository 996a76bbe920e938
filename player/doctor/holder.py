"""Which process uses the player's directory, and whether that is the player itself."""

from __future__ import annotations

from pathlib import Path

from player.doctor.ask import ask
from player.plain_file import read_plain
from player.settings import DEFAULT_DIAGNOSTICS_PORT

MAX_LOCKS_BYTES = 1024 * 1024
MAX_COMMAND = 80
"""Characters of a program's command that are told."""


def holder_of(folder: Path, root: Path) -> str | None:
    """The number of the process that uses the state directory. Not by trying its lock, which might keep a player from
    starting."""
    try:
        inode = (folder / "lock").stat().st_ino
        locks = read_plain(root / "proc/locks", MAX_LOCKS_BYTES).decode("ascii", "replace")
    except OSError:
        return None
    held = (line.split() for line in locks.splitlines() if f":{inode} " in line and "FLOCK" in line)
    return next((fields[4] for fields in held if "->" not in fields), None)


def other_player(holder: str, port: int, root: Path) -> str:
    """What holds the directory, if that is not the player with this port: empty if it is, or nobody can tell."""
    words = _words(root / "proc" / holder / "cmdline")
    if not words:
        return ""
    name = f"process {holder} ({' '.join(words)[:MAX_COMMAND]})"
    if not any("player" in word for word in words):
        return name
    told = dict(word.partition("=")[::2] for word in _words(root / "proc" / holder / "environ"))
    own = told.get("MENU_PLAYER_DIAGNOSTICS_PORT", str(DEFAULT_DIAGNOSTICS_PORT))
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--diagnostics-port"):
            own = word.partition("=")[2] or following
    # A configuration file may say otherwise: believe only a page that is there.
    is_elsewhere = own.isdecimal() and int(own) != port and ask(int(own))[1] is not None
    return f"{name}, a player with its page at port {own}" if is_elsewhere else ""


def _words(path: Path) -> list[str]:
    try:
        return read_plain(path, MAX_LOCKS_BYTES).decode("utf-8", "replace").rstrip("\0").split("\0")
    except OSError:
        return []
