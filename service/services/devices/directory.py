"""Keeps the paired devices in memory, so that finding one by its token costs no SQL.

Filled from the database at start and updated by changes, also those of other processes.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from service.core.changes import Change, ChangesMissed, ContentChanged, DeliveriesQueued, ScreenChanged, ScreenReported
from service.core.ids import digest_of
from service.services.publishing.composition import ManifestKey
from service.storage.database import Database
from service.storage.tables.screens import ScreenRow


@dataclass(frozen=True, slots=True)
class Device:
    """A paired screen, with the data that the player's calls need."""

    screen: str
    name: str
    manifest_key: ManifestKey
    token_digest: str
    token_used: bool
    """Whether the player has called with this token before."""
    display: dict[str, Any]
    """The settings of the screen's panel."""
    tags: tuple[str, ...]


class DeviceDirectory:
    """Finds devices by token or screen. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._by_token: dict[str, Device] = {}
        self._by_screen: dict[str, Device] = {}

    def load(self) -> None:
        """Reads every device that holds a token, and drops the others."""
        with self._database.read() as session, self._lock:
            rows = session.scalars(select(ScreenRow).where(ScreenRow.token_digest.is_not(None)))
            devices = [device for device in map(_device, rows) if device is not None]
            self._by_screen = {device.screen: device for device in devices}
            self._by_token = {device.token_digest: device for device in devices}

    def on_change(self, change: Change) -> None:
        """Reads a screen again after it changed."""
        match change:
            case ScreenChanged(screen=screen):
                # Under the lock together: of two threads, the one that read first must not write last.
                with self._database.read() as session, self._lock:
                    self._put(screen, _device(session.scalar(select(ScreenRow).where(ScreenRow.id == screen))))
            case ChangesMissed():
                self.load()
            case ContentChanged() | DeliveriesQueued() | ScreenReported():
                pass

    def by_token(self, token: str) -> Device | None:
        """Returns the device that holds this token, as far as this process knows."""
        return self._by_token.get(digest_of(token))

    def read_token(self, token: str) -> Device | None:
        """Returns the device that holds this token by the database: another process may have paired it a moment ago."""
        held = ScreenRow.token_digest == digest_of(token)
        with self._database.read() as session, self._lock:
            device = _device(session.scalar(select(ScreenRow).where(held)))
            if device is not None:
                self._put(device.screen, device)
        return device

    def by_screen(self, screen: str) -> Device | None:
        """Returns the device of this screen, if it holds a token."""
        return self._by_screen.get(screen)

    def manifest_keys(self) -> Iterable[ManifestKey]:
        # Without the lock, which is held during queries: the event loop asks.
        return {device.manifest_key for device in list(self._by_screen.values())}

    def _put(self, screen: str, device: Device | None) -> None:
        before = self._by_screen.pop(screen, None)
        if before is not None:
            del self._by_token[before.token_digest]
        if device is not None:
            self._by_screen[screen] = device
            self._by_token[device.token_digest] = device


def _device(row: ScreenRow | None) -> Device | None:
    if row is None or row.token_digest is None:
        return None
    return Device(
        screen=row.id,
        name=row.name,
        manifest_key=ManifestKey(
            workspace=row.workspace_id,
            playlist=None if row.waiting else row.playlist_id,
            location=row.location_id,
        ),
        token_digest=row.token_digest,
        token_used=row.token_used,
        display=row.display,
        tags=tuple(row.tags),
    )
