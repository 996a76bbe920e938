"""Heartbeats of paired players, and their answers (docs/protocol.md)."""

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import AfterValidator

from service.schema.base import Input, ResponseModel
from service.schema.devices.command import CommandType
from service.schema.fields import Instant, InstantText, Number, Whole, storable

MAX_REPORTED_ERRORS = 20
MAX_REPORTED_FINDINGS = 10
MAX_REPORTED_RESULTS = 20

ShortText = Annotated[str, MaxLen(200), AfterValidator(storable)]
Sentence = Annotated[str, MaxLen(1000), AfterValidator(storable)]
Counter = Annotated[Whole, Ge(0), Le(2**53)]
Milliseconds = Annotated[Whole, Ge(-(2**53)), Le(2**53)]
"""A clock without a battery is decades off."""


class Presented(Input):
    """The scene or card on the glass."""

    kind: Literal["scene", "house", "pairing", "nothing"]
    playlist_id: ShortText | None = None
    version: Counter | None = None
    revision: Counter | None = None
    scene_id: ShortText | None = None
    entry_id: ShortText | None = None
    override: ShortText | None = None
    since: Instant | None = None
    latency_milliseconds: Milliseconds | None = None


class Staged(Input):
    """A newer version that waits for the loop boundary."""

    playlist_id: ShortText
    version: Counter
    waiting_for: Instant | None = None


class DeviceClock(Input):
    """Whether the player trusts its system clock."""

    state: Literal["trusted", "corrected", "unknown"]
    offset_milliseconds: Milliseconds | None = None


class DeviceHealth(Input):
    """Health of the machine; unknown values are left out."""

    temperature_celsius: Number | None = None
    disk_free_bytes: Counter | None = None
    memory_available_bytes: Counter | None = None
    throttled: bool | None = None


class DeviceError(Input):
    """A part of a document that the player could not use."""

    code: ShortText
    subject: ShortText | None = None
    detail: Sentence | None = None


class DeviceFinding(Input):
    """A diagnosis of the player: what is wrong, what to do about it, who can, and since when."""

    code: ShortText
    severity: ShortText
    what: Sentence
    do: Sentence | None = None
    who: ShortText | None = None
    since: Instant | None = None


class TakenBack(Input):
    """A version that failed on this device: the one before it is back. `code` says why where the device's update guard
    gives codes."""

    version: ShortText
    why: Sentence | None = None
    code: ShortText | None = None


class CommandResult(Input):
    """The result of a command: `done`, `refused` or `failed`, a sentence, and when."""

    id: ShortText
    outcome: ShortText
    detail: Sentence | None = None
    at: Instant | None = None


class Heartbeat(Input):
    """A player's report about itself."""

    sequence: Counter
    boot_id: ShortText
    run_id: ShortText | None = None
    app_version: ShortText
    presented: Presented
    staged: Staged | None = None
    display_power: ShortText | None = None
    clock: DeviceClock | None = None
    health: DeviceHealth | None = None
    taken_back: TakenBack | None = None
    findings: Annotated[list[DeviceFinding], MaxLen(MAX_REPORTED_FINDINGS)] = []  # noqa: RUF012  (pydantic copies it)
    errors: Annotated[list[DeviceError], MaxLen(MAX_REPORTED_ERRORS)] = []  # noqa: RUF012  (pydantic copies it)
    results: Annotated[list[CommandResult], MaxLen(MAX_REPORTED_RESULTS)] = []  # noqa: RUF012  (pydantic copies it)

    def report(self) -> dict[str, Any]:
        """Returns the report as the screen resource shows it, as JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"results"})


class PlayerSettings(ResponseModel):
    """The intervals of a player's calls."""

    wait_seconds: int
    poll_seconds: int
    heartbeat_seconds: int


class HeartbeatScreen(ResponseModel):
    """The screen that the player is paired as. `display` has the settings of its panel; a player before 0.4.0 does not
    read it."""

    id: str
    name: str
    display: dict[str, Any]


class PlayerCommand(ResponseModel):
    """A command, as the player gets it."""

    id: str
    type: CommandType


class HeartbeatResponse(ResponseModel):
    """The answer to a heartbeat."""

    server_time: InstantText
    screen: HeartbeatScreen
    settings: PlayerSettings
    commands: list[PlayerCommand]
    wanted_version: str | None
    manifest_etag: str | None
    """Entity tag of the screen's manifest as it is now; null while that is being composed."""
    two_devices: bool
    """Whether another device calls as this screen, too."""


class UploadResponse(ResponseModel):
    """The answer to a picture or a log."""

    received_at: InstantText
