"""Finds whether an entry is eligible, and since when until when that stays so; knows no playlist and no clock.

The search is exact: it looks at the days next to the instant, then at ever longer stretches.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from player.domain.documents.schedule import (
    Daypart,
    Schedule,
    Span,
    intersection,
    occurrences,
    union,
    window_span,
)
from player.domain.time.schedule_words import describe_rule

_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)
_FIRST_SEARCH = _DAY
"""Most boards change daily, so the search begins with a day either way."""
_ANSWERS_CACHED = 4


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


class Rule:
    """A scene's schedules, of which one must hold, and the entry's own schedule, which must hold too."""

    __slots__ = ("_answers", "_conditions", "always", "text")

    def __init__(self, *, scene: tuple[Schedule, ...], attachment: Schedule | None, zone: ZoneInfo) -> None:
        """`zone` is the location's."""
        self._conditions = [
            _alternatives(group, zone) for group in (scene, (attachment,) if attachment else ()) if group
        ]
        self._answers: list[tuple[datetime, datetime, Eligibility]] = []
        self.always = not self._conditions
        self.text = describe_rule(scene, attachment)

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

    def _search(self, t: datetime, floor: datetime, ceiling: datetime) -> Eligibility:
        low, high = max(t - _FIRST_SEARCH, floor), min(t + _FIRST_SEARCH, ceiling)
        spans = self.spans(low, high)
        before = [edge for span in spans for edge in span if low <= edge <= t]
        after = [edge for span in spans for edge in span if t < edge <= high]
        return Eligibility(
            eligible=any(start <= t < end for start, end in spans),
            start=max(before) if before else self._change(low, floor),
            end=min(after) if after else self._change(high, ceiling),
        )

    def spans(self, low: datetime, high: datetime) -> list[Span]:
        """When the rule holds: exact in `[low, high]`; outside it spans may be cut short."""
        held: list[Span] | None = None
        for windows, by_zone in self._conditions:
            spans = list(windows)
            for zone, dayparts in by_zone.items():
                spans += occurrences(dayparts, zone, low, high)
            held = union(spans) if held is None else intersection(held, union(spans))
        return [(low, high)] if held is None else held

    def _change(self, position: datetime, end: datetime) -> datetime | None:
        """The change that is nearest to an instant, between it and the end of the search before or after it."""
        step = _WEEK
        while position != end:
            look = min(position + step, end) if position < end else max(position - step, end)
            low, high = sorted((position, look))
            edges = (edge for span in self.spans(low, high) for edge in span if low <= edge <= high)
            if found := [edge for edge in edges if edge != position]:
                return min(found, key=lambda edge: abs(edge - position))
            position, step = look, 2 * step
        return None
