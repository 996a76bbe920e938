"""Stores the files of assets, named by their SHA-256. A file is complete or absent. Knows nothing of the database.

An upload is written under a temporary name in the same folder tree, flushed to the disk, and then renamed to its
digest; the folder is flushed too. A crash leaves at most a temporary file, which the next start removes.
"""

import errno
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from service.storage.durable import flush_folder

DIGEST_CHARACTERS = 64
HEAD_BYTES = 16


class StorageFullError(Exception):
    """The disk is full."""


class Upload:
    """An upload in progress. Used in a `with` block, which removes it at its end unless it was stored."""

    def __init__(self, *, incoming: Path, files: Path) -> None:
        descriptor, name = _locked_file(incoming)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")
        self._temporary = Path(name)
        self._files = files
        self._hash = hashlib.sha256()
        self.size = 0
        self.head = b""
        """The first bytes, for recognising the media type."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Add bytes. Raises StorageFullError."""
        with _detect_full_disk():
            self._file.write(chunk)
        self._hash.update(chunk)
        self.size += len(chunk)
        if len(self.head) < HEAD_BYTES:
            self.head += chunk[: HEAD_BYTES - len(self.head)]

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes so far: 64 hex digits."""
        return self._hash.hexdigest()

    def readable(self) -> Path:
        """A file with all bytes so far. Raises StorageFullError."""
        with _detect_full_disk():
            self._file.flush()
        return self._temporary

    def store(self) -> str:
        """Make the file durable under its digest, and return that: 64 hex digits. Raises StorageFullError."""
        digest = self.digest
        target = _path_of(self._files, digest)
        with _detect_full_disk():
            self._file.flush()
            os.fsync(self._file.fileno())
            target.parent.mkdir(mode=0o700, exist_ok=True)
            self._temporary.replace(target)
            _flush_name(target)
        return digest


class AssetFiles:
    """The folder of assets."""

    def __init__(self, *, folder: Path) -> None:
        self._files = folder / "files"
        self._incoming = folder / "incoming"
        for path in (folder, self._files, self._incoming):
            path.mkdir(mode=0o700, exist_ok=True)

    def sweep(self) -> None:
        """Remove unfinished uploads of processes that have ended. Uploads in progress stay."""
        for leftover in self._incoming.iterdir():
            with suppress(FileNotFoundError), leftover.open("rb") as file:
                if _try_lock(file.fileno()):
                    leftover.unlink(missing_ok=True)

    def upload(self) -> Upload:
        """Start an upload."""
        return Upload(incoming=self._incoming, files=self._files)

    def add(self, content: bytes) -> str:
        """Store bytes of the service's own under their digest, and return that. Raises StorageFullError.

        A file that exists already is not written again.
        """
        digest = hashlib.sha256(content).hexdigest()
        target = self.path(digest)
        if _size(target) == len(content):
            # Another process may have stored it just now, without flushing the folder yet.
            with _detect_full_disk():
                _flush_name(target)
            return digest
        with self.upload() as upload:
            upload.write(content)
            return upload.store()

    def path(self, digest: str) -> Path:
        """The path of the asset, whether the file exists or not."""
        return _path_of(self._files, digest)


def _locked_file(folder: Path) -> tuple[int, str]:
    """A new file, locked while it is open, so that a sweep knows that it is in use."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder)
        # A sweep may have run in between: then it holds the lock, or has removed the file.
        if _try_lock(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, name
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _detect_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError from fault
        raise


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _flush_name(target: Path) -> None:
    for folder in (target.parent, target.parent.parent):
        flush_folder(folder)


def _path_of(files: Path, digest: str) -> Path:
    return files / digest[:2] / digest
