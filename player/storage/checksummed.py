"""State files with a checksum: one line with kind, length and hash, then the payload."""

from __future__ import annotations

import hashlib
from pathlib import Path

from player.plain_file import read_plain
from player.storage.durable import write_file

MAX_STATE_FILE_BYTES = 6 * 1024**2
"""No state file is larger: a manifest has at most 4 MiB."""

_MAGIC = "menu-player-state/1"
MAX_HEADER_BYTES = 200


class CorruptError(Exception):
    """A file exists and is not whole. A file that does not exist is no error."""


def add_checksum(kind: str, payload: bytes) -> bytes:
    """Returns the bytes of a state file with this payload."""
    return f"{_MAGIC} {kind} {len(payload)} {hashlib.sha256(payload).hexdigest()}\n".encode() + payload


def check_and_strip(kind: str, raw: bytes) -> bytes:
    """Returns the payload of a state file. Raises CorruptError unless it is whole and of this kind."""
    header, newline, payload = raw.partition(b"\n")
    if not newline or len(header) > MAX_HEADER_BYTES:
        raise CorruptError("the first line is torn")
    expected = add_checksum(kind, payload).partition(b"\n")[0]
    if header != expected:
        raise CorruptError(f"it is not a whole {kind} file: {len(payload)} bytes that do not match its first line")
    return payload


def write_checksummed(path: Path, kind: str, payload: bytes, *, durably: bool = True) -> None:
    """Replace the file. Raises StorageError."""
    write_file(path, add_checksum(kind, payload), durably=durably)


def read_checksummed(path: Path, kind: str) -> bytes | None:
    """Returns the payload; None if there is no such file. Raises CorruptError if it is not whole or cannot be read."""
    try:
        raw = read_plain(path, MAX_STATE_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CorruptError(f"it cannot be read: {error.strerror}") from error
    if len(raw) > MAX_STATE_FILE_BYTES:
        raise CorruptError(f"it is larger than {MAX_STATE_FILE_BYTES} bytes")
    return check_and_strip(kind, raw)
