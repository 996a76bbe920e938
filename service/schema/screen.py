"""Screens: paired display devices."""

from typing import Any, Literal

from service.schema.base import ABSENT, Input, Patch, View
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


class ScreenView(View):
    """A screen. From `presented` on, what its last heartbeat said."""

    passing = frozenset({"status", "lastSeen", "presented", "staged", "appVersion", "errors", "clock", "health"})

    id: str
    name: str
    location: str
    playlist: str | None
    status: Literal["online", "offline"]
    last_seen: InstantText | None
    created_at: InstantText
    presented: dict[str, Any] | None
    staged: dict[str, Any] | None
    app_version: str | None
    errors: list[dict[str, Any]]
    clock: dict[str, Any] | None
    health: dict[str, Any] | None
