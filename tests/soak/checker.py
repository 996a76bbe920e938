"""Compares the trace of a panel's glass with the model: what may be on it, given what the panel can know.

The tolerances are named here; everything else is exact.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tests.soak.model import (
    HOUSE,
    PAIRING,
    Facts,
    Seen,
    Version,
    boundaries,
    overridden,
    present,
    showable,
    showing,
    view,
)
from tests.soak.world import Frame

EDGE = timedelta(seconds=1.5)
"""By this a view may come too early or too late."""

SHORTEST = timedelta(seconds=3)
"""MIN_SHOWING: a shorter rest of a showing is not begun where a version joins its loop."""

FACTS_WITHIN = timedelta(seconds=60)
"""New facts are on the glass of a panel whose line was whole for so long."""

PROMPT = timedelta(seconds=5)
"""And those that are made after that, so soon."""

VERSION_WITHIN = timedelta(seconds=120)
"""And a new version is ready, and waits for its boundary."""

FAST = timedelta(minutes=6)
"""More than a synchronised clock is fast here (tests/soak/steps.py)."""

SOLD_OUT_ENDS_WITHIN = timedelta(seconds=20)
"""An item that is sold out until an instant is back so soon after it."""

CLOCK_WITHIN = timedelta(seconds=90)
"""The clock is corrected so soon after the line is whole; what shows then may end its showing first."""


class DisagreementError(AssertionError):
    """The glass is not what the model says."""


Log = list[tuple[datetime, object]]


@dataclass
class Past:
    """The history, as far as one panel can know of it. Each list holds instants in order."""

    facts: list[tuple[datetime, Facts]] = field(default_factory=list)
    versions: list[tuple[datetime, Version | None]] = field(default_factory=list)
    line: list[tuple[datetime, bool]] = field(default_factory=list)
    """Whether the service can be reached by the running player."""
    starts: list[datetime] = field(default_factory=list)
    clock: list[tuple[datetime, timedelta, bool]] = field(default_factory=list)
    """The error of the device's clock, and whether it is synchronised."""
    disk: list[tuple[datetime, bool]] = field(default_factory=list)
    """Whether the disk takes what is written."""
    lost: list[tuple[datetime, frozenset[str]]] = field(default_factory=list)
    """The assets that the service has lost."""

    def stretches(self, log: list[tuple[datetime, bool]], end: datetime) -> Iterator[tuple[datetime, datetime]]:
        """The intervals in which a log says yes."""
        for number, (since, holds) in enumerate(log):
            until = log[number + 1][0] if number + 1 < len(log) else end
            if holds and since < end:
                yield since, min(until, end)


@dataclass(frozen=True)
class Runs:
    version: Version
    number: int
    """Its place in the past's versions."""
    joined: datetime | None = None
    """When it was first seen; None if that was not judged."""

    @property
    def anchor(self) -> datetime:
        """On every panel."""
        return self.version.published


