"""Local times on pages: resolves a date and a time in a zone to an instant, and formats instants."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_interval, format_skeleton

from service.core.errors import Fault, invalid
from service.core.local_time import instant_at, is_skipped, is_twice

STEP_MINUTES = 5


@dataclass(frozen=True, slots=True)
class Chosen:
    """An instant, and the date and time by which it was named. A time that the clock `skipped` stands for the time
    after; one that occurs `twice` is the first, or the `second`."""

    at: datetime
    day: date
    time: str
    skipped: str = ""
    twice: bool = False
    second: bool = False

    @property
    def step(self) -> int:
        """Number of steps since midnight, for a slider over the day."""
        return (int(self.time[:2]) * 60 + int(self.time[3:5])) // STEP_MINUTES


def chosen_at(at: datetime, zone: str) -> Chosen:
    """Returns the instant as a date and a time of a zone."""
    there = at.astimezone(ZoneInfo(zone))
    wall = there.replace(tzinfo=None)
    return Chosen(
        at=at,
        day=there.date(),
        time=f"{there:%H:%M}",
        twice=is_twice(wall.isoformat(), zone),
        second=there.fold == 1,
    )


def chosen_time(day: str, time: str, zone: str, *, second: bool = False) -> Chosen:
    """Returns the instant of a date and a time. Raises the 422 problem for an invalid one."""
    wall = f"{_day(day).isoformat()}T{_time(time)}"
    at = instant_at(wall, zone, second=second and is_twice(wall, zone))
    found = chosen_at(at, zone)
    return replace(found, skipped=time) if is_skipped(wall, zone) else found


def day_of(text: str) -> date:
    """Parses a date of a form. Raises the 422 problem."""
    return _day(text)


def midnight(day: date, zone: str) -> datetime:
    return instant_at(f"{day.isoformat()}T00:00", zone)


def when(instant: str, zone: str, day: date, *, language: str) -> str:
    """Formats an instant: the time alone on this day, else with its date."""
    at = datetime.fromisoformat(instant).astimezone(ZoneInfo(zone))
    time = f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"
    if at.date() == day:
        return time
    skeleton = "MMMEd" if abs(at.date() - day) < timedelta(days=200) else "yMMMEd"
    return f"{format_skeleton(skeleton, at, locale=language)}, {time}"


def day_in_words(day: date, *, language: str) -> str:
    """Formats a date with its weekday."""
    return format_skeleton("yMMMMEEEEd", _noon(day), locale=language)


def short_day(day: date, *, language: str) -> str:
    """Formats a date for the head of a column."""
    return format_skeleton("MMMEd", _noon(day), locale=language)


def local_in_words(at: str, *, language: str) -> str:
    """Formats a local date and time, without a zone."""
    there = datetime.fromisoformat(at)
    return f"{day_in_words(there.date(), language=language)}, {there:%H:%M}"


def week_in_words(first: date, *, language: str) -> str:
    """Formats a week by its first and last day."""
    return format_interval(_noon(first), _noon(first + timedelta(days=6)), "yMMMd", locale=language)


def _noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12)  # noqa: DTZ001  (a date alone is written)


def _day(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise invalid([Fault("not_a_date", "This must be a date such as 2026-12-25.", parameter="date")]) from None
    if not 1970 < found.year < 9000:
        raise invalid([Fault("not_a_date", "This must be a date such as 2026-12-25.", parameter="date")])
    return found


def _time(text: str) -> str:
    try:
        return datetime.strptime(text[:5], "%H:%M").strftime("%H:%M")  # noqa: DTZ007  (a time of a zone)
    except ValueError:
        raise invalid([Fault("not_a_time", "This must be a time such as 08:00.", parameter="time")]) from None
