"""Screens: paired display devices."""

from typing import Annotated, Any, Literal

from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.device import DeviceClock, DeviceError, DeviceFinding, DeviceHealth, Presented, Staged
from service.schema.fields import Identifier, InstantText, Name


class ScreenPair(Input):
    """The code that a player shows, and the playlist and location of the new screen."""

    code: str
    playlist: Identifier
    location: Identifier
    name: Name | None = None


class ScreenPatch(Patch):
    """Fields of a screen to change; with `playlist` null the screen plays nothing."""

    name: Name = ABSENT
    playlist: Identifier | None = None
    location: Identifier = ABSENT


class ScreenResponse(ResponseModel):
    """A screen. The fields from `presented` on come from its last heartbeat."""

    volatile = frozenset(
        {"status", "lastSeen", "presented", "staged", "appVersion", "findings", "errors", "clock", "health"}
    )

    id: str
    name: str
    location: str
    playlist: str | None
    status: Literal["online", "offline"]
    last_seen: InstantText | None
    created_at: InstantText
    presented: Annotated[dict[str, Any], SchemaOf(Presented)] | None
    staged: Annotated[dict[str, Any], SchemaOf(Staged)] | None
    app_version: str | None
    findings: list[Annotated[dict[str, Any], SchemaOf(DeviceFinding)]]
    errors: list[Annotated[dict[str, Any], SchemaOf(DeviceError)]]
    clock: Annotated[dict[str, Any], SchemaOf(DeviceClock)] | None
    health: Annotated[dict[str, Any], SchemaOf(DeviceHealth)] | None
