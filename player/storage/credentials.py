"""The token, or the pairing code that waits to be claimed, on disk; readable by the player's user only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.fields import NOT_THE_DOCUMENT
from player.domain.manifest import Rejection
from player.domain.pairing import Credentials, PendingCode
from player.storage.checksummed import CorruptError
from player.storage.twin_file import TwinFile


class _File(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exactly one of the two is set."""

    screen: Credentials | None = None
    code: PendingCode | None = None


class CredentialFile:
    """A CredentialStore in one file and its copy. Calls block."""

    def __init__(self, path: Path) -> None:
        self._file = TwinFile(path, kind="credentials")

    def load(self) -> tuple[Credentials | PendingCode | None, tuple[Rejection, ...]]:
        """The stored credentials, and a rejection for each copy that is corrupt. Never raises for what is on the
        disk."""
        return self._file.load(_decoded, lost="the device has to be paired again")

    def keep_credentials(self, credentials: Credentials | PendingCode) -> None:
        """Store durably, in place of what was there. Raises StorageError."""
        match credentials:
            case Credentials():
                file = _File(screen=credentials)
            case PendingCode():
                file = _File(code=credentials)
        self._file.save(msgspec.json.encode(file))

    def forget_credentials(self) -> None:
        """Delete the file. Raises StorageError."""
        self._file.remove()


def _decoded(payload: bytes) -> Credentials | PendingCode | None:
    try:
        file = msgspec.json.decode(payload, type=_File)
    except NOT_THE_DOCUMENT as error:
        raise CorruptError(f"it cannot be read: {error}") from error
    return file.screen or file.code
