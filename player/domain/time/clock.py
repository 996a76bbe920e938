"""Estimates true time from the machine's clocks and the service's; says how far it is to be trusted; pure.

No single answer of the service is believed for long:

- a time before `EARLIEST`, or more than `MAX_AHEAD` after the last time that is known to have been, is ignored, and so
  is a system clock that says one, synchronised or not;
- a first time has to be confirmed by the next exchange, unless no time is known at all, or the known one says the same;
- a time that disagrees with the believed one by more than both are uncertain takes its place when the next exchange
  agrees with it. To go back before the last known time, it has to be confirmed for an hour, unless it is no earlier
  than what was known before the believed one took its place, less than an hour ago: then the service's clock was ahead
  meanwhile.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Protocol

from msgspec import Meta, Struct, field
from msgspec.structs import replace

MAX_ROUND_TRIP_SECONDS = 4.0
"""A slower exchange is ignored: the time that it gives may be wrong by half its round trip."""

DRIFT = 100e-6
"""Seconds a second by which a machine's clock may drift: how much an old exchange loses against a new one."""

STEP_SECONDS = 0.5
"""Wall time that moves more than this against the monotonic clock has stepped. Slewing (at most 500 ppm) takes a
quarter of an hour to move it so far."""


EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""No clock that is right says an earlier time than this, as this program did not exist. Each release moves it on."""

LATEST = EARLIEST + timedelta(days=100 * 365)
"""A time in a manifest that is later says nothing of the time that it is."""

MAX_AHEAD = timedelta(days=5 * 365)
"""A time that is further ahead of the last known one is not believed: boards are not switched off for so long."""

TELLING_SECONDS = 60.0
"""Times that differ by less do not contradict each other: two machines of one service, or a clock that was set by hand
in its battery's chip."""

OUTWEIGH_SECONDS = 3600.0
"""Exchanges have to agree with each other for so long to be believed against the last known time, which was wrong
then."""


class Clock(Protocol):
    """System wall clock and monotonic clock."""

    def wall(self) -> datetime:
        """Wall time of the system, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; for durations and time-outs."""
        ...


class Trust(StrEnum):
    TRUSTED = "trusted"
    """The system says that it is synchronised."""
    CORRECTED = "corrected"
    """Not synchronised, but corrected by the service's time."""
    UNKNOWN = "unknown"


def milliseconds(span: timedelta | None) -> int | None:
    return None if span is None else round(span.total_seconds() * 1000)


class ClockState(Struct, frozen=True, kw_only=True):
    """Estimate that decisions use. `offset` is true time minus the system's; zero unless corrected."""

    trust: Trust = Trust.UNKNOWN
    offset: timedelta = timedelta()


def true_time(wall: datetime, state: ClockState) -> datetime:
    return wall + state.offset


class Fix(Struct, frozen=True, kw_only=True):
    """Time from one exchange with the service: `true` at `at` on the monotonic clock, give or take `uncertainty`
    seconds. Tied to the monotonic clock, it stays valid when the wall clock steps."""

    true: datetime
    at: float
    uncertainty: float

    def true_at(self, monotonic: float) -> datetime:
        return self.true + timedelta(seconds=monotonic - self.at)

    def uncertainty_at(self, monotonic: float) -> float:
        """Returns the seconds by which `true_at` may be wrong."""
        return self.uncertainty + DRIFT * abs(monotonic - self.at)


def fix_from(*, server_time: datetime, sent: float, received: float) -> Fix | None:
    """Takes the service's time as that of the middle of the exchange (as in RFC 5905: both ways take equally long).

    None if the exchange took too long, or ran backwards.
    """
    round_trip = received - sent
    if not 0 <= round_trip <= MAX_ROUND_TRIP_SECONDS:
        return None
    return Fix(true=server_time, at=(sent + received) / 2, uncertainty=round_trip / 2)


def better(known: Fix, new: Fix, *, monotonic: float) -> Fix:
    """Returns the fix that is less uncertain now; the new one if they are equal."""
    return min(new, known, key=lambda fix: fix.uncertainty_at(monotonic))


def stepped(*, wall: timedelta, monotonic: float) -> bool:
    """Whether wall time stepped between two readings; both arguments are the time that passed between them."""
    return abs(wall.total_seconds() - monotonic) > STEP_SECONDS


def agree(one: Fix, other: Fix, *, monotonic: float) -> bool:
    """Whether both exchanges can have been right."""
    apart = abs((one.true_at(monotonic) - other.true_at(monotonic)).total_seconds())
    # Both may be off by their uncertainty, and by 0.1 s: the service's time has a resolution, and its machine's clock
    # is slewed too.
    return apart <= one.uncertainty_at(monotonic) + other.uncertainty_at(monotonic) + 0.1


