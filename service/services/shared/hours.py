"""Hours of a day in the local time of a zone: opening hours of a location, quiet hours of a user."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from menu.documents.schedule import DAY_NAMES


def held_since(hours: Sequence[Mapping[str, Any]], zone: str, now: datetime) -> datetime | None:
    """Returns the start of the period of these dayparts (`days`, `start`, `end`) that contains `now`; None outside of
    them.

    A daypart belongs to the day on which it starts, and may end on the next one (docs/semantics.md).
    """
    local = now.astimezone(ZoneInfo(zone)).date()
    spans = sorted(
        span
        for ahead in range(-14, 1)  # Dayparts that touch count as one: longer than any alert waits.
        for part in hours
        if (span := span_on(part, local + timedelta(days=ahead), ZoneInfo(zone))) is not None
    )
    begin: datetime | None = None
    end: datetime | None = None
    for start, until in spans:
        if start > now:
            break
        if begin is None or end is None or start > end:
            begin = start
        end = until if end is None else max(end, until)
    return begin if end is not None and now < end else None


def span_on(part: Mapping[str, Any], day: date, zone: ZoneInfo) -> tuple[datetime, datetime] | None:
    """Returns the daypart that starts on this day; None without one."""
    if day.isoformat() in part.get("except", ()) or DAY_NAMES[day.weekday()] not in (part.get("days") or DAY_NAMES):
        return None
    start, end = part["start"], part["end"]
    last = day + timedelta(days=1) if end == "24:00" or end <= start else day
    return _instant(day, start, zone), _instant(last, "00:00" if end == "24:00" else end, zone)


def _instant(day: date, at: str, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.fromisoformat(at), zone).astimezone(UTC)
