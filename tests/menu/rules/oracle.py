"""A second, plain and slow implementation of schedules: minute by minute, without intervals."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from menu.documents.schedule import Daypart, Schedule

DAY = timedelta(days=1)


@lru_cache(maxsize=10_000)
def instant_by_trial(local: datetime, zone: ZoneInfo) -> datetime:
    """The first instant whose wall time is `local`, by trying every offset that the zone has around that time."""
    around = [local.replace(tzinfo=UTC) + timedelta(hours=h) for h in range(-48, 49)]
    offsets = {o for t in around if (o := t.astimezone(zone).utcoffset()) is not None}
    fitting = [
        t for o in offsets if (t := (local - o).replace(tzinfo=UTC)).astimezone(zone).replace(tzinfo=None) == local
    ]
    if fitting:
        return min(fitting)
    # The clock skips `local`: go forward from the last minute that exists, by the time between them.
    existing = local
    while True:
        existing -= timedelta(minutes=1)
        fitting = [
            t
            for o in offsets
            if (t := (existing - o).replace(tzinfo=UTC)).astimezone(zone).replace(tzinfo=None) == existing
        ]
        if fitting:
            return max(fitting) + (local - existing)


def holds(schedule: Schedule, t: datetime, location: ZoneInfo) -> bool:
    zone = location if schedule.timezone is None else ZoneInfo(schedule.timezone)
    if not isinstance(schedule, Daypart):
        return instant_by_trial(schedule.starts_at, zone) <= t < instant_by_trial(schedule.ends_at, zone)
    today = datetime.combine(t.astimezone(zone).date(), datetime.min.time())
    for midnight in (today - 2 * DAY, today - DAY, today, today + DAY):
        if (schedule.days and midnight.weekday() not in schedule.days) or midnight.date() in schedule.exceptions:
            continue
        start = midnight + timedelta(minutes=schedule.start)
        end = midnight + timedelta(minutes=schedule.end)
        if end <= start:
            end += DAY
        if instant_by_trial(start, zone) <= t < instant_by_trial(end, zone):
            return True
    return False


def priority(scene: Sequence[Schedule], attachment: Schedule | None, t: datetime, location: ZoneInfo) -> int:
    """The highest priority of the schedules that hold."""
    every = (*scene, *((attachment,) if attachment else ()))
    return max((schedule.priority for schedule in every if holds(schedule, t, location)), default=0)


def eligible(scene: Sequence[Schedule], attachment: Schedule | None, t: datetime, location: ZoneInfo) -> bool:
    allowed = not scene or any(holds(schedule, t, location) for schedule in scene)
    return allowed and (attachment is None or holds(attachment, t, location))
