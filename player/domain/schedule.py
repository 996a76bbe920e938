"""Owns dayparts and windows: from local wall time to intervals of instants; knows no program and no clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

MINUTES_A_DAY = 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Daypart:
    """A part of the day, local time; `days` name the day on which an occurrence starts.

    `start` and `end` are minutes after local midnight, `start` 0 to 1439, `end` 0 to 1440 (`24:00`). No
    `days` means every day. `timezone` None is the screen's location's, otherwise an IANA name.
    """

    days: frozenset[int] = frozenset()
    """0 is Monday, as in `date.weekday`."""
    start: int
    end: int
    timezone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One interval `[starts_at, ends_at)` of local wall time (naive), resolved in `timezone` (None: the location's)."""

    starts_at: datetime
    ends_at: datetime
    timezone: str | None = None


Schedule = Daypart | Window
