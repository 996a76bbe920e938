"""Screens: paired display devices."""

from typing import Annotated, Any, Literal

from service.schema.base import ABSENT, Input, Like, Patch, ResponseModel
from service.schema.device import DeviceClock, DeviceFault, DeviceHealth, Presented, Staged
from service.schema.fields import Identifier, InstantText, Name


class ScreenPair(Input):
    """The code that a player shows, and what it is to play where."""

    code: str
    playlist: Identifier
    location: Identifier
    name: Name | None = None


class ScreenPatch(Patch):
    """Fields of a screen to change; `playlist` null takes the screen off the air."""

    name: Name = ABSENT
    playlist: Identifier | None = None
    location: Identifier = ABSENT


class ScreenResponse(ResponseModel):
    """A screen. From `presented` on, what its last heartbeat said."""

    passing = frozenset({"status", "lastSeen", "presented", "staged", "appVersion", "errors", "clock", "health"})

    id: str
    name: str
    location: str
    playlist: str | None
    status: Literal["online", "offline"]
    last_seen: InstantText | None
    created_at: InstantText
    presented: Annotated[dict[str, Any], Like(Presented)] | None
    staged: Annotated[dict[str, Any], Like(Staged)] | None
    app_version: str | None
    errors: list[Annotated[dict[str, Any], Like(DeviceFault)]]
    clock: Annotated[dict[str, Any], Like(DeviceClock)] | None
    health: Annotated[dict[str, Any], Like(DeviceHealth)] | None
