"""Reads the player's unit, its environment and its journal from systemd, and its lock from the kernel."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from player.device.kernel_files import kernel_number, kernel_text
from player.domain.standstill import Unit
from player.recent_log import MAX_LINE, LogLine

UNIT = "menu-player.service"

JOURNAL_SECONDS = 5.0
"""Timeout of journalctl."""

JOURNAL = ("journalctl", f"--unit={UNIT}", "--lines=2000", "--no-pager", "--output=json")

MAX_TABLE_BYTES = 4 * 1024**2
"""Size of the kernel's list of locks."""

_LEVELS = ("CRITICAL", "CRITICAL", "CRITICAL", "ERROR", "WARNING", "INFO", "INFO", "DEBUG")
"""Levels of the journal's priorities."""


def unit() -> Unit | None:
    """Reads the state of the unit; None if there is none, or no systemd."""
    told = _show("LoadState", "ActiveState", "NRestarts", "ExecMainStatus")
    if told.get("LoadState") != "loaded":
        return None
    return Unit(
        active=told.get("ActiveState", ""), restarts=told.get("NRestarts", ""), status=told.get("ExecMainStatus", "")
    )


def holder(folder: Path, root: Path) -> int | None:
    """Returns the process of the player that uses the state directory. Not by trying its lock, which might keep a
    player from starting."""
    try:
        inode = (folder / "lock").stat().st_ino
    except OSError:
        return None
    for line in kernel_text(root / "proc/locks", most=MAX_TABLE_BYTES).splitlines():
        if f":{inode} " in line and "FLOCK" in line and "->" not in line:
            return kernel_number(line.split()[4])
    return None


def unit_environment() -> dict[str, str]:
    """Returns the variables that the unit gives its player, which the caller's shell need not have."""
    try:
        words = shlex.split(_show("Environment").get("Environment", ""))
    except ValueError:
        return {}
    return dict(word.split("=", 1) for word in words if "=" in word)


def journal(hide: Callable[[str], str], *, seconds: float = JOURNAL_SECONDS) -> tuple[LogLine, ...] | None:
    """Returns the unit's newest lines, the oldest first, as `hide` leaves them; None if this user cannot read them."""
    try:
        done = subprocess.run(JOURNAL, capture_output=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    lines = (_line(raw, hide) for raw in done.stdout.splitlines())
    return tuple(line for line in lines if line is not None)


def _line(raw: bytes, hide: Callable[[str], str]) -> LogLine | None:
    try:
        entry = json.loads(raw)
        said, level = entry["MESSAGE"], _LEVELS[int(entry.get("PRIORITY", 6))]
        at = datetime.fromtimestamp(int(entry["__REALTIME_TIMESTAMP"]) / 1e6, UTC)
        # What is not UTF-8 comes as a list of its bytes.
        text = said if isinstance(said, str) else bytes(said).decode(errors="replace")
    except (ValueError, LookupError, TypeError, OverflowError):
        return None
    own, name = text.partition(" ")[0], str(entry.get("SYSLOG_IDENTIFIER", ""))
    if own in _LEVELS:
        level, (name, _, text) = own, text.partition(" ")[2].partition(": ")
    return LogLine(at, level, name, hide(text[: 2 * MAX_LINE])[:MAX_LINE])


def _show(*properties: str) -> dict[str, str]:
    command = ("systemctl", "show", UNIT, f"--property={','.join(properties)}")
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5.0, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(line.split("=", 1) for line in said.stdout.splitlines() if "=" in line)
