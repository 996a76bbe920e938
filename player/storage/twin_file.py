"""A small state file in two copies, either of which suffices: what it holds cannot be fetched again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from player.domain.documents.manifest import Rejection
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import StorageError, remove_durably, set_aside

T = TypeVar("T")


class _Copy(Struct, Generic[T], frozen=True):
    payload: bytes
    content: T


class TwinFile:
    """The file at `path`, and its copy beside it. Calls block.

    The file is written before the copy: where both are whole the file is the newer one. It is deleted after the copy:
    after a power cut in between nothing older comes back.
    """

    def __init__(self, path: Path, *, kind: str) -> None:
        self._path = path
        self._copy = path.with_name(f"{path.name}-copy")
        self._kind = kind

    def load(self, decode: Callable[[bytes], T], *, lost: str) -> tuple[T | None, tuple[Rejection, ...]]:
        """The content as `decode` reads it, and a rejection for each copy that is not whole; a bad copy is replaced.

        `decode` raises CorruptError; `lost` says what follows where there was something and neither copy is whole.
        """
        faults: dict[Path, str] = {}
        found = [self._read(path, decode, faults) for path in (self._path, self._copy)]
        best = found[0] or found[1]
        rejections = tuple(
            Rejection(
                code="state_corrupt",
                subject=path.name,
                detail=f"{detail}; {'nothing is lost, because the other copy is whole' if best else lost}",
            )
            for path, detail in faults.items()
        )
        if best is None:
            return None, rejections
        for path, copy in zip((self._path, self._copy), found, strict=True):
            if copy is None or copy.payload != best.payload:
                with contextlib.suppress(StorageError):
                    write_checksummed(path, self._kind, best.payload)
        return best.content, rejections

    def peek(self, decode: Callable[[bytes], T]) -> Iterator[T]:
        """The content of each copy that is whole, for a look from another process: changes nothing on the disk."""
        for path in (self._path, self._copy):
            with contextlib.suppress(CorruptError):
                payload = read_checksummed(path, self._kind)
                if payload is not None:
                    yield decode(payload)

    def save(self, payload: bytes) -> None:
        """Store durably, in place of what was there. Raises StorageError, but not for the copy: one suffices, and the
        next start writes the other."""
        write_checksummed(self._path, self._kind, payload)
        with contextlib.suppress(StorageError):
            write_checksummed(self._copy, self._kind, payload)

    def remove(self) -> None:
        """Delete both copies durably. Raises StorageError."""
        remove_durably(self._copy)
        remove_durably(self._path)

    def _read(self, path: Path, decode: Callable[[bytes], T], faults: dict[Path, str]) -> _Copy[T] | None:
        try:
            payload = read_checksummed(path, self._kind)
            return None if payload is None else _Copy(payload, decode(payload))
        except CorruptError as error:
            faults[path] = f"{error}; kept as {set_aside(path)}"
            return None
