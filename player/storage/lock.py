"""Locks the state directory against a second player, whose writes would overwrite this one's."""

from __future__ import annotations

import contextlib
import fcntl
import os
from io import FileIO
from pathlib import Path

from player.plain_file import open_plain
from player.storage.durable import StorageError, clear_way, open_private, storage_error

LOCK_NAME = "lock"


def lock_folder(folder: Path) -> FileIO:
    """Takes the lock; it is held until the file is closed or the process ends, however it ends.

    Raises StorageError, with code `state_in_use` when another player holds it.
    """
    path = folder / LOCK_NAME
    try:
        clear_way(path)
        file = open_private(path, os.O_RDWR)
    except OSError as error:
        raise storage_error(error, path) from error
    _lock(file, folder)
    with contextlib.suppress(OSError):  # A full disk has no room for the number, and needs none.
        file.truncate(0)
        file.write(f"{os.getpid()}\n".encode())
    return file


def lock_readable(folder: Path) -> FileIO | None:
    """Takes the lock where nothing can be written; None if there is none that can be read. Raises StorageError, with
    code `state_in_use`, when another player holds it."""
    try:
        file = open_plain(folder / LOCK_NAME)
    except OSError:
        return None
    try:
        _lock(file, folder)
    except StorageError as error:
        if error.code == "state_in_use":
            raise
        return None
    return file


def _lock(file: FileIO, folder: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        with file:
            if not isinstance(error, BlockingIOError):
                raise storage_error(error, folder / LOCK_NAME) from error
            holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        detail = f"another player (process {holder}) uses this state directory; stop it, or choose another one"
        raise StorageError(code="state_in_use", subject=str(folder), detail=detail) from None
