"""Trust in the system clock, and its correction by the time of the service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.domain.time.clock import (
    MAX_ROUND_TRIP_SECONDS,
    STEP_SECONDS,
    Boot,
    ClockEstimate,
    ClockState,
    KnownTime,
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


# What is believed

DAY = timedelta(days=1)
YEARS = timedelta(days=3653)
"""Ten of them."""


def told(estimate: ClockEstimate, *wrong: timedelta, every: float = 30.0) -> list[timedelta | None]:
    """By how much the board's time is wrong after each of these exchanges, the errors of the service's time; None while
    the time is unknown. The system's clock shows 1970."""
    found: list[timedelta | None] = []
    for number, error in enumerate(wrong):
        at = 10.0 + number * every
        wall = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)
        estimate = estimate.with_service_time(
            server_time=true_at(at) + error, sent=at - 0.05, received=at + 0.05, wall=wall, monotonic=at
        )
        unknown = estimate.state.trust is Trust.UNKNOWN
        found.append(None if unknown else true_time(wall, estimate.state) - true_at(at))
    return found


def exchange(estimate: ClockEstimate, at: float, wrong: timedelta) -> ClockEstimate:
    """The estimate after the service, whose clock is wrong by this, has told its time."""
    return estimate.with_service_time(
        server_time=true_at(at) + wrong, sent=at - 0.05, received=at + 0.05, wall=true_at(at), monotonic=at
    )


SECOND = timedelta(seconds=1)
RIGHT = timedelta()
LAST_KNOWN = ClockEstimate().with_known(TRUE - 3 * timedelta(hours=1), monotonic=0.0)

SLOW = timedelta(seconds=-20)
STORED = KnownTime(true=TRUE - 3 * timedelta(hours=1), boot_id="b", boot_seconds=1000.0)


def started(boot: Boot, *, wall: datetime = datetime(1970, 1, 1, tzinfo=UTC)) -> ClockEstimate:
    """The estimate of a start, when the stored time is three hours old."""
    return (
        ClockEstimate().remembering(STORED, boot, wall=wall, monotonic=0.0).with_system_clock(wall=wall, monotonic=0.0)
    )


JUST_KNOWN = ClockEstimate().with_known(TRUE - 30 * SECOND, monotonic=0.0)
SAME_BOOT = started(Boot(id="b", seconds=1000.0 + 3 * 3600.0))
OTHER_BOOT = started(Boot(id="c", seconds=40.0))
BATTERY = started(Boot(id="c", seconds=40.0, has_battery_clock=True), wall=TRUE + SLOW)
EMPTY_BATTERY = started(Boot(id="c", seconds=40.0, has_battery_clock=True), wall=datetime(2010, 1, 1, tzinfo=UTC))

BELIEFS = [
    # what is known before; the errors of the service's times; the board's errors after each, in days; why
    (ClockEstimate(), (RIGHT, RIGHT), (0, 0), "the service is right"),
    (ClockEstimate(), (RIGHT, DAY, RIGHT, RIGHT), (0, 0, 0, 0), "a single wrong one is not believed"),
    (ClockEstimate(), (RIGHT, RIGHT, DAY, RIGHT, DAY), (0, 0, 0, 0, 0), "nor two that are not in a row"),
    (ClockEstimate(), (RIGHT, DAY, 2 * DAY, RIGHT), (0, 0, 0, 0), "nor two that disagree"),
    (ClockEstimate(), (DAY, RIGHT, RIGHT), (1, 1, 0), "a first one that is wrong is, until two disagree with it"),
    (ClockEstimate(), (RIGHT, DAY, DAY), (0, 0, 1), "two in a row are"),
    (ClockEstimate(), (RIGHT, DAY, DAY, RIGHT, RIGHT), (0, 0, 1, 1, 0), "until the service is right again"),
    (ClockEstimate(), (YEARS, RIGHT), (None, 0), "ten years ahead of anything known: never"),
    (ClockEstimate(), (YEARS, YEARS, YEARS), (None, None, None), "however often it is said"),
    (ClockEstimate(), (-YEARS, RIGHT), (None, 0), "before this program was made: never"),
    (LAST_KNOWN, (RIGHT, RIGHT), (None, 0), "hours after the last known time: as soon as it is confirmed"),
    (LAST_KNOWN, (DAY / 4, RIGHT, RIGHT), (None, None, 0), "a wrong one first: never shown"),
    (JUST_KNOWN, (RIGHT, RIGHT), (0, 0), "what is known says the same: at once"),
    (SAME_BOOT, (DAY / 4, RIGHT, RIGHT), (0, 0, 0), "the time that this boot remembers is kept"),
    (SAME_BOOT, (-DAY / 4, RIGHT, RIGHT), (0, 0, 0), "also against one in the past"),
    (SAME_BOOT, (DAY, DAY), (0, 1), "two in a row are believed"),
    (
        BATTERY,
        (DAY / 4, RIGHT, RIGHT),
        (round(SLOW / DAY, 5), 0, 0),
        "a clock with a battery is kept, until the service is believed",
    ),
    (BATTERY, (RIGHT, RIGHT), (0, 0), "and corrected at once by a time that is like it"),
    (EMPTY_BATTERY, (DAY / 4, RIGHT, RIGHT), (None, None, 0), "one that is before the last known time says nothing"),
    (OTHER_BOOT, (DAY / 4, RIGHT, RIGHT), (None, None, 0), "after a night without power nothing is certain"),
    (LAST_KNOWN, (DAY, RIGHT, RIGHT), (None, None, 0), "a day after it: not before it is confirmed"),
    (LAST_KNOWN, (30 * DAY, 30 * DAY), (None, 30), "the board was off for a month"),
    (LAST_KNOWN, (YEARS, RIGHT, RIGHT), (None, None, 0), "ten years after it: never"),
    (LAST_KNOWN, (-DAY, -DAY, -DAY, RIGHT, RIGHT), (None, None, None, None, 0), "before it: not soon"),
    (LAST_KNOWN, (-DAY,) * 123, (None,) * 120 + (-1,) * 3, "but for an hour without a word to the contrary"),
    (
        LAST_KNOWN,
        (RIGHT, RIGHT, *(-DAY,) * 122),
        (None, *(0,) * 121, *(-1,) * 2),
        "also against a believed one",
    ),
]


