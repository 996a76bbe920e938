"""Announcement of a player to its network: nothing secret; pure."""

from __future__ import annotations

import re

from msgspec import Struct

from player.domain.finding import Severity
from player.domain.plain_line import plain_line
from player.domain.state import PlayerState

MAX_NAME_BYTES = 200
"""Length of a screen's name in UTF-8: a string of a TXT record has 255 bytes at most (RFC 6763, section 6.1)."""

MAX_LABEL_BYTES = 63
"""Length of the announcement's name, a label of the DNS (RFC 1035, section 2.3.4)."""

UNNAMED = "Menu board"


CONDITIONS = (Severity.FAULT.value, Severity.WARNING.value, "ok")
"""The state of a board, in one word."""


class Announcement(Struct, frozen=True, kw_only=True):
    """`page` is http or https, and `port` the diagnostics page's; empty and 0 where there is none."""

    name: str
    short_id: str
    version: str
    condition: str
    page: str = ""
    port: int = 0

    @property
    def label(self) -> str:
        """Name shown in lists. Not the exact name: programs that split names at dots would get too many parts."""
        name = " ".join(re.sub(r"[.\W]", " ", self.name or UNNAMED).split()) or UNNAMED
        return f"{_cut(name, MAX_LABEL_BYTES - len(self.short_id) - 1)} {self.short_id}"

    @property
    def texts(self) -> dict[str, str]:
        """Fields of the TXT record."""
        fields = {
            "txtvers": "1",
            "name": _cut(self.name, MAX_NAME_BYTES),
            "id": self.short_id,
            "version": self.version,
            "state": self.condition,
        }
        return {**fields, "page": self.page} if self.page else fields


def announcement_of(state: PlayerState, *, page: str = "", port: int = 0) -> Announcement:
    severities = {finding.severity.value for finding in state.findings}
    return Announcement(
        name=plain_line(state.pairing.screen_name or ""),
        short_id=state.device.short_id,
        version=state.device.app_version,
        condition=next(each for each in CONDITIONS if each in {*severities, "ok"}),
        page=page,
        port=port,
    )


def _cut(text: str, most: int) -> str:
    return text.encode(errors="replace")[:most].decode(errors="ignore")
