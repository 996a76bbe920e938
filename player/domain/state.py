"""PlayerState, the one frozen snapshot that display, heartbeat and diagnostics read; plain data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, Location, Rejection, VersionKey
from menu.rules.timeline import OtherEntry, Unshowable
from player.domain.commands import Result
from player.domain.events import Health, PairingChanged
from player.domain.finding import Finding
from player.domain.link.connection import ConnectionTest
from player.domain.link.contact import Contact
from player.domain.machine import Glass
from player.domain.pairing.pairing import Code, EnrolmentRefusal, Refusal
from player.domain.panel.panel import PanelFacts
from player.domain.standstill import Standstill
from player.domain.time.clock import ClockState
from player.domain.view import HouseCard, View

SETTLED = timedelta(minutes=1)
"""A finding that has been there for so long is told, or follows from another one."""


class PairingPhase(StrEnum):
    UNPAIRED = "unpaired"
    """No code yet."""
    WAITING = "waiting"
    """A code is on the screen."""
    PAIRED = "paired"


class Kind(StrEnum):
    SCENE = "scene"
    HOUSE = "house"
    PAIRING = "pairing"
    NOTHING = "nothing"


class HouseReason(StrEnum):
    """Reason why the house card is shown instead of a scene."""

    WAITING_FOR_PROGRAM = "waiting_for_program"
    """Paired, but no manifest has arrived yet."""
    FETCHING = "fetching"
    """The assets of the first version are being downloaded."""
    NO_PLAYLIST = "no_playlist"
    """The screen has no playlist; or, where the service does not tell, one without a published version."""
    NEVER_PUBLISHED = "never_published"
    """The screen's playlist has no published version."""
    PLAYLIST_EMPTY = "playlist_empty"
    NOTHING_SCHEDULED = "nothing_scheduled"
    NOTHING_SHOWABLE = "nothing_showable"
    """Entries are scheduled, but none of them can be shown."""


class TakenBack(Struct, frozen=True, kw_only=True, rename="camel"):
    """A version that failed on this device, and why: the one before it is back. Update guards up to 0.5.0 give no
    code."""

    version: str
    why: str
    code: str = ""


class Device(Struct, frozen=True, kw_only=True, rename="camel"):
    """Facts that do not change while the player runs."""

    device_id: str = field(name="id")
    boot_id: str
    app_version: str
    service: str
    started_at: datetime
    zone: str = ""
    """The time zone that is set on the device; empty where it may be that of its system's makers. Boards go by that of
    their location."""
    taken_back: TakenBack | None = None

    @property
    def short_id(self) -> str:
        """Six letters that distinguish screens: among a hundred, two have the same in one place of 3,400."""
        return self.device_id[:6].upper()


class PairingFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    """Pairing in the snapshot. `code` is None in every phase but WAITING. `refusal` is the service's refusal of the
    screen's token, None while it is accepted or there is none."""

    phase: PairingPhase = PairingPhase.UNPAIRED
    code: Code | None = None
    screen_id: str | None = None
    screen_name: str | None = None
    refusal: Refusal | None = None
    enrolment: EnrolmentRefusal | None = None
    """Why the device's enrolment token has not made it a screen."""
    from_another_device: bool = False
    """Whether the disk was another device's, so that this one is to be paired."""
    two_devices: bool = False
    """Whether another device calls the service as this screen, too."""

    def changed(self, event: PairingChanged) -> PairingFacts:
        """Applies a change. Facts that heartbeats have reported stay with the screen."""
        if event.screen_id is not None and event.refusal is None:
            phase = PairingPhase.PAIRED
        else:
            phase = PairingPhase.UNPAIRED if event.code is None else PairingPhase.WAITING
        before = PairingFacts() if event.is_new or event.forgets else self
        return replace(
            before,
            phase=phase,
            code=event.code,
            screen_id=event.screen_id,
            screen_name=event.screen_name or before.screen_name,
            refusal=event.refusal,
            enrolment=event.enrolment,
        )


class RunningFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    """Running version; its loops are counted from `published_at`."""

    key: VersionKey
    name: str
    published_at: datetime
    entries: int
    missing: Mapping[str, str | None] = field(default_factory=dict)
    """Its assets that are not on disk (hex SHA-256), and why: None as long as they have not been asked for."""


class StagedFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    """Staged version. `key` is None if the playlist is unassigned, `takes_over_at` while no boundary is fixed. `assets`
    counts all that the version needs, `since` is when it came."""

    key: VersionKey | None
    assets_remaining: int
    missing: Mapping[str, str | None]
    takes_over_at: datetime | None
    assets: int = 0
    since: datetime | None = None
    unpublished: str | None = None
    """Where `key` is None: as `PlayerState.unpublished`."""


