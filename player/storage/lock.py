"""Locks the state directory against a second player, whose writes would overwrite this one's."""

from __future__ import annotations

import fcntl
import os
from io import FileIO
from pathlib import Path

from player.storage.durable import StorageError, open_private, storage_error


def lock_folder(folder: Path) -> FileIO:
    """Take the lock; it is held until the file is closed or the process ends, however it ends.

    Raises StorageError, with code `state_in_use` when another player holds it.
    """
    path = folder / "lock"
    try:
        file = open_private(path, os.O_RDWR)
    except OSError as error:
        raise storage_error(error, path) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = file.read(20).decode("ascii", "replace").strip() or "unknown"
        file.close()
        if not isinstance(error, BlockingIOError):
            raise storage_error(error, path) from error
        detail = f"another player (process {holder}) uses this state directory; stop it, or choose another one"
        raise StorageError(code="state_in_use", subject=str(folder), detail=detail) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n".encode())
    return file
