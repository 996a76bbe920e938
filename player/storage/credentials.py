"""The token, or the pairing code that waits to be claimed, on disk; readable by the player's user only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.documents.manifest import Rejection
from player.domain.pairing import Credentials, PendingCode
from player.storage.checksummed import CorruptError
from player.storage.twin_file import TwinFile

FILE_NAME = "credentials"
KIND = "credentials"


class _File(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exactly one of the two is set."""

    screen: Credentials | None = None
    code: PendingCode | None = None


class CredentialFile:
    """The credentials in one file and its copy. Calls block."""

    def __init__(self, path: Path) -> None:
        self._file = TwinFile(path, kind=KIND)

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


def stored_pairing(folder: Path) -> Credentials | None:
    """The credentials on the disk; None if the device is not paired. Changes nothing there."""
    return next((found for found in _peek(folder) if isinstance(found, Credentials)), None)


def paired_with(folder: Path) -> str | None:
    """The address of the service with which the device is paired; None if it is not. Changes nothing on the disk."""
    found = stored_pairing(folder)
    return found.service if found is not None else None


def stored_secrets(folder: Path) -> tuple[str, ...]:
    """Secrets that must not leave the device: the token, or the code that waits. Changes nothing on the disk."""
    secrets: list[str] = []
    for found in _peek(folder):
        match found:
            case Credentials(token=token):
                secrets.append(token)
            case PendingCode() as code:
                secrets += [code.device_code, code.user_code]
    return tuple(dict.fromkeys(secrets))


def _peek(folder: Path) -> Iterator[Credentials | PendingCode | None]:
    return TwinFile(folder / FILE_NAME, kind=KIND).peek(_decoded)


def _decoded(payload: bytes) -> Credentials | PendingCode | None:
    try:
        file = msgspec.json.decode(payload, type=_File)
    except NOT_THE_DOCUMENT as error:
        raise CorruptError(f"it cannot be read: {error}") from error
    return file.screen or file.code
