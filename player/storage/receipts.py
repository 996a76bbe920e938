"""Stores the log of receipts: appended to, bounded, and whole after a power cut but for its last batch.

Each line is a checksum and JSON: first the id of the log, then receipts by sequence number, of which the last line
counts, and marks for the end of a run. A torn line is skipped. Calls block on the disk.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from player.plain_file import read_plain
from player.storage.durable import clear_way, open_private, remove_durably, storage_error, sync, write_all, write_file

log = logging.getLogger(__name__)

TIDY_BYTES = 256 * 1024
"""From this size on the file is written anew, without what the service has and what was told again."""
MOST_BYTES = 2 * 1024**2
"""The file is never larger, but for one batch; half of it is receipts that the service does not have."""

STOPPED, CLOCK, CUT, DROPPED = "stopped", "clock", "cut", "dropped"
"""Why nothing is known of a time: the player was ended, the time was unknown, the run ended without a word, or there
was no room."""

Told = Mapping[str, Any]


class Pending(Struct, frozen=True):
    """Receipts that the service does not have, by sequence number; the last may go on."""

    log: str
    receipts: dict[int, dict[str, Any]]
    last: int


class ReceiptLog:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "receipts"
        self._lock = threading.Lock()
        self._id = ""
        self._base: int | None = None
        """The sequence number before the first one of this run; None until the file has been read."""
        self._before: str | None = None
        """Why nothing is known of the time before the first receipt of this run."""
        self._begun: int | None = None
        """The number of that receipt."""
        self._has = 0
        """The sequence number up to which the service has all."""
        self._is_foreign = False
        """Whether all of it is of a workspace that the screen has left, and still to be deleted."""
        self._tidy_at = TIDY_BYTES
        self._ends_line = True

    def keep(self, told: Mapping[int, Told], *, mark: str | None = None) -> None:
        """Stores receipts by their number in this run, and how the run has ended or why it cannot report. Raises
        StorageError."""
        with self._lock:
            base = self._open()
            lines = [_line({"sequence": base + number, **receipt}) for number, receipt in self._first(told)]
            if mark is not None:
                lines.append(_line({"mark": mark}))
            self._append(b"".join(lines))
            if self._begun is None:
                self._begun = min(told, default=None)

    def pending(self, most: int) -> Pending:
        """Returns the first receipts that the service does not have, at most so many. Raises StorageError."""
        with self._lock:
            if self._is_foreign:
                return Pending("", {}, 0)
            self._open()
            found = self._read()
            chosen = [number for number in sorted(found) if number > self._has][:most]
            return Pending(self._id, {number: found[number] for number in chosen}, max(found, default=0))

    def acknowledge(self, log: str, sequence: int) -> None:
        """Notes that the service has all of this log up to this one. It may have been deleted meanwhile."""
        with self._lock:
            if log == self._id:
                self._has = max(self._has, sequence)

    def disown(self) -> None:
        """Makes nothing pending until all is deleted: the screen has left its workspace. Does not block."""
        self._is_foreign = True

    def forget(self) -> None:
        """Deletes all: the screen was unpaired. Raises StorageError."""
        with self._lock:
            remove_durably(self._path)
            self._id, self._base, self._before, self._begun, self._has = "", None, None, None, 0
            self._is_foreign = False

    def _first(self, told: Mapping[int, Told]) -> Iterator[tuple[int, Told]]:
        begun = min(told, default=None) if self._begun is None else self._begun
        for number, receipt in sorted(told.items()):
            is_told = number == begun and self._before is not None
            yield number, {"before": self._before, **receipt} if is_told else receipt

    def _open(self) -> int:
        """Returns the sequence number before the first one of this run, from where the last run has left the log."""
        if self._base is not None:
            return self._base
        documents = list(self._documents())
        ids = [one["log"] for one in documents if isinstance(one.get("log"), str)]
        if not ids:
            # Without its first line nobody can say what the numbers count.
            self._id = secrets.token_hex(8)
            self._write([_line({"log": self._id})])
            self._base, self._before = 0, DROPPED if documents else None
            return self._base
        numbers = [one["sequence"] for one in documents if isinstance(one.get("sequence"), int)]
        self._id, self._base = ids[0], max(numbers, default=0)
        self._before = str(documents[-1].get("mark", CUT)) if numbers else None
        return self._base

    def _read(self) -> dict[int, dict[str, Any]]:
        """Returns the receipts by sequence number."""
        found = (one for one in self._documents() if isinstance(one.get("sequence"), int))
        return {one["sequence"]: one for one in found}

    def _documents(self) -> Iterator[dict[str, Any]]:
        """Yields the lines that are whole. Raises StorageError."""
        try:
            raw = read_plain(self._path, 2 * MOST_BYTES)
        except FileNotFoundError:
            return
        except OSError as error:
            raise storage_error(error, self._path) from error
        self._ends_line = not raw or raw.endswith(b"\n")
        for line in raw.split(b"\n"):
            checksum, _, content = line.partition(b" ")
            if not content or checksum != _checksum(content):
                continue
            try:
                yield msgspec.json.decode(content, type=dict[str, Any])
            except msgspec.DecodeError:
                continue

    def _append(self, content: bytes) -> None:
        try:
            clear_way(self._path)
            if not self._path.exists():
                # It was deleted under this program.
                self._write([_line({"log": self._id})])
            with open_private(self._path, os.O_WRONLY | os.O_APPEND) as file:
                size = os.fstat(file.fileno()).st_size
                if size >= self._tidy_at:
                    self._tidy()
                    return self._append(content)
                try:
                    write_all(file, (b"" if self._ends_line else b"\n") + content)
                    sync(file.fileno())
                    self._ends_line = True
                except OSError:
                    os.ftruncate(file.fileno(), size)
                    raise
        except OSError as error:
            raise storage_error(error, self._path) from error

    def _tidy(self) -> None:
        found = self._read()
        last = max(found, default=0)
        kept = [one for number, one in sorted(found.items()) if number > self._has or number == last]
        lines = [_line(one) for one in kept]
        total, dropped = sum(map(len, lines)), 0
        while total > MOST_BYTES // 2 and dropped < len(lines) - 1:
            total -= len(lines[dropped])
            dropped += 1
        if dropped:
            log.warning("%d receipts were dropped: the service has not taken any for long", dropped)
            lines[dropped] = _line({**kept[dropped], "before": DROPPED})
        self._write([_line({"log": self._id}), *lines[dropped:]])
        self._tidy_at = min(MOST_BYTES, max(TIDY_BYTES, 2 * total))

    def _write(self, lines: Iterable[bytes]) -> None:
        write_file(self._path, b"".join(lines))
        self._ends_line = True


def _line(document: Told) -> bytes:
    content = msgspec.json.encode(document)
    return b"%b %b\n" % (_checksum(content), content)


def _checksum(content: bytes) -> bytes:
    return b"%08x" % zlib.crc32(content)
