"""JSON documents of the service's answers, validated here once; unknown fields are ignored."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from menu.documents.manifest import LinkSettings
from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.domain.panel.panel import ScreenDisplay, within_bounds

MAX_COMMANDS = 20
"""Commands of one heartbeat answer that are read; the rest is ignored."""

MAX_TEXT = 500

_SIX_LETTERS = re.compile(r"[A-Z]{6}")

_Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
_Address = Annotated[str, Meta(max_length=MAX_TEXT, pattern=r"^https?://[!-~]+$")]
_Secret = Annotated[str, Meta(max_length=MAX_TEXT, pattern=r"^[A-Za-z0-9._~+/=-]+$")]
_Number = Annotated[float, Meta(ge=0, le=1e9)]


class DeviceAuthorization(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing code (RFC 8628, section 3.2); times in seconds."""

    device_code: _Secret
    user_code: Annotated[str, Meta(max_length=20, pattern=r"^[A-Za-z0-9 -]+$")]
    verification_uri: _Address
    verification_uri_complete: _Address | None = None
    expires_in: _Number
    interval: _Number = 5.0
    enrolment: Annotated[str, Meta(max_length=MAX_TEXT)] | None = None

    @property
    def shown_code(self) -> str:
        """Pairing code as it is shown: `WDJ-BMJ`."""
        code = re.sub(r"[ -]", "", self.user_code).upper()
        return f"{code[:3]}-{code[3:]}" if _SIX_LETTERS.fullmatch(code) else self.user_code


class TokenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A token (RFC 6749, section 5.1), with the id of the screen that the device has become."""

    access_token: _Secret
    token_type: str
    screen_id: _Text
    screen_name: str = ""
    locale: str = ""
    workspace_id: Annotated[str, Meta(max_length=MAX_TEXT)] = ""


class ScreenFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Screen's name as the operator gave it, and its settings; `display` is decoded on its own."""

    name: str = ""
    display: msgspec.Raw = msgspec.Raw(b"")

    def readable_display(self) -> ScreenDisplay | None:
        """Settings of the screen's panel; None if the service sends none, or they cannot be read."""
        raw = decoded(bytes(self.display), dict[str, msgspec.Raw]) if self.display else None
        if raw is None:
            return None
        known = {each.name: decoded(bytes(raw.get(each.name, b"null")), each.type) for each in fields(ScreenDisplay)}
        return within_bounds(ScreenDisplay(**known))


class RawCommand(msgspec.Struct, frozen=True, kw_only=True):
    id: _Text
    type: _Text


WANTED_VERSION = re.compile(r"[0-9][0-9A-Za-z.+~:-]{0,99}")
"""The form of a version."""


class HeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`settings` and each of `commands` are decoded on their own, so that an invalid one costs nothing else."""

    server_time: Annotated[datetime, Meta(tz=True)]
    screen: ScreenFacts = ScreenFacts()
    settings: msgspec.Raw = msgspec.Raw(b"{}")
    commands: list[msgspec.Raw] = []
    wanted_version: msgspec.Raw = msgspec.Raw(b"null")
    manifest_etag: msgspec.Raw = msgspec.Raw(b"null")
    two_devices: msgspec.Raw = msgspec.Raw(b"false")

    def readable_version(self) -> str:
        """Version that this player should run; empty if the service names none."""
        version = decoded(bytes(self.wanted_version), str) or ""
        return version if WANTED_VERSION.fullmatch(version) else ""

    def readable_etag(self) -> str | None:
        """Entity tag of the newest manifest; None if the service sends none."""
        return decoded(bytes(self.manifest_etag), str)

    def readable_settings(self) -> LinkSettings:
        """Settings within their bounds; the defaults if they cannot be read."""
        return (decoded(bytes(self.settings), LinkSettings) or LinkSettings()).bounded()

    def readable_commands(self) -> list[RawCommand]:
        """Valid commands."""
        return [
            command for raw in self.commands[:MAX_COMMANDS] if (command := decoded(bytes(raw), RawCommand)) is not None
        ]


T = TypeVar("T")


def decoded(body: bytes, kind: type[T]) -> T | None:
    """Decodes the document; None if it is not what the protocol defines."""
    try:
        return msgspec.json.decode(body, type=kind)
    except NOT_THE_DOCUMENT:
        return None
