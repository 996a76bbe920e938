"""Owns what the conductor asks of the rooms: one frozen class a kind of request; plain data."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from player.domain.manifest import LinkSettings, PlaylistVersion, VersionKey
from player.domain.view import DisplayOrder


class Show(Struct, frozen=True, kw_only=True):
    """Put this on the glass."""

    order: DisplayOrder


class WakeAt(Struct, frozen=True, kw_only=True):
    """Say `TimePassed` at this instant (true time); replaces the wake-up asked for before. None: no wake-up is due."""

    instant: datetime | None


class DownloadAssets(Struct, frozen=True, kw_only=True):
    """See to it that every asset of these programs is on disk and whole; replaces what was asked for before. `on_glass`
    names the one that runs: what it lacks cannot be drawn."""

    versions: tuple[PlaylistVersion, ...]
    on_glass: VersionKey | None


class KeepRunning(Struct, frozen=True, kw_only=True):
    """Store the program that has just begun, and the anchor of its loops; what was staged is staged no longer."""

    body: bytes
    etag: str
    assets: frozenset[str]
    """Every asset that the body lists (hex SHA-256)."""
    anchor: datetime


class KeepLatest(Struct, frozen=True, kw_only=True):
    """Store a newer body of the program that runs: its items and location count, its program is the same."""

    body: bytes
    etag: str
    assets: frozenset[str]


class KeepStaged(Struct, frozen=True, kw_only=True):
    """Store what waits for the boundary."""

    body: bytes
    etag: str
    assets: frozenset[str]


class DropStaged(Struct, frozen=True, kw_only=True):
    """What waited has been overtaken or cannot be shown."""


class ForgetVersions(Struct, frozen=True, kw_only=True):
    """The screen was unpaired: nothing of the old workspace may show again."""


class AwaitPairing(Struct, frozen=True, kw_only=True):
    """Not paired: no manifests and no heartbeats until a code has been claimed."""


class StartLink(Struct, frozen=True, kw_only=True):
    """Paired: poll for manifests and send heartbeats."""


class UseSettings(Struct, frozen=True, kw_only=True):
    """The service has set how often it wants to be asked."""

    settings: LinkSettings


class BeatSoon(Struct, frozen=True, kw_only=True):
    """The picture has changed: tell the service without waiting for the next heartbeat."""


class PollAfresh(Struct, frozen=True, kw_only=True):
    """Ask for the whole manifest again, whatever is held."""


class Restart(Struct, frozen=True, kw_only=True):
    """End the player cleanly; what supervises it starts it anew."""


Action = (
    Show
    | WakeAt
    | DownloadAssets
    | KeepRunning
    | KeepLatest
    | KeepStaged
    | DropStaged
    | ForgetVersions
    | AwaitPairing
    | StartLink
    | UseSettings
    | BeatSoon
    | PollAfresh
    | Restart
)