class Boot(Struct, frozen=True, kw_only=True):
    """Machine since it was switched on: an id of that, for how many seconds, those of sleep included, and whether a
    clock with a battery has set the system's."""

    id: str = ""
    seconds: float = 0.0
    has_battery_clock: bool = False


class KnownTime(Struct, frozen=True, kw_only=True, rename="camel"):
    """An instant of which the player was certain, and when that was since the machine was switched on."""

    true: Annotated[datetime, Meta(tz=True)] = field(name="known")
    boot_id: str = ""
    boot_seconds: float = 0.0
    before: Annotated[datetime, Meta(tz=True)] | None = None
    """The time by the one that this one replaced less than an hour ago; None where it replaced none."""


class UnconfirmedTime(Struct, frozen=True, kw_only=True):
    """A time that is not believed yet, and since when (monotonic seconds) exchanges have stated it; `soon`: one more is
    enough."""

    fix: Fix
    since: float
    soon: bool


class ClockEstimate(Struct, frozen=True, kw_only=True):
    """Everything known about the time, and the state that follows from it.

    `synchronised` is the system's report on its clock. `known` is the newest instant that has certainly passed;
    `confirmed` says whether two exchanges agreed on `fix`, `unconfirmed` is the different time of the last one;
    `before` is what was known when `fix` took its place, at that instant.
    """

    synchronised: bool = False
    known: Fix | None = None
    fix: Fix | None = None
    confirmed: bool = False
    before: Fix | None = None
    unconfirmed: UnconfirmedTime | None = None
    state: ClockState = ClockState()

    @property
    def asks_again(self) -> bool:
        """Whether the next exchange should come soon, to confirm the time or to correct it."""
        if self.state.trust is Trust.TRUSTED:
            return False
        return self.unconfirmed.soon if self.unconfirmed is not None else self.fix is not None and not self.confirmed

    @property
    def certain(self) -> bool:
        """Whether nothing contradicts the time."""
        return self.state.trust is Trust.TRUSTED or (self.confirmed and self.unconfirmed is None)

    def with_known(self, instant: datetime, *, monotonic: float) -> ClockEstimate:
        """Updates the estimate with a past instant: of a manifest, or stored by the player itself. One that is later
        than a confirmed time was written by a clock that was ahead."""
        if self.state.trust is Trust.TRUSTED or not EARLIEST <= instant <= LATEST:
            return self
        if self.fix is not None and self.confirmed and _apart(self.fix, instant, monotonic) > TELLING_SECONDS:
            return self
        if self.known is not None and instant <= self.known.true_at(monotonic):
            return self
        return replace(self, known=Fix(true=instant, at=monotonic, uncertainty=0.0))

    def remembering(self, stored: KnownTime, boot: Boot, *, wall: datetime, monotonic: float) -> ClockEstimate:
        """Returns the first estimate of a start, from the stored time: as good as it was within one boot. After another
        one it is later than that, and as in the system's clock where a battery has kept it, until something contradicts
        it. Where the boots are not known, as in what players before 0.5.0 wrote, no time is known to have passed."""
        known_boots = bool(boot.id and stored.boot_id)
        same = known_boots and stored.boot_id == boot.id and boot.seconds >= stored.boot_seconds
        passed = boot.seconds - (stored.boot_seconds if same else 0.0) if known_boots else 0.0
        least = Fix(true=stored.true + timedelta(seconds=passed), at=monotonic, uncertainty=0.0)
        estimate = self.with_known(least.true, monotonic=monotonic)
        if stored.before is not None:
            before = Fix(true=stored.before + timedelta(seconds=passed), at=monotonic, uncertainty=0.0)
            estimate = replace(estimate, before=before)
        if estimate.known is None or not EARLIEST <= least.true <= LATEST:
            return estimate
        known = estimate.known.true_at(monotonic)
        if same and self._ahead(least, monotonic) >= -TELLING_SECONDS:
            remembered = replace(least, uncertainty=MAX_ROUND_TRIP_SECONDS / 2 + DRIFT * passed)
            return replace(estimate, fix=remembered, confirmed=True)
        if boot.has_battery_clock and known <= wall <= known + MAX_AHEAD:
            return replace(estimate, fix=Fix(true=wall, at=monotonic, uncertainty=TELLING_SECONDS))
        return estimate

    def with_system_clock(self, *, wall: datetime, monotonic: float, synchronised: bool | None = None) -> ClockEstimate:
        """Updates the estimate with the present readings of both clocks, and whether the system's is synchronised
        (None: as before)."""
        claim = self.synchronised if synchronised is None else synchronised
        return _settled(replace(self, synchronised=claim), wall, monotonic)

    def with_service_time(
        self, *, server_time: datetime, sent: float, received: float, wall: datetime, monotonic: float
    ) -> ClockEstimate:
        """Updates the estimate with an exchange with the service, and the present readings of both clocks."""
        new = fix_from(server_time=server_time, sent=sent, received=received)
        return _settled(self if new is None else self._after(new, monotonic), wall, monotonic)

    def difference(self, *, wall: datetime, monotonic: float) -> timedelta | None:
        """Returns the service's time minus the system's, in whole seconds: also where it is not believed. None if it is
        negligible, or not known."""
        fix = self.fix or (self.unconfirmed.fix if self.unconfirmed is not None else None)
        if fix is None:
            return None
        seconds = round(_offset(fix, wall, monotonic).total_seconds())
        return None if abs(seconds) < 2 else timedelta(seconds=seconds)

    def replaced(self, *, monotonic: float) -> datetime | None:
        """Returns the time by the fix before the believed one; None if the believed one has held for an hour."""
        if self.before is None or monotonic - self.before.at >= OUTWEIGH_SECONDS:
            return None
        return self.before.true_at(monotonic)

    def _after(self, new: Fix, monotonic: float) -> ClockEstimate:
        if not _possible(self, new.true_at(monotonic), monotonic):
            return replace(self, unconfirmed=UnconfirmedTime(fix=new, since=monotonic, soon=True))
        if self.fix is not None and agree(self.fix, new, monotonic=monotonic):
            fix = better(self.fix, new, monotonic=monotonic)
            return replace(self, fix=fix, confirmed=True, unconfirmed=None)
        if self.fix is None and abs(self._ahead(new, monotonic)) <= TELLING_SECONDS:
            return replace(self, fix=new, confirmed=False, unconfirmed=None)
        unconfirmed = self.unconfirmed
        if unconfirmed is None or not agree(unconfirmed.fix, new, monotonic=monotonic):
            soon = self._ahead(new, monotonic) >= -TELLING_SECONDS or self._is_after_what_was_known(new, monotonic)
            return replace(self, unconfirmed=UnconfirmedTime(fix=new, since=monotonic, soon=soon))
        fix = better(unconfirmed.fix, new, monotonic=monotonic)
        if not unconfirmed.soon and monotonic - unconfirmed.since < OUTWEIGH_SECONDS:
            return replace(self, unconfirmed=replace(unconfirmed, fix=fix))
        known = fix if self._ahead(fix, monotonic) < 0 else self.known
        before = self._before(fix, monotonic)
        return replace(self, known=known, fix=fix, confirmed=True, before=before, unconfirmed=None)

    def _before(self, fix: Fix, monotonic: float) -> Fix | None:
        """Returns the known time before this one takes its place; as it was where it moves negligibly, None where it
        goes back."""
        known = self.fix or self.known
        if known is None:
            return None
        moved = _apart(known, fix.true_at(monotonic), monotonic)
        if abs(moved) <= TELLING_SECONDS:
            return self.before
        return None if moved < 0 else Fix(true=known.true_at(monotonic), at=monotonic, uncertainty=0.0)

    def _is_after_what_was_known(self, fix: Fix, monotonic: float) -> bool:
        """Whether a time is no earlier than the one known before the believed one, which has not held for an hour."""
        replaced = self.replaced(monotonic=monotonic)
        return replaced is not None and (fix.true_at(monotonic) - replaced).total_seconds() >= -TELLING_SECONDS

    def _ahead(self, fix: Fix, monotonic: float) -> float:
        """Returns the seconds by which a time is after the last known one; 0 where none is known."""
        if self.known is None:
            return 0.0
        return (fix.true_at(monotonic) - self.known.true_at(monotonic)).total_seconds()


