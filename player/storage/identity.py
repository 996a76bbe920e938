"""The device's identity: created at the first start, stored before the first request, never changed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from player.domain.manifest import Rejection
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import set_aside

_KIND = "identity"
_IDENTITY = re.compile(r"[0-9a-f]{32}")


def load_identity(path: Path) -> tuple[str, tuple[Rejection, ...]]:
    """The device's identity, 32 hex digits; created and stored if there is none. Raises StorageError.

    A corrupt one is set aside and replaced: the device keeps its token, but is a new device when it pairs again.
    """
    rejections: tuple[Rejection, ...] = ()
    try:
        stored = read_checksummed(path, _KIND)
        if stored is not None:
            return _checked(stored), ()
    except CorruptError as error:
        detail = f"{error}; kept as {set_aside(path)}, and the device has a new identity"
        rejections = (Rejection(code="state_corrupt", subject=path.name, detail=detail),)
    identity = os.urandom(16).hex()
    write_checksummed(path, _KIND, identity.encode())
    return identity, rejections


def _checked(stored: bytes) -> str:
    identity = stored.decode("ascii", "replace")
    if not _IDENTITY.fullmatch(identity):
        raise CorruptError("it is not 32 hex digits")
    return identity
