"""Conductor's actions: one frozen class for each kind of request to the other parts; plain data."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from menu.documents.manifest import LinkSettings, PlaylistVersion, VersionKey
from player.domain.commands import Commands
from player.domain.panel.panel import PanelOrder, ScreenDisplay
from player.domain.time.clock import Boot
from player.domain.view import DisplayOrder


class Action(Struct, frozen=True): ...


class DiskWrite(Action, frozen=True):
    """A write to the disk: these are done one after the other, in order."""


class Show(Action, frozen=True, kw_only=True):
    order: DisplayOrder


class WakeAt(Action, frozen=True, kw_only=True):
    """Reports `TimePassed` at this instant (true time); replaces the previous wake-up.

    `clock_offset` is the correction by which the instant was computed: true time minus the system's.
    """

    instant: datetime
    clock_offset: timedelta = timedelta()


class DownloadAssets(Action, frozen=True, kw_only=True):
    """Downloads every asset of these versions that is not on disk and whole, in place of an earlier request. `on_glass`
    names the current version, `overrides` those that may show at once: their missing assets cannot be drawn."""

    versions: tuple[PlaylistVersion, ...]
    on_glass: VersionKey | None
    overrides: frozenset[VersionKey] = frozenset()


class _StoreManifest(DiskWrite, frozen=True, kw_only=True):
    body: bytes
    etag: str
    assets: frozenset[str]
    """Every asset that the body lists (hex SHA-256)."""


class StoreRunning(_StoreManifest, frozen=True, kw_only=True):
    """Stores the version that has just begun, and the anchor of its loops; nothing is staged any more."""

    anchor: datetime


class StoreLatest(_StoreManifest, frozen=True, kw_only=True):
    """Stores a newer manifest of the current version: only items and location differ."""


class StoreStaged(_StoreManifest, frozen=True, kw_only=True):
    """Store the manifest that waits for the boundary."""


class DropStaged(DiskWrite, frozen=True, kw_only=True):
    """Delete the staged manifest: it is superseded or cannot be shown."""


class StoreTime(DiskWrite, frozen=True, kw_only=True):
    """Stores the time `at` on the monotonic clock: after a start, true time is known to be no earlier."""

    instant: datetime
    at: float = 0.0
    boot: Boot = Boot()
    """Since when the machine was on then, as far as known."""
    before: datetime | None = None
    """The time by the one that it replaced less than an hour ago."""


class ForgetVersions(DiskWrite, frozen=True, kw_only=True):
    """Delete every stored manifest: the screen was unpaired, and nothing of the old workspace may show again."""


class StoreCommands(DiskWrite, frozen=True, kw_only=True):
    """Stores the known commands, before the last of them is carried out."""

    commands: Commands


class AwaitPairing(Action, frozen=True, kw_only=True):
    """Stop polling and heartbeats until the device is paired."""


class StartLink(Action, frozen=True, kw_only=True):
    """Polls for manifests and sends heartbeats: the device is paired."""


class UseSettings(Action, frozen=True, kw_only=True):
    """Use these intervals, which the service has set."""

    settings: LinkSettings


class TestConnection(Action, frozen=True, kw_only=True):
    """Tests the connection to the service, and reports `ConnectionTested`."""


class Upload(Action, frozen=True, kw_only=True):
    """Sends the service a picture of the display (`screenshot`) or the newest lines of the log (`sendLogs`), and
    reports `CommandEnded` with the id of the command."""

    command: str
    what: str


class SendHeartbeat(Action, frozen=True, kw_only=True):
    """Sends a heartbeat now: its content has changed."""


class RefetchManifest(Action, frozen=True, kw_only=True):
    """Requests the whole manifest, even if its etag is known."""


class RecheckAssets(Action, frozen=True):
    """Read this asset on the disk again (hex SHA-256), or every one, and download what is damaged."""

    asset: str | None = None


class PairAgain(Action, frozen=True):
    """Forget the pairing, and ask for a code."""


class ShowPin(Action, frozen=True):
    """Issue a PIN for the page: it comes as `PinChanged`, unless the page has none."""


class Contradict(Action, frozen=True, kw_only=True):
    """Reports to the service, whose last manifest was older than the board's, what the board `holds`, and polls less
    often if more such follow."""

    holds: str


class StoreFailures(DiskWrite, frozen=True, kw_only=True):
    """Store the count of failures, for the next start."""

    content: bytes


class StoreScreen(DiskWrite, frozen=True, kw_only=True):
    """Store the service's settings of the screen, for the next start."""

    display: ScreenDisplay


class KeepPanel(Action, frozen=True, kw_only=True):
    """Keeps the panel in this state, and reports with `PanelChecked` whether it obeys."""

    order: PanelOrder


class StoreAccess(DiskWrite, frozen=True, kw_only=True):
    """Stores the page's sessions and failed tries."""

    content: bytes


class Restart(Action, frozen=True, kw_only=True):
    """Ends the player; its supervisor starts it again. `with_compositor`: the display's thread or the compositor does
    not respond, so neither is waited for, and the supervisor is asked to start both."""

    with_compositor: bool = False
