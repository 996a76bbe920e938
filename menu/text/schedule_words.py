"""Describes schedules for people."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime

from menu.documents.schedule import Schedule, Window
from menu.text.phrase import Phrase, SpokenDay, SpokenDays, SpokenWeekdays, phrase

_SCHEDULES_DESCRIBED = 5


def describe(schedule: Schedule) -> Phrase:
    """Describes a schedule: `Mon, Tue 06:00–11:00`, with its zone if it names one."""
    if isinstance(schedule, Window):
        words = between(_instant(schedule.starts_at), _instant(schedule.ends_at))
    else:
        hours = between(_clock_face(schedule.start), _clock_face(schedule.end))
        days = SpokenWeekdays(tuple(sorted(schedule.days))) if schedule.days else phrase("daily")
        words = phrase("{days} {hours}", days=days, hours=hours)
        if schedule.exceptions:
            words = phrase("{schedule}, but not on {days}", schedule=words, days=_dates(schedule.exceptions))
    return phrase("{schedule} ({zone})", schedule=words, zone=schedule.timezone) if schedule.timezone else words


def describe_rule(scene: tuple[Schedule, ...], attachment: Schedule | None) -> Phrase:
    """Describes the schedules of a scene, of which one must hold, and the entry's own in the playlist, which must hold
    too. A long list is shortened."""
    words: Phrase | None = None
    for schedule in scene[:_SCHEDULES_DESCRIBED]:
        one = describe(schedule)
        words = phrase("{one} or {other}", one=words, other=one) if words is not None else one
    if words is None:
        return describe(attachment) if attachment is not None else phrase("always")
    if len(scene) > _SCHEDULES_DESCRIBED:
        words = phrase("{one} or at {count} other times", one=words, count=len(scene) - _SCHEDULES_DESCRIBED)
    if attachment is None:
        return words
    return phrase("{scene}, and in this playlist only {entry}", scene=words, entry=describe(attachment))


def between(start: str, end: str) -> Phrase:
    return phrase("{start}–{end}", start=start, end=end)


def _dates(dates: Collection[date]) -> Phrase | SpokenDays:
    days = SpokenDays(tuple(sorted(dates)[:5]))
    more = len(dates) - len(days.dates)
    return phrase("{one}; and {count} more", one=days, count=more) if more else days


def _instant(moment: datetime) -> Phrase:
    return phrase("{day}, {time}", day=SpokenDay(moment.date(), with_year=True, short=True), time=f"{moment:%H:%M}")


def _clock_face(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
