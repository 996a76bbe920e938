"""Finds the entry at an instant, why it shows, and until when: a pure function of a version, its anchor and the
location's zone.

No clock, no network, no disk: two players that hold the same version and know the time show the same scene at the
same instant without talking to each other, and a restart resumes at the right place.

The rules, in the words of docs/semantics.md:

- of the entries whose schedules hold, those of the highest priority of which one can be shown are eligible;
- a *period* is the time in which the set of eligible entries stays the same; its start cuts in at once;
- within it the eligible entries repeat in playlist order, counted from the period's start or from the anchor,
  whichever is later;
- an entry that cannot be shown gives its time to the next one that can, so a loop keeps its length and screens stay in
  step;
- before the anchor (a clock that was set back) a period without a start within the horizon has its loops counted so
  that one ends at the anchor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import accumulate, chain
from zoneinfo import ZoneInfo

from msgspec import Struct

from menu.documents.manifest import Entry, PlaylistVersion
from menu.documents.schedule import Interval, Schedule, Span, intersection, union, without
from menu.rules.eligibility import Eligibility, Rule, unchanged

HORIZON = timedelta(days=400)
"""Changes are searched for so far ahead of an instant and before the anchor: more than a year, for yearly ones."""
_HORIZON_STEP = timedelta(days=32)
"""The ends of the search move on a fixed grid of this step, so that answers can be cached."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Reason(StrEnum):
    """Reason why an entry does not show; stable, for logs and the diagnostics page."""

    WAITING = "waiting"
    """It is in the loop, and shows later."""
    NOT_SCHEDULED = "not_scheduled"
    """Its schedules do not allow it now."""
    DISPLACED = "displaced"
    """Its schedules allow it, and an entry of a higher priority shows."""
    SCHEDULE_UNREADABLE = "schedule_unreadable"
    """None of its schedules could be read, so it never shows."""
    PASSED_OVER = "passed_over"
    """It is in the loop, but cannot be shown."""
    CLOCK_UNKNOWN = "clock_unknown"
    """The time is not known, and entries without schedules play."""


class WhyNot(StrEnum):
    """Reason why the scene of an entry cannot be shown."""

    UNREADABLE = "unreadable"
    """Nothing of its document can be used."""
    REFUSED = "refused"
    """The display has failed to show it."""
    FILE_MISSING = "file_missing"
    """All that could be seen of it is a picture or film that is not on the device."""
    SOLD_OUT = "sold_out"
    """Every menu on it is empty."""
    WITHOUT_VALUES = "without_values"
    """It tells values that are not there, or are too old."""


class Unshowable(Struct, frozen=True, rename="camel"):
    """Reason why a scene cannot be shown; `detail` comes from the reader of its document."""

    why: WhyNot
    detail: str = ""


class OtherEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """An entry that does not show now, and why. `detail` describes its schedule, or the fault of that; `unshowable` is
    why it is skipped, `displaced_by` names the scene of a higher priority that shows."""

    entry_id: str
    scene_name: str
    reason: Reason
    detail: str = ""
    displaced_by: str = ""
    unshowable: Unshowable | None = None
    next_at: datetime | None = None


class Moment(Struct, frozen=True, kw_only=True):
    """Showing at one instant, and everything that follows from it. All instants are UTC."""

    at: datetime
    entry: Entry | None
    """The entry that shows; None if none can."""
    since: datetime
    """Start of this showing; with no entry, since when there is none."""
    until: datetime | None
    """End of this showing. None only with no entry, if nothing changes within the horizon."""
    counted_from: datetime
    """When the entry would have begun, had its showings of this period followed each other without a break: its
    slideshows are counted from here, so they stand still while others show. `at` itself where nothing shows."""
    turn: int = 0
    """The number of showings of the entry that have begun before this one since the period did, or the version was
    published: the languages of its scene go by turns. 0 where nothing shows."""
    loop: int = 0
    """Number of the pass through the period's entries, from 0."""
    loop_boundary: datetime
    """When another version may take over: the next loop boundary after `at`; `at` itself where nothing shows."""
    period: Interval
    """The time in which the set of eligible entries stays the same."""
    others: tuple[OtherEntry, ...]
    """Every entry that does not show, in playlist order."""

    @property
    def next_scheduled(self) -> datetime | None:
        """With no entry: the instant at which one can show again; None if something shows, or not within the
        horizon."""
        if self.entry is not None:
            return None
        return min((absence.next_at for absence in self.others if absence.next_at), default=None)


