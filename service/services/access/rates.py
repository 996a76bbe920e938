"""How often a key may call: each class of calls has a quota that refills evenly (the generic cell rate algorithm).

Counted in memory, so it costs no SQL and is per process; of several processes each grants the whole quota. A key costs
one number for each class, however large the quota. Knows nothing of the web framework.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil

WINDOW = timedelta(seconds=60)
MAX_TRACKED = 10_000
"""Keys and classes that are counted at a time; those that have their whole quota again are forgotten first."""


class CallClass(StrEnum):
    """What kind of call it is."""

    READS = "reads"
    WRITES = "writes"
    BULK = "bulk"
    PAIRING = "pairing"


Quotas = Mapping[CallClass, int]
"""Calls for each minute; 0 is without a limit."""

DEFAULT_QUOTAS: Quotas = {
    CallClass.READS: 60_000,
    CallClass.WRITES: 12_000,
    CallClass.BULK: 120,
    CallClass.PAIRING: 120,
}


@dataclass(frozen=True, slots=True)
class QuotaState:
    """Where a key stands after a call."""

    kind: CallClass
    quota: int
    granted: bool
    remaining: int
    """How many calls it could make at once."""
    seconds: int
    """Until the whole quota is there again; or, of a call that was not granted, until the next one is."""


class Rates:
    """Counts calls. Safe to use from any thread."""

    def __init__(self, quotas: Quotas) -> None:
        self._quotas = quotas
        self._lock = threading.Lock()
        self._full_at: dict[tuple[str, CallClass], datetime] = {}

    def take(self, key: str, kind: CallClass, *, now: datetime) -> QuotaState | None:
        """Count a call; None where there is no limit. A call that is not granted is not counted."""
        quota = self._quotas[kind]
        if quota == 0:
            return None
        # Rounded down, so that the quota fits into the window.
        step = WINDOW // quota
        with self._lock:
            # A clock that was put back must not lock anybody out.
            full_at = min(max(self._full_at.get((key, kind), now), now), now + WINDOW)
            granted = full_at + step - now <= WINDOW
            if granted:
                full_at += step
                self._full_at[key, kind] = full_at
                if len(self._full_at) > MAX_TRACKED:
                    self._forget(now)
        wait = full_at - now if granted else full_at + step - now - WINDOW
        return QuotaState(
            kind=kind,
            quota=quota,
            granted=granted,
            remaining=min(quota, (now + WINDOW - full_at) // step),
            seconds=max(1, ceil(wait / timedelta(seconds=1))),
        )

    def _forget(self, now: datetime) -> None:
        kept = {mark: full_at for mark, full_at in self._full_at.items() if full_at > now}
        # Should all of them be in use, those go that have the most left.
        self._full_at = dict(sorted(kept.items(), key=lambda one: one[1])[-MAX_TRACKED // 2 :])
