"""Detects two live devices with one identity, as with copies of one card, from the runs that their heartbeats name.

A run is one process of a player, or, for players that do not name it, one boot of its machine. A run that has ended
does not come back: neither a restart nor a new address, a proxy or a retry makes more than one late heartbeat.
Independent of the database.
"""

from dataclasses import dataclass, field
from datetime import timedelta

RETURNS = 3
"""Returns without a new run between them that prove two devices: a late heartbeat makes two, to its run and back."""
WITHIN = timedelta(minutes=5)
"""The returns are counted over this time, and the proof holds for as long after the first of them."""
MAX_RUNS = 64
"""Runs that are remembered of a screen."""


@dataclass(frozen=True, slots=True)
class LiveRuns:
    """Runs of one screen, the last one that called at the end, each with its last sequence number."""

    sequences: dict[str, int] = field(default_factory=dict)
    returns: tuple[timedelta, ...] = ()

    def seen(self, run: str, sequence: int, *, at: timedelta) -> "LiveRuns":
        """Returns the same with a heartbeat at a monotonic time; one that has come before changes nothing."""
        known = self.sequences.get(run)
        if known is not None and sequence <= known:
            return self
        others = {one: last for one, last in self.sequences.items() if one != run}
        kept = dict([*others.items(), (run, sequence)][-MAX_RUNS:])
        if known is None:
            return LiveRuns(kept)
        is_return = next(reversed(self.sequences)) != run
        return LiveRuns(kept, (*self.returns, at)[-RETURNS:] if is_return else self.returns)

    def are_two(self, *, at: timedelta) -> bool:
        """True if two devices have called as this screen lately."""
        return len(self.returns) == RETURNS and at - self.returns[0] < WITHIN