class _Period(Struct, frozen=True, kw_only=True):
    """One period; `[begin, end)` is the rest of it after the cut at the anchor."""

    interval: Interval
    eligible: tuple[int, ...]
    begin: datetime
    end: datetime | None
    origin: datetime
    """The instant from which loops are counted."""
    answers: Mapping[Rule, Eligibility] | None
    """The eligibility by each rule; None if schedules were ignored."""


class _Loop(Struct, frozen=True, kw_only=True):
    """A period's loop without unshowable entries: entry `shown[i]` ends `ends[i]` after the start of the loop."""

    period: _Period
    length: timedelta
    shown: tuple[int, ...]
    ends: tuple[timedelta, ...]


class Timeline:
    """Timeline of one version. Its rules cache their last answers, so it belongs to one thread."""

    def __init__(self, version: PlaylistVersion, anchor: datetime, zone: ZoneInfo) -> None:
        """`anchor` is the instant from which loops are counted, `zone` the location's."""
        self._anchor = anchor.astimezone(UTC)
        self._entries = version.entries
        self._durations = tuple(timedelta(seconds=entry.duration_seconds) for entry in version.entries)
        self._reach = max(HORIZON, sum(self._durations, timedelta())) + _HORIZON_STEP
        self._names = [version.scenes[entry.scene_id].name for entry in version.entries]
        self._never: dict[int, str] = {}
        self._unreadable: set[str] = set()
        self._rule_of: dict[int, Rule] = {}
        self._make_rules(version, zone)
        self._has_priorities = any(rule.priorities != (0,) for rule in self._rule_of.values())
        self._known: list[tuple[tuple[datetime, datetime, AbstractSet[str]], Interval, tuple[int, ...]]] = []

    def at(self, t: datetime, *, unshowable: AbstractSet[str] = frozenset(), schedules_trusted: bool = True) -> Moment:
        """Finds the entry at `t` (aware), and why it shows.

        `unshowable` names entries that cannot be shown. If `schedules_trusted` is false the time is not
        known: entries without schedules play, and scheduled ones only if no other can.
        """
        t, unshowable = t.astimezone(UTC), self._unreadable | unshowable
        period = self._period(t, unshowable, trusted=schedules_trusted)
        loop = self._loop(period, unshowable)
        if loop is None:
            return Moment(
                at=t,
                entry=None,
                since=period.begin,
                until=period.end,
                counted_from=t,
                loop_boundary=t,
                period=period.interval,
                others=tuple(self._others(period, unshowable)),
            )
        number, elapsed = divmod(t - period.origin, loop.length)
        loop_since = period.origin + number * loop.length
        index, showings = bisect_right(loop.ends, elapsed), number
        if index == len(loop.ends):
            # The last entries of this loop cannot be shown: the first of the next loop has their time.
            index, since, until = 0, loop.ends[-1], loop.ends[0] + loop.length
            showings += 1
        else:
            since, until = loop.ends[index - 1] if index else loop.ends[-1] - loop.length, loop.ends[index]
        # The first of all showings lacks what the first entry takes of the end of every loop.
        never_shown = loop.length - loop.ends[-1] if index == 0 else timedelta()
        ends = [loop_since + until, loop_since + loop.length]
        end, boundary = ends if period.end is None else (min(each, period.end) for each in ends)
        return Moment(
            at=t,
            entry=self._entries[loop.shown[index]],
            since=max(loop_since + since, period.begin),
            until=end,
            counted_from=loop_since + since - (showings * (until - since) - never_shown),
            turn=showings,
            loop=number,
            loop_boundary=boundary,
            period=period.interval,
            others=tuple(self._others(period, unshowable, loop, index, end)),
        )

    def spans(
        self, low: datetime, high: datetime, *, unshowable: AbstractSet[str] = frozenset()
    ) -> dict[str, tuple[Span, ...]]:
        """Returns when each entry (by id) is eligible between two instants that are days apart at most; for one that
        cannot be shown: when its schedules hold. An entry that can never show is left out."""
        unshowable = self._unreadable | unshowable
        rules = set(self._rule_of.values())
        held = {rule: tuple(intersection(rule.spans(low, high), [(low, high)])) for rule in rules}
        eligible = held
        if self._has_priorities:
            found = self._eligible_spans(low, high, unshowable)
            eligible = {rule: tuple(intersection(spans, [(low, high)])) for rule, spans in found.items()}
        names = {index: self._entries[index].id for index in self._rule_of}
        return {
            names[index]: (held if names[index] in unshowable else eligible)[rule]
            for index, rule in self._rule_of.items()
        }

    def _make_rules(self, version: PlaylistVersion, zone: ZoneInfo) -> None:
        """Makes the rules: entries with the same schedules share one; one that can never show has none, and causes no
        boundary."""
        known: dict[tuple[tuple[Schedule, ...], Schedule | None], Rule] = {}
        for index, entry in enumerate(version.entries):
            scene = version.scenes[entry.scene_id]
            if scene.unreadable is not None:
                self._unreadable.add(entry.id)
            never = entry.never or scene.never
            if never is not None:
                self._never[index] = never
                continue
            key = (scene.schedules, entry.schedule)
            if key not in known:
                known[key] = Rule(scene=key[0], attachment=key[1], zone=zone)
            self._rule_of[index] = known[key]

    def _period(self, t: datetime, unshowable: AbstractSet[str], *, trusted: bool) -> _Period:
        interval, answers, anchor = Interval(), None, self._anchor
        eligible = tuple(index for index, rule in self._rule_of.items() if rule.always)
        if trusted or all(self._entries[index].id in unshowable for index in eligible):
            answers = {rule: self._answer(rule, t) for rule in set(self._rule_of.values())}
            interval = Interval(
                start=max((answer.start for answer in answers.values() if answer.start), default=None),
                end=min((answer.end for answer in answers.values() if answer.end), default=None),
            )
            eligible = tuple(index for index, rule in self._rule_of.items() if answers[rule].eligible)
            if self._has_priorities:
                interval, eligible = self._displacing(t, unshowable)
        start, end = interval.start, interval.end
        begin = origin = max(start or anchor, anchor)
        if t < anchor:
            begin, origin, end = start or self._search(t)[0], start or anchor, min(end or anchor, anchor)
        return _Period(interval=interval, eligible=eligible, begin=begin, end=end, origin=origin, answers=answers)

    def _displacing(self, t: datetime, unshowable: AbstractSet[str]) -> tuple[Interval, tuple[int, ...]]:
        """Returns the entries that no other of a higher priority displaces, and the time in which these stay the
        same."""
        floor, ceiling = search = self._search(t)
        for key, interval, eligible in self._known:
            if key == (*search, unshowable) and (interval.start or floor) <= t < (interval.end or ceiling):
                return interval, eligible

        def spans(low: datetime, high: datetime) -> list[Span]:
            return list(chain.from_iterable(self._eligible_spans(low, high, unshowable).values()))

        _, interval = unchanged(spans, t, floor=floor, ceiling=ceiling)
        eligible = self._eligible_at(t, unshowable)
        self._known.append(((*search, unshowable), interval, eligible))
        del self._known[:-4]
        return interval, eligible

    def _eligible_at(self, t: datetime, unshowable: AbstractSet[str]) -> tuple[int, ...]:
        found = self._eligible_spans(t, t, unshowable)
        now = {rule for rule, spans in found.items() if any(start <= t < end for start, end in spans)}
        return tuple(index for index, rule in self._rule_of.items() if rule in now)

    def _eligible_spans(self, low: datetime, high: datetime, unshowable: AbstractSet[str]) -> dict[Rule, list[Span]]:
        """Returns when each rule holds with the highest priority at which one of the entries can be shown: exact in
        `[low, high]`."""
        showable = {rule for index, rule in self._rule_of.items() if self._entries[index].id not in unshowable}
        ranked: dict[Rule, dict[int, list[Span]]] = {}
        eligible: dict[Rule, list[Span]] = {rule: [] for rule in self._rule_of.values()}
        above: list[Span] = []
        for rank in sorted({rank for rule in eligible for rank in rule.priorities}, reverse=True):
            if any(start <= low and high < end for start, end in above):
                break  # All that follows is displaced.
            equals = [rule for rule in eligible if rank in rule.priorities]
            ranked |= {rule: rule.ranked_spans(low, high) for rule in equals if rule not in ranked}
            shown = union(span for rule in equals if rule in showable for span in ranked[rule][rank])
            due = without(shown, above)
            for rule in equals:
                eligible[rule] += intersection(ranked[rule][rank], due)
            above = union((*above, *shown))
        return {rule: union(spans) for rule, spans in eligible.items()}

    def _answer(self, rule: Rule, t: datetime) -> Eligibility:
        floor, ceiling = self._search(t)
        return rule.at(t, floor=floor, ceiling=ceiling)

    def _search(self, t: datetime) -> tuple[datetime, datetime]:
        """Returns the bounds between which changes are searched for."""
        on_grid = _EPOCH + ((t - _EPOCH) // _HORIZON_STEP) * _HORIZON_STEP
        return min(self._anchor, on_grid) - HORIZON, on_grid + self._reach

    def _loop(self, period: _Period, unshowable: AbstractSet[str]) -> _Loop | None:
        durations = [self._durations[index] for index in period.eligible]
        ends = zip(period.eligible, accumulate(durations), strict=True)
        shown = [(index, end) for index, end in ends if self._entries[index].id not in unshowable]
        if not shown:
            return None
        return _Loop(
            period=period,
            length=sum(durations, timedelta()),
            shown=tuple(index for index, _ in shown),
            ends=tuple(end for _, end in shown),
        )

    def _others(
        self,
        period: _Period,
        unshowable: AbstractSet[str],
        loop: _Loop | None = None,
        shown: int = 0,
        until: datetime | None = None,
    ) -> Iterator[OtherEntry]:
        """Yields every entry except the one that the loop shows until then."""
        positions = {index: position for position, index in enumerate(loop.shown)} if loop else {}
        eligible_next: tuple[int, ...] | None = None
        if self._has_priorities and period.end is not None:
            eligible_next = self._eligible_at(period.end, unshowable)
        for index, entry in enumerate(self._entries):
            detail, next_at, displaced_by, rule = "", None, "", self._rule_of.get(index)
            if rule is None:
                reason, detail = Reason.SCHEDULE_UNREADABLE, self._never[index]
            elif period.answers is None and index not in period.eligible:
                reason, detail = Reason.CLOCK_UNKNOWN, rule.text
            elif period.answers is not None and not period.answers[rule].eligible:
                reason, detail = Reason.NOT_SCHEDULED, rule.text
                next_at = None if entry.id in unshowable else period.answers[rule].end
            elif entry.id in unshowable:
                reason = Reason.PASSED_OVER
            elif loop is None or until is None or positions.get(index) == shown:
                continue
            elif index not in positions:
                reason, displaced_by = Reason.DISPLACED, self._names[loop.shown[0]]
                next_at = self._next(index, period.end, eligible_next)
            else:
                reason = Reason.WAITING
                next_at = until + (loop.ends[positions[index] - 1] - loop.ends[shown]) % loop.length
                if period.end is not None and next_at >= period.end:
                    next_at = self._next(index, period.end, eligible_next)
            yield OtherEntry(
                entry_id=entry.id,
                scene_name=self._names[index],
                reason=reason,
                detail=detail,
                displaced_by=displaced_by,
                next_at=next_at,
            )

    def _next(self, index: int, end: datetime | None, eligible: tuple[int, ...] | None) -> datetime | None:
        """Returns when an entry may show that does not until the `end` of the period, from when on these are
        `eligible`; None where another one displaces it then, too."""
        if end is None:
            return None
        answer = self._answer(self._rule_of[index], end)
        if not answer.eligible:
            return answer.end
        return end if eligible is None or index in eligible else None