def _apart(fix: Fix, instant: datetime, monotonic: float) -> float:
    """Returns the seconds by which an instant is after the time of a fix."""
    return (instant - fix.true_at(monotonic)).total_seconds()


def _possible(estimate: ClockEstimate, time: datetime, monotonic: float) -> bool:
    known = EARLIEST if estimate.known is None else max(EARLIEST, estimate.known.true_at(monotonic))
    return EARLIEST <= time <= known + MAX_AHEAD


def _settled(estimate: ClockEstimate, wall: datetime, monotonic: float) -> ClockEstimate:
    """Computes the resulting state, from the present readings of both clocks."""
    if estimate.synchronised and _possible(estimate, wall, monotonic):
        known = Fix(true=wall, at=monotonic, uncertainty=0.0)
        return replace(estimate, known=known, state=ClockState(trust=Trust.TRUSTED))
    if estimate.fix is None:
        return replace(estimate, state=ClockState())
    state = ClockState(trust=Trust.CORRECTED, offset=_offset(estimate.fix, wall, monotonic))
    return replace(estimate, state=state)


def _offset(fix: Fix, wall: datetime, monotonic: float) -> timedelta:
    seconds = (fix.true_at(monotonic) - wall).total_seconds()
    return timedelta(milliseconds=round(seconds * 1000))
