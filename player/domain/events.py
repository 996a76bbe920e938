"""Events that the other parts report to the conductor: one frozen class for each kind; plain data."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from menu.documents.manifest import LinkSettings, Manifest, VersionKey
from player.domain.commands import Outcome
from player.domain.link.connection import ConnectionTest
from player.domain.link.fault import Fault
from player.domain.machine import Glass
from player.domain.pairing.access import Pin
from player.domain.pairing.pairing import Code, EnrolmentRefusal, Refusal
from player.domain.panel.panel import ScreenDisplay
from player.domain.recovery.liveness import FaultCode


class Event(Struct, frozen=True): ...


class PairingChanged(Event, frozen=True, kw_only=True):
    """Changed pairing facts, which are on disk already."""

    screen_id: str | None = None
    """Id of the screen whose token the device has, refused or not."""
    code: Code | None = None
    """To be shown: a new one, or the one from before a restart."""
    refusal: Refusal | None = None
    """The kind of the refusal, once the token was refused twice, at least a minute apart. The board goes on."""
    enrolment: EnrolmentRefusal | None = None
    """Why the device's enrolment token did not make the code unnecessary."""
    is_new: bool = False
    """Whether the device has just become this screen."""
    screen_name: str = ""
    locale: str = ""
    """Name and locale of a new screen and its location; empty where the service does not tell."""
    forgets: bool = False
    """Whether the programs on the disk are not this screen's: another workspace's, or revoked with the grace over."""


class ServiceAnswered(Event, frozen=True, kw_only=True):
    """A call was answered according to the protocol; `call` is a `Call`. `held_seconds` is how long the service held
    its request: the time since it was sent."""

    call: str
    held_seconds: float = 0.0


class ServiceFailed(Event, frozen=True, kw_only=True):
    """A call failed; `detail` is a sentence for a technician, without secrets."""

    call: str
    fault: Fault
    detail: str


class ServiceSilent(Event, frozen=True):
    """A call that is usually answered at once has had no answer for seconds; it may still come."""


class NetworkChanged(Event, frozen=True, kw_only=True):
    """A change of the network: an adapter, an address, a default route. `lost` is how often a cable or a Wi-Fi was lost
    since the last such event."""

    lost: int = 0


class ConnectionTested(Event, frozen=True, kw_only=True):
    """A finished test of the connection to the service."""

    test: ConnectionTest


class ManifestArrived(Event, frozen=True, kw_only=True):
    """A manifest that differs from the last one, and its body, to be stored."""

    manifest: Manifest
    body: bytes


class Command(Struct, frozen=True, kw_only=True):
    """A command of the operator to the device."""

    id: str
    type: str


class HeartbeatWanted(Event, frozen=True, kw_only=True):
    """Service's request for an immediate heartbeat: it has a command."""


class CommandEnded(Event, frozen=True, kw_only=True):
    """A command that another part has carried out or failed; `detail` is a sentence for the operator."""

    id: str
    outcome: Outcome
    detail: str


class HeartbeatAnswered(Event, frozen=True, kw_only=True):
    """`server_time` was true at the middle of the exchange: `sent` and `received` are monotonic seconds. `told` are the
    ids of the commands whose results the heartbeat carried."""

    server_time: datetime
    sent: float
    received: float
    screen_name: str
    settings: LinkSettings
    commands: tuple[Command, ...] = ()
    told: tuple[str, ...] = ()
    display: ScreenDisplay | None = None
    """The settings of the screen's panel; None where the service does not tell."""
    wanted_version: str = ""
    """The version that the service wants this player to run; empty where it names none."""
    two_devices: bool = False
    """Whether another device calls as this screen, too."""


class AssetsVerified(Event, frozen=True, kw_only=True):
    """Every asset of this version is on disk, with the right size and hash."""

    key: VersionKey


class AssetsMissing(Event, frozen=True, kw_only=True):
    """These assets (hex SHA-256) are not on disk, or not whole, and why: None until they have been requested;
    `remaining` counts those still to download."""

    key: VersionKey
    reasons: dict[str, str | None] = field(default_factory=dict)
    remaining: int = 0


class PartFailed(Event, frozen=True, kw_only=True):
    """A part of the player, or a file of the state directory, has failed or lacks something that it needs. The others
    continue, and no stored data is lost."""

    subject: str
    code: str = "part_failed"
    detail: str


class PartWell(Event, frozen=True, kw_only=True):
    """These parts or files work: an earlier fault of theirs is over."""

    subjects: frozenset[str]


