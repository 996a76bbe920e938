"""Writes the opening hours of a location as a board shows them: days with the same hours in one line; pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from menu.documents.manifest import Location
from menu.documents.schedule import Daypart
from menu.text.wording import cldr_locale, time_of_day_text, weekday_text

RANGE, LIST = "–", ", "
DAYS = 7


def hours_text(location: Location, locale: str) -> str:
    """Returns a line for each run of days with the same hours, from the locale's first day of the week on: `Mon–Fri
    9:00–18:00`. Days on which it is closed have none; empty without hours."""
    hours = {day: _hours(location.opening_hours, day, locale) for day in range(DAYS)}
    first = cldr_locale(locale).first_week_day
    week = [(first + at) % DAYS for at in range(DAYS)]
    runs = (list(days) for _, days in groupby(week, key=lambda day: hours[day]))
    return "\n".join(f"{_days(days, locale)} {hours[days[0]]}" for days in runs if hours[days[0]])


def _days(days: list[int], locale: str) -> str:
    names = [weekday_text(day, locale) for day in days]
    return (RANGE if len(names) > 2 else LIST).join((names[0], *names[-1:])) if len(names) > 1 else names[0]


def _hours(dayparts: Iterable[Daypart], day: int, locale: str) -> str:
    """Returns the hours that begin on this day; those that go on where others end are one."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted((one.start, one.end) for one in dayparts if not one.days or day in one.days):
        if spans and spans[-1][1] == start:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return LIST.join(f"{time_of_day_text(start, locale)}{RANGE}{time_of_day_text(end, locale)}" for start, end in spans)
