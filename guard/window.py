"""Decides when a machine fetches updates: in its window, each machine at its own moment of it; pure.

The window is in the time of the board's location. A machine that is switched off in every window, as at night, fetches
them after `MISSED_AFTER` within the first minutes after a start.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, time, timedelta
from typing import NamedTuple

SPREAD = 0.75
"""The part of the window over which machines begin: the rest is for those that began last."""

MISSED_AFTER = timedelta(days=7)
STARTING_SECONDS = 900.0
SETTLED_SECONDS = 120.0
"""Since the start of the machine: when a missed update may begin."""


class Window(NamedTuple):
    """From `begin` to `end`, which may be on the next day."""

    begin: time
    end: time

    @classmethod
    def read(cls, text: str) -> Window | None:
        """`03:00-05:00`; None if it is nothing of the kind."""
        found = re.fullmatch(r"\s*(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)\s*", text)
        if found is None:
            return None
        try:
            hours = [int(part) for part in found.groups()]
            window = cls(time(hours[0], hours[1]), time(hours[2], hours[3]))
        except ValueError:
            return None
        return window if window.begin != window.end else None

    def begun(self, now: datetime) -> datetime | None:
        """When the window that is open now began; None if none is open."""
        today = datetime.combine(now.date(), self.begin, now.tzinfo)
        for began in (today, today - timedelta(days=1)):
            if began <= now < began + self.length:
                return began
        return None

    @property
    def length(self) -> timedelta:
        """How long it is open."""
        minutes = (self.end.hour - self.begin.hour) * 60 + self.end.minute - self.begin.minute
        return timedelta(minutes=minutes % (24 * 60))


USUAL = Window(time(3), time(5))


def share_of(machine: str) -> float:
    """A number from 0 to 1 that is this machine's own."""
    return int.from_bytes(hashlib.sha256(machine.encode()).digest()[:4]) / 2**32


def is_due(
    now: datetime, window: Window, *, share: float, began: datetime | None, done: datetime, up_seconds: float
) -> bool:
    """Whether to begin now. `began` is when this machine began last, `done` when it was last through (or was
    installed); a time in the future was written while the clock was wrong."""
    opened = window.begun(now)
    if opened is not None:
        is_new = began is None or began < opened or began > now
        return is_new and now >= opened + window.length * SPREAD * share
    missed = now - done >= MISSED_AFTER or done > now
    return missed and SETTLED_SECONDS <= up_seconds <= STARTING_SECONDS