@pytest.mark.proves("first-time-after")
@pytest.mark.goes_beyond("MAX_AHEAD")
@pytest.mark.parametrize(("estimate", "wrong", "expected", "why"), BELIEFS, ids=[row[-1] for row in BELIEFS])
def test_a_time_is_believed_when_it_fits_what_is_known_or_is_confirmed(
    estimate: ClockEstimate, wrong: tuple[timedelta, ...], expected: tuple[int | None, ...], why: str
) -> None:
    found = told(estimate, *wrong)
    days = [None if error is None else round(error / DAY, 5) for error in found]
    assert days == list(expected), why


@pytest.mark.proves("restart-player-without")
def test_a_start_goes_by_what_the_disk_and_the_machine_know() -> None:
    assert SAME_BOOT.state.trust is Trust.CORRECTED
    assert true_time(datetime(1970, 1, 1, tzinfo=UTC), SAME_BOOT.state) == TRUE
    assert SAME_BOOT.certain
    assert BATTERY.state == ClockState(trust=Trust.CORRECTED)
    assert not BATTERY.certain, "it is not stored: it may be wrong"
    for unknown in (OTHER_BOOT, EMPTY_BATTERY):
        assert unknown.state.trust is Trust.UNKNOWN
        assert unknown.known is not None
        assert unknown.known.true_at(60.0) == STORED.true + timedelta(seconds=40.0 + 60.0), "it is later than this"


@pytest.mark.parametrize(
    "boot",
    [Boot(), Boot(id="b", seconds=999.0), Boot(id="c", seconds=1e6), Boot(id="c", seconds=5.0)],
    ids=["nothing known", "before the stored one", "another boot", "another boot, now"],
)
def test_a_time_of_another_boot_is_only_the_least(boot: Boot) -> None:
    estimate = started(boot)
    assert estimate.fix is None
    assert estimate.state.trust is Trust.UNKNOWN


def test_a_stored_time_before_what_a_menu_says_is_not_believed() -> None:
    boot = Boot(id="b", seconds=1000.0)
    estimate = ClockEstimate().with_known(TRUE, monotonic=0.0)
    assert estimate.remembering(STORED, boot, wall=TRUE, monotonic=0.0).fix is None


@pytest.mark.parametrize("leap", [DAY / 24, 30 * DAY, 3 * 365 * DAY])
def test_a_service_that_was_ahead_for_seconds_is_believed_again_at_once(leap: timedelta) -> None:
    estimate = LAST_KNOWN
    for at, wrong in ((10.0, RIGHT), (11.0, RIGHT), (40.0, leap), (41.0, leap)):
        estimate = exchange(estimate, at, wrong)
    assert true_time(true_at(42.0), estimate.state) == true_at(42.0) + leap, "two in a row are believed"
    estimate = estimate.with_known(true_at(41.0) + leap, monotonic=42.0)  # a manifest of those seconds
    for at in (43.0, 44.0):
        estimate = exchange(estimate, at, RIGHT)
    assert true_time(true_at(45.0), estimate.state) == true_at(45.0)
    assert estimate.certain, "so the right time is stored"
    assert estimate.known is not None
    assert estimate.known.true_at(45.0) <= true_at(45.0)


