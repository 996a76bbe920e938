"""How far the clock is believed, and that a wrong one is put right without being asked twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.domain.clock import (
    MAX_ROUND_TRIP_SECONDS,
    STEP_SECONDS,
    ClockBelief,
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


def heard(belief: ClockBelief, *, at: float, error: timedelta, there: float = 0.05, back: float = 0.05) -> ClockBelief:
    """An exchange that reached the service at `at`; the system's clock is wrong by `error` (what it reads too much)."""
    return belief.heard(
        server_time=true_at(at),
        sent=at - there,
        received=at + back,
        wall=true_at(at + back) + error,
        monotonic=at + back,
    )


def test_nothing_is_believed_at_first() -> None:
    assert ClockBelief().state == ClockState(trust=Trust.UNKNOWN, offset=timedelta())


@pytest.mark.parametrize("error", [timedelta(), timedelta(days=-56 * 365), timedelta(hours=3), timedelta(seconds=-2)])
def test_the_service_corrects_a_clock_that_is_not_synchronised(error: timedelta) -> None:
    state = heard(ClockBelief(), at=10.0, error=error).state
    assert state.trust is Trust.CORRECTED
    assert true_time(true_at(50.0) + error, state) == true_at(50.0)


def test_a_synchronised_clock_wins_over_the_service() -> None:
    belief = ClockBelief().looked(synchronised=True, wall=true_at(5), monotonic=5.0)
    assert belief.state == ClockState(trust=Trust.TRUSTED)
    belief = heard(belief, at=10.0, error=timedelta(hours=1))
    assert belief.state == ClockState(trust=Trust.TRUSTED)
    wall, offset = true_at(20) + timedelta(hours=1), timedelta(hours=-1)
    assert belief.measured_offset(wall=wall, monotonic=20.0) == offset
    belief = belief.looked(synchronised=False, wall=wall, monotonic=20.0)
    assert belief.state == ClockState(trust=Trust.CORRECTED, offset=offset)


def test_a_step_of_the_system_clock_is_made_up_for_without_the_service() -> None:
    belief = heard(ClockBelief(), at=10.0, error=timedelta())
    wall = true_at(30.0) - timedelta(days=7)
    belief = belief.looked(synchronised=False, wall=wall, monotonic=30.0)
    assert true_time(wall, belief.state) == true_at(30.0)


@pytest.mark.parametrize(
    ("round_trip", "taken"),
    [(0.0, True), (MAX_ROUND_TRIP_SECONDS, True), (MAX_ROUND_TRIP_SECONDS + 0.01, False), (-0.1, False)],
)
def test_an_exchange_that_took_too_long_says_nothing(round_trip: float, taken: bool) -> None:
    fix = fix_from(server_time=TRUE, sent=10.0, received=10.0 + round_trip)
    assert (fix is not None) is taken


def test_a_slow_exchange_does_not_spoil_a_quick_one() -> None:
    quick = heard(ClockBelief(), at=10.0, error=timedelta(hours=1))
    slow = heard(quick, at=40.0, error=timedelta(hours=1), there=3.0, back=0.1)
    assert slow.state == quick.state == ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))


def test_a_quick_exchange_mends_a_slow_one() -> None:
    slow = heard(ClockBelief(), at=10.0, error=timedelta(hours=1), there=3.0, back=0.1)
    assert slow.state.offset != timedelta(hours=-1)
    assert heard(slow, at=40.0, error=timedelta(hours=1)).state.offset == timedelta(hours=-1)


def test_an_old_fix_gives_way_to_a_new_one() -> None:
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
def test_a_step_is_told_from_slewing(wall: float, monotonic: float, is_step: bool) -> None:
    assert stepped(wall=timedelta(seconds=wall), monotonic=monotonic) is is_step


exchanges = st.lists(st.tuples(st.floats(0.1, 100), st.floats(0, 5), st.floats(0, 5)), min_size=1, max_size=20)


@given(exchanges, st.floats(-1e8, 1e8))
def test_the_correction_is_never_worse_than_the_best_exchange_allows(
    steps: list[tuple[float, float, float]], wrong_by: float
) -> None:
    belief, now, doubt = ClockBelief(), 10.0, None
    error = timedelta(seconds=round(wrong_by, 3))
    for pause, there, back in steps:
        now += pause + there
        belief = heard(belief, at=now, error=error, there=there, back=back)
        if there + back <= MAX_ROUND_TRIP_SECONDS - 1e-6:
            doubt = min(doubt if doubt is not None else 1e9, (there + back) / 2)
        now += back
    if doubt is None:
        return
    off = abs((true_time(true_at(now) + error, belief.state) - true_at(now)).total_seconds())
    assert off <= doubt + 1e-4 * (now - 10.0) + 0.002
