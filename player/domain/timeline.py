"""Owns what shows at an instant, why, and until when: a pure function of a program, its anchor and the location's zone.

No clock, no network, no disk: two players that hold the same program and know the time show the same scene at the
same moment without a word between them, and a restart resumes at the right place.

The rules, in the words of docs/semantics.md:

- a *period* is the time in which the set of eligible entries stays the same; its start cuts in at once;
- within it the eligible entries repeat in playlist order, counted from the period's start or from the anchor,
  whichever is later;
- an entry that cannot be shown gives its time to the next one that can, so a loop keeps its length and screens stay in
  step;
- before the anchor (a clock that was set back) time is cut into blocks of `HORIZON` counted back from it. A period's
  start counts only within its block; where there is none the loops are counted so that one ends at the anchor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import accumulate
from types import MappingProxyType
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from player.domain.eligibility import Eligibility, Rule, Shifts
from player.domain.manifest import Entry, PlaylistVersion
from player.domain.schedule import Interval, Schedule, describe

HORIZON = timedelta(days=400)
"""How far ahead, and behind the anchor, changes are looked for: more than a year, so that what happens once a year is
found."""
_HORIZON_STEP = timedelta(days=32)
"""The far end of the search moves in steps of this, on a fixed grid, so that answers can be kept."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PERIODS_KEPT = 4
_SCHEDULES_TOLD = 5
_NOBODY: Mapping[str, str] = MappingProxyType({})


class Reason(StrEnum):
    """Why an entry does not show; stable, for logs and the diagnostics page."""

    WAITING = "waiting"
    """It is in the loop, and its turn comes."""
    NOT_SCHEDULED = "not_scheduled"
    """Its schedules do not hold now."""
    SCHEDULE_UNREADABLE = "schedule_unreadable"
    """None of its schedules could be read, so it never shows."""
    PASSED_OVER = "passed_over"
    """Its turn would come, but it cannot be shown."""
    CLOCK_UNKNOWN = "clock_unknown"
    """The time is not known, and entries without schedules play meanwhile."""


class Absence(Struct, frozen=True):
    """Why one entry does not show, and when it could next; None where that is unknown or never."""

    entry_id: str
    reason: Reason
    detail: str
    next_at: datetime | None


class Moment(Struct, frozen=True, kw_only=True):
    """What shows at one instant, and everything that follows from it. All instants are UTC."""

    at: datetime
    entry: Entry | None
    """What shows; None if nothing of this program can be shown now."""
    since: datetime
    """When this showing began; with no entry, since when there is none."""
    until: datetime | None
    """When this showing ends. None only with no entry, where nothing changes within the horizon."""
    loop: int
    """Which pass through the period's entries this is, from 0."""
    loop_since: datetime
    """When this pass began: the last loop boundary not after `at`; `at` itself where nothing shows."""
    loop_boundary: datetime
    """When another program may take over: the next loop boundary after `at`; `at` itself where nothing shows."""
    period: Interval
    """In which the set of eligible entries stays as it is."""
    upcoming: Entry | None
    """What shows after `until`, to be prepared; the same entry where it is alone in its loop."""
    others: tuple[Absence, ...]
    """Every entry that does not show, in playlist order."""

    @property
    def next_change(self) -> datetime | None:
        """When to ask again."""
        return self.until

    @property
    def next_scheduled(self) -> datetime | None:
        """With no entry: when one can show again; None if not within the horizon, or if something shows."""
        if self.entry is not None:
            return None
        return min((absence.next_at for absence in self.others if absence.next_at), default=None)


class _Period(Struct, frozen=True, kw_only=True):
    """One period; `[begin, end)` is what is left of it after the cuts at the anchor and at the blocks before it."""

    interval: Interval
    eligible: tuple[int, ...]
    begin: datetime
    end: datetime | None
    origin: datetime | None
    """From when the loops count; None: so that one ends at the anchor."""
    floor: datetime
    ceiling: datetime
    answers: tuple[Eligibility, ...] | None
    """What each rule said; None if schedules were not asked."""


class _Loop(Struct, frozen=True, kw_only=True):
    """A period's loop, the entries that cannot be shown left out: `shown[i]` ends `ends[i]` after the loop's start."""

    period: _Period
    origin: datetime
    length: timedelta
    shown: tuple[int, ...]
    ends: tuple[timedelta, ...]


class _Turn(Struct, frozen=True, kw_only=True):
    """One showing: `place` indexes `_Loop.shown`, `number` counts the loops, `begun` is when this one began."""

    place: int
    since: datetime
    until: datetime
    number: int
    begun: datetime


