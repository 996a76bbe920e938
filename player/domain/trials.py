"""Owns what becomes of a video over which a player has died, and the port to where that is remembered; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

MOST_CRASHES = 2
"""Players that have died over a video, after which it is not decoded: one power cut, or one kill, bans nothing."""
CRASHES_COUNT_FOR = timedelta(days=1)
"""What has died over a video is forgotten this long after the last of it."""


class Verdict(Enum):
    """Whether a video may be decoded."""

    PLAY = "play"
    WAIT = "wait"
    """Not beside another one: a player has died over each, and one at a time shows whose fault it was."""
    BANNED = "banned"


class Trials(Protocol):
    """A video (hex SHA-256) is on trial from its first decoder on, until it has proved itself or all its decoders are
    closed; where the process dies in between, the next one knows. Calls may block on the disk, and raise nothing."""

    def begin(self, decoder: int, video: str, now: datetime) -> Verdict:
        """Before a decoder, named by a number, gets the video's bytes; `now` is wall time."""
        ...

    def prove(self, video: str) -> None:
        """It was decoded and nobody died: in this process it is on trial no more."""
        ...

    def end(self, decoder: int) -> None:
        """The decoder is closed, or never came to be."""
        ...


def verdict(crashes: int, *, beside_suspect: bool) -> Verdict:
    """What to do with a video over which so many players have died; whether another such one is on trial."""
    if crashes >= MOST_CRASHES:
        return Verdict.BANNED
    return Verdict.WAIT if crashes and beside_suspect else Verdict.PLAY
