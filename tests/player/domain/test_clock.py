"""Trust in the system clock, and its correction by the time of the service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.domain.clock import (
    MAX_ROUND_TRIP_SECONDS,
    STEP_SECONDS,
    ClockEstimate,
    ClockState,
    Trust,
    better,
    fix_from,
    stepped,
    true_time,
)

TRUE = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""True time when the monotonic clock reads 0."""


def true_at(monotonic: float) -> datetime:
    return TRUE + timedelta(seconds=monotonic)


def exchanged(
    estimate: ClockEstimate, *, at: float, error: timedelta, there: float = 0.05, back: float = 0.05
) -> ClockEstimate:
    """The estimate after an exchange that reached the service at `at`, with a system clock that is fast by `error`."""
    return estimate.with_service_time(
        server_time=true_at(at),
        sent=at - there,
        received=at + back,
        wall=true_at(at + back) + error,
        monotonic=at + back,
    )


def test_the_clock_is_unknown_at_first() -> None:
    assert ClockEstimate().state == ClockState(trust=Trust.UNKNOWN, offset=timedelta())


@pytest.mark.parametrize("error", [timedelta(), timedelta(days=-56 * 365), timedelta(hours=3), timedelta(seconds=-2)])
def test_the_service_corrects_a_clock_that_is_not_synchronised(error: timedelta) -> None:
    state = exchanged(ClockEstimate(), at=10.0, error=error).state
    assert state.trust is Trust.CORRECTED
    assert true_time(true_at(50.0) + error, state) == true_at(50.0)


def test_a_synchronised_clock_takes_precedence_over_the_service() -> None:
    estimate = ClockEstimate().with_system_clock(synchronised=True, wall=true_at(5), monotonic=5.0)
    assert estimate.state == ClockState(trust=Trust.TRUSTED)
    estimate = exchanged(estimate, at=10.0, error=timedelta(hours=1))
    assert estimate.state == ClockState(trust=Trust.TRUSTED)
    wall, offset = true_at(20) + timedelta(hours=1), timedelta(hours=-1)
    assert estimate.measured_offset(wall=wall, monotonic=20.0) == offset
    estimate = estimate.with_system_clock(synchronised=False, wall=wall, monotonic=20.0)
    assert estimate.state == ClockState(trust=Trust.CORRECTED, offset=offset)


def test_a_step_of_the_system_clock_is_corrected_without_the_service() -> None:
    estimate = exchanged(ClockEstimate(), at=10.0, error=timedelta())
    wall = true_at(30.0) - timedelta(days=7)
    estimate = estimate.with_system_clock(synchronised=False, wall=wall, monotonic=30.0)
    assert true_time(wall, estimate.state) == true_at(30.0)


@pytest.mark.parametrize(
    ("round_trip", "taken"),
    [(0.0, True), (MAX_ROUND_TRIP_SECONDS, True), (MAX_ROUND_TRIP_SECONDS + 0.01, False), (-0.1, False)],
)
def test_an_exchange_that_took_too_long_is_ignored(round_trip: float, taken: bool) -> None:
    fix = fix_from(server_time=TRUE, sent=10.0, received=10.0 + round_trip)
    assert (fix is not None) is taken


def test_a_slow_exchange_does_not_replace_a_quick_one() -> None:
    quick = exchanged(ClockEstimate(), at=10.0, error=timedelta(hours=1))
    slow = exchanged(quick, at=40.0, error=timedelta(hours=1), there=3.0, back=0.1)
    assert slow.state == quick.state == ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))


def test_a_quick_exchange_replaces_a_slow_one() -> None:
    slow = exchanged(ClockEstimate(), at=10.0, error=timedelta(hours=1), there=3.0, back=0.1)
    assert slow.state.offset != timedelta(hours=-1)
    assert exchanged(slow, at=40.0, error=timedelta(hours=1)).state.offset == timedelta(hours=-1)


def test_a_new_fix_replaces_an_old_one() -> None:
    old = fix_from(server_time=TRUE, sent=0.0, received=0.02)
    new = fix_from(server_time=TRUE, sent=7200.0, received=7200.2)
    assert old is not None
    assert new is not None
    assert better(old, new, monotonic=7200.2) is new
    assert better(new, old, monotonic=0.02) is old


@pytest.mark.parametrize(
    ("wall", "monotonic", "is_step"),
    [
        (10.0, 10.0, False),
        (10.0 + STEP_SECONDS, 10.0, False),
        (10.01 + STEP_SECONDS, 10.0, True),
        (9.49, 10.0, True),
        (-3600.0, 0.5, True),
        (1000.0 * 1.0005, 1000.0, False),
    ],
)
def test_a_step_is_distinguished_from_slewing(wall: float, monotonic: float, is_step: bool) -> None:
    assert stepped(wall=timedelta(seconds=wall), monotonic=monotonic) is is_step


exchanges = st.lists(st.tuples(st.floats(0.1, 100), st.floats(0, 5), st.floats(0, 5)), min_size=1, max_size=20)


@given(exchanges, st.floats(-1e8, 1e8))
def test_the_correction_is_never_worse_than_the_best_exchange_allows(
    steps: list[tuple[float, float, float]], wrong_by: float
) -> None:
    estimate, now, uncertainty = ClockEstimate(), 10.0, None
    error = timedelta(seconds=round(wrong_by, 3))
    for pause, there, back in steps:
        now += pause + there
        estimate = exchanged(estimate, at=now, error=error, there=there, back=back)
        if there + back <= MAX_ROUND_TRIP_SECONDS - 1e-6:
            uncertainty = min(uncertainty if uncertainty is not None else 1e9, (there + back) / 2)
        now += back
    if uncertainty is None:
        return
    off = abs((true_time(true_at(now) + error, estimate.state) - true_at(now)).total_seconds())
    assert off <= uncertainty + 1e-4 * (now - 10.0) + 0.002