class Timeline:
    """Answers for one program. It remembers its last answers, so it belongs to one thread."""

    def __init__(self, *, version: PlaylistVersion, anchor: datetime, zone: ZoneInfo) -> None:
        """`anchor` is the instant from which the program counts its loops, `zone` the location's."""
        self._anchor = anchor.astimezone(UTC)
        self._entries = version.entries
        self._durations = tuple(timedelta(seconds=entry.duration_seconds) for entry in version.entries)
        self._reach = max(HORIZON, sum(self._durations, timedelta())) + _HORIZON_STEP
        self._never: dict[int, str] = {}
        self._unreadable: dict[str, str] = {}
        self._rules: list[Rule] = []
        self._rule_words: list[str] = []
        self._rule_of: dict[int, int] = {}
        self._periods: list[_Period] = []
        self._last: tuple[Moment, datetime, bool, Mapping[str, str]] | None = None
        self._gather(version, zone)

    def at(self, t: datetime, *, passed_over: Mapping[str, str] = _NOBODY, schedules_trusted: bool = True) -> Moment:
        """What shows at `t` (aware), and why.

        `passed_over` says of entries (by id) that cannot be shown why they can't. With `schedules_trusted` false the
        time is not known: entries without schedules play, and scheduled ones only if no other can.
        """
        t = t.astimezone(UTC)
        ceiling = self._ceiling(t)
        if self._last is not None:
            moment, *circumstances = self._last
            ends = min(moment.until or moment.at, moment.loop_boundary)
            if max(moment.since, moment.loop_since) <= t < ends and circumstances == [
                ceiling,
                schedules_trusted,
                passed_over,
            ]:
                return replace(moment, at=t)
        moment = self._moment(t, {**self._unreadable, **passed_over}, trusted=schedules_trusted)
        self._last = (moment, ceiling, schedules_trusted, dict(passed_over))
        return moment

    def _gather(self, version: PlaylistVersion, zone: ZoneInfo) -> None:
        """Entries with the same schedules share one rule; one that can never show has none, and makes no boundary."""
        shifts = Shifts()
        known: dict[tuple[tuple[Schedule, ...], Schedule | None], int] = {}
        for number, entry in enumerate(version.entries):
            scene = version.scenes.get(entry.scene_id)
            unreadable = "its scene is missing" if scene is None else scene.unreadable
            if unreadable is not None:
                self._unreadable[entry.id] = unreadable
            never = entry.never or (scene.never if scene else None)
            if never is not None:
                self._never[number] = never
                continue
            key = (scene.schedules if scene else (), entry.schedule)
            if key not in known:
                known[key] = len(self._rules)
                self._rules.append(Rule(scene=key[0], attachment=key[1], zone=zone, shifts=shifts))
                self._rule_words.append(_words(*key))
            self._rule_of[number] = known[key]

    def _moment(self, t: datetime, barred: Mapping[str, str], *, trusted: bool) -> Moment:
        period = self._period(t, barred, trusted=trusted)
        loop = self._loop(period, barred)
        if loop is None:
            return Moment(
                at=t,
                entry=None,
                since=period.begin,
                until=period.end,
                loop=0,
                loop_since=t,
                loop_boundary=t,
                period=period.interval,
                upcoming=self._first_of_period(period.end, barred, trusted=trusted),
                others=tuple(self._absences(period, None, None, barred)),
            )
        turn = _turn(loop, t)
        if turn.until == period.end:
            upcoming = self._first_of_period(period.end, barred, trusted=trusted)
        else:
            upcoming = self._entries[loop.shown[(turn.place + 1) % len(loop.shown)]]
        boundary = turn.begun + loop.length
        return Moment(
            at=t,
            entry=self._entries[loop.shown[turn.place]],
            since=turn.since,
            until=turn.until,
            loop=turn.number,
            loop_since=max(turn.begun, period.begin),
            loop_boundary=boundary if period.end is None else min(boundary, period.end),
            period=period.interval,
            upcoming=upcoming,
            others=tuple(self._absences(period, loop, turn, barred)),
        )

    def _first_of_period(self, t: datetime | None, barred: Mapping[str, str], *, trusted: bool) -> Entry | None:
        if t is None:
            return None
        loop = self._loop(self._period(t, barred, trusted=trusted), barred)
        return None if loop is None else self._entries[loop.shown[_turn(loop, t).place]]

    def _period(self, t: datetime, barred: Mapping[str, str], *, trusted: bool) -> _Period:
        if not trusted:
            free = tuple(number for number, rule in self._rule_of.items() if self._rules[rule].always)
            if any(self._entries[number].id not in barred for number in free):
                return self._cut(t, Interval(), free, None)
        ceiling = self._ceiling(t)
        for known in self._periods:
            if known.ceiling == ceiling and Interval(start=known.begin, end=known.end).holds(t):
                return known
        floor = self._block(t)[0]
        answers = tuple(rule.at(t, floor=floor, ceiling=ceiling) for rule in self._rules)
        interval = Interval(
            start=max((answer.start for answer in answers if answer.start), default=None),
            end=min((answer.end for answer in answers if answer.end), default=None),
        )
        eligible = tuple(number for number, rule in self._rule_of.items() if answers[rule].eligible)
        period = self._cut(t, interval, eligible, answers)
        self._periods.append(period)
        del self._periods[:-_PERIODS_KEPT]
        return period

    def _cut(
        self, t: datetime, interval: Interval, eligible: tuple[int, ...], answers: tuple[Eligibility, ...] | None
    ) -> _Period:
        floor, block_end = self._block(t)
        start, end = interval.start, interval.end
        begin = start or floor
        origin = start
        if block_end is None:
            begin = origin = max(start or self._anchor, self._anchor)
        else:
            end = min(end or block_end, block_end)
        return _Period(
            interval=interval,
            eligible=eligible,
            begin=begin,
            end=end,
            origin=origin,
            floor=floor,
            ceiling=self._ceiling(t),
            answers=answers,
        )

    def _block(self, t: datetime) -> tuple[datetime, datetime | None]:
        """How far back changes are looked for, and where that changes: nowhere, once the anchor is past."""
        if t >= self._anchor:
            return self._anchor - HORIZON, None
        floor = self._anchor + ((t - self._anchor) // HORIZON) * HORIZON
        return floor, floor + HORIZON

    def _ceiling(self, t: datetime) -> datetime:
        return _EPOCH + ((t - _EPOCH) // _HORIZON_STEP) * _HORIZON_STEP + self._reach

    def _loop(self, period: _Period, barred: Mapping[str, str]) -> _Loop | None:
        ends = accumulate(self._durations[number] for number in period.eligible)
        shown = [(n, end) for n, end in zip(period.eligible, ends, strict=True) if self._entries[n].id not in barred]
        if not shown:
            return None
        length = sum((self._durations[number] for number in period.eligible), timedelta())
        origin = period.origin
        if origin is None:
            origin = self._anchor + ((period.begin - self._anchor) // length) * length
        return _Loop(
            period=period,
            origin=origin,
            length=length,
            shown=tuple(number for number, _ in shown),
            ends=tuple(end for _, end in shown),
        )

    def _absences(
        self, period: _Period, loop: _Loop | None, turn: _Turn | None, barred: Mapping[str, str]
    ) -> Iterator[Absence]:
        eligible = frozenset(period.eligible)
        showing = loop.shown[turn.place] if loop and turn else None
        places = {number: place for place, number in enumerate(loop.shown)} if loop else {}
        for number, entry in enumerate(self._entries):
            if number == showing:
                continue
            if number in self._never:
                yield Absence(entry.id, Reason.SCHEDULE_UNREADABLE, self._never[number], None)
            elif number not in eligible:
                rule = self._rule_of[number]
                if period.answers is None:
                    yield Absence(entry.id, Reason.CLOCK_UNKNOWN, self._rule_words[rule], None)
                else:
                    next_at = None if entry.id in barred else period.answers[rule].end
                    yield Absence(entry.id, Reason.NOT_SCHEDULED, self._rule_words[rule], next_at)
            elif entry.id in barred:
                yield Absence(entry.id, Reason.PASSED_OVER, barred[entry.id], None)
            elif loop and turn:
                next_at = turn.until + (loop.ends[places[number] - 1] - loop.ends[turn.place]) % loop.length
                if period.end is not None and next_at >= period.end:
                    next_at = self._eligible_from(number, period)
                yield Absence(entry.id, Reason.WAITING, "its turn comes", next_at)

    def _eligible_from(self, number: int, period: _Period) -> datetime | None:
        """For an entry whose turn does not come before the period ends: the first instant after it that allows it."""
        if period.end is None:
            return None
        answer = self._rules[self._rule_of[number]].at(period.end, floor=period.floor, ceiling=period.ceiling)
        return period.end if answer.eligible else answer.end


def timeline(version: PlaylistVersion, anchor: datetime, zone: ZoneInfo) -> Timeline:
    """The timeline of a program that counts its loops from `anchor`, at a location in `zone`."""
    return Timeline(version=version, anchor=anchor, zone=zone)


def _turn(loop: _Loop, t: datetime) -> _Turn:
    number, into = divmod(t - loop.origin, loop.length)
    begun = loop.origin + number * loop.length
    place = bisect_right(loop.ends, into)
    if place == len(loop.ends):
        # The last entries of this loop cannot be shown: the first of the next has begun in their place.
        place, since, until = 0, loop.ends[-1], loop.ends[0] + loop.length
    else:
        since, until = loop.ends[place - 1] if place else loop.ends[-1] - loop.length, loop.ends[place]
    end = begun + until
    return _Turn(
        place=place,
        since=max(begun + since, loop.period.begin),
        until=end if loop.period.end is None else min(end, loop.period.end),
        number=number,
        begun=begun,
    )


def _words(scene: tuple[Schedule, ...], attachment: Schedule | None) -> str:
    """A rule for a technician; a long list is cut short."""
    parts = [f"scene: {' or '.join(describe(schedule) for schedule in scene[:_SCHEDULES_TOLD])}"] if scene else []
    if len(scene) > _SCHEDULES_TOLD:
        parts[0] += f" or {len(scene) - _SCHEDULES_TOLD} more"
    if attachment is not None:
        parts.append(f"entry: {describe(attachment)}")
    return "; ".join(parts)