class Checker:
    """Checks one panel's trace, as far as it has come."""

    def __init__(self, name: str, past: Past) -> None:
        self.name = name
        self.past = past
        self.frames = 0
        self.instants = 0
        self._runs: Runs | None = None
        self._least_facts = 0
        self._start_seen: datetime | None = None
        self._checked: datetime | None = None
        self._beneath = False
        """Whether an override was on the glass, beneath which versions take over."""

    def check(self, trace: list[Frame], until: datetime) -> None:
        """Check all frames of the trace up to now, and forget all but the last. Raises DisagreementError."""
        for number, frame in enumerate(trace):
            end = trace[number + 1].at if number + 1 < len(trace) else until
            begin = max(frame.at, self._checked or frame.at)
            if frame.seen is None or end <= begin:
                continue
            self.frames += 1
            self._check_frame(frame.seen, begin, end)
            self._checked = end
        del trace[:-1]

    def _check_frame(self, seen: Seen, begin: datetime, end: datetime) -> None:
        middle = begin + (end - begin) / 2
        if end - begin > 2 * EDGE:
            exact = [begin + EDGE, middle, end - EDGE]
            for at in exact:
                self._check_instant(seen, at, (at,), begin)
        else:
            # Too short to tell when it had to begin: it must be right for some instant about it.
            self._check_instant(seen, middle, (middle, begin - EDGE, end + EDGE), begin)

    def _check_instant(self, seen: Seen, at: datetime, around: tuple[datetime, ...], begin: datetime) -> None:
        self.instants += 1
        if self._disturbed(at):
            self._adopt(seen)
            return
        expected = ""
        for instant in around:
            expected = self._disagrees(seen, instant, begin)
            if not expected:
                return
        raise DisagreementError(f"panel {self.name} at {at} (frame since {begin})\n  seen: {seen}\n  {expected}")

    # What the panel may know

    def _floor(self, at: datetime) -> int:
        """The number of the newest facts that the panel must know."""
        sure = datetime.min.replace(tzinfo=at.tzinfo)
        for since, until in self.past.stretches(self.past.line, at):
            if until - since >= FACTS_WITHIN and not self._forgotten(until, at):
                sure = until - PROMPT
        return max(0, bisect_right([when for when, _ in self.past.facts], sure) - 1)

    def _ceiling(self, at: datetime) -> int:
        """The number of the newest facts that it can know."""
        last = max((until for _, until in self.past.stretches(self.past.line, at)), default=None)
        if last is None:
            return len(self.past.facts) - 1
        return max(0, bisect_right([when for when, _ in self.past.facts], last) - 1)

    def _forgotten(self, learnt: datetime, at: datetime) -> bool:
        """Whether what was learnt then may have been lost with a start: the disk refused it."""
        start = max((start for start in self.past.starts if start <= at), default=None)
        if start is None or learnt > start + FACTS_WITHIN:
            return False
        healthy = True
        for since, holds in self.past.disk:
            if since <= start and not holds and since <= learnt:
                healthy = False
        return not healthy

    def _disturbed(self, at: datetime) -> bool:
        """Whether the clock was changed, or is being corrected, about this instant."""
        longest = self._runs.version.longest if self._runs else timedelta()
        if any(since - EDGE <= at <= since + CLOCK_WITHIN + longest for since, _, _ in self.past.clock[1:]):
            return True
        _, _, synchronised = self._clock(at)
        if synchronised:
            return False
        # A correction comes with the first answers after a start.
        since = self._first_answer(at)
        return since is not None and at <= since + CLOCK_WITHIN + longest

    def _clock(self, at: datetime) -> tuple[datetime, timedelta, bool]:
        return self.past.clock[max(0, bisect_right([when for when, _, _ in self.past.clock], at) - 1)]

    def _first_answer(self, at: datetime) -> datetime | None:
        """When the service could first be reached since the last start."""
        start = max((start for start in self.past.starts if start <= at), default=at)
        found = [max(since, start) for since, until in self.past.stretches(self.past.line, at) if until > start]
        return found[0] if found else None

    def _belief(self, at: datetime) -> tuple[datetime, bool]:
        """The time that the panel believes, and whether it knows it."""
        _, error, synchronised = self._clock(at)
        if synchronised:
            return at + error, True
        if self._first_answer(at) is None:
            return at + error, False
        return at, True

    # What may be on the glass

    def _disagrees(self, seen: Seen, at: datetime, begin: datetime) -> str:
        """The expectation in place of this; empty if it may be so."""
        if seen.card == PAIRING:
            return "expected: anything but the pairing card"
        runs = self._runs_now(seen, begin, at)
        if isinstance(runs, str):
            return runs
        found = self._disagrees_with(runs, seen, at)
        if not found:
            self._beneath = self._is_override(seen)
        if found and seen.card == HOUSE and runs is not None:
            # A version may have taken over of which nothing shows now.
            for number in range(runs.number + 1, len(self.past.versions)):
                when, version = self.past.versions[number]
                next_runs = Runs(version, number) if version is not None and when <= at else None
                taken_over = self._beneath or self._may_take_over(runs, begin)
                if next_runs and taken_over and not self._disagrees_with(next_runs, seen, at):
                    return ""
        return found

    def _disagrees_with(self, runs: Runs | None, seen: Seen, at: datetime) -> str:
        belief, known = self._belief(at)
        if runs is not None and not self._is_override(seen) and (late := self._late(runs, at)):
            return late
        if runs is not None and belief < runs.anchor:
            self._runs = runs
            return ""
        floor = 0 if self._restarted_forgetful(at) else max(self._floor(at), self._least_facts)
        ceiling = self._ceiling(at)
        expected: list[str] = []
        for number in range(floor, ceiling + 1):
            facts = self.past.facts[number][1]
            for instant in (belief, belief - SOLD_OUT_ENDS_WITHIN) if known else _least_times(facts, at):
                # The service no longer tells an override that has ended, to a panel that is slow as well.
                right = [
                    one for told in (facts, _told(facts, at)) for one in self._right(runs, _as_of(told, instant), at)
                ]
                if seen in right:
                    self._least_facts = max(number, 0 if floor == 0 else self._least_facts)
                    self._runs = runs
                    return ""
                text = f"expected (facts {number} of {floor} to {ceiling}, {runs and runs.version.key}): {right[0]}"
                if text not in expected:
                    expected.append(text)
        return "\n  ".join(expected[-4:])

    def _right(self, runs: Runs | None, facts: Facts, at: datetime) -> list[Seen]:
        """The views that are right by these facts."""
        belief, known = self._belief(at)
        override = overridden(facts, belief)
        right = [view(*override, facts, belief)] if override and known else []
        if not known:
            # By the last known time: too late by nobody knows how much.
            for one in facts.overrides:
                if one.start <= at + FAST:
                    entry = showing(one.version, one.start, facts, max(belief, one.start), clock_known=False).entry
                    right += [view(one.version, entry, facts, belief)] if entry is not None else []
        if override and known:
            return right
        if runs is None:
            return [*right, Seen(card=HOUSE)]
        # Where it joined its loop, a short rest of a showing is left out.
        joining = runs.joined is not None and at <= runs.joined + SHORTEST + EDGE
        entries = [
            showing(runs.version, runs.anchor, facts, belief + span, clock_known=known).entry
            for span in ((timedelta(), SHORTEST) if joining else (timedelta(),))
        ]
        return [*right, *(view(runs.version, entry, facts, belief) for entry in entries)]

    def _is_override(self, seen: Seen) -> bool:
        return seen.version is not None and any(
            one.version.key == seen.version for _, facts in self.past.facts for one in facts.overrides
        )

    def _restarted_forgetful(self, at: datetime) -> bool:
        start = max((start for start in self.past.starts if start <= at), default=None)
        return start is not None and self._forgotten(start, at)

    def _adopt(self, seen: Seen) -> None:
        """Follow a take-over that is not judged."""
        self._beneath = self._beneath or self._is_override(seen)
        if seen.version is None or (self._runs and self._runs.version.key == seen.version):
            return
        for number, (_, version) in enumerate(self.past.versions):
            if version is not None and version.key == seen.version:
                self._runs = Runs(version, number)

    def _runs_now(self, seen: Seen, begin: datetime, at: datetime) -> Runs | str | None:
        """The version that runs, by what is seen; a sentence if it must not."""
        before = self._runs
        if seen.version is None or (before is None and self._is_override(seen)):
            return self._carded(at)
        if self._is_override(seen):
            return before
        if before is not None and before.version.key == seen.version:
            # The same may be assigned again.
            again = [number for number, (when, version) in enumerate(self.past.versions) if version and when <= at]
            latest = self.past.versions[again[-1]][1]
            return replace(before, number=again[-1]) if latest == before.version else before
        number = max(
            (
                number
                for number, (when, version) in enumerate(self.past.versions)
                if version is not None and version.key == seen.version and when <= at
            ),
            default=None,
        )
        if number is None:
            return f"expected: a version that was published, not {seen.version}"
        version = self.past.versions[number][1]
        assert version is not None
        runs = Runs(version, number, begin)
        if before is None:
            return runs
        if number < before.number and not self._restarted_forgetful(at):
            return f"expected: no version before {before.version.key}"
        if not self._beneath and not self._may_take_over(before, begin):
            return f"expected: {before.version.key} up to a loop boundary"
        return runs

    def _carded(self, at: datetime) -> Runs | str | None:
        """The version behind the house card."""
        ready = self._ready(at)
        newest = self.past.versions[ready][1] if ready is not None else None
        if ready is not None and newest is None:
            return None
        if self._runs is not None:
            return self._runs
        return None if newest is None else Runs(newest, ready or 0)

    def _may_take_over(self, before: Runs, at: datetime) -> bool:
        if any(at - EDGE - VERSION_WITHIN <= start <= at for start in self.past.starts):
            return True
        if self._disturbed(at - EDGE):
            return True
        belief, known = self._belief(at)
        if not known or belief - EDGE - SHORTEST < before.anchor:
            return True
        for number in range(self._least_facts, self._ceiling(at) + 1):
            facts = _as_of(self.past.facts[number][1], belief)
            if showing(before.version, before.anchor, facts, belief - EDGE).entry is None:
                return True
            # A showing that goes on over the boundary for less than the shortest moves it.
            about = EDGE + SHORTEST
            if boundaries(before.version, before.anchor, facts, belief - about, belief + about):
                return True
        return False

    def _ready(self, at: datetime) -> int | None:
        """The number of the newest version that must be ready, and since when."""
        found = self._ready_since(at)
        return found[0] if found else None

    def _ready_since(self, at: datetime) -> tuple[int, datetime] | None:
        for number in range(len(self.past.versions) - 1, -1, -1):
            published, version = self.past.versions[number]
            needs = version.needs if version else frozenset()
            for since, until in self.past.stretches(self.past.line, at):
                ready = max(since, published, self._found(needs, at)) + VERSION_WITHIN
                if ready <= until and not self._forgotten(ready, at):
                    return number, ready
        return None

    def _found(self, needs: frozenset[str], at: datetime) -> datetime:
        """Since when the service has had all these assets."""
        found = datetime.min.replace(tzinfo=at.tzinfo)
        for number, (_, lost) in enumerate(self.past.lost):
            if lost & needs:
                found = self.past.lost[number + 1][0] if number + 1 < len(self.past.lost) else at + timedelta(days=1)
        return found

    def _late(self, runs: Runs, at: datetime) -> str:
        """Whether a newer version had to run by now."""
        found = self._ready_since(at)
        if found is None or found[0] <= runs.number:
            return ""
        number, ready = found
        if any(when <= at for when, _ in self.past.versions[number + 1 :]):
            return ""  # a newer one is on its way in its place
        belief, known = self._belief(at)
        if not known:
            return ""
        newest = self.past.versions[number][1]
        for known_facts in range(self._floor(at), self._ceiling(at) + 1):
            facts = _as_of(self.past.facts[known_facts][1], belief - SOLD_OUT_ENDS_WITHIN)
            if newest is not None and not any(showable(entry.scene, facts, at) for entry in newest.entries):
                return ""  # a version of which nothing can be shown waits
        # It may have waited for that until now.
        ready = max(ready, self.past.facts[self._ceiling(at)][0] + FACTS_WITHIN)
        longest = runs.version.longest
        for moment in (*self.past.starts, *(since for since, _, _ in self.past.clock)):
            if moment <= at:
                ready = max(ready, moment + VERSION_WITHIN)
        ready = max(ready, (self.past.clock[-1][0] if len(self.past.clock) > 1 else ready) + CLOCK_WITHIN + longest)
        shift = belief - at
        if ready + shift < runs.anchor:
            return ""
        facts = _as_of(self.past.facts[self._ceiling(at)][1], belief)
        due = showing(runs.version, runs.anchor, facts, ready + shift).boundary - shift
        if at > due + EDGE + SHORTEST:
            return f"expected: {self.past.versions[number][1]} since {due}"
        return ""


def _told(facts: Facts, at: datetime) -> Facts:
    """The facts without the overrides that have ended."""
    return replace(facts, overrides=tuple(one for one in facts.overrides if one.until > at))


def _as_of(facts: Facts, at: datetime | None) -> Facts:
    """The facts with every item sold out or not; without any time it is not known that one is back."""
    facts = present(facts, at)
    return Facts(
        facts.place,
        tuple(
            replace(dish, sold_out=dish.gone(at) if at is not None else dish.sold_out, until=None)
            for dish in facts.dishes
        ),
        facts.overrides,
    )


def _least_times(facts: Facts, at: datetime) -> list[datetime | None]:
    """The times of which a panel that does not know the time may be sure that they have been: it stores the time every
    six hours, by a clock that may have been some minutes fast."""
    ends = {dish.until for dish in facts.dishes if dish.until is not None and dish.until <= at + FAST}
    ends |= {instant for one in facts.planned if (instant := one.at(facts.place)) <= at + FAST}
    return [None, *sorted(ends)]