def test_the_only_time_that_was_said_before_is_enough_to_go_back_to() -> None:
    estimate = ClockEstimate()
    for at, wrong in ((10.0, RIGHT), (11.0, 3 * 365 * DAY), (12.0, 3 * 365 * DAY)):
        estimate = exchange(estimate, at, wrong)
    estimate = estimate.with_known(true_at(12.0) + 3 * 365 * DAY, monotonic=12.0)
    estimate = exchange(exchange(estimate, 13.0, RIGHT), 14.0, RIGHT)
    assert true_time(true_at(15.0), estimate.state) == true_at(15.0)


def test_what_was_known_before_counts_for_an_hour_only() -> None:
    estimate = LAST_KNOWN
    for at in (10.0, 11.0):
        estimate = exchange(estimate, at, RIGHT)
    estimate = estimate.with_known(true_at(11.0), monotonic=12.0)  # a manifest of now
    back = timedelta(hours=-2)
    for at in (4000.0, 4001.0):
        estimate = exchange(estimate, at, back)
    assert true_time(true_at(4002.0), estimate.state) == true_at(4002.0), "later than what was known, but long settled"
    assert not estimate.certain


def test_a_manifest_says_no_time_later_than_the_one_that_the_board_is_sure_of() -> None:
    estimate = exchange(exchange(LAST_KNOWN, 10.0, RIGHT), 11.0, RIGHT).with_known(TRUE + 30 * DAY, monotonic=12.0)
    assert estimate.known == exchange(exchange(LAST_KNOWN, 10.0, RIGHT), 11.0, RIGHT).known


def test_a_clock_that_stands_still_confirms_nothing() -> None:
    frozen = told(LAST_KNOWN, *(DAY - number * 30 * SECOND for number in range(20)))
    assert set(frozen) == {None}


@pytest.mark.proves("synchronised-clock-says")
@pytest.mark.parametrize("year", [1970, 2000, 2025, 2036, 2038])
def test_a_synchronised_clock_that_says_the_impossible_is_not_believed(year: int) -> None:
    wall = datetime(year, 6, 1, tzinfo=UTC)
    estimate = ClockEstimate().with_system_clock(synchronised=True, wall=wall, monotonic=1.0)
    assert estimate.state.trust is Trust.UNKNOWN
    estimate = exchanged(estimate, at=10.0, error=wall - TRUE)
    assert estimate.state.trust is Trust.CORRECTED
    estimate = estimate.with_system_clock(wall=true_at(60.0), monotonic=60.0)
    assert estimate.state.trust is Trust.TRUSTED, "it has been set right"


def test_a_synchronised_clock_is_believed_against_the_service_and_what_the_service_wrote() -> None:
    estimate = ClockEstimate().with_known(TRUE + 30 * DAY, monotonic=0.0)
    estimate = estimate.with_system_clock(synchronised=True, wall=true_at(1.0), monotonic=1.0)
    assert estimate.state.trust is Trust.TRUSTED
    for at in (10.0, 40.0, 70.0):
        estimate = exchanged(estimate, at=at, error=timedelta())
        estimate = replace(estimate, fix=None)
    for at in (100.0, 130.0):
        estimate = estimate.with_service_time(
            server_time=true_at(at) + DAY, sent=at, received=at, wall=true_at(at), monotonic=at
        )
        assert estimate.state == ClockState(trust=Trust.TRUSTED)


def test_instants_of_manifests_that_cannot_be_say_nothing() -> None:
    for instant in (datetime(9998, 1, 1, tzinfo=UTC), datetime(2, 1, 1, tzinfo=UTC)):
        estimate = ClockEstimate().with_known(instant, monotonic=0.0)
        assert exchanged(estimate, at=10.0, error=DAY).state.offset == -DAY


lies = st.lists(st.sampled_from([RIGHT, RIGHT, RIGHT, DAY, -DAY, YEARS, timedelta(seconds=5)]), max_size=30)


@given(lies, st.booleans())
def test_what_two_exchanges_in_a_row_agree_on_is_what_the_board_believes(wrong: list[timedelta], knows: bool) -> None:
    found = told(LAST_KNOWN if knows else ClockEstimate(), *wrong, RIGHT, RIGHT)
    assert found[-1] == RIGHT
    for number in range(1, len(found)):
        if found[number] not in (None, RIGHT) and found[number] != found[number - 1]:
            assert not knows or wrong[number - 1] == wrong[number] or wrong[number] == timedelta(seconds=5)


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
