"""Assets on disk, named by the SHA-256 of their bytes; a file gets its name only once it is whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import re
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import FileIO
from pathlib import Path

from msgspec import Struct

from menu.documents.manifest import AssetFact
from player.domain.playing.sync import VERSION_BUDGET_BYTES
from player.plain_file import open_plain
from player.storage.durable import (
    StorageError,
    clear_way,
    open_private,
    set_aside,
    storage_error,
    sync_folder,
    write_all,
)

log = logging.getLogger(__name__)

PART_SUFFIX = ".part"

MOST_BYTES_IN_MEMORY = 64 * 1024**2
"""The most that new assets take in memory; half of what is free there, if that is less."""

_LOST = frozenset(
    {errno.EIO, errno.EUCLEAN, errno.EBADMSG, errno.EACCES, errno.EPERM, errno.EINVAL, errno.EISDIR, errno.ELOOP}
)
"""Errors that do not pass: blocks that the storage has lost, what may not be read, and what is no file."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


class _Folders(Struct, frozen=True):
    """New assets are under `folder`; if that is in memory, those under `beneath` are read from there."""

    folder: Path
    beneath: Path | None = None
    most_bytes: int = 0


class AssetFolder:
    """Assets under `folder`: whole ones as `ab/abcd…`, partial ones as `ab/abcd….part`.

    `protected` returns the assets that the stored manifests list, `spare` those that only the version before the
    running one does, if that is not needed, and `drop_previous` deletes that version (StorageError). `memory` gives a
    folder in memory, once the disk has become read-only; None if there is none. Every method may be called from a
    worker thread.
    """

    def __init__(
        self,
        folder: Path,
        *,
        protected: Callable[[], frozenset[str]],
        spare: Callable[[], frozenset[str]] = frozenset,
        drop_previous: Callable[[], None] = lambda: None,
        memory: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self._folders = _Folders(folder)
        self._spoiled: set[str] = set()
        """Assets that are not whole, where they cannot be deleted."""
        self._memory = memory
        self.protected = protected
        self.spare = spare
        self.drop_previous = drop_previous
        self._known_whole: dict[str, tuple[int, int, int]] = {}
        self._damaged: set[str] = set()
        self._lock = threading.Lock()
        """Held by whoever puts one folder in the place of another."""

    def path(self, digest: str) -> Path:
        """Returns the path of an asset, existing or not. Raises ValueError if it is no lowercase hex SHA-256."""
        folders = self._folders
        path = asset_path(folders.folder, digest)
        if folders.beneath is None or digest in self._spoiled or os.path.lexists(path):
            return path
        old = asset_path(folders.beneath, digest)
        return old if os.path.lexists(old) else path

    def missing(self, assets: Mapping[str, AssetFact]) -> dict[str, str | None]:
        """Returns the missing ones of these and why (None: not there), by size alone: quick, for the first view;
        `check` follows."""
        reasons: dict[str, str | None] = {}
        for digest, fact in assets.items():
            try:
                found = self.path(digest).stat()
            except OSError as error:
                absent = isinstance(error, FileNotFoundError)
                reasons[digest] = None if absent else f"it cannot be read: {error.strerror}"
            else:
                if not stat.S_ISREG(found.st_mode):
                    reasons[digest] = "something else stands in its place"
                elif found.st_size != fact.size:
                    reasons[digest] = f"{found.st_size} bytes on disk instead of {fact.size}"
        return reasons

    def check(self, digest: str) -> int | None:
        """Returns the size of an asset whose hash is right. Otherwise, or if it cannot be read or is no file, None:
        then it has been set aside. Raises StorageError if it could not be.

        A file that has not changed since its last check in this run is not read again until `recheck`.
        """
        path = self.path(digest)
        known = self._known_whole.get(digest)
        try:
            if known is not None and known == _stamp(path.stat()):
                return known[0]  # Not noted once more: it may have to be read again from now on.
            self._known_whole.pop(digest, None)
            seen = _stamp_if_whole(path)
            if seen is None:
                self._damaged.add(digest)
                self._discard(path)
                return None
        except FileNotFoundError:
            return None
        except OSError as error:
            if not path.parent.is_dir():
                return None
            raise storage_error(error, path) from error
        self._known_whole[digest] = seen
        self._damaged.discard(digest)
        return seen[0]

    def damaged(self) -> frozenset[str]:
        """Returns the assets that a check has set aside as damaged, until they are whole again."""
        return frozenset(self._damaged)

    def _discard(self, path: Path) -> None:
        beneath = self._folders.beneath
        if beneath is not None and path.is_relative_to(beneath):
            self._spoiled.add(path.name)
            return
        try:
            _remove(path)
            sync_folder(path.parent)
        except OSError as error:
            if error.errno != errno.EROFS:
                raise
            self._spoiled.add(path.name)

    def recheck(self, digest: str | None = None) -> None:
        """Makes the next checks read this asset again, or every one: storage wears out even if nobody writes."""
        if digest is None:
            self._known_whole.clear()
        else:
            self._known_whole.pop(digest, None)

    def held(self) -> dict[str, int]:
        """Returns every asset on disk, whole or partial, and the bytes that it takes."""
        held: dict[str, int] = {}
        for path in self._files():
            digest = path.name.removesuffix(PART_SUFFIX)
            with contextlib.suppress(OSError):
                found = path.lstat()
                # A file with holes takes less than its size; a block has 512 bytes.
                held[digest] = held.get(digest, 0) + min(found.st_size, found.st_blocks * 512)
        return held

    def part_bytes(self, digest: str) -> int:
        try:
            found = self._part(digest).lstat()
        except OSError:
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def room_bytes(self) -> int:
        """Returns the free bytes on the disk, as an unprivileged user sees them, less the reserve; negative if that is
        not free. In memory, the rest of the most that assets may take there."""
        folders = self._folders
        if folders.beneath is not None:
            return folders.most_bytes - sum(self.held().values())
        return _free_bytes(folders.folder) - 256 * 1024**2  # For everything else on the disk.

    @property
    def is_in_memory(self) -> bool:
        """True if new assets are kept in memory, since the disk takes none."""
        return self._folders.beneath is not None

    def go_on_in(self, memory: Path) -> None:
        """Puts new assets into this folder in memory, and reads the others from the disk. Raises OSError."""
        most = min(MOST_BYTES_IN_MEMORY, _free_bytes(memory) // 2)
        self._folders = _Folders(memory, beneath=self._folders.folder, most_bytes=most)

    def open_writer(self, digest: str, size: int) -> AssetWriter:
        """Start or resume writing an asset of `size` bytes; in memory, if the disk has become read-only. Raises
        StorageError."""
        folders = self._folders
        try:
            return self._open_writer(folders.folder, digest, size)
        except StorageError as error:
            is_read_only = isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EROFS
            if folders.beneath is not None or not is_read_only:
                raise
            with self._lock:
                # Another download may have found it at the same moment.
                if self._folders is folders:
                    if (memory := self._memory()) is None:
                        raise
                    self.go_on_in(memory)
                    log.critical("the disk has become read-only; new images and videos are kept in memory")
            return self._open_writer(self._folders.folder, digest, size)

    def _open_writer(self, folder: Path, digest: str, size: int) -> AssetWriter:
        final = asset_path(folder, digest)
        part = final.with_name(digest + PART_SUFFIX)
        try:
            self._make_folder(final.parent)
            clear_way(part)
            try:
                return AssetWriter(part=part, final=final, size=size)
            except OSError as error:
                if error.errno not in _LOST:
                    raise
                part.unlink()
                return AssetWriter(part=part, final=final, size=size)
        except OSError as error:
            raise storage_error(error, part) from error

    def _make_folder(self, folder: Path) -> None:
        """Makes it, unless another download, whose hash begins alike, has; anything there that is no folder is set
        aside."""
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            with self._lock:
                if folder.is_dir():
                    return
                set_aside(folder)
                folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)

    def remove(self, digest: str) -> None:
        """Delete an asset, whole or partial, unless a stored manifest lists it. Raises StorageError."""
        if digest in self.protected():
            return
        self._known_whole.pop(digest, None)
        try:
            _remove(asset_path(self._folders.folder, digest))
            _remove(self._part(digest))
        except OSError as error:
            raise storage_error(error, self.path(digest)) from error

    def _part(self, digest: str) -> Path:
        return asset_path(self._folders.folder, digest).with_name(digest + PART_SUFFIX)

    def _files(self) -> Iterator[Path]:
        for folder in _entries(self._folders.folder):
            for path in _entries(folder):
                if _DIGEST.fullmatch(path.name.removesuffix(PART_SUFFIX)) and _is_plain(path):
                    yield path


def _free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def asset_path(folder: Path, digest: str) -> Path:
    """Returns the path of an asset in a folder of assets. Raises ValueError if it is no lowercase hex SHA-256."""
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"not a SHA-256: {digest[:80]!r}")
    return folder / digest[:2] / digest