class Showing(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of the timeline for now; with a house card, `until` is when something may show."""

    kind: Kind = Kind.NOTHING
    house_reason: HouseReason | None = None
    entry_id: str | None = None
    scene_id: str | None = None
    scene_name: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    loop: int | None = None
    loop_boundary: datetime | None = None
    next_scheduled: datetime | None = None
    override: str | None = None
    """The id of the override of which the entry is."""
    others: tuple[OtherEntry, ...] = ()


class OverrideFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    """An override: `name` is that of its playlist or scene. `is_due` while its time has come and no later one shows;
    `waits_for` is what it then lacks, by scene."""

    id: str
    name: str
    reason: str
    starts_at: datetime
    until: datetime
    is_due: bool = False
    shows: bool = False
    waits_for: tuple[tuple[str, Unshowable], ...] = ()


class Presented(Struct, frozen=True, kw_only=True, rename="camel"):
    """Displayed view: `since` is when the first frame of this showing was swapped, `at` when that of the last change
    was. `latency` is from the commit of `revision` on the service to the swap of the first frame with it, which was at
    `revised_at`."""

    serial: int = 0
    kind: Kind = Kind.NOTHING
    key: VersionKey | None = None
    revision: int | None = None
    scene_id: str | None = None
    entry_id: str | None = None
    override: str | None = None
    history: str | None = None
    """The manifest's word on the values of this revision, for the service."""
    language: str | None = None
    """Where its showings are in different ones."""
    since: datetime | None = None
    at: datetime | None = None
    latency: timedelta | None = None
    revised_at: datetime | None = None


class PlayerState(Struct, frozen=True, kw_only=True, rename="camel"):
    """State of the whole player at `at` (true time as far as known), when the monotonic clock read `monotonic`."""

    at: datetime
    device: Device
    pairing: PairingFacts
    contact: Contact = field(default_factory=Contact)
    settings: LinkSettings = field(default_factory=LinkSettings)
    clock: ClockState
    location: Location | None = None
    running: RunningFacts | None = None
    staged: StagedFacts | None = None
    overrides: tuple[OverrideFacts, ...] = ()
    """The newest last."""
    revision: int | None = None
    revision_at: datetime | None = None
    serial: int = 0
    """The revision of the newest order, which is on the glass once `presented.serial` has reached it."""
    view: View = field(default_factory=HouseCard)
    showing: Showing = field(default_factory=Showing)
    presented: Presented = field(default_factory=Presented)
    rejections: tuple[Rejection, ...] = ()
    faults: tuple[Rejection, ...] = ()
    """Faults of the display and of the player itself that keep the board from showing its scenes."""
    locale: str = "en"
    """In what language the device speaks: its location's, once that is known."""
    is_live: bool = True
    """Whether what was ordered is on the glass, or still may take its time: else the watchdog is not fed."""
    health: Health = field(default_factory=Health)
    wifi_signal: int | None = None
    """dBm, of the Wi-Fi that leads out of the shop."""
    glass: Glass | None = None
    """None where the player does not fill a screen."""
    panel: PanelFacts = field(default_factory=PanelFacts)
    frames_late: bool = False
    addresses: tuple[str, ...] = ()
    """Addresses of the device, in the network of the shop."""
    pages: tuple[str, ...] = ()
    """Addresses of the device's page, as a phone in the shop opens it."""
    connection: ConnectionTest | None = None
    """The newest test of the connection, None before the first."""
    links_lost: tuple[datetime, ...] = ()
    """When a cable or a Wi-Fi was lost, the newest last; few, and not long ago."""
    clock_differs: timedelta | None = None
    """The service's time minus the system's, in whole seconds, used or not; None where they agree, or it is unknown."""
    unpublished: str | None = None
    """Where the service sends no version: the name of the screen's playlist, which was never published; empty if the
    screen has none, None if the service does not tell."""
    results: tuple[Result, ...] = ()
    """Results of the operator's commands that the service does not know yet."""
    crashes: int = 0
    """The number of times that the player has died since the device was started, of the last day."""
    wanted_version: str | None = None
    """The version of the player that the service wants here; empty where it names none, None before its answer."""
    standstill: Standstill | None = None
    """Why the player cannot be asked; None while it speaks for itself."""
    monotonic: float = 0.0
    found: Mapping[str, datetime] = field(default_factory=dict)
    """Since when each finding has been there, by its code: also one that is not told yet."""
    findings: tuple[Finding, ...] = ()
    """The findings of this snapshot, the one to act on first."""

    @property
    def is_at_rest(self) -> bool:
        """Whether the order is displayed, and only time can change its report."""
        is_new = any(self.at - since < SETTLED for since in self.found.values())
        return self.presented.serial == self.serial and not is_new and not self.contact.failing

    def as_of(self, monotonic: float) -> PlayerState:
        """Returns the state at another reading of the monotonic clock: a snapshot holds until the next one is
        published. It does not reflect later steps of the wall clock."""
        return replace(self, at=self.at + timedelta(seconds=monotonic - self.monotonic), monotonic=monotonic)
