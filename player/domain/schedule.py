"""Owns dayparts and windows: from local wall time to intervals of instants; knows no program and no clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct

MINUTES_A_DAY = 24 * 60
DAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_DAY = timedelta(days=1)
_CALENDAR_START = datetime.min.replace(tzinfo=UTC)
_CALENDAR_END = datetime.max.replace(tzinfo=UTC)
_OCCURRENCE_REACH = 2
"""An occurrence that holds at an instant started at most so many days before: it lasts a day, or a gap longer."""

_DAYS_REMEMBERED = 4096

Span = tuple[datetime, datetime]
"""`[start, end)`, instants in UTC."""


class Daypart(Struct, frozen=True, kw_only=True):
    """A part of the day, local time; `days` name the day on which an occurrence starts.

    `start` and `end` are minutes after local midnight, `start` 0 to 1439, `end` 0 to 1440 (`24:00`). No
    `days` means every day. `timezone` None is the screen's location's, otherwise an IANA name.
    """

    days: frozenset[int] = frozenset()
    """0 is Monday, as in `date.weekday`."""
    start: int
    end: int
    timezone: str | None = None


class Window(Struct, frozen=True, kw_only=True):
    """One interval `[starts_at, ends_at)` of local wall time (naive), resolved in `timezone` (None: the location's)."""

    starts_at: datetime
    ends_at: datetime
    timezone: str | None = None


Schedule = Daypart | Window


class Interval(Struct, frozen=True, kw_only=True):
    """`[start, end)` of instants in UTC; None is an end that is not there, or that lies beyond what was searched."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, t: datetime) -> bool:
        """Whether `t` lies in it."""
        return (self.start is None or self.start <= t) and (self.end is None or t < self.end)


def zone_named(name: str) -> ZoneInfo | None:
    """The IANA zone of that name, None where there is none. The name may be anything: nothing is raised."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def instant(local: datetime, zone: ZoneInfo) -> datetime:
    """The instant (UTC) of a naive local wall time, as RFC 5545 section 3.3.5 and Temporal's "compatible" have it.

    A time that occurs twice is the first; one that the clock skips moves forward by the length of the gap. Beyond the
    calendar's ends it stops at them.
    """
    try:
        # Fold 0 is both rules in one: in a gap it takes the offset from before it.
        return local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    except OverflowError:
        return _CALENDAR_START if local.year == _CALENDAR_START.year else _CALENDAR_END


def schedule_zone(schedule: Schedule, location: ZoneInfo) -> ZoneInfo | None:
    """The zone in which a schedule is resolved; None if its name is no zone's."""
    return location if schedule.timezone is None else zone_named(schedule.timezone)


def window_span(window: Window, zone: ZoneInfo) -> Span | None:
    """A window's instants; None if a clock change has emptied it."""
    start, end = instant(window.starts_at, zone), instant(window.ends_at, zone)
    return (start, end) if start < end else None


def occurrences(dayparts: Iterable[Daypart], zone: ZoneInfo, low: datetime, high: datetime) -> list[Span]:
    """Occurrences that overlap or touch `[low, high]`, in any order; one that a clock change empties is skipped."""
    first = low.astimezone(zone).toordinal() - _OCCURRENCE_REACH
    days = [_day(zone, ordinal) for ordinal in range(first, high.astimezone(zone).toordinal() + 2)]
    found: list[Span] = []
    for part in dayparts:
        begins = timedelta(minutes=part.start)
        ends = timedelta(minutes=part.end if part.end > part.start else part.end + MINUTES_A_DAY)
        for weekday, midnight, origin in days:
            if part.days and weekday not in part.days:
                continue
            if origin is not None:
                start, end = origin + begins, origin + ends
            else:
                start, end = instant(midnight + begins, zone), instant(midnight + ends, zone)
            if start <= high and end >= low and start < end:
                found.append((start, end))
    return found


@lru_cache(maxsize=_DAYS_REMEMBERED)
def _day(zone: ZoneInfo, ordinal: int) -> tuple[int, datetime, datetime | None]:
    """A date's weekday and naive midnight; and the midnight's instant, if nothing that starts on that date can meet a
    change of offset. If it can, None: then each time has to be resolved by itself."""
    midnight = datetime.combine(date.fromordinal(ordinal), time())
    origin, after = instant(midnight, zone), instant(midnight + 2 * _DAY, zone)
    return midnight.weekday(), midnight, origin if after - origin == 2 * _DAY else None


def merged(spans: Iterable[Span]) -> list[Span]:
    """The union; spans that touch become one, so that neighbouring dayparts make no boundary."""
    union: list[Span] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            if end > union[-1][1]:
                union[-1] = (union[-1][0], end)
        else:
            union.append((start, end))
    return union


def common(one: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """The intersection of two unions."""
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


def describe(schedule: Schedule) -> str:
    """A schedule for a technician: `mon,tue 06:00–11:00`, with its zone where that is not the location's."""
    zone = f" {schedule.timezone}" if schedule.timezone else ""
    if isinstance(schedule, Window):
        return f"{schedule.starts_at:%Y-%m-%d %H:%M}–{schedule.ends_at:%Y-%m-%d %H:%M}{zone}"
    days = ",".join(DAY_NAMES[day] for day in sorted(schedule.days)) or "daily"
    return f"{days} {_clock_face(schedule.start)}–{_clock_face(schedule.end)}{zone}"


def _clock_face(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
