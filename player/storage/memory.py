"""Copies the state directory to memory, for a disk that can be read and not written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path

from menu.documents.manifest import Rejection
from player.plain_file import read_plain
from player.storage.checksummed import MAX_STATE_FILE_BYTES
from player.storage.durable import ASIDE_SUFFIX, TEMPORARY_SUFFIX, StorageError, open_private, write_all
from player.storage.lock import lock_folder

MOST_FILES = 32
"""State files that are copied; there are fifteen."""

PREFIX = "menu-player-state-"
"""The beginning of the copy's name."""


def memory_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Returns the places for a copy, the best first: what the service manager made for the player, then what others use
    as well."""
    named = (environment.get("RUNTIME_DIRECTORY", "").partition(":")[0], environment.get("XDG_RUNTIME_DIR", ""))
    return (*(Path(name) for name in named if name), Path("/dev/shm"), Path(environment.get("TMPDIR", "/tmp")))  # noqa: S108


def copy_state(folder: Path, places: Iterable[Path]) -> tuple[Path, FileIO, tuple[Rejection, ...]] | None:
    """Copies the small files of a state directory that can be read; returns the copy, its lock, and a rejection for
    each file that cannot. None if there is no room in any of the places."""
    for place in places:
        if (claimed := claim_memory([place])) is not None:
            try:
                return *claimed, _copy_files(folder, claimed[0])
            except OSError:
                give_back(*claimed)
    return None


def claim_memory(places: Iterable[Path]) -> tuple[Path, FileIO] | None:
    """Creates a new folder in the first of the places that has room, with a folder for assets in it, and its lock.
    Deletes what killed players left there."""
    import tempfile  # A start needs it only where the disk cannot be written.

    for place in places:
        try:
            _delete_abandoned(place)
            claimed = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        except OSError:
            continue
        try:
            lock = lock_folder(claimed)
            (claimed / "assets").mkdir(mode=0o700)
        except OSError:
            shutil.rmtree(claimed, ignore_errors=True)
            continue
        return claimed, lock
    return None


def give_back(claimed: Path, lock: FileIO) -> None:
    shutil.rmtree(claimed, ignore_errors=True)
    lock.close()


def _copy_files(folder: Path, copy: Path) -> tuple[Rejection, ...]:
    """Raises OSError if the copy cannot be written."""
    rejections: list[Rejection] = []
    for path in _state_files(folder):
        try:
            content = read_plain(path, MAX_STATE_FILE_BYTES + 1)
        except FileNotFoundError:
            continue
        except OSError as error:
            detail = f"it cannot be read: {error.strerror}"
            rejections.append(Rejection(code="state_corrupt", subject=path.name, detail=detail))
            continue
        with open_private(copy / path.name, os.O_WRONLY) as file:
            write_all(file, content.rstrip(b"\0"))  # A reserve is little more than room.
    return tuple(rejections)


def _state_files(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    passed_over = ("lock", "assets", "lost+found")
    return [
        path
        for path in found
        if path.name not in passed_over and not path.name.endswith((TEMPORARY_SUFFIX, ASIDE_SUFFIX))
    ][:MOST_FILES]


def _delete_abandoned(place: Path) -> None:
    for left_over in place.glob(f"{PREFIX}*"):
        if left_over.is_symlink() or not (left_over / "lock").is_file() or left_over.stat().st_uid != os.geteuid():
            continue
        try:
            lock = lock_folder(left_over)
        except StorageError:
            continue
        with lock:
            shutil.rmtree(left_over, ignore_errors=True)
