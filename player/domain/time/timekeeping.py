"""Tracks the board's time, and when a correction is noticed, requested and stored."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.events import ClockChecked, HeartbeatAnswered
from player.domain.time.clock import Boot, ClockEstimate, KnownTime, Trust, true_time

log = logging.getLogger(__name__)

NOTICEABLE_OFFSET = timedelta(milliseconds=500)
"""A smaller change of the clock's correction is network jitter, and moves no boundary."""

MAX_TIME_ASKED = 5
"""Heartbeats that are sent at once because the service's time is in doubt; after that they come at their usual pace."""

STORE_TIME_SECONDS = 6 * 3600.0
"""Between two writes of the time that it is: seldom, because a card wears out."""

WORTH_STORING = timedelta(minutes=1)
"""A correction of the clock by this much is stored at once."""

CLOCK_NOISE = timedelta(milliseconds=1)
"""The two clocks are not read at the same instant."""


class Correction(Struct, frozen=True, kw_only=True):
    """A correction of the time: moved by `shift` since the displayed order was made at `shown_at`, or trusted now and
    not before, or the other way round."""

    shown_at: datetime
    shift: timedelta
    was_trusted: bool
    is_noticeable: bool


class _Reckoning(Struct, frozen=True, kw_only=True):
    """Time on both clocks when it was used for a decision, and whether schedules could be trusted."""

    now: datetime
    monotonic: float
    trusted: bool


class Timekeeping(Struct, frozen=True, kw_only=True):
    """Time at one reading of the machine's two clocks."""

    wall: datetime
    """The system's."""
    monotonic: float
    estimate: ClockEstimate = ClockEstimate()
    reckoned: _Reckoning | None = None
    """The time of the newest order."""
    stored: _Reckoning | None = None
    asked: int = 0

    @property
    def now(self) -> datetime:
        return true_time(self.wall, self.estimate.state)

    @property
    def trusted(self) -> bool:
        return self.estimate.state.trust is not Trust.UNKNOWN

    @property
    def known(self) -> datetime | None:
        """Time, None where it is unknown."""
        return self.now if self.trusted else None

    @property
    def differs(self) -> timedelta | None:
        """Service's time minus the system's, in whole seconds; None where they agree or it is unknown."""
        return self.estimate.difference(wall=self.wall, monotonic=self.monotonic)

    def at(self, wall: datetime, monotonic: float) -> Timekeeping:
        return replace(self, wall=wall, monotonic=monotonic)

    def restored(
        self, *, been: Iterable[datetime], known: KnownTime | None, boot: Boot, synchronised: bool
    ) -> Timekeeping:
        """Returns the time of a start, from past instants, the stored time and the system's clock. An instant that is
        later than the stored time by more than the interval between two writes was written by a clock that was ahead.
        """
        time = self
        if known is not None:
            estimate = self.estimate.remembering(known, boot, wall=self.wall, monotonic=self.monotonic)
            time = replace(self, estimate=estimate)
            least = known.true if estimate.known is None else estimate.known.true_at(self.monotonic)
            been = [instant for instant in been if instant <= least + timedelta(seconds=STORE_TIME_SECONDS)]
        return time.having_been(been).checked(ClockChecked(synchronised=synchronised, stepped=False))

    def having_been(self, instants: Iterable[datetime]) -> Timekeeping:
        """Records that these instants have passed."""
        estimate = self.estimate
        for instant in instants:
            estimate = estimate.with_known(instant, monotonic=self.monotonic)
        return replace(self, estimate=estimate)

    def checked(self, event: ClockChecked) -> Timekeeping:
        if event.stepped:
            log.warning("the system clock stepped; recomputing the timeline")
        estimate = self.estimate.with_system_clock(
            synchronised=event.synchronised, wall=self.wall, monotonic=self.monotonic
        )
        return replace(self, estimate=estimate)

    def answered(self, event: HeartbeatAnswered) -> tuple[Timekeeping, tuple[act.Action, ...]]:
        """Records the service's time. In doubt it is requested again at once, but not for ever."""
        estimate = self.estimate.with_service_time(
            server_time=event.server_time,
            sent=event.sent,
            received=event.received,
            wall=self.wall,
            monotonic=self.monotonic,
        )
        if not estimate.asks_again:
            return replace(self, estimate=estimate, asked=0), ()
        if self.asked >= MAX_TIME_ASKED:
            return replace(self, estimate=estimate), ()
        log.info("time of the service unconfirmed; heartbeat sent again")
        return replace(self, estimate=estimate, asked=self.asked + 1), (act.SendHeartbeat(),)

    def followed(self) -> tuple[Timekeeping, Correction | None]:
        """Returns the time for a new order, and its correction, if it differs from the time of the previous order."""
        time, before = self, self.reckoned
        if before is not None and abs(self.shift_since(before)) >= NOTICEABLE_OFFSET:
            # A step that the clock watch has not told of yet.
            estimate = self.estimate.with_system_clock(wall=self.wall, monotonic=self.monotonic)
            time = replace(self, estimate=estimate)
        after = replace(time, reckoned=time.reckoning())
        if before is None:
            return after, None
        shift, turned = time.shift_since(before), time.trusted is not before.trusted
        if abs(shift) <= CLOCK_NOISE and not turned:
            return after, None
        return after, Correction(
            shown_at=before.now,
            shift=shift,
            was_trusted=before.trusted,
            is_noticeable=turned or abs(shift) >= NOTICEABLE_OFFSET,
        )

    def storing(self) -> tuple[Timekeeping, tuple[act.Action, ...]]:
        """Stores the time, if it is certain: seldom, and after a correction."""
        before = self.stored
        if not self.estimate.certain or (
            before is not None
            and self.monotonic - before.monotonic < STORE_TIME_SECONDS
            and abs(self.shift_since(before)) < WORTH_STORING
        ):
            return self, ()
        replaced = self.estimate.replaced(monotonic=self.monotonic)
        action = act.StoreTime(instant=self.now, at=self.monotonic, before=replaced)
        return replace(self, stored=self.reckoning()), (action,)

    def reckoning(self) -> _Reckoning:
        return _Reckoning(now=self.now, monotonic=self.monotonic, trusted=self.trusted)

    def shift_since(self, before: _Reckoning) -> timedelta:
        """Returns how far the time has moved besides passing."""
        return self.now - before.now - timedelta(seconds=self.monotonic - before.monotonic)
