"""Small state files: one document each, as JSON or as bytes, with a checksum."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from menu.documents.manifest import Rejection
from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import StorageError, remove_durably, set_aside

log = logging.getLogger(__name__)

T = TypeVar("T")


class StateFile(Generic[T]):
    """File at `path`, which holds one `document` of this type. Calls block on the disk.

    The loss of most does no harm, so a write waits for the disk only if `durably` is set. What cannot be fetched again
    has a `twin` beside it, and either suffices. The file is written before its twin: if both are whole it is the newer
    one. It is deleted after it: after a power cut in between nothing older comes back.
    """

    def __init__(
        self,
        path: Path,
        document: Any = bytes,
        *,
        kind: str = "",
        durably: bool = False,
        twin: bool = False,
        is_right: Callable[[T], bool] = lambda _: True,
    ) -> None:
        self._paths = (path, path.with_name(f"{path.name}-copy")) if twin else (path,)
        self._kind = kind or path.name
        self._document = document
        self._write = partial(write_checksummed, kind=self._kind, durably=durably or twin)
        self._is_right = is_right

    def copies(self) -> Iterator[T]:
        """Yields the document of each copy that is whole, the newest first. Changes nothing on the disk."""
        for path in self._paths:
            try:
                found = self._read(path)
            except CorruptError as error:
                log.info("%s counts as absent: %s", path.name, error)
                continue
            if found is not None:
                yield found[1]

    def load(self) -> T | None:
        """Returns the document; None if there is none that is whole. Changes nothing on the disk."""
        return next(self.copies(), None)

    def mend(self, *, lost: str) -> tuple[T | None, tuple[Rejection, ...]]:
        """Returns the document, and a rejection for each copy that is not whole; a bad copy is replaced. `lost`
        describes the consequence if there was something and no copy is whole."""
        faults: dict[str, str] = {}
        found: dict[Path, tuple[bytes, T]] = {}
        for path in self._paths:
            try:
                if (read := self._read(path)) is not None:
                    found[path] = read
            except CorruptError as error:
                faults[path.name] = f"{error}; kept as {set_aside(path)}"
        payload, best = next(iter(found.values()), (b"", None))
        for path in self._paths if found else ():
            if path not in found or found[path][0] != payload:
                with contextlib.suppress(StorageError):
                    self._write(path, payload=payload)
        follows = "nothing is lost, because the other copy is whole" if found else lost
        return best, tuple(
            Rejection(code="state_corrupt", subject=name, detail=f"{detail}; {follows}")
            for name, detail in faults.items()
        )

    def save(self, document: T) -> None:
        """Replaces the document. Raises StorageError, but not for the twin: one suffices, and the next start writes the
        other."""
        payload = document if isinstance(document, bytes) else msgspec.json.encode(document)
        path, *twins = self._paths
        self._write(path, payload=payload)
        with contextlib.suppress(StorageError):
            for twin in twins:
                self._write(twin, payload=payload)

    def remove(self) -> None:
        """Delete it durably. Raises StorageError."""
        for path in reversed(self._paths):
            remove_durably(path)

    def _read(self, path: Path) -> tuple[bytes, T] | None:
        """Returns the bytes of a copy, and the document; None if there is no such file. Raises CorruptError."""
        payload = read_checksummed(path, self._kind)
        if payload is None:
            return None
        try:
            document: Any = payload if self._document is bytes else msgspec.json.decode(payload, type=self._document)
        except NOT_THE_DOCUMENT as error:
            raise CorruptError(f"it cannot be read: {error}") from error
        if not self._is_right(document):
            raise CorruptError("it does not hold what it is for")
        return payload, document
