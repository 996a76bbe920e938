"""The device's identity: created at the first start, stored before the first request, never changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from player.domain.documents.manifest import Rejection
from player.storage.checksummed import CorruptError
from player.storage.durable import StorageError
from player.storage.twin_file import TwinFile

KIND = "identity"
_IDENTITY = re.compile(r"[0-9a-f]{32}")


def load_identity(
    path: Path, *, stand_in: Callable[[], str | None], is_new: bool = True
) -> tuple[str, tuple[Rejection, ...]]:
    """The device's identity, 32 hex digits; created and stored if there is none. Raises StorageError.

    A new device's is random, because devices may be copies of one another. `stand_in` takes its place where there was
    one that is corrupt, or there may have been (`is_new` False): it is the same at each start, so that a device that
    pairs again stays one screen.
    """
    file = TwinFile(path, kind=KIND)
    identity, rejections = file.load(_checked, lost="the device has a new identity")
    if identity is not None:
        return identity, rejections
    identity = (None if is_new and not rejections else stand_in()) or os.urandom(16).hex()
    try:
        file.save(identity.encode())
    except StorageError:
        if is_new:
            raise
    return identity, rejections


def stored_identity(path: Path) -> str | None:
    """The identity on the disk, for a look from another process: it changes nothing there."""
    return next(TwinFile(path, kind=KIND).peek(_checked), None)


def _checked(stored: bytes) -> str:
    identity = stored.decode("ascii", "replace")
    if not _IDENTITY.fullmatch(identity):
        raise CorruptError("it is not 32 hex digits")
    return identity
