"""The conductor's actions: one frozen class for each kind of request to the other parts; plain data."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from menu.documents.manifest import LinkSettings, PlaylistVersion, VersionKey
from player.domain.commands import Commands
from player.domain.panel.panel import PanelOrder, ScreenDisplay
from player.domain.time.clock import Boot
from player.domain.view import DisplayOrder


class Action(Struct, frozen=True):
    """A request of any kind."""


class DiskWrite(Action, frozen=True):
    """A write to the disk: these are done one after the other, in order."""


class Show(Action, frozen=True, kw_only=True):
    """Show this view."""

    order: DisplayOrder


class WakeAt(Action, frozen=True, kw_only=True):
    """Report `TimePassed` at this instant (true time), in place of the wake-up that was ordered before.

    `clock_offset` is the correction by which the instant was reckoned: true time minus the system's."""

    instant: datetime
    clock_offset: timedelta = timedelta()


class DownloadAssets(Action, frozen=True, kw_only=True):
    """Download every asset of these versions that is not on disk and whole, in place of an earlier request. `on_glass`
    names the version that runs, `overrides` those that may show at once: their missing assets cannot be drawn."""

    versions: tuple[PlaylistVersion, ...]
    on_glass: VersionKey | None
    overrides: frozenset[VersionKey] = frozenset()


class _StoreManifest(DiskWrite, frozen=True, kw_only=True):
    body: bytes
    etag: str
    assets: frozenset[str]
    """Every asset that the body lists (hex SHA-256)."""


class StoreRunning(_StoreManifest, frozen=True, kw_only=True):
    """Store the version that has just begun, and the anchor of its loops; nothing is staged any more."""

    anchor: datetime


class StoreLatest(_StoreManifest, frozen=True, kw_only=True):
    """Store a newer manifest of the version that runs: only items and location differ."""


class StoreStaged(_StoreManifest, frozen=True, kw_only=True):
    """Store the manifest that waits for the boundary."""


class DropStaged(DiskWrite, frozen=True, kw_only=True):
    """Delete the staged manifest: it is superseded or cannot be shown."""


class StoreTime(DiskWrite, frozen=True, kw_only=True):
    """Store the time that it was `at` on the monotonic clock: after a start it is known to have been."""

    instant: datetime
    at: float = 0.0
    boot: Boot = Boot()
    """Since when the machine was on then, as far as known."""
    before: datetime | None = None
    """The time by the one that it replaced less than an hour ago."""


class ForgetVersions(DiskWrite, frozen=True, kw_only=True):
    """Delete every stored manifest: the screen was unpaired, and nothing of the old workspace may show again."""


class StoreCommands(DiskWrite, frozen=True, kw_only=True):
    """Store what is known of the commands, before the last of them is carried out."""

    commands: Commands


class AwaitPairing(Action, frozen=True, kw_only=True):
    """Stop polling and heartbeats until the device is paired."""


class StartLink(Action, frozen=True, kw_only=True):
    """The device is paired: poll for manifests and send heartbeats."""


class UseSettings(Action, frozen=True, kw_only=True):
    """Use these intervals, which the service has set."""

    settings: LinkSettings


class TestConnection(Action, frozen=True, kw_only=True):
    """Test the way to the service, and report `ConnectionTested`."""


class Upload(Action, frozen=True, kw_only=True):
    """Send the service a picture of the glass (`screenshot`) or the newest lines of the log (`sendLogs`), and report
    `CommandEnded` with the id of the command."""

    command: str
    what: str


class SendHeartbeat(Action, frozen=True, kw_only=True):
    """Send a heartbeat now: what it tells has changed."""


class RefetchManifest(Action, frozen=True, kw_only=True):
    """Request the whole manifest, whatever etag is known."""


class RecheckAssets(Action, frozen=True):
    """Read this asset on the disk again (hex SHA-256), or every one, and download what is damaged."""

    asset: str | None = None


class PairAgain(Action, frozen=True):
    """Forget the pairing, and ask for a code."""


class ShowPin(Action, frozen=True):
    """Issue a PIN for the page: it comes as `PinChanged`, unless the page has none."""


class Contradict(Action, frozen=True, kw_only=True):
    """The last manifest was older than what the board has: tell the service what the board `holds`, and if more such
    follow, ask less often."""

    holds: str


class StoreFailures(DiskWrite, frozen=True, kw_only=True):
    """Store the count of failures, for the next start."""

    content: bytes


class StoreScreen(DiskWrite, frozen=True, kw_only=True):
    """Store the service's settings of the screen, for the next start."""

    display: ScreenDisplay


class KeepPanel(Action, frozen=True, kw_only=True):
    """Keep the panel like this, and report with `PanelChecked` whether it obeys."""

    order: PanelOrder


class StoreAccess(DiskWrite, frozen=True, kw_only=True):
    """Store who has signed in to the page, and who has tried to."""

    content: bytes


class Restart(Action, frozen=True, kw_only=True):
    """End the player; its supervisor starts it again. `with_compositor`: the display's thread or the compositor answers
    nobody, so neither is waited for, and the supervisor is asked to start both."""

    with_compositor: bool = False
