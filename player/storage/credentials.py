"""Stores the token, or the pairing code that waits to be claimed; readable by the player's user only."""

from __future__ import annotations

from pathlib import Path

import msgspec

from menu.documents.manifest import Rejection
from player.domain.pairing.pairing import Credentials, PendingCode
from player.storage.state_file import StateFile

FILE_NAME = "credentials"


class _File(msgspec.Struct, frozen=True, omit_defaults=True):
    """Exactly one of the two is set."""

    screen: Credentials | None = None
    code: PendingCode | None = None


class CredentialFile(StateFile[_File]):
    """Stores the credentials in one file and its copy. Calls block."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / FILE_NAME, _File, twin=True)

    def stored(self) -> tuple[Credentials | PendingCode | None, tuple[Rejection, ...]]:
        """Returns the stored credentials, and a rejection for each copy that is corrupt. Never raises for what is on
        the disk."""
        found, rejections = self.mend(lost="the device has to be paired again")
        return (found.screen or found.code) if found else None, rejections

    def keep_credentials(self, credentials: Credentials | PendingCode) -> None:
        """Stores durably, in place of what was there. Raises StorageError."""
        self.save(_File(screen=credentials) if isinstance(credentials, Credentials) else _File(code=credentials))

    def forget_credentials(self) -> None:
        """Delete the file. Raises StorageError."""
        self.remove()


def stored_pairing(folder: Path) -> Credentials | None:
    """Returns the credentials on the disk; None if the device is not paired. Changes nothing there."""
    return next((found.screen for found in CredentialFile(folder).copies() if found.screen), None)


def paired_with(folder: Path) -> str | None:
    """Returns the address of the service with which the device is paired; None if it is not. Changes nothing on the
    disk."""
    found = stored_pairing(folder)
    return found.service if found is not None else None


def stored_secrets(folder: Path) -> tuple[str, ...]:
    """Returns secrets that must not leave the device: the token, or the waiting code. Changes nothing on the disk."""
    secrets: list[str] = []
    for found in CredentialFile(folder).copies():
        if found.screen is not None:
            secrets.append(found.screen.token)
        if found.code is not None:
            secrets += [found.code.device_code, found.code.user_code]
    return tuple(dict.fromkeys(secrets))
