"""Estimates true time from the machine's clocks and the service's; says how far it is to be trusted; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

MAX_ROUND_TRIP_SECONDS = 4.0
"""A slower exchange is ignored: the time that it gives may be wrong by half its round trip."""

DRIFT = 100e-6
"""Seconds a second by which a machine's clock may drift: how much an old exchange loses against a new one."""

STEP_SECONDS = 0.5
"""Wall time that moves more than this against the monotonic clock has stepped. Slewing (at most 500 ppm) takes a
quarter of an hour to move it so far."""


class Clock(Protocol):
    """The machine's two clocks."""

    def wall(self) -> datetime:
        """The system's wall time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; for durations and time-outs."""
        ...


class Trust(StrEnum):
    """How far the wall clock can be trusted."""

    TRUSTED = "trusted"
    """The system says that it is synchronised."""
    CORRECTED = "corrected"
    """Not synchronised, but corrected by the service's time."""
    UNKNOWN = "unknown"


def milliseconds(span: timedelta | None) -> int | None:
    """A span of time in whole milliseconds, for documents."""
    return None if span is None else round(span.total_seconds() * 1000)


class ClockState(Struct, frozen=True, kw_only=True):
    """The estimate that decisions use. `offset` is true time minus the system's; zero unless corrected."""

    trust: Trust = Trust.UNKNOWN
    offset: timedelta = timedelta()


def true_time(wall: datetime, state: ClockState) -> datetime:
    """The best estimate of the time, from the system's."""
    return wall + state.offset


class Fix(Struct, frozen=True, kw_only=True):
    """The time from one exchange with the service: `true` at `at` on the monotonic clock, give or take `uncertainty`
    seconds. Tied to the monotonic clock, it stays valid when the wall clock steps."""

    true: datetime
    at: float
    uncertainty: float

    def true_at(self, monotonic: float) -> datetime:
        """The time at a reading of the monotonic clock."""
        return self.true + timedelta(seconds=monotonic - self.at)

    def uncertainty_at(self, monotonic: float) -> float:
        """Seconds by which `true_at` may be wrong."""
        return self.uncertainty + DRIFT * abs(monotonic - self.at)


def fix_from(*, server_time: datetime, sent: float, received: float) -> Fix | None:
    """The service's time, taken as that of the middle of the exchange (as in RFC 5905: both ways take equally long).

    None if the exchange took too long, or ran backwards.
    """
    round_trip = received - sent
    if not 0 <= round_trip <= MAX_ROUND_TRIP_SECONDS:
        return None
    return Fix(true=server_time, at=(sent + received) / 2, uncertainty=round_trip / 2)


def better(known: Fix | None, new: Fix, *, monotonic: float) -> Fix:
    """The fix that is less uncertain now; the new one if they are equal."""
    if known is None or new.uncertainty_at(monotonic) <= known.uncertainty_at(monotonic):
        return new
    return known


def stepped(*, wall: timedelta, monotonic: float) -> bool:
    """Whether wall time stepped between two readings; both arguments are the time that passed between them."""
    return abs(wall.total_seconds() - monotonic) > STEP_SECONDS


class ClockEstimate(Struct, frozen=True, kw_only=True):
    """Everything known about the time, and the state that follows from it."""

    synchronised: bool = False
    fix: Fix | None = None
    state: ClockState = ClockState()

    def with_system_clock(self, *, synchronised: bool, wall: datetime, monotonic: float) -> ClockEstimate:
        """The next estimate, from whether the system's clock is synchronised, and both clocks as they read now."""
        return _estimate(synchronised=synchronised, fix=self.fix, wall=wall, monotonic=monotonic)

    def with_service_time(
        self, *, server_time: datetime, sent: float, received: float, wall: datetime, monotonic: float
    ) -> ClockEstimate:
        """The next estimate, from an exchange with the service, and both clocks as they read now."""
        new = fix_from(server_time=server_time, sent=sent, received=received)
        fix = self.fix if new is None else better(self.fix, new, monotonic=monotonic)
        return _estimate(synchronised=self.synchronised, fix=fix, wall=wall, monotonic=monotonic)

    def measured_offset(self, *, wall: datetime, monotonic: float) -> timedelta | None:
        """True time minus the system's by the service's clock, used or not; whole milliseconds."""
        return None if self.fix is None else _offset(self.fix, wall, monotonic)


def _estimate(*, synchronised: bool, fix: Fix | None, wall: datetime, monotonic: float) -> ClockEstimate:
    if synchronised:
        state = ClockState(trust=Trust.TRUSTED)
    elif fix is not None:
        state = ClockState(trust=Trust.CORRECTED, offset=_offset(fix, wall, monotonic))
    else:
        state = ClockState()
    return ClockEstimate(synchronised=synchronised, fix=fix, state=state)


def _offset(fix: Fix, wall: datetime, monotonic: float) -> timedelta:
    seconds = (fix.true_at(monotonic) - wall).total_seconds()
    return timedelta(milliseconds=round(seconds * 1000))
