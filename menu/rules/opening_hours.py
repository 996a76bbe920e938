"""Whether a location is open: its opening hours are dayparts, read and searched as a scene's schedules are; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from menu.documents.manifest import Location
from menu.documents.schedule import Daypart
from menu.rules.eligibility import Eligibility, Rule

LOOK_AHEAD = timedelta(days=32)
"""Dayparts come every week, but for one that a clock change empties."""


def opening(location: Location, at: datetime) -> Eligibility | None:
    """Whether the location is open at an instant, and until when; None where it has no hours."""
    if not location.opening_hours:
        return None
    return _rule(location.opening_hours, ZoneInfo(location.timezone)).at(
        at, floor=at - LOOK_AHEAD, ceiling=at + LOOK_AHEAD
    )


@lru_cache(maxsize=4)
def _rule(hours: tuple[Daypart, ...], zone: ZoneInfo) -> Rule:
    return Rule(scene=hours, attachment=None, zone=zone)
