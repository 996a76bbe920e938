"""Decides when a machine fetches updates: in its window, each machine at its own moment of it; pure.

The window is in the time of the board's location. Where its opening hours are known:

1. Nothing begins while it is open, or opens soon. What is due waits, and begins in the window when it closes.
2. A night in whose window it does not close counts until the next one begins: the first closed time does.

A machine that is switched off in every window, as at night, fetches updates after `MISSED_AFTER` within the first
minutes after a start; where the hours are known, at the first closed time. After `OVERDUE_AFTER` nothing waits any
more, as on a machine that runs only while its location is open: one that gets no fixes is worse.
"""

from __future__ import annotations

import hashlib
import math
import re
from datetime import datetime, time, timedelta
from typing import NamedTuple

from guard.opening import Hours

STEP = timedelta(minutes=10)
"""Between two looks of the timer."""

MISSED_AFTER = timedelta(days=7)
OVERDUE_AFTER = timedelta(days=28)
SETTLED_SECONDS = 120.0
"""Since the start of the machine: when a missed update may begin."""


class UpdateWindow(NamedTuple):
    """A daily window from `begin` to `end`, which may be on the next day."""

    begin: time
    end: time

    @classmethod
    def read(cls, text: str) -> UpdateWindow | None:
        """Parses `03:00-05:00`; None if invalid."""
        found = re.fullmatch(r"\s*(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)\s*", text)
        if found is None:
            return None
        try:
            hours = [int(part) for part in found.groups()]
            window = cls(time(hours[0], hours[1]), time(hours[2], hours[3]))
        except ValueError:
            return None
        return window if window.begin != window.end else None

    def begun(self, now: datetime) -> datetime:
        """Returns when the newest window began, open or not."""
        today = datetime.combine(now.date(), self.begin, now.tzinfo)
        return today if today <= now else today - timedelta(days=1)

    @property
    def length(self) -> timedelta:
        minutes = (self.end.hour - self.begin.hour) * 60 + self.end.minute - self.begin.minute
        return timedelta(minutes=minutes % (24 * 60))


USUAL = UpdateWindow(time(3), time(5))
UNKNOWN = Hours()


def share_of(machine: str) -> float:
    """Returns a number from 0 to 1 that is this machine's own."""
    return int.from_bytes(hashlib.sha256(machine.encode()).digest()[:4]) / 2**32


def is_due(
    now: datetime,
    window: UpdateWindow,
    *,
    share: float,
    began: datetime | None,
    done: datetime,
    up_seconds: float,
    hours: Hours = UNKNOWN,
) -> bool:
    """Returns whether to begin now. `began` is when this machine last began, `done` when it last finished (or was
    installed); a time in the future was written while the clock was wrong."""
    opened = window.begun(now)
    # The last quarter of the window is for machines that began last.
    moment, closed = opened + window.length * 0.75 * share, opened + window.length
    is_new = began is None or began < opened or began > now
    lacking = timedelta.max if done > now else now - done
    if is_new and moment <= now < closed:
        return hours.quiet(now) or lacking >= OVERDUE_AFTER
    if lacking >= MISSED_AFTER and SETTLED_SECONDS <= up_seconds <= 900.0:
        return hours.quiet(now) or lacking >= OVERDUE_AFTER
    if not (hours.known and is_new and now >= closed and up_seconds >= SETTLED_SECONDS):
        return False
    had_no_time = done < opened and not _has_quiet_time(hours, moment, closed)
    return hours.quiet(now) and (had_no_time or lacking >= MISSED_AFTER)


def _has_quiet_time(hours: Hours, begin: datetime, end: datetime) -> bool:
    return any(hours.quiet(begin + STEP * n) for n in range(math.ceil((end - begin) / STEP)))
