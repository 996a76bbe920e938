"""Finds whether the schedules of an entry hold, with which priority, and the interval in which that does not change;
knows no playlist and no clock.

The search is exact: it looks at the days next to the instant, then at ever longer stretches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from menu.documents.schedule import (
    ALWAYS,
    Daypart,
    Interval,
    Schedule,
    Span,
    intersection,
    occurrences,
    union,
    window_span,
    without,
)
from menu.text.schedule_words import describe_rule

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_FIRST_SEARCH = _DAY
"""Most boards change daily, so the search begins with a day either way."""


class Eligibility(Struct, frozen=True, kw_only=True):
    """Whether an entry is eligible, and the interval in which that does not change; None where no end was found."""

    eligible: bool
    start: datetime | None = None
    end: datetime | None = None


_Alternatives = tuple[list[Span], Mapping[ZoneInfo, tuple[Daypart, ...]]]
"""Schedules of which one must hold: windows as instants, dayparts by zone."""


def _alternatives(schedules: tuple[Schedule, ...], location: ZoneInfo) -> _Alternatives:
    windows: list[Span] = []
    dayparts: dict[ZoneInfo, tuple[Daypart, ...]] = {}
    for schedule in schedules:
        zone = location if schedule.timezone is None else ZoneInfo(schedule.timezone)
        if isinstance(schedule, Daypart):
            dayparts[zone] = (*dayparts.get(zone, ()), schedule)
        else:
            windows += filter(None, [window_span(schedule, zone)])
    return union(windows), dayparts


def _held(alternatives: _Alternatives, low: datetime, high: datetime) -> list[Span]:
    """Returns when one of them holds: exact in `[low, high]`; outside it spans may be cut short."""
    windows, by_zone = alternatives
    spans = list(windows)
    for zone, dayparts in by_zone.items():
        spans += occurrences(dayparts, zone, low, high)
    return union(spans)


def unchanged(
    spans: Callable[[datetime, datetime], Sequence[Span]], t: datetime, *, floor: datetime, ceiling: datetime
) -> tuple[Sequence[Span], Interval]:
    """Returns the spans about an instant, and the time around it in which none of them begins or ends. `spans` finds
    those that touch an interval; changes before `floor` or after `ceiling`, which enclose `t`, are not found."""
    low, high = max(t - _FIRST_SEARCH, floor), min(t + _FIRST_SEARCH, ceiling)
    near = spans(low, high)
    before = [edge for span in near for edge in span if low <= edge <= t]
    after = [edge for span in near for edge in span if t < edge <= high]

    def change(position: datetime, end: datetime) -> datetime | None:
        step = _WEEK
        while position != end:
            look = min(position + step, end) if position < end else max(position - step, end)
            first, last = sorted((position, look))
            edges = (edge for span in spans(first, last) for edge in span if first <= edge <= last)
            if found := [edge for edge in edges if edge != position]:
                return min(found, key=lambda edge: abs(edge - position))
            position, step = look, 2 * step
        return None

    return near, Interval(
        start=max(before) if before else change(low, floor), end=min(after) if after else change(high, ceiling)
    )


class Rule:
    """A scene's schedules, of which one must hold, and the entry's own schedule, which must hold too."""

    __slots__ = ("_answers", "_at_least", "_conditions", "always", "text")

    def __init__(self, *, scene: tuple[Schedule, ...], attachment: Schedule | None, zone: ZoneInfo) -> None:
        """`zone` is the location's."""
        self._conditions = [
            _alternatives(group, zone) for group in (scene, (attachment,) if attachment else ()) if group
        ]
        self._answers: list[tuple[datetime, datetime, Eligibility]] = []
        self.always = not self._conditions
        all_of_them = (*scene, *((attachment,) if attachment else ()))
        self._at_least = {
            rank: _alternatives(tuple(one for one in all_of_them if one.priority >= rank), zone)
            for rank in sorted({one.priority for one in all_of_them}, reverse=True)
        }
        self.text = describe_rule(scene, attachment)

    def at(self, t: datetime, *, floor: datetime, ceiling: datetime) -> Eligibility:
        """Returns the eligibility at `t`; changes before `floor` or after `ceiling`, which enclose `t`, are not
        found."""
        if self.always:
            return Eligibility(eligible=True)
        for low, high, answer in self._answers:
            if (low, high) == (floor, ceiling) and (answer.start or floor) <= t < (answer.end or ceiling):
                return answer
        answer = self._search(t, floor, ceiling)
        self._answers.append((floor, ceiling, answer))
        del self._answers[:-4]
        return answer

    def _search(self, t: datetime, floor: datetime, ceiling: datetime) -> Eligibility:
        near, interval = unchanged(self.spans, t, floor=floor, ceiling=ceiling)
        return Eligibility(
            eligible=any(start <= t < end for start, end in near), start=interval.start, end=interval.end
        )

    @property
    def priorities(self) -> tuple[int, ...]:
        """Possible priorities, the highest first."""
        return tuple(self._at_least) or (0,)

    def spans(self, low: datetime, high: datetime) -> list[Span]:
        """Returns when the rule holds: exact in `[low, high]`; outside it spans may be cut short."""
        held: list[Span] | None = None
        for alternatives in self._conditions:
            spans = _held(alternatives, low, high)
            held = spans if held is None else intersection(held, spans)
        return [ALWAYS] if held is None else held

    def ranked_spans(self, low: datetime, high: datetime) -> dict[int, list[Span]]:
        """Returns when the rule holds with each of its priorities: the highest of its schedules that hold then."""
        left = self.spans(low, high)
        if len(self._at_least) < 2:
            return {self.priorities[0]: left}
        ranked: dict[int, list[Span]] = {}
        for rank, alternatives in self._at_least.items():
            spans = _held(alternatives, low, high)
            ranked[rank], left = intersection(left, spans), without(left, spans)
        return ranked