class FramePresented(Event, frozen=True, kw_only=True):
    """A swapped frame that carries order `serial`; `at` is monotonic seconds."""

    serial: int
    at: float


class OrderFailed(Event, frozen=True, kw_only=True):
    """Order `serial` is not displayed correctly: `code` is one of the display's own `FaultCode`s."""

    serial: int
    code: FaultCode
    detail: str


class DisplayChecked(Event, frozen=True, kw_only=True):
    """Display's signs of life, once a second. `turned_at` is when its loop last ran, `frame_asked_at` when it requested
    the frame that has not been swapped yet; monotonic seconds. `frames_seen`: whether a frame could be visible."""

    turned_at: float
    has_screen: bool = True
    frames_seen: bool = True
    frame_asked_at: float | None = None
    building: tuple[VersionKey, str] | None = None
    """The scene (by id) that the display builds at this moment."""
    frames_late: bool = False
    """Whether frames have come late for some time."""
    glass: Glass | None = None
    """None where the player does not fill a screen."""


class PanelChecked(Event, frozen=True, kw_only=True):
    """Whether the panel is in the required state, as far as detectable. `offered` are its modes, if it lacks the wanted
    one; `managed`: something on this machine can switch it."""

    obeys: bool = True
    managed: bool = True
    offered: tuple[str, ...] | None = None


class WidgetUndrawable(Event, frozen=True, kw_only=True):
    """A part that the display could not draw as specified: `subject` is `scene id/widget id`; `asset` is the file (hex
    SHA-256) at fault, empty where there is none."""

    subject: str
    code: str
    detail: str
    asset: str = ""


class WidgetDrawn(Event, frozen=True, kw_only=True):
    """A part `subject` that the display draws without these faults, as far as it had any of them."""

    subject: str
    codes: frozenset[str]


class ClockChecked(Event, frozen=True, kw_only=True):
    """Whether the system's clock is synchronised, and whether wall time `stepped` against the monotonic clock."""

    synchronised: bool
    stepped: bool


class Health(Struct, frozen=True, kw_only=True, rename="camel"):
    """Measurements of the machine; None where it has none. Bytes, degrees Celsius."""

    temperature_celsius: float | None = None
    disk_free_bytes: int | None = None
    memory_available_bytes: int | None = None
    memory_kills: int | None = None
    """Programs that the system has ended since it was switched on, because memory ran out."""
    throttled: bool | None = None
    disk_read_only: bool | None = None
    disk_failing: bool | None = None
    """Whether the file system has protected itself from errors of its disk, or cannot even be asked for them."""
    disk_free_files: int | None = None
    """The number of further files that the disk can hold; None where it has no such limit."""
    disk_sync_seconds: float | None = None
    """The least time that each of the last small files took until it was on the disk."""
    under_voltage: bool | None = None
    """Whether the power supply is too weak now, or has been since the machine was switched on."""
    no_way_back: str = ""
    """Why an update of the player that fails cannot be taken back; empty where it can be."""
    refused_repositories: tuple[str, ...] = ()
    """Addresses of the repositories that are not signed with a key of this device."""


class HealthRead(Event, frozen=True, kw_only=True):
    """New measurements of the machine. `wifi_signal` is in dBm, of the Wi-Fi that leads out of the shop."""

    health: Health
    wifi_signal: int | None = None


class AddressesRead(Event, frozen=True, kw_only=True):
    """Device's addresses in the network of the shop, and those of its page there (as people type them); `pages` is
    empty while only the device itself can open the page."""

    addresses: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


class DetailsAsked(Event, frozen=True, kw_only=True):
    """F1 was pressed on an attached keyboard: shows which screen this is and what is wrong, or hides it."""


class TimePassed(Event, frozen=True, kw_only=True):
    """A wake-up is due: ask the timeline again."""


class StaffAction(StrEnum):
    """Actions of the page, by their names in its URLs."""

    IDENTIFY = "identify"
    RELOAD = "reload"
    """Look for changes now."""
    FETCH = "fetch"
    """Check every file, and fetch those that are damaged."""
    TEST = "test"
    """Test the way to the service."""
    RESTART = "restart"
    PAIR = "pair"
    """Forget the pairing and the menu, and show a code."""


class StaffAsked(Event, frozen=True, kw_only=True):
    """Somebody in front of the screen requests this, by its page."""

    action: StaffAction


class PinAsked(Event, frozen=True):
    """Somebody who cannot be a guest requests the page's PIN on the screen."""


class PinChanged(Event, frozen=True, kw_only=True):
    """A PIN for the page is to be shown, in place of another one; None: it was used, or guessed at too often."""

    pin: Pin | None
