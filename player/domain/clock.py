"""Owns what the player believes of the time: the port to the machine's clocks, and how far to trust them; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

MAX_ROUND_TRIP_SECONDS = 4.0
"""An exchange that took longer says too little of the time: it may be wrong by half of this."""

DRIFT = 100e-6
"""Seconds a second by which a machine's clock may run wrong: what an old exchange loses against a new one."""

STEP_SECONDS = 0.5
"""Wall time that moves this much against the monotonic clock has stepped. Slewing (at most 500 ppm) takes a quarter of
an hour to get there."""


class Clock(Protocol):
    """The machine's two clocks."""

    def wall(self) -> datetime:
        """The system's wall time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; for durations and time-outs."""
        ...


class Trust(StrEnum):
    """How far the wall clock can be believed."""

    TRUSTED = "trusted"
    """The system says that it is synchronised."""
    CORRECTED = "corrected"
    """Not synchronised, but the service's time gave an offset."""
    UNKNOWN = "unknown"


def milliseconds(span: timedelta | None) -> int | None:
    """A span of time in whole milliseconds, as documents say it."""
    return None if span is None else round(span.total_seconds() * 1000)


class ClockState(Struct, frozen=True, kw_only=True):
    """`offset` is true time minus the system's; zero unless corrected."""

    trust: Trust = Trust.UNKNOWN
    offset: timedelta = timedelta()


def true_time(wall: datetime, state: ClockState) -> datetime:
    """The best guess at the time, from the system's."""
    return wall + state.offset


class Fix(Struct, frozen=True, kw_only=True):
    """What one exchange with the service says: `true` was the time at `at` on the monotonic clock, give or take
    `doubt` seconds. Tied to the monotonic clock, it holds when the wall clock steps."""

    true: datetime
    at: float
    doubt: float

    def true_at(self, monotonic: float) -> datetime:
        """The time at a reading of the monotonic clock."""
        return self.true + timedelta(seconds=monotonic - self.at)

    def doubt_at(self, monotonic: float) -> float:
        """Seconds by which `true_at` may be wrong."""
        return self.doubt + DRIFT * abs(monotonic - self.at)


def fix_from(*, server_time: datetime, sent: float, received: float) -> Fix | None:
    """The service's time was true at the middle of the exchange (RFC 5905's assumption: both ways take equally long).

    None when the exchange took too long, or ran backwards.
    """
    round_trip = received - sent
    if not 0 <= round_trip <= MAX_ROUND_TRIP_SECONDS:
        return None
    return Fix(true=server_time, at=(sent + received) / 2, doubt=round_trip / 2)


def better(held: Fix | None, new: Fix, *, monotonic: float) -> Fix:
    """The one that leaves less doubt now; the new one when they are even."""
    if held is None or new.doubt_at(monotonic) <= held.doubt_at(monotonic):
        return new
    return held


def stepped(*, wall: timedelta, monotonic: float) -> bool:
    """Whether wall time jumped between two looks; both arguments are what passed between them."""
    return abs(wall.total_seconds() - monotonic) > STEP_SECONDS


class ClockBelief(Struct, frozen=True, kw_only=True):
    """All that the player knows of the time, and the state that follows from it."""

    synchronised: bool = False
    fix: Fix | None = None
    state: ClockState = ClockState()

    def looked(self, *, synchronised: bool, wall: datetime, monotonic: float) -> ClockBelief:
        """The system's word on its clock, and both clocks as they read now; steps are taken care of."""
        return _believe(synchronised=synchronised, fix=self.fix, wall=wall, monotonic=monotonic)

    def heard(
        self, *, server_time: datetime, sent: float, received: float, wall: datetime, monotonic: float
    ) -> ClockBelief:
        """The service's word, and both clocks as they read now."""
        new = fix_from(server_time=server_time, sent=sent, received=received)
        fix = self.fix if new is None else better(self.fix, new, monotonic=monotonic)
        return _believe(synchronised=self.synchronised, fix=fix, wall=wall, monotonic=monotonic)

    def measured_offset(self, *, wall: datetime, monotonic: float) -> timedelta | None:
        """True time minus the system's as the service's clock has it, trusted or not; whole milliseconds."""
        return None if self.fix is None else _offset(self.fix, wall, monotonic)


def _believe(*, synchronised: bool, fix: Fix | None, wall: datetime, monotonic: float) -> ClockBelief:
    if synchronised:
        state = ClockState(trust=Trust.TRUSTED)
    elif fix is not None:
        state = ClockState(trust=Trust.CORRECTED, offset=_offset(fix, wall, monotonic))
    else:
        state = ClockState()
    return ClockBelief(synchronised=synchronised, fix=fix, state=state)


def _offset(fix: Fix, wall: datetime, monotonic: float) -> timedelta:
    seconds = (fix.true_at(monotonic) - wall).total_seconds()
    return timedelta(milliseconds=round(seconds * 1000))
