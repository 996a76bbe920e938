"""The short id of a device, by which people tell screens apart; pure."""

from __future__ import annotations

SHORT_ID_LENGTH = 6
"""Letters of a short id: among a hundred screens, two have the same one in one place of 3,400. They have names, too."""


def short_id(device_id: str) -> str:
    """The beginning of the id, in capitals: `7F3A9C`."""
    return device_id[:SHORT_ID_LENGTH].upper()
