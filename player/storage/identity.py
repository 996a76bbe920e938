"""The device's identity: created at the first start, stored before the first request, never changed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from player.domain.manifest import Rejection
from player.storage.checksummed import CorruptError
from player.storage.twin_file import TwinFile

_IDENTITY = re.compile(r"[0-9a-f]{32}")


def load_identity(path: Path) -> tuple[str, tuple[Rejection, ...]]:
    """The device's identity, 32 hex digits; created and stored if there is none. Raises StorageError.

    Corrupt ones are set aside and replaced: the device keeps its token, but is a new device when it pairs again.
    """
    file = TwinFile(path, kind="identity")
    identity, rejections = file.load(_checked, lost="the device has a new identity")
    if identity is None:
        identity = os.urandom(16).hex()
        file.save(identity.encode())
    return identity, rejections


def _checked(stored: bytes) -> str:
    identity = stored.decode("ascii", "replace")
    if not _IDENTITY.fullmatch(identity):
        raise CorruptError("it is not 32 hex digits")
    return identity
