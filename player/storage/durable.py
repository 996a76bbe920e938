"""Durable writes and deletions: a file is replaced whole or not at all, also across a power cut."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import time
from collections import deque
from io import FileIO
from pathlib import Path

TEMPORARY_SUFFIX = ".tmp"
ASIDE_SUFFIX = ".corrupt"

SYNCS = 3
"""Waits for the disk that are remembered: any card is slow now and then."""

_syncs: deque[float] = deque(maxlen=SYNCS)

_MODES = {os.O_RDONLY: "rb", os.O_WRONLY: "wb", os.O_RDWR: "r+b"}


class StorageError(OSError):
    """An error of the disk. `code` is stable (`disk_full`, `disk_read_only`, `disk_failing`, `disk_refused`,
    `state_in_use`), `subject` names the file; what was stored before is still there."""

    def __init__(self, *, code: str, subject: str, detail: str) -> None:
        super().__init__(f"{subject}: {detail}")
        self.code = code
        self.subject = subject
        self.detail = detail


_CODES = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "disk_read_only",
    errno.EIO: "disk_failing",
}


def storage_error(error: OSError, path: Path) -> StorageError:
    if isinstance(error, StorageError):
        return error
    code = _CODES.get(error.errno or 0, "disk_refused")
    return StorageError(code=code, subject=path.name, detail=error.strerror or str(error))


def write_file(path: Path, data: bytes, *, durably: bool = True, like: os.stat_result | None = None) -> None:
    """Replace the contents of `path`: after a power cut at any moment it holds the old bytes or the new ones, and once
    this returns, the new ones. Readable by the owner only, or with the owner and mode of `like`. Raises StorageError.

    Not `durably`, it does not wait for the disk: every later reader sees it whole, also if this process dies at once,
    but a power cut may undo or tear it. One writer at a time: the temporary name is always the same, so that power cuts
    leave at most one file behind.
    """
    temporary = path.with_name(path.name + TEMPORARY_SUFFIX)
    try:
        clear_way(temporary)
        clear_way(path)
        with open_private(temporary, os.O_WRONLY | os.O_TRUNC) as file:
            write_all(file, data)
            if like is not None:
                os.fchown(file.fileno(), like.st_uid, like.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(like.st_mode))
            if durably:
                sync(file.fileno())
        temporary.replace(path)
        if durably:
            sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise storage_error(error, path) from error


def remove_durably(path: Path) -> None:
    """Delete a file, if it exists. Raises StorageError."""
    try:
        path.unlink()
        sync_folder(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, path) from error


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: otherwise a power cut may undo a rename."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def slow_syncs() -> float | None:
    """Returns the seconds that each of the last syncs took at least; None before there were enough."""
    return min(_syncs) if len(_syncs) == SYNCS else None


def sync(descriptor: int) -> None:
    """Waits until the disk has what was written."""
    began = time.monotonic()
    os.fsync(descriptor)
    _syncs.append(time.monotonic() - began)


def set_aside(path: Path) -> str:
    """Moves a corrupt file, or whatever is there, to `name.corrupt`, in place of an earlier one; returns the new name,
    or the old one if it cannot be moved."""
    aside = path.with_name(f"{path.name}{ASIDE_SUFFIX}")
    try:
        if aside.is_dir() and not aside.is_symlink():
            shutil.rmtree(aside)
        else:
            aside.unlink(missing_ok=True)  # A directory takes no file's place.
        path.replace(aside)
    except OSError:
        return path.name
    return aside.name


def clear_way(path: Path) -> None:
    """Sets aside anything in the place of a file that is none, a link too: opening or replacing it would fail, or block
    for ever."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if not stat.S_ISREG(path.lstat().st_mode):
            set_aside(path)


def open_private(path: Path, flags: int) -> FileIO:
    """Open or create a file, unbuffered; only its owner may read it, and symbolic links are not followed."""
    flags |= os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    return FileIO(os.open(path, flags, 0o600), _MODES[flags & os.O_ACCMODE])


def write_all(file: FileIO, data: bytes) -> None:
    """Write every byte: a nearly full disk may take a part of them before it refuses."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
