"""Device identity: created at the first start, stored before the first request, never changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from menu.documents.manifest import Rejection
from player.storage.durable import StorageError
from player.storage.state_file import StateFile

_IDENTITY = re.compile(rb"[0-9a-f]{32}")


def identity_file(folder: Path) -> StateFile[bytes]:
    """Returns the file with the identity, and its copy."""
    return StateFile(folder / "identity", twin=True, is_right=lambda found: bool(_IDENTITY.fullmatch(found)))


def load_identity(
    folder: Path, *, stand_in: Callable[[], str | None], is_new: bool = True
) -> tuple[str, tuple[Rejection, ...]]:
    """Returns the device's identity, 32 hex digits; created and stored if there is none. Raises StorageError.

    A new device's is random, because devices may be copies of one another. `stand_in` takes its place if there was one
    that is corrupt, or there may have been (`is_new` False): it is the same at each start, so that a device that pairs
    again stays one screen.
    """
    file = identity_file(folder)
    found, rejections = file.mend(lost="the device has a new identity")
    if found is not None:
        return found.decode(), rejections
    identity = (None if is_new and not rejections else stand_in()) or os.urandom(16).hex()
    try:
        file.save(identity.encode())
    except StorageError:
        if is_new:
            raise
    return identity, rejections
