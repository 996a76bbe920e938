"""Orders the next wake-up: the first instant at which something changes by itself; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

_NEAR = timedelta(milliseconds=1)
"""Two readings of the same instant differ by less."""


class WakeUp(Struct, frozen=True, kw_only=True):
    """A wake-up in true time and, to a tenth, in monotonic seconds: one that a correction of the clock moves by less
    need not be ordered again."""

    instant: datetime
    due: float

    def replaces(self, ordered: WakeUp | None, *, now: datetime) -> bool:
        """Whether it has to be ordered. One already ordered for an earlier instant is not postponed: this one follows
        it."""
        if ordered is None or ordered.instant < now:
            return True
        return self.due < ordered.due or self.instant < ordered.instant - _NEAR


def wake_up(
    *, instants: Iterable[datetime | None], ends: Iterable[float | None], now: datetime, monotonic: float
) -> WakeUp | None:
    """Returns the wake-up for the first of these instants, and of these monotonic `ends` that are still to come."""
    # Rounded up: a wake-up that comes a part of a microsecond too early is followed by another one at once.
    lasts = (math.ceil((end - monotonic) * 1_000_000) for end in ends if end is not None and end > monotonic)
    due = [instant for instant in instants if instant is not None]
    first = min([*due, *(now + timedelta(microseconds=last) for last in lasts)], default=None)
    if first is None:
        return None
    return WakeUp(instant=first, due=round(monotonic + (first - now).total_seconds(), 1))
