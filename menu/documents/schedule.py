"""Reads and resolves dayparts and windows: from local wall time to intervals of instants; knows no playlist and no
clock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct, field

from menu.documents.converters import COSTS_PART, MAX_NAME, Characters, FieldError, Strings, Whole, array, matching

MINUTES_A_DAY = 24 * 60
MAX_PRIORITY = 100
MAX_EXCEPTIONS = 50
"""Dates on which a daypart does not begin."""
DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_DAY = timedelta(days=1)
_CALENDAR_START = datetime.min.replace(tzinfo=UTC)
_CALENDAR_END = datetime.max.replace(tzinfo=UTC)

Span = tuple[datetime, datetime]
"""`[start, end)`, instants in UTC."""
ALWAYS: Span = (_CALENDAR_START, _CALENDAR_END)


_CLOCK_FACE = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
_MIDNIGHT = "24:00"
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)
_date = matching(re.compile(r"\d{4}-\d\d-\d\d", re.ASCII), "a date of the form 2026-12-25")
_LOCATION_ZONE = "location"
"""A document's name for the zone of the location."""


def zone(value: object) -> str | None:
    """Reads the name of an IANA zone, None for that of the location."""
    if value == _LOCATION_ZONE:
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME or zone_named(value) is None:
        raise FieldError('is neither "location" nor an IANA zone', "timezone_unknown")
    return value


def read_days(value: object) -> frozenset[int]:
    """Reads days of the week, Monday 0."""
    found = Strings(len(DAY_NAMES), Characters(len(DAY_NAMES[0])))(value)
    if unknown := set(found) - set(DAY_NAMES):
        raise FieldError(f"names {', '.join(sorted(unknown))}; days are {', '.join(DAY_NAMES)}")
    return frozenset(DAY_NAMES.index(day) for day in found)


def read_dates(value: object) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(_date(one)) for one in array(MAX_EXCEPTIONS)(value))
    except ValueError:
        raise FieldError("has a date that never is") from None


def read_begin(value: object) -> int:
    """Reads a start time, in minutes of the day."""
    if not isinstance(value, str) or not _CLOCK_FACE.fullmatch(value):
        raise FieldError("is not a time of the form HH:MM")
    hours, minutes = value.split(":")
    return int(hours) * 60 + int(minutes)


def read_end(value: object) -> int:
    """Reads an end time, in minutes of the day: at most that of the next midnight."""
    return MINUTES_A_DAY if value == _MIDNIGHT else read_begin(value)


def read_local_time(value: object) -> datetime:
    """Reads a local date and time, without an offset."""
    try:
        if isinstance(value, str) and _LOCAL_TIME.fullmatch(value):
            return datetime.fromisoformat(value)
    except ValueError:
        pass
    raise FieldError("is not a local date and time of the form 2026-11-20T08:00, without an offset")


Priority = Annotated[int, Whole(0, MAX_PRIORITY)]
"""While an entry of a higher one is eligible, an entry of a lower one is not."""


class Daypart(Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the day, in local time; `days` are those on which an occurrence starts, none means every day.

    `start` and `end` are minutes after local midnight, `start` 0 to 1439, `end` 0 to 1440 (`24:00`). `timezone` is an
    IANA name, None the zone of the location.
    """

    days: Annotated[frozenset[int], read_days, COSTS_PART] = frozenset()
    """0 is Monday, as in `date.weekday`."""
    exceptions: Annotated[frozenset[date], read_dates, COSTS_PART] = field(name="except", default=frozenset())
    """Local dates on which none starts."""
    start: Annotated[int, read_begin]
    end: Annotated[int, read_end]
    timezone: Annotated[str | None, zone, COSTS_PART] = None
    priority: Priority = 0


class Window(Struct, frozen=True, kw_only=True, rename="camel"):
    """One interval `[starts_at, ends_at)` of local wall time (naive), resolved in `timezone` (None: the location's)."""

    starts_at: Annotated[datetime, read_local_time]
    ends_at: Annotated[datetime, read_local_time]
    timezone: Annotated[str | None, zone, COSTS_PART] = None
    priority: Priority = 0


Schedule = Daypart | Window


class Interval(Struct, frozen=True, kw_only=True):
    """`[start, end)` of instants in UTC; None for an end that does not exist, or lies outside the search."""

    start: datetime | None = None
    end: datetime | None = None


def zone_named(name: str) -> ZoneInfo | None:
    """Returns the IANA zone of a name, None if there is none. Any string is allowed: nothing is raised."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def local_time(moment: datetime, timezone: str) -> datetime:
    """Returns the wall time of an instant in a zone, for people to read; in UTC if there is no such zone."""
    return moment.astimezone(zone_named(timezone) or UTC)


def instant(local: datetime, zone: ZoneInfo) -> datetime:
    """Converts a naive local wall time to an instant (UTC), by RFC 5545 section 3.3.5, as Temporal's "compatible".

    For a time that occurs twice it is the first; a time that the clock skips moves forward by the length of the gap. It
    is clamped to the ends of the calendar.
    """
    try:
        # Fold 0 does both: in a gap it takes the offset before the gap.
        return local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    except OverflowError:
        return _CALENDAR_START if local.year == _CALENDAR_START.year else _CALENDAR_END


def window_span(window: Window, zone: ZoneInfo) -> Span | None:
    """Returns the instants of a window; None if a clock change empties it."""
    start, end = instant(window.starts_at, zone), instant(window.ends_at, zone)
    return (start, end) if start < end else None


def occurrences(dayparts: Iterable[Daypart], zone: ZoneInfo, low: datetime, high: datetime) -> list[Span]:
    """Returns the occurrences that overlap or touch `[low, high]`, in any order, without those that a clock change
    empties."""
    first = low.astimezone(zone).toordinal() - 2  # An occurrence lasts a day at most, and longer by a gap.
    days = [_day(zone, ordinal) for ordinal in range(first, high.astimezone(zone).toordinal() + 2)]
    found: list[Span] = []
    for part in dayparts:
        begins = timedelta(minutes=part.start)
        ends = timedelta(minutes=part.end if part.end > part.start else part.end + MINUTES_A_DAY)
        for weekday, midnight, origin in days:
            if (part.days and weekday not in part.days) or (part.exceptions and midnight.date() in part.exceptions):
                continue
            if origin is not None:
                start, end = origin + begins, origin + ends
            else:
                start, end = instant(midnight + begins, zone), instant(midnight + ends, zone)
            if start <= high and end >= low and start < end:
                found.append((start, end))
    return found


@lru_cache(maxsize=4096)
def _day(zone: ZoneInfo, ordinal: int) -> tuple[int, datetime, datetime | None]:
    """Returns a date's weekday, its naive midnight, and the instant of that midnight; None in place of the instant if
    an occurrence that starts on that date can meet a change of offset, so that each time has to be resolved separately.
    """
    midnight = datetime.combine(date.fromordinal(ordinal), time())
    origin, after = instant(midnight, zone), instant(midnight + 2 * _DAY, zone)
    return midnight.weekday(), midnight, origin if after - origin == 2 * _DAY else None


def union(spans: Iterable[Span]) -> list[Span]:
    """Merges spans. Spans that touch become one, so that adjacent dayparts cause no boundary."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            if end > result[-1][1]:
                result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result


def intersection(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    shared: list[Span] = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            shared.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return shared


def without(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    starts, ends = (start for start, _ in other), (end for _, end in other)
    return intersection(one, list(zip((ALWAYS[0], *ends), (*starts, ALWAYS[1]), strict=True)))
