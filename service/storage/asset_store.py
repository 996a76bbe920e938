"""Port of the stores of assets: files named by their SHA-256, each complete or absent. Knows no database.

An upload is written into the data folder under a temporary name, checked there, and stored as a whole. A crash leaves
at most a temporary file, which the next start removes.
"""

import errno
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

DIGEST_CHARACTERS = 64
HEAD_BYTES = 16
CHUNK_BYTES = 64 * 1024


class StorageFullError(Exception): ...


class StoreUnavailableError(Exception):
    """Raised if the store does not answer, or refuses the service. The message is for the operator."""


class AssetStore(Protocol):
    """A store of assets. Its calls block. Raises StoreUnavailableError, and StorageFullError where it writes."""

    def sweep(self) -> None:
        """Removes unfinished uploads of processes that have ended. Uploads in progress stay."""

    def upload(self) -> "Upload": ...

    def add(self, content: bytes) -> str:
        """Stores bytes of the service's own under their digest, and returns that."""

    def size(self, digest: str) -> int | None:
        """Returns the size of the asset in bytes; None if the store does not have it."""

    def read(self, digest: str, start: int, end: int) -> Generator[bytes]:
        """Yields the bytes from `start` up to, but without, `end`, in chunks; fewer if the file is damaged."""

    def place(self, digest: str, target: Path) -> None:
        """Makes the asset readable at this path, by a link or a copy. Nothing can be read there if it is missing."""

    def link(self, digest: str, *, media_type: str) -> str | None:
        """Returns a signed address at which the asset can be read for a short time without credentials; None if there
        is none."""

    def thumbnail(self, name: str) -> bytes | None: ...

    def keep_thumbnail(self, name: str, content: bytes) -> None:
        """Stores a thumbnail, whose name begins with the digest."""

    def remove(self, digest: str) -> None:
        """Removes the asset and its thumbnails."""

    def keep_part(self, upload: str, offset: int, content: bytes) -> None:
        """Stores the bytes of an upload that begin at `offset`."""

    def part(self, upload: str, offset: int) -> bytes | None:
        """Returns the part that begins at `offset`, if it is whole."""

    def remove_parts(self, upload: str) -> None: ...


Keep = Callable[[BinaryIO, Path, str], None]
"""Makes the whole file at the path durable under its digest; it may move it away."""


class Upload:
    """An upload in progress. Used in a `with` block, which removes it at its end unless it was stored."""

    def __init__(self, *, incoming: Path, keep: Keep) -> None:
        descriptor, name = _locked_file(incoming)
        self._file: BinaryIO = os.fdopen(descriptor, "w+b")
        self._temporary = Path(name)
        self._keep = keep
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
        """Raises StorageFullError."""
        with detect_full_disk():
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
        """Returns a file with all bytes so far. Raises StorageFullError."""
        with detect_full_disk():
            self._file.flush()
        return self._temporary

    def store(self) -> str:
        """Makes the file durable under its digest, and returns that: 64 hex digits. Raises StorageFullError and
        StoreUnavailableError."""
        digest = self.digest
        with detect_full_disk():
            self._file.flush()
            self._keep(self._file, self._temporary, digest)
        return digest


def part_name(offset: int) -> str:
    """Returns the name of the part of an upload that begins there; names sort in the order of the parts."""
    return f"{offset:012d}"


def sweep_incoming(incoming: Path) -> None:
    """Removes unfinished uploads of processes that have ended."""
    for leftover in incoming.iterdir():
        with suppress(FileNotFoundError), leftover.open("rb") as file:
            if _try_lock(file.fileno()):
                leftover.unlink(missing_ok=True)


@contextmanager
def detect_full_disk() -> Iterator[None]:
    """Converts the error of a full disk to StorageFullError."""
    try:
        yield
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFullError from fault
        raise


def _locked_file(folder: Path) -> tuple[int, str]:
    """Creates a file, locked while it is open, so that a sweep knows that it is in use."""
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
