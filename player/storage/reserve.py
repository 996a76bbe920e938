"""Reserves room on the disk for one more file: allocated beforehand, and written in place when the disk is full."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path

from player.plain_file import read_plain
from player.storage.checksummed import MAX_HEADER_BYTES, CorruptError, add_checksum, check_and_strip
from player.storage.durable import clear_way, open_private, storage_error, sync_folder, write_all

_KIND = "reserve"
_BLANK = bytes(MAX_HEADER_BYTES)


class Reserve:
    """Two files of `size` bytes each, written in turn: a write that is torn leaves the other.

    Their blocks are never freed, so nothing else on the disk can take them. Calls block; one at a time.
    """

    def __init__(self, folder: Path, *, size: int) -> None:
        self._paths = tuple(folder / f"reserve-{number}" for number in range(2))
        self._size = size
        self._allocated = False
        self._last: int | None = None
        """The file that was written last; None if neither holds anything."""

    def allocate(self) -> None:
        """Allocates the room, if that is not done yet. Raises StorageError."""
        if self._allocated:
            return
        for path in self._paths:
            try:
                clear_way(path)
                with open_private(path, os.O_RDWR) as file:
                    if os.fstat(file.fileno()).st_size < self._size:
                        os.posix_fallocate(file.fileno(), 0, self._size)
                        os.fsync(file.fileno())
                        sync_folder(path.parent)
            except OSError as error:
                raise storage_error(error, path) from error
        self._allocated = True

    def load(self, age: Callable[[bytes], int]) -> bytes | None:
        """Returns the content: of two that are whole, that of the higher `age`, which may raise CorruptError."""
        found: dict[int, tuple[int, bytes]] = {}
        for number, path in enumerate(self._paths):
            with contextlib.suppress(CorruptError, OSError):
                payload = self._read(path)
                found[number] = (age(payload), payload)
        if not found:
            return None
        self._last = max(found, key=lambda number: found[number][0])
        return found[self._last][1]

    def keep(self, payload: bytes) -> None:
        """Stores durably. Raises StorageError, also if the room has not been allocated."""
        raw = add_checksum(_KIND, payload)
        number = 0 if self._last is None else 1 - self._last
        path = self._paths[number]
        try:
            if path.lstat().st_size < len(raw):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._overwrite(path, raw)
        except OSError as error:
            raise storage_error(error, path) from error
        self._last = number

    def clear(self) -> None:
        """Deletes the content; the room stays. Raises StorageError."""
        if self._last is None:
            return
        for path in self._paths:
            try:
                if path.lstat().st_size >= len(_BLANK):
                    self._overwrite(path, _BLANK)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise storage_error(error, path) from error
        self._last = None

    def _overwrite(self, path: Path, raw: bytes) -> None:
        with open_private(path, os.O_WRONLY) as file:
            write_all(file, raw)
            os.fsync(file.fileno())

    def _read(self, path: Path) -> bytes:
        """Raises CorruptError and OSError."""
        head, newline, _ = read_plain(path, MAX_HEADER_BYTES).partition(b"\n")
        length = head.split(b" ")[2:3]
        if not newline or not length or not length[0].isdigit():
            raise CorruptError("nothing is kept there")
        size = min(len(head) + 1 + int(length[0]), self._size)
        return check_and_strip(_KIND, read_plain(path, size))
