"""Orders the next wake-up: the first instant at which something changes of itself; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

WAKE_UP_SLACK_SECONDS = 0.02
"""A wake-up that a correction of the clock moves by no more than this is not ordered again."""


class WakeUp(Struct, frozen=True, kw_only=True):
    """A wake-up in true time and in monotonic seconds; None where there is none."""

    instant: datetime | None = None
    due: float | None = None

    def is_as_good_as(self, other: WakeUp) -> bool:
        """Whether the other one need not take its place."""
        if self.instant != other.instant:
            return False
        return self.due is None or other.due is None or abs(self.due - other.due) <= WAKE_UP_SLACK_SECONDS


def wake_up(
    *, instants: Iterable[datetime | None], ends: Iterable[float | None], now: datetime, monotonic: float
) -> WakeUp:
    """The wake-up for the first of these instants, and of these monotonic `ends` that are still to come."""
    # Rounded up: a wake-up that comes a part of a microsecond too early is followed by another one at once.
    lasts = (math.ceil((end - monotonic) * 1_000_000) for end in ends if end is not None and end > monotonic)
    due = [instant for instant in instants if instant is not None]
    first = min([*due, *(now + timedelta(microseconds=last) for last in lasts)], default=None)
    return WakeUp() if first is None else WakeUp(instant=first, due=monotonic + (first - now).total_seconds())
