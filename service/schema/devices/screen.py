"""Screens: paired display devices."""

import re
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, model_validator

from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.devices.device import (
    DeviceClock,
    DeviceError,
    DeviceFinding,
    DeviceHealth,
    Presented,
    Staged,
    TakenBack,
)
from service.schema.devices.rollout import Tags
from service.schema.fields import Identifier, InstantText, Label, Name, Number, TextSchema, fault
from service.schema.places.location import Rotation

MAX_OVERSCAN = 10
"""Percent of each side that a panel's frame may hide."""

MAX_CONFIRMED = 500
"""Screens of one call."""

MAX_CHANGED = 1000
"""Screens that one call changes."""

MODE = r"[0-9]{3,5}x[0-9]{3,5}(@[0-9]{1,3}(\.[0-9]{1,3})?)?"


def _mode(text: str) -> str:
    if not re.fullmatch(MODE, text):
        raise fault("not_a_mode", "A mode is WIDTHxHEIGHT, or WIDTHxHEIGHT@HERTZ, such as 1920x1080@60.")
    return text


PanelMode = Annotated[str, AfterValidator(_mode), TextSchema(pattern=f"^{MODE}$", examples=["1920x1080@60"])]


class ScreenPair(Input):
    """The code that a player shows, and the playlist and location of the new screen."""

    code: str
    playlist: Identifier
    location: Identifier
    name: Name | None = None


class ScreenReplace(Input):
    """The code that the new device shows."""

    code: str


class ScreenDisplay(Input):
    """Settings of the screen's panel; null leaves a setting to the location or to the device, whose own settings come
    first. `rotation` in degrees, `overscan` in percent of each side; a `mode` is `1920x1080` or `1920x1080@60`; `power`
    says whether the panel is off outside the opening hours."""

    rotation: Rotation | None = None
    overscan: Annotated[Number, Ge(0), Le(MAX_OVERSCAN)] | None = None
    mode: PanelMode | None = None
    power: Literal["hours", "always"] | None = None


class ScreenPatch(Patch):
    """Fields of a screen to change; with `playlist` null the screen plays nothing. `display` is replaced as a whole."""

    name: Name = ABSENT
    playlist: Identifier | None = None
    location: Identifier = ABSENT
    display: ScreenDisplay = ABSENT
    tags: Tags = ABSENT


class ScreenChoice(Input):
    """Which screens to change: those of the list, those with the tag, or those at the location or in the group."""

    screens: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_CHANGED)] | None = None
    tag: Label | None = None
    location: Identifier | None = None
    group: Identifier | None = None

    @model_validator(mode="after")
    def _one_of_four(self) -> "ScreenChoice":
        if sum(part is not None for part in (self.screens, self.tag, self.location, self.group)) != 1:
            raise fault("ambiguous", "Screens are chosen by one of screens, tag, location and group.")
        return self


class ScreensPatch(Patch):
    """The screens to change, and the fields to change in each of them, as in a change of one."""

    choose: ScreenChoice
    playlist: Identifier | None = None
    location: Identifier = ABSENT
    display: ScreenDisplay = ABSENT
    tags: Tags = ABSENT


class ScreensConfirm(Input):
    """The screens to confirm."""

    screens: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_CONFIRMED)]


class ScreensConfirmed(ResponseModel):
    """The number of screens that had been waiting."""

    confirmed: int


class ScreenResponse(ResponseModel):
    """A screen; one that is `waiting` gets no menu until it is confirmed. The fields from `displayPower` on come from
    its last heartbeat: `on`, or `off_by_schedule` outside the opening hours of its location."""

    volatile = frozenset(
        {
            *("status", "lastSeen", "displayPower", "presented", "staged"),
            *("appVersion", "findings", "errors", "clock", "health", "takenBack"),
        }
    )

    id: str
    name: str
    location: str
    playlist: str | None
    plays_meanwhile: str | None
    """The playlist that it plays until `playlist`, which was never published, has a version."""
    tags: list[str]
    waiting: bool
    status: Literal["online", "offline"]
    last_seen: InstantText | None
    created_at: InstantText
    display: Annotated[dict[str, Any], SchemaOf(ScreenDisplay)]
    display_power: str | None
    presented: Annotated[dict[str, Any], SchemaOf(Presented)] | None
    staged: Annotated[dict[str, Any], SchemaOf(Staged)] | None
    app_version: str | None
    findings: list[Annotated[dict[str, Any], SchemaOf(DeviceFinding)]]
    errors: list[Annotated[dict[str, Any], SchemaOf(DeviceError)]]
    clock: Annotated[dict[str, Any], SchemaOf(DeviceClock)] | None
    health: Annotated[dict[str, Any], SchemaOf(DeviceHealth)] | None
    taken_back: Annotated[dict[str, Any], SchemaOf(TakenBack)] | None
