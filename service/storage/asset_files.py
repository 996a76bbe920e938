"""The files of assets: named by their SHA-256, whole or not there at all. Knows nothing of the database.

An upload is written under a temporary name in the same folder tree, flushed to the disk, and only then renamed to
what it is; the folder is flushed too. A crash leaves at most a temporary file, which the next start removes.
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
    """There is no room for the bytes."""


class Upload:
    """Bytes that are coming in. Used in a `with` block: what was not kept is gone at its end."""

    def __init__(self, *, incoming: Path, files: Path) -> None:
        descriptor, name = _claimed_file(incoming)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")
        self._temporary = Path(name)
        self._files = files
        self._hash = hashlib.sha256()
        self.size = 0
        self.head = b""
        """The first bytes, by which the media type is recognised."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Add bytes. Raises StorageFullError."""
        with _room():
            self._file.write(chunk)
        self._hash.update(chunk)
        self.size += len(chunk)
        if len(self.head) < HEAD_BYTES:
            self.head += chunk[: HEAD_BYTES - len(self.head)]

    @property
    def digest(self) -> str:
        """Of the bytes so far: 64 hex digits."""
        return self._hash.hexdigest()

    def readable(self) -> Path:
        """Where all bytes so far can be read. Raises StorageFullError."""
        with _room():
            self._file.flush()
        return self._temporary

    def keep(self) -> str:
        """Make the file durable under its own name, which is returned: 64 hex digits. Raises StorageFullError."""
        digest = self.digest
        target = _place(self._files, digest)
        with _room():
            self._file.flush()
            os.fsync(self._file.fileno())
            target.parent.mkdir(mode=0o700, exist_ok=True)
            self._temporary.replace(target)
            _flush_name(target)
        return digest


class AssetFiles:
    """A folder of assets."""

    def __init__(self, *, folder: Path) -> None:
        self._files = folder / "files"
        self._incoming = folder / "incoming"
        for path in (folder, self._files, self._incoming):
            path.mkdir(mode=0o700, exist_ok=True)

    def sweep(self) -> None:
        """Remove what processes that are gone left half-written. Uploads that are under way are left alone."""
        for leftover in self._incoming.iterdir():
            with suppress(FileNotFoundError), leftover.open("rb") as file:
                if _claim(file.fileno()):
                    leftover.unlink(missing_ok=True)

    def upload(self) -> Upload:
        """Begin to take bytes in."""
        return Upload(incoming=self._incoming, files=self._files)

    def add(self, content: bytes) -> str:
        """Make bytes of the service's own durable under their name, which is returned. Raises StorageFullError.

        What is there already is not written again.
        """
        digest = hashlib.sha256(content).hexdigest()
        target = self.path(digest)
        if _size(target) == len(content):
            # Another process may have put it there just now, and not have flushed the folder yet.
            with _room():
                _flush_name(target)
            return digest
        with self.upload() as upload:
            upload.write(content)
            return upload.keep()

    def path(self, digest: str) -> Path:
        """Where the asset lies, whether it is there or not."""
        return _place(self._files, digest)


def _claimed_file(folder: Path) -> tuple[int, str]:
    """A new file under a lock that lasts as long as it is open: so a sweep knows that somebody writes it."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder)
        # A sweep may have come between the two; then it has the lock, or the file is gone already.
        if _claim(descriptor) and os.fstat(descriptor).st_nlink:
            return descriptor, name
        os.close(descriptor)


def _claim(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _room() -> Iterator[None]:
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


def _place(files: Path, digest: str) -> Path:
    return files / digest[:2] / digest
