"""Fetches updates in the window of the machine: security fixes of Debian, and the version of the board that the service
names, or the newest one of the board's own repository.

apt does the rest: it takes only packages that the repositories' keys have signed, and installs those that
unattended-upgrades allows (packaging/debian/apt/52menu-player-guard). The board can choose among those versions, and
never an older one.
"""

from __future__ import annotations

import logging
import tomllib
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from guard.disk import read_document, write_document, write_whole
from guard.guard import VERSION
from guard.machine import PACKAGES, Lists
from guard.opening import Hours
from guard.verdict import BoardStatus
from guard.window import USUAL, UpdateWindow, is_due, share_of

log = logging.getLogger("menu-player-guard")

SETTINGS = Path("/etc/menu-player/updates.toml")
NOTES = Path("/var/lib/menu-player-guard/updates.json")
WANTED = Path("/etc/apt/preferences.d/menu-player-wanted")
"""apt reads it after the guard's own file: a version that was taken back stays out, whoever wants it."""

MAX_SETTINGS_BYTES = 64 * 1024

PARAGRAPHS = """\
# The version of the board that its service wants, and no other. Written by menu-player-guard.

Package: {packages}
Pin: version {version}
Pin-Priority: 990

Package: {packages}
Pin: version *
Pin-Priority: -1
"""


class AnyMachine(Protocol):
    """Machine as updates use it: guard/machine.py."""

    def wall(self) -> datetime: ...
    def up_seconds(self) -> float: ...
    def identity(self) -> str: ...
    def is_busy(self) -> bool: ...
    def board(self) -> BoardStatus | None: ...
    def fetch_lists(self) -> Lists: ...
    def upgrade(self) -> bool: ...


class Files(NamedTuple):
    settings: Path = SETTINGS
    notes: Path = NOTES
    wanted: Path = WANTED


FILES = Files()


def update(machine: AnyMachine, files: Files = FILES) -> None:
    now = machine.wall()
    if now.year < 2026 or machine.is_busy():  # Before 2026 the clock knows nothing.
        return
    notes = _notes(files.notes)
    settings = _settings(files.settings)
    if settings.get("enabled") is False:
        return
    board = machine.board()
    if board is not None and board.hours is not None and board.hours != notes.get("hours"):
        # A board that is off at night still has its hours.
        notes = _note(files.notes, notes, hours=board.hours)
    zone_name = _text(settings.get("zone")) or (board.zone if board else "") or _text(notes.get("zone"))
    window = UpdateWindow.read(_text(settings.get("window"))) or USUAL
    done = _instant(notes.get("done"))
    if done is None:
        # Counts from the installation.
        done = now
        notes = _note(files.notes, notes, done=now.isoformat(), zone=zone_name)
    began = _instant(notes.get("began"))
    share, up_seconds = share_of(machine.identity()), machine.up_seconds()
    local, hours = now.astimezone(_zone(zone_name)), Hours.read(notes.get("hours"), now)
    if not is_due(local, window, share=share, began=began, done=done, up_seconds=up_seconds, hours=hours):
        return
    notes = _note(files.notes, notes, began=now.isoformat(), zone=zone_name)
    want(board.wanted if board else None, files.wanted)
    lists = machine.fetch_lists()
    if lists.usable or lists.refused:
        # For the board to report. A network that is away says nothing about keys.
        notes = _note(files.notes, notes, refused=lists.refused)
    if lists.usable and machine.upgrade():
        _note(files.notes, notes, done=now.isoformat())
    else:
        log.warning("updates could not be fetched; trying again in the next window")


def want(version: str | None, file: Path) -> None:
    """Makes apt take only this version of the board; the newest for an empty one. None keeps the former choice."""
    if version is None:
        return
    if VERSION.fullmatch(version):
        write_whole(file, PARAGRAPHS.format(packages=" ".join(PACKAGES), version=version).encode())
    else:
        file.unlink(missing_ok=True)


def _settings(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.loads(file.read(MAX_SETTINGS_BYTES).decode())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read, and the usual window counts: %s", path, error)
        return {}


def _notes(path: Path) -> dict[str, Any]:
    document = read_document(path)
    return document if isinstance(document, dict) else {}


def _note(path: Path, notes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    notes = {**notes, **changes}
    write_document(path, notes)
    return notes


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _instant(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _zone(name: str) -> tzinfo | None:
    """Returns the zone; None is the machine's own."""
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None
