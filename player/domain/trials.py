"""Decides whether a video during which players have crashed may be decoded; the port to the record of crashes; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

MOST_CRASHES = 2
"""Crashes during a video after which it is not decoded any more: one power cut, or one kill, bans nothing."""
CRASHES_COUNT_FOR = timedelta(days=1)
"""Crashes are forgotten this long after the last one."""


class Verdict(Enum):
    """Whether a video may be decoded."""

    PLAY = "play"
    WAIT = "wait"
    """Not while another suspect is on trial: of two at a time it is not known which one crashes the player."""
    BANNED = "banned"


class Trials(Protocol):
    """Videos on trial. A video (hex SHA-256) is on trial from its first decoder until it is proved or all its decoders
    are closed; if the process dies in between, the next one knows. Calls may block on the disk, and raise nothing."""

    def begin(self, decoder: int, video: str, now: datetime) -> Verdict:
        """Call before a decoder, named by a number, gets the video's bytes; `now` is wall time."""
        ...

    def prove(self, video: str) -> None:
        """The video was decoded without a crash: in this process it is not on trial any more."""
        ...

    def end(self, decoder: int) -> None:
        """The decoder is closed, or could not be made."""
        ...


def verdict(crashes: int, *, beside_suspect: bool) -> Verdict:
    """The verdict on a video with this many crashes; `beside_suspect`: another such video is on trial."""
    if crashes >= MOST_CRASHES:
        return Verdict.BANNED
    return Verdict.WAIT if crashes and beside_suspect else Verdict.PLAY
