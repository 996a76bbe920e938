"""Limits the call rate of each key: each class of calls has a quota that refills evenly (generic cell rate algorithm).

Counted in memory, which costs no SQL; each of several processes grants the whole quota. A key costs one number for each
class, however large the quota. Independent of the web framework.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import ceil

WINDOW = timedelta(seconds=60)
MAX_TRACKED = 10_000
"""Pairs of key and class that are counted at a time; those with their whole quota are dropped first."""


class CallClass(StrEnum):
    """Kinds of calls that have a quota of their own."""

    READS = "reads"
    WRITES = "writes"
    BULK = "bulk"
    PAIRING = "pairing"


Quotas = Mapping[CallClass, int]
"""Calls per minute; 0 is no limit."""

DEFAULT_QUOTAS: Quotas = {
    CallClass.READS: 60_000,
    CallClass.WRITES: 12_000,
    CallClass.BULK: 120,
    CallClass.PAIRING: 120,
}


@dataclass(frozen=True, slots=True)
class QuotaState:
    """Quota of a key after a call."""

    kind: CallClass
    quota: int
    granted: bool
    remaining: int
    """Calls that it could make now."""
    seconds: int
    """Until the whole quota is available; for a refused call, until the next one is granted."""


class Rates:
    """Counts calls. Safe to use from any thread."""

    def __init__(self, quotas: Quotas, *, most: int = MAX_TRACKED) -> None:
        self._quotas = quotas
        self._most = most
        self._lock = threading.Lock()
        self._full_at: dict[tuple[str, CallClass], timedelta] = {}

    def take(self, key: str, kind: CallClass, *, now: timedelta) -> QuotaState | None:
        """Counts a call at this monotonic time; returns None if there is no limit. A refused call is not counted."""
        quota = self._quotas[kind]
        if quota == 0:
            return None
        # Rounded down, so that the quota fits into the window.
        step = WINDOW // quota
        with self._lock:
            full_at = max(self._full_at.get((key, kind), now), now)
            granted = full_at + step - now <= WINDOW
            if granted:
                full_at += step
                self._full_at[key, kind] = full_at
                if len(self._full_at) > self._most:
                    self._forget(now)
        wait = full_at - now if granted else full_at + step - now - WINDOW
        return QuotaState(
            kind=kind,
            quota=quota,
            granted=granted,
            remaining=min(quota, (now + WINDOW - full_at) // step),
            seconds=max(1, ceil(wait / timedelta(seconds=1))),
        )

    def _forget(self, now: timedelta) -> None:
        in_use = {mark: full_at for mark, full_at in self._full_at.items() if full_at > now}
        # If all are in use, drop those with the most quota left.
        self._full_at = dict(sorted(in_use.items(), key=lambda one: one[1])[-self._most // 2 :])
