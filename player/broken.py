"""Says why this version of the player cannot start, and what comes of it: for a program of which a part is broken.

Imports nothing of the player, and of libraries only Python's own.
"""

from __future__ import annotations

import json
import sys
import traceback
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

GUARD = Path("/var/lib/menu-player-guard")
PACKAGE = "menu-player-core"
MAX_NOTES_BYTES = 64 * 1024
OWN = tuple(f"{Path(__file__).parent.parent / package}/" for package in ("menu", "player"))
"""Where the program's own files are."""


def tell(error: BaseException, command: str, *, guard: Path = GUARD) -> int:
    """Print what is broken and what comes of it; for `support-bundle`, write a file as well. Returns the exit code."""
    why, do = what_broke(error), what_to_do(guard)
    lines = [
        "Menu Player · this version cannot start",
        "",
        "FAULT  This version of the player cannot start: a part of its program is broken.",
        f"  Why      {why}",
        f"  Do this  {do}",
    ]
    to_print = "\n".join(lines)
    print(to_print, file=sys.stdout if command == "doctor" else sys.stderr)
    if command == "support-bundle":
        _write_bundle(to_print, error)
    return 2  # As of `menu-player doctor` for faults.


def what_broke(error: BaseException) -> str:
    """Returns the file, the line and the error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(OWN)]
    said = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {said}"
    for last in reversed(own or frames):
        return f"{last.filename}, line {last.lineno}: {said}"
    return said


def what_to_do(guard: Path = GUARD) -> str:
    """Returns the act of the guard, which takes versions back that fail; without it, that of a person."""
    install = f"sudo apt install --reinstall {PACKAGE}"
    try:
        is_there, notes = guard.is_dir(), _notes(guard / "state.json")
    except PermissionError:
        is_there, notes = True, {}
    if not is_there:
        return f"Install the player again: {install}"
    good, trial = notes.get("good"), notes.get("trial")
    version = good.get(PACKAGE) if isinstance(good, dict) else None
    if isinstance(version, str) and isinstance(trial, dict):
        return (
            f"Wait ten minutes: the guard of updates brings version {version} back by itself. If it does not: {install}"
        )
    return (
        f"After an update, wait ten minutes: the guard brings the version before back by itself. Otherwise: {install}"
    )


def _notes(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes()[:MAX_NOTES_BYTES])
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_bundle(told: str, error: BaseException) -> None:
    file = Path(f"menu-player-{datetime.now(UTC):%Y%m%d-%H%M}.zip")
    trace = "".join(traceback.format_exception(error))
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("findings.txt", f"{told}\n")
            bundle.writestr("error.txt", trace)
            bundle.writestr("versions.txt", f"Python {sys.version}\n{_version()}\n")
    except OSError as fault:
        print(f"{file} cannot be written: {fault.strerror}", file=sys.stderr)  # noqa: T201
        return
    print(file)  # noqa: T201


def _version() -> str:
    try:
        return (Path(__file__).parent / "version.py").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"version.py cannot be read: {error.strerror}"
