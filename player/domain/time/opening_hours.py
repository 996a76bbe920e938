"""Whether a location is open: its opening hours are dayparts, read and searched as a scene's schedules are; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from msgspec import Struct

from player.domain.documents.manifest import Location
from player.domain.documents.schedule import Daypart, zone_named
from player.domain.time.eligibility import Eligibility, Rule

LOOK_AHEAD = timedelta(days=32)
"""Dayparts come every week, but for one that a clock change empties."""

_RULES_CACHED = 4


class Opening(Struct, frozen=True, kw_only=True):
    """Whether a location is open, and between which instants that holds. `found` is None where nobody can tell, or
    where it has no hours."""

    location: Location
    since: datetime
    until: datetime
    found: Eligibility | None

    def covers(self, location: Location, at: datetime) -> bool:
        """Whether this is the answer for that location and instant."""
        return self.location == location and self.since <= at < self.until


def opening(location: Location, at: datetime) -> Opening:
    """Whether the location is open at an instant, and until when."""
    zone, found = zone_named(location.timezone), None
    if location.opening_hours and zone is not None:
        found = _rule(location.opening_hours, zone).at(at, floor=at - LOOK_AHEAD, ceiling=at + LOOK_AHEAD)
    until = found.end if found is not None and found.end is not None else at + LOOK_AHEAD
    return Opening(location=location, since=at, until=until, found=found)


@lru_cache(maxsize=_RULES_CACHED)
def _rule(hours: tuple[Daypart, ...], zone: ZoneInfo) -> Rule:
    return Rule(scene=hours, attachment=None, zone=zone)