class AssetWriter:
    """Hashes what it writes, so that `finish` reads nothing again; what an earlier attempt left is read once."""

    def __init__(self, *, part: Path, final: Path, size: int) -> None:
        self._part, self._final, self._size = part, final, size
        self._hash, self.offset = hashlib.sha256(), 0
        self._file = open_private(part, os.O_RDWR | os.O_APPEND)
        try:
            self._file.seek(0)
            for chunk in _chunks(self._file):
                self._hash.update(chunk)
                self.offset += len(chunk)
            if self.offset > size:
                self.restart()
        except OSError:
            self._file.close()
            raise

    def restart(self) -> None:
        """Deletes what is written."""
        self._file.truncate(0)
        self._hash, self.offset = hashlib.sha256(), 0

    def write(self, chunk: bytes) -> None:
        """Append, within the size. Raises StorageError."""
        if self.offset + len(chunk) > self._size:
            raise ValueError("more bytes than the asset has")
        try:
            write_all(self._file, chunk)
        except OSError as error:
            self._cut_to_hashed()
            raise storage_error(error, self._part) from error
        self._hash.update(chunk)
        self.offset += len(chunk)

    def finish(self) -> str | None:
        """Checks size and hash, and stores the asset durably under its name: None. Or deletes it and returns why."""
        if self.offset != self._size:
            return self._drop(f"{self.offset} bytes instead of {self._size}")
        if self._hash.hexdigest() != self._final.name:
            return self._drop("its hash is wrong")
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            self._part.replace(self._final)
            sync_folder(self._final.parent)
        except OSError as error:
            raise storage_error(error, self._final) from error
        return None

    def close(self) -> None:
        """Keeps what is written for a later attempt. May be called twice, and after `finish`."""
        self._file.close()

    def _drop(self, reason: str) -> str:
        self._file.close()
        self._part.unlink(missing_ok=True)
        return reason

    def _cut_to_hashed(self) -> None:
        """After a failed write, truncate to what has been hashed; the next attempt resumes there."""
        self._file.truncate(self.offset)


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _stamp_if_whole(path: Path) -> tuple[int, int, int] | None:
    """Returns None if it is not whole, or its content is out of reach. Raises OSError, also if it is absent."""
    digest = hashlib.sha256()
    try:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > VERSION_BUDGET_BYTES:
                return None  # Nothing was written so large; reading it would take for ever.
            for chunk in _chunks(file):
                digest.update(chunk)
            return _stamp(os.fstat(file.fileno())) if digest.hexdigest() == path.name else None
    except OSError as error:
        if error.errno in _LOST:
            return None
        raise


def _remove(path: Path) -> None:
    """Delete a file; set aside anything else but a link. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        set_aside(path)
    else:
        path.unlink(missing_ok=True)


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _entries(folder: Path) -> tuple[Path, ...]:
    """Lists the folder; empty if it cannot be read."""
    try:
        return tuple(sorted(folder.iterdir()))
    except OSError:
        return ()


def _chunks(file: FileIO) -> Iterable[bytes]:
    return iter(lambda: file.read(1024 * 1024), b"")
