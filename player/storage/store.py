"""Opens the state directory: locks it, loads its files, and reports those that are not whole."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from io import FileIO
from pathlib import Path

from msgspec import Struct, field

from menu.documents.manifest import Rejection
from player.domain.commands import Commands
from player.domain.findings.disk import STATE_IN_MEMORY
from player.domain.pairing.hardware import Hardware
from player.domain.pairing.pairing import Credentials, LastPairing, PendingCode
from player.domain.panel.panel import ScreenDisplay, within_bounds
from player.domain.recovery import fallback
from player.domain.time.clock import KnownTime
from player.storage.assets import AssetFolder
from player.storage.credentials import CredentialFile
from player.storage.durable import TEMPORARY_SUFFIX, StorageError, open_private, set_aside, storage_error
from player.storage.failures import FailureFile
from player.storage.hardware import leave_behind, record_hardware
from player.storage.identity import load_identity
from player.storage.lock import lock_folder, lock_readable
from player.storage.manifests import ManifestStore, StoredManifests
from player.storage.memory import claim_memory, copy_state, give_back, memory_folders
from player.storage.receipts import ReceiptLog
from player.storage.state_file import StateFile

log = logging.getLogger(__name__)

NO_HARDWARE = Hardware()

StoredCommands = Commands | tuple[str, ...]
"""Players of 0.1.0 stored the ids alone."""


class StoredState(Struct, frozen=True, kw_only=True):
    """Contents at the start. `credentials` are of the service that was asked for."""

    credentials: Credentials | PendingCode | None
    last_pairing: LastPairing | None = None
    forgotten: bool = False
    """Whether the manifests on disk are of another workspace, so that none of them may show."""
    manifests: StoredManifests
    commands: Commands = field(default_factory=Commands)
    display: ScreenDisplay = field(default_factory=ScreenDisplay)
    rejections: tuple[Rejection, ...]
    known_time: KnownTime | None = None


class StateStore:
    """State directory; `open` creates it if it does not exist.

    If it cannot be written, everything but the assets that are there is kept in a copy in memory, which ends with the
    player.
    """

    def __init__(
        self,
        *,
        folder: Path,
        lock: FileIO | None,
        identity: str,
        rejections: tuple[Rejection, ...],
        memory: Sequence[Path],
        copy: tuple[Path, FileIO] | None = None,
        from_another_device: bool = False,
    ) -> None:
        """`copy` takes the place of the directory; more may be claimed in `memory`."""
        disk, folder = folder, copy[0] if copy else folder
        self._folder = folder
        self.identity = identity
        self.from_another_device = from_another_device
        """Whether the directory was copied or moved from another device, and this one is still to be paired."""
        self.credentials = CredentialFile(folder)
        self.last_pairing = StateFile[LastPairing](folder / "last-pairing", LastPairing, durably=True)
        self.manifests = ManifestStore(folder, reserve=copy is None)
        self.assets = AssetFolder(
            disk / "assets",
            protected=self.manifests.assets,
            spare=self.manifests.spare_assets,
            drop_previous=self.manifests.drop_previous,
            memory=self._claim,
        )
        self.commands = StateFile[StoredCommands](folder / "commands", StoredCommands)
        self.known_time = StateFile[KnownTime](folder / "clock", KnownTime)
        counts = FailureFile(folder)
        self.crash_records = counts.part(fallback.is_video)
        self.starts = counts.part(fallback.is_start)
        self.failures = counts.part(lambda subject: not fallback.is_video(subject) and not fallback.is_start(subject))
        self.access = StateFile[bytes](folder / "access")
        self.screen = StateFile[ScreenDisplay](folder / "screen", ScreenDisplay)
        self.receipts = ReceiptLog(folder)
        self._lock = lock
        self._rejections = rejections
        self._memory = memory
        self._claimed = [copy] if copy else []
        if copy:
            self.assets.go_on_in(copy[0] / "assets")

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        memory: Iterable[Path] | None = None,
        stand_in: Callable[[], str | None] = lambda: None,
        hardware: Hardware = NO_HARDWARE,
    ) -> StateStore:
        """Locks the directory, and loads or creates the device's identity.

        A directory that cannot be written is copied into the first of the folders `memory` that has room. `stand_in`
        gives an identity that is the same at each start, for a device whose own cannot be read. On other `hardware`
        than it was used on, the directory gets another identity and loses its token. Raises StorageError only if
        another player uses the directory; its text is for the person who starts the player.
        """
        places = tuple(memory_folders(os.environ) if memory is None else memory)
        lock, copy, left = None, None, False
        try:
            lock = _prepare(folder)
            _try_to_write(folder)
            left = leave_behind(folder, hardware)
            identity, rejections = load_identity(folder, stand_in=stand_in)
            left = record_hardware(folder, hardware, is_copy=left)
        except StorageError as error:
            if error.code == "state_in_use":
                raise
            log.critical("%s cannot be written (%s); the board goes on with what can be read", folder, error)
            lock, copy = lock or lock_readable(folder), copy_state(folder, places)
            used = copy[0] if copy else folder
            with contextlib.suppress(StorageError):
                left = leave_behind(used, hardware)
            identity, rejections = load_identity(used, stand_in=stand_in, is_new=False)
            rejections = (_refusal(folder, error, in_memory=copy is not None), *(copy[2] if copy else ()), *rejections)
        return cls(
            folder=folder,
            lock=lock,
            identity=identity,
            rejections=rejections,
            memory=places,
            copy=copy[:2] if copy else None,
            from_another_device=left,
        )

    def load(self, *, service: str) -> StoredState:
        """Returns the contents for this service. Never raises for what is on the disk."""
        credentials, credential_rejections = self.credentials.stored()
        manifests, manifest_rejections = self.manifests.load()
        rejections = (*self._rejections, *credential_rejections, *manifest_rejections)
        if credentials is not None and credentials.service != service:
            detail = f"they are for {credentials.service}, and are sent nowhere else; pair the device with {service}"
            rejections = (*rejections, Rejection(code="other_service", subject="credentials", detail=detail))
            return StoredState(
                credentials=None,
                manifests=StoredManifests(),
                rejections=rejections,
                known_time=self.known_time.load(),
            )
        last, commands, display = self.last_pairing.load(), self.commands.load(), self.screen.load()
        # The device was paired with another workspace, or set up for another service, in the last moment of a run.
        forgotten = last is not None and (
            not last.goes_on_with(credentials) if isinstance(credentials, Credentials) else last.service != service
        )
        return StoredState(
            credentials=credentials,
            last_pairing=last,
            forgotten=forgotten,
            manifests=StoredManifests() if forgotten else manifests,
            # Lost commands are carried out twice at worst, and the next heartbeat brings the settings of the screen.
            commands=commands if isinstance(commands, Commands) else Commands(come=commands or ()),
            display=within_bounds(display) if display and not forgotten else ScreenDisplay(),
            rejections=rejections,
            known_time=self.known_time.load(),
        )

    def close(self) -> None:
        """Releases the lock, and the memory."""
        for claimed in self._claimed:
            give_back(*claimed)
        if self._lock is not None:
            self._lock.close()

    def _claim(self) -> Path | None:
        claimed = claim_memory(self._memory)
        if claimed is None:
            return None
        self._claimed.append(claimed)
        return claimed[0] / "assets"

    def __enter__(self) -> StateStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _prepare(folder: Path) -> FileIO:
    """Create and lock the directory. Raises StorageError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error
    return lock_folder(folder)


def _try_to_write(folder: Path) -> None:
    """Makes the folder of assets, deletes what a power cut has left, and checks that files can be made. Raises
    StorageError; not for a full disk, which may still have room for something."""
    assets = folder / "assets"
    try:
        if os.path.lexists(assets) and not assets.is_dir():
            set_aside(assets)
        assets.mkdir(mode=0o700, exist_ok=True)
        for left_over in folder.glob(f"*{TEMPORARY_SUFFIX}"):
            with contextlib.suppress(OSError):
                left_over.unlink()
        for place in (folder, assets):
            probe = place / f"probe{TEMPORARY_SUFFIX}"
            open_private(probe, os.O_WRONLY).close()
            probe.unlink()
    except OSError as error:
        refused = storage_error(error, folder)
        if refused.code != "disk_full":
            raise refused from error


def _refusal(folder: Path, refused: StorageError, *, in_memory: bool) -> Rejection:
    consequence = (
        "what is new is kept in memory, until the player ends"
        if in_memory
        else "and there is no memory to use in its place; nothing new is kept"
    )
    detail = f"it cannot be written ({refused.detail}); {consequence}"
    return Rejection(code=STATE_IN_MEMORY, subject=str(folder), detail=detail)
