"""Key that encrypts secrets in the database. Stored in a file beside it: a copy of the database alone lacks the key."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from service.storage.durable import flush_folder

KEY_BYTES = 64
"""AES-256-SIV takes two keys of 256 bits."""


class KeyFileError(Exception):
    """Raised if the file is not a valid key; the message is for the operator."""


def read_key(file: Path) -> bytes:
    """Reads the key, or creates it if there is none yet. Several processes that start together get the same. Raises
    OSError and KeyFileError."""
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        _make(file)
        key = file.read_bytes()
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{file} is not the key of this service, but {len(key)} bytes; put back the one of a backup")
    return key


def _make(file: Path) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as key:
            key.write(secrets.token_bytes(KEY_BYTES))
            key.flush()
            os.fsync(key.fileno())
        with contextlib.suppress(FileExistsError):
            # Not a renaming: another process may have made one by now.
            os.link(temporary, file)
    finally:
        Path(temporary).unlink()
    flush_folder(file.parent)
