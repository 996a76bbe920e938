"""Opens the state directory: locks it, loads its files, and reports those that are not whole."""

from __future__ import annotations

import contextlib
from io import FileIO
from pathlib import Path

from msgspec import Struct

from player.domain.manifest import Rejection
from player.domain.pairing import Credentials, PendingCode
from player.storage.assets import AssetFolder
from player.storage.credentials import CredentialFile
from player.storage.durable import TEMPORARY_SUFFIX, storage_error
from player.storage.identity import load_identity
from player.storage.lock import lock_folder
from player.storage.loose_file import LooseFile
from player.storage.manifests import ManifestStore, StoredManifests


class StoredState(Struct, frozen=True, kw_only=True):
    """The contents at the start. `credentials` are of the service that was asked for."""

    credentials: Credentials | PendingCode | None
    manifests: StoredManifests
    rejections: tuple[Rejection, ...]


class StateStore:
    """The state directory; `open` creates it if it does not exist."""

    def __init__(self, *, folder: Path, lock: FileIO, identity: str, rejections: tuple[Rejection, ...]) -> None:
        self.identity = identity
        self.credentials = CredentialFile(folder / "credentials")
        self.manifests = ManifestStore(folder)
        self.assets = AssetFolder(
            folder / "assets",
            protected=self.manifests.assets,
            spare=self.manifests.spare_assets,
            drop_previous=self.manifests.drop_previous,
        )
        self.crash_records = LooseFile(folder / "trials", kind="trials")
        self._lock = lock
        self._rejections = rejections

    @classmethod
    def open(cls, folder: Path) -> StateStore:
        """Lock the directory, and load or create the device's identity. Raises StorageError, whose text is for the
        person who starts the player."""
        try:
            (folder / "assets").mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, folder) from error
        lock = lock_folder(folder)
        try:
            for left_over in folder.glob(f"*{TEMPORARY_SUFFIX}"):
                with contextlib.suppress(OSError):
                    left_over.unlink()
            identity, rejections = load_identity(folder / "identity")
        except BaseException:
            lock.close()
            raise
        return cls(folder=folder, lock=lock, identity=identity, rejections=rejections)

    def load(self, *, service: str) -> StoredState:
        """The contents for this service. Never raises for what is on the disk."""
        credentials, credential_rejections = self.credentials.load()
        manifests, manifest_rejections = self.manifests.load()
        rejections = (*self._rejections, *credential_rejections, *manifest_rejections)
        if credentials is not None and credentials.service != service:
            detail = f"they are for {credentials.service}, and are sent nowhere else; pair the device with {service}"
            rejections = (*rejections, Rejection(code="other_service", subject="credentials", detail=detail))
            credentials = None
        return StoredState(credentials=credentials, manifests=manifests, rejections=rejections)

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()

    def __enter__(self) -> StateStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
