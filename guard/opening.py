"""Decides whether a location is closed for long enough that its board can be updated; pure.

The board reports the hours (docs/fleet.md) as parts of a week, in its zones. They are mapped to the current week of
minutes in UTC: a change of the clocks applies from the next check.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

QUIET_MINUTES = 30
"""An update begins no later than this before a location opens: so long may a slow card take, and then the guard go
back to the version before."""

LEAST_CLOSED_MINUTES = 60
"""A location that is closed for less at a time counts as one that never closes: looks are minutes apart."""

MOST_PARTS = 100
DAY = 24 * 60
WEEK = 7 * DAY


class OpenHours(NamedTuple):
    """Open from `start` to `end`, in minutes after midnight, on the days on which it starts; Monday is 0. An end that
    is not after the start is on the next day."""

    days: frozenset[int]
    start: int
    end: int
    zone: ZoneInfo


class Hours:
    """Closed times of a location. Without hours, and if it never closes, they are unknown, and every time is as good as
    another."""

    def __init__(self, parts: tuple[OpenHours, ...] = (), now: datetime | None = None) -> None:
        self.known = False
        """Whether there are times at which it is closed for long enough."""
        self._week = bytearray(WEEK)
        for part in parts:
            self._open(part, now or datetime.now(UTC))
        # A week that ends closed may go on closed.
        self._week += self._week[:LEAST_CLOSED_MINUTES]
        self.known = bool(parts) and bytes(LEAST_CLOSED_MINUTES) in self._week

    @classmethod
    def read(cls, document: Any, now: datetime) -> Hours:
        """Parses the hours; None if any part is invalid: the rest alone could open too late."""
        try:
            return cls(tuple(_part(raw) for raw in document) if len(document) <= MOST_PARTS else (), now)
        except (TypeError, ValueError, KeyError, OSError):
            return cls()

    def quiet(self, at: datetime) -> bool:
        """Returns whether it is closed then, and for a while from then on."""
        minute = _minute_of_week(at.astimezone(UTC))
        return not self.known or not any(self._week[minute : minute + QUIET_MINUTES])

    def _open(self, part: OpenHours, now: datetime) -> None:
        offset = now.astimezone(part.zone).utcoffset()
        shift = round(offset.total_seconds() / 60) if offset else 0
        length = part.end - part.start if part.end > part.start else part.end + DAY - part.start
        for day in part.days or range(7):
            begin = (day * DAY + part.start - shift) % WEEK
            over = max(0, begin + length - WEEK)
            self._week[begin : begin + length - over] = b"\1" * (length - over)
            self._week[:over] = b"\1" * over


def _part(raw: Any) -> OpenHours:
    days, start, end = raw["days"], raw["start"], raw["end"]
    if not all(type(number) is int for number in (*days, start, end)):
        raise TypeError("no minutes and days")
    if not (set(days) <= set(range(7)) and 0 <= start < DAY and 0 <= end <= DAY):
        raise ValueError("outside the day or the week")
    return OpenHours(frozenset(days), start, end, ZoneInfo(raw["zone"]))


def _minute_of_week(at: datetime) -> int:
    return at.weekday() * DAY + at.hour * 60 + at.minute
