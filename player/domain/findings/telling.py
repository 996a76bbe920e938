"""Decides when what is wrong is told to the service without waiting for the next heartbeat; pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.finding import Finding

FINDINGS_SECONDS = 10.0
"""Between two heartbeats that are sent at once because what is wrong has changed: it may come and go."""


class Telling(Struct, frozen=True, kw_only=True):
    """The findings that the service knows, and when they were told; monotonic seconds."""

    said: tuple[tuple[object, ...], ...] | None = None
    said_at: float = float("-inf")

    def step(self, findings: Iterable[Finding], now: float, *, hears: bool) -> tuple[Telling, tuple[act.Action, ...]]:
        """These are the findings now. Where the service does not hear, the next heartbeat that arrives tells them."""
        # Not the numbers in their words.
        said = tuple((each.code, each.severity, getattr(each.what, "template", each.what)) for each in findings)
        if not hears or self.said is None:
            return replace(self, said=said), ()
        if said == self.said or now - self.said_at < FINDINGS_SECONDS:
            return self, ()
        return Telling(said=said, said_at=now), (act.SendHeartbeat(),)
