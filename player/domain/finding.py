"""A finding: fault, cause and remedy; plain data."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Severity(StrEnum):
    """Severity of a finding: how much of the board is affected."""

    FAULT = "fault"
    """Something that should show does not, or will not for long."""
    WARNING = "warning"
    """The board plays, but not as it should."""
    NOTE = "note"
    """Correct, if it is intended."""


class Who(StrEnum):
    """People who can fix it."""

    HERE = "here"
    """The person in front of the screen."""
    NETWORK = "network"
    """Whoever runs the network of the shop."""
    OPERATOR = "operator"
    """Whoever looks after menus and screens in the service."""
    SERVICE = "service"
    """Whoever runs the service."""
    NOBODY = "nobody"
    """It mends itself."""


class Words(Struct, frozen=True):
    """Texts of a finding: the fault, the remedy, and who can do it."""

    what: str
    do: str
    who: Who = Who.HERE


class Finding(Struct, frozen=True):
    """A diagnosis: `code` is stable, the rest are sentences for the person in front of the device. `since` is when it
    was first found, None where that is not known."""

    code: str
    severity: Severity
    what: str
    why: str
    do: str
    who: Who = Who.HERE
    since: datetime | None = None


def quoted(name: str) -> str:
    """Puts a name in quotation marks."""
    return f"“{name}”"
