"""Local wall time as instants, by docs/semantics.md; imports no other part of the service."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo


def instant_at(wall: str, zone: str, *, second: bool = False) -> datetime:
    """Returns the instant of a local date and time. One that occurs twice is the first of the two, unless `second` is
    set; one that the clock skips moves forward by the length of the gap."""
    return datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone), fold=int(second)).astimezone(UTC)


def is_skipped(wall: str, zone: str) -> bool:
    """Returns whether the clock skips this local date and time."""
    there = instant_at(wall, zone).astimezone(ZoneInfo(zone))
    return there.replace(tzinfo=None) != datetime.fromisoformat(wall)


def is_twice(wall: str, zone: str) -> bool:
    """Returns whether the clock shows this local date and time twice."""
    there = datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone))
    return not is_skipped(wall, zone) and there.utcoffset() != there.replace(fold=1).utcoffset()
