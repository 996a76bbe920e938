"""The token, or the pairing code that waits to be claimed, on disk; readable by the player's user only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from player.domain.manifest import Rejection
from player.domain.pairing import Credentials, PendingCode
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import remove_durably, set_aside

_KIND = "credentials"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Exactly one of the two is set."""

    screen: Credentials | None = None
    code: PendingCode | None = None


class CredentialFile:
    """A CredentialStore in one file. Calls block."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> tuple[Credentials | PendingCode | None, tuple[Rejection, ...]]:
        """The stored credentials, and a rejection if the file is corrupt. Never raises for what is on the disk."""
        try:
            payload = read_checksummed(self._path, _KIND)
            return (None if payload is None else _decoded(payload)), ()
        except CorruptError as error:
            detail = f"{error}; kept as {set_aside(self._path)}, and the device has to be paired again"
            return None, (Rejection(code="state_corrupt", subject=self._path.name, detail=detail),)

    def keep_credentials(self, credentials: Credentials | PendingCode) -> None:
        """Store durably, in place of what was there. Raises StorageError."""
        match credentials:
            case Credentials():
                file = _File(screen=credentials)
            case PendingCode():
                file = _File(code=credentials)
        write_checksummed(self._path, _KIND, msgspec.json.encode(file))

    def forget_credentials(self) -> None:
        """Delete the file. Raises StorageError."""
        remove_durably(self._path)


def _decoded(payload: bytes) -> Credentials | PendingCode | None:
    try:
        file = msgspec.json.decode(payload, type=_File)
    except msgspec.MsgspecError as error:
        raise CorruptError(f"it cannot be read: {error}") from error
    return file.screen or file.code
