"""Finds whether an entry is eligible, and since when until when that stays so; knows no playlist and no clock.

The search is exact, but does not walk the years day by day. A daypart repeats weekly while its zone keeps its offset,
so a week without a change means no change up to the next *disturbance*: a change of offset, or the edge of a window.
Only the days around disturbances are searched one by one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from player.domain.documents.schedule import (
    Daypart,
    Schedule,
    Span,
    Window,
    intersection,
    occurrences,
    schedule_zone,
    union,
    window_span,
)

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_FIRST_SEARCH = _DAY
"""Most boards change daily, so the search begins with a day either way."""
_DISTURBED = timedelta(days=4)
"""The distance around a disturbance in which the weekly pattern does not hold: an occurrence's reach, and a day because
changes of offset are known to the day."""
_ANSWERS_CACHED = 4


class Eligibility(Struct, frozen=True, kw_only=True):
    """Whether an entry is eligible, and the interval in which that does not change; None where no end was found."""

    eligible: bool
    start: datetime | None = None
    end: datetime | None = None


class Shifts:
    """Finds the days on which zones change their offset, once for all rules."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[ZoneInfo, tuple[datetime, datetime, list[datetime]]] = {}

    def between(self, zone: ZoneInfo, low: datetime, high: datetime) -> list[datetime]:
        """Instants in `[low, high]`, each at most a day after a change of offset, ascending."""
        known = self._known.get(zone)
        if known is None or low < known[0] or known[1] < high:
            known = (low, high, _offset_changes(zone, low, high))
            self._known[zone] = known
        days = known[2]
        return days[bisect_left(days, low) : bisect_right(days, high)]


class _Alternatives(Struct, frozen=True, kw_only=True):
    """Schedules of which one must hold: windows as instants, dayparts by zone."""

    windows: tuple[Span, ...]
    dayparts: Mapping[ZoneInfo, tuple[Daypart, ...]]

    @classmethod
    def of(cls, schedules: tuple[Schedule, ...], location: ZoneInfo) -> _Alternatives:
        windows: list[Span] = []
        dayparts: dict[ZoneInfo, tuple[Daypart, ...]] = {}
        for schedule in schedules:
            zone = schedule_zone(schedule, location)
            match schedule:
                case _ if zone is None:
                    continue
                case Daypart():
                    dayparts[zone] = (*dayparts.get(zone, ()), schedule)
                case Window():
                    windows += filter(None, [window_span(schedule, zone)])
        return cls(windows=tuple(union(windows)), dayparts=dayparts)


class Rule:
    """A scene's schedules, of which one must hold, and the entry's own schedule, which must hold too."""

    __slots__ = ("_answers", "_conditions", "_shifts", "always")

    def __init__(
        self, *, scene: tuple[Schedule, ...], attachment: Schedule | None, zone: ZoneInfo, shifts: Shifts
    ) -> None:
        """`zone` is the location's. A schedule whose zone does not exist never holds."""
        self._conditions = [
            _Alternatives.of(group, zone) for group in (scene, (attachment,) if attachment else ()) if group
        ]
        self._shifts = shifts
        self._answers: list[tuple[datetime, datetime, Eligibility]] = []
        self.always = not self._conditions

    def at(self, t: datetime, *, floor: datetime, ceiling: datetime) -> Eligibility:
        """The eligibility at `t`; changes before `floor` or after `ceiling`, which enclose `t`, are not found."""
        if self.always:
            return Eligibility(eligible=True)
        for low, high, answer in self._answers:
            if (low, high) == (floor, ceiling) and (answer.start or floor) <= t < (answer.end or ceiling):
                return answer
        answer = self._search(t, floor, ceiling)
        self._answers.append((floor, ceiling, answer))
        del self._answers[:-_ANSWERS_CACHED]
        return answer

    def spans(self, low: datetime, high: datetime) -> list[Span]:
        """When the rule holds between two instants that are days apart at most."""
        return [(low, high)] if self.always else self._spans(low, high)

    def _search(self, t: datetime, floor: datetime, ceiling: datetime) -> Eligibility:
        low, high = max(t - _FIRST_SEARCH, floor), min(t + _FIRST_SEARCH, ceiling)
        spans = self._spans(low, high)
        before = [edge for span in spans for edge in span if low <= edge <= t]
        after = [edge for span in spans for edge in span if t < edge <= high]
        return Eligibility(
            eligible=any(start <= t < end for start, end in spans),
            start=max(before) if before else self._last_change(low, floor),
            end=min(after) if after else self._next_change(high, ceiling),
        )

    def _spans(self, low: datetime, high: datetime) -> list[Span]:
        """When the rule holds: exact in `[low, high]`; outside it spans may be cut short."""
        held: list[Span] | None = None
        for condition in self._conditions:
            spans = list(condition.windows)
            for zone, dayparts in condition.dayparts.items():
                spans += occurrences(dayparts, zone, low, high)
            held = union(spans) if held is None else intersection(held, union(spans))
        return held or []

    def _next_change(self, position: datetime, ceiling: datetime) -> datetime | None:
        """The first change in `(position, ceiling]`."""
        disturbances = self._disturbances(position - _DISTURBED, ceiling)
        while position < ceiling:
            ahead = bisect_right(disturbances, position - _DISTURBED)
            calm_until = disturbances[ahead] - _DISTURBED if ahead < len(disturbances) else ceiling
            calm = calm_until > position + _WEEK
            look = min(position + _WEEK if calm else calm_until + 2 * _DISTURBED, ceiling)
            edges = [edge for span in self._spans(position, look) for edge in span if position < edge <= look]
            if edges:
                return min(edges)
            position = calm_until if calm else look
        return None

    def _last_change(self, position: datetime, floor: datetime) -> datetime | None:
        """The last change in `[floor, position)`."""
        disturbances = self._disturbances(floor, position + _DISTURBED)
        while floor < position:
            behind = bisect_left(disturbances, position + _DISTURBED) - 1
            calm_since = disturbances[behind] + _DISTURBED if behind >= 0 else floor
            calm = calm_since < position - _WEEK
            look = max(position - _WEEK if calm else calm_since - 2 * _DISTURBED, floor)
            edges = [edge for span in self._spans(look, position) for edge in span if look <= edge < position]
            if edges:
                return max(edges)
            position = calm_since if calm else look
        return None

    def _disturbances(self, low: datetime, high: datetime) -> list[datetime]:
        found: set[datetime] = set()
        for condition in self._conditions:
            found.update(edge for span in condition.windows for edge in span if low <= edge <= high)
            for zone in condition.dayparts:
                found.update(self._shifts.between(zone, low, high))
        return sorted(found)


def _offset_changes(zone: ZoneInfo, low: datetime, high: datetime) -> list[datetime]:
    changes: list[datetime] = []
    offset = low.astimezone(zone).utcoffset()
    while low < high:
        low = min(low + _DAY, high)
        if (now := low.astimezone(zone).utcoffset()) != offset:
            changes.append(low)
            offset = now
    return changes
