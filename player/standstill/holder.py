"""Which process uses the player's directory, and whether that is the player itself."""

from __future__ import annotations

from pathlib import Path

from player.device.port_holder import listeners
from player.plain_file import read_plain
from player.settings import DEFAULT_DIAGNOSTICS_PORT
from player.standstill.ask import ask

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
    if not any(Path(word).name in ("player", "menu-player") for word in words):
        return name
    told = environment_of(holder, root)
    own = told.get("MENU_PLAYER_DIAGNOSTICS_PORT", str(DEFAULT_DIAGNOSTICS_PORT))
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--diagnostics-port"):
            own = word.partition("=")[2] or following
    # A configuration file may say otherwise: believe only a page that is there.
    is_elsewhere = own.isdecimal() and int(own) != port and ask(int(own))[1] is not None
    return f"{name}, a player with its page at port {own}" if is_elsewhere else ""


def environment_of(process: str | None, root: Path) -> dict[str, str]:
    """What a process was started with; empty where that may not be read."""
    if process is None:
        return {}
    words = (word.partition("=") for word in _words(root / "proc" / process / "environ"))
    return {name: value for name, _, value in words if name}


def listens_for_another(holder: str, port: int, root: Path) -> bool:
    """Whether a program that is not the holder takes connections at this port of the device itself, and says nothing.
    False where nobody can tell."""
    listening = listeners(port, root=root)
    try:
        held = {str(link.readlink()) for link in (root / "proc" / holder / "fd").iterdir()}
    except OSError:
        return False
    return bool(listening) and not listening & held


def _words(path: Path) -> list[str]:
    try:
        return read_plain(path, MAX_LOCKS_BYTES).decode("utf-8", "replace").rstrip("\0").split("\0")
    except OSError:
        return []
