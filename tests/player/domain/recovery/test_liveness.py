"""Whether what was ordered is on the glass, and what a start leaves out: the rules, in order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from menu.documents.manifest import VersionKey
from player.domain.recovery import fallback
from player.domain.recovery.failures import COUNT_FOR, Failures
from player.domain.recovery.liveness import (
    EVENT_FAILURE_SECONDS,
    FRAME_WITHIN_SECONDS,
    HUNG_SECONDS,
    MOST_EVENT_FAILURES,
    MOST_SLOWNESS,
    ORDER_WITHIN_SECONDS,
    QUICK_LOAD_SECONDS,
    FaultCode,
    Liveness,
    slowness,
)
from tests.support.menus import NOON

KEY = VersionKey(playlist_id="pl_1", version=2)
SCENE = fallback.scene_subject(KEY, "scn_1")


def looked(
    liveness: Liveness, now: float, *, turned_at: float | None = None, seen: bool = True, asked: float | None = None
) -> Liveness:
    turned = now if turned_at is None else turned_at
    return liveness.look(now, turned_at=turned, has_screen=seen, frames_seen=seen, frame_asked_at=asked)


def looked_for(
    liveness: Liveness, began: float, seconds: float, *, turned_at: float | None = None, asked: float | None = None
) -> Liveness:
    """So it is looked at, once a second."""
    for second in range(1, round(seconds) + 1):
        liveness = looked(liveness, began + second, turned_at=turned_at, asked=asked)
    return liveness


def code(liveness: Liveness, now: float) -> FaultCode | None:
    fault = liveness.fault(now)
    return fault.code if fault else None


def test_an_order_is_late_when_its_frame_does_not_come_and_later_orders_do_not_put_that_off() -> None:
    liveness = looked(Liveness(since=0).order(1, 0.0), 0.0)
    for second in range(1, int(ORDER_WITHIN_SECONDS)):
        liveness = looked(liveness.order(1 + second, float(second)), float(second))
        assert code(liveness, float(second)) is None
    liveness = looked(liveness, ORDER_WITHIN_SECONDS)
    assert code(liveness, ORDER_WITHIN_SECONDS) is FaultCode.ORDER_LATE
    assert code(liveness.show(liveness.ordered), ORDER_WITHIN_SECONDS) is None


def test_without_a_screen_no_order_is_late_and_waiting_begins_anew_with_one() -> None:
    liveness = looked(Liveness(since=0).order(1, 0.0), 500.0, seen=False)
    assert code(liveness, 500.0) is None
    assert code(looked(liveness, 501.0), 501.0) is None
    late = looked_for(liveness, 500.0, ORDER_WITHIN_SECONDS)
    assert code(late, 500.0 + ORDER_WITHIN_SECONDS) is FaultCode.ORDER_LATE


def test_frames_have_stopped_when_none_is_taken_while_the_loop_turns() -> None:
    still = looked(Liveness(since=0).order(1, 0.0).show(1), 100.0, asked=100.0)
    assert code(still, 100.0) is None
    later = 100.0 + FRAME_WITHIN_SECONDS
    stopped = looked_for(still, 100.0, FRAME_WITHIN_SECONDS, asked=100.0)
    assert code(stopped, later) is FaultCode.FRAMES_STOPPED
    slow = looked_for(still, 100.0, FRAME_WITHIN_SECONDS, turned_at=101.0, asked=100.0)
    assert code(slow, later) is None, "a slow loop is another thing"
    assert code(looked(still, later), later) is None, "it was taken"


def test_a_display_hangs_whose_loop_does_not_turn() -> None:
    well = looked(Liveness(since=0), 50.0)
    assert code(looked_for(well, 50.0, HUNG_SECONDS - 1, turned_at=50.0), 50.0 + HUNG_SECONDS - 1) is None
    hangs = looked_for(well, 50.0, HUNG_SECONDS, turned_at=50.0)
    assert code(hangs, 50.0 + HUNG_SECONDS) is FaultCode.DISPLAY_HANGS


def test_what_a_slow_machine_takes_for_its_start_is_no_fault() -> None:
    waiting = Liveness(since=0).order(1, 100.0 - 2 * ORDER_WITHIN_SECONDS)
    assert code(looked(waiting, 100.0), 100.0) is None
    later = 100.0 + ORDER_WITHIN_SECONDS
    assert code(looked_for(looked(waiting, 100.0), 100.0, ORDER_WITHIN_SECONDS), later) is FaultCode.ORDER_LATE
    starting = looked(Liveness(since=0), 100.0, turned_at=100.0 - 2 * HUNG_SECONDS, asked=99.0 - FRAME_WITHIN_SECONDS)
    assert code(starting, 100.0) is None
    for seconds, found in ((HUNG_SECONDS - 1, None), (HUNG_SECONDS, FaultCode.DISPLAY_HANGS)):
        later = looked_for(starting, 100.0, seconds, turned_at=100.0 - 2 * HUNG_SECONDS)
        assert code(later, 100.0 + seconds) is found


@pytest.mark.proves("machine-suspended-disk")
@pytest.mark.goes_beyond("MOST_LOOK_SECONDS")
def test_what_holds_up_the_looks_as_well_is_no_fault_of_the_display() -> None:
    """A machine that is suspended, or that a worn card keeps waiting: whoever wakes first sees old signs of life."""
    well = looked(Liveness(since=0).order(1, 100.0).show(1), 100.0).order(2, 100.0)
    asked = looked(well, 100.5, asked=100.4)
    woken = 100.0 + 10 * HUNG_SECONDS
    for turned_at in (100.0, woken):
        assert code(looked(asked, woken, turned_at=turned_at, asked=100.4), woken) is None
    starved = well
    for look in range(1, 6):
        starved = looked(starved, 100.0 + 10 * look, turned_at=100.0)
        assert code(starved, 100.0 + 10 * look) is None, "it waits for a processor, as the looks do"


@pytest.mark.proves("machine-slow-emulated")
def test_a_machine_that_was_slow_to_load_the_program_is_given_as_many_times_longer() -> None:
    assert slowness(QUICK_LOAD_SECONDS) == 1
    assert slowness(10_000) == MOST_SLOWNESS
    times = slowness(3 * QUICK_LOAD_SECONDS)
    slow = looked(Liveness(since=0, slowness=times).order(1, 0.0), 0.0)
    for seconds, fields, found in (
        (ORDER_WITHIN_SECONDS, {}, FaultCode.ORDER_LATE),
        (HUNG_SECONDS, {"turned_at": 0.0}, FaultCode.DISPLAY_HANGS),
        (FRAME_WITHIN_SECONDS, {"asked": 0.0}, FaultCode.FRAMES_STOPPED),
    ):
        assert code(looked_for(slow, 0.0, 3 * seconds - 1, **fields), 3 * seconds - 1) is None
        assert code(looked_for(slow, 0.0, 3 * seconds, **fields), 3 * seconds) is found


@pytest.mark.parametrize("reported", [FaultCode.ORDER_REFUSED, FaultCode.FRAME_BLANK])
def test_an_order_has_failed_until_a_newer_one_is_shown(reported: FaultCode) -> None:
    failed = Liveness(since=0).order(1, 0.0).show(1).fail(reported, 1, "")
    assert code(looked(failed, 1.0), 1.0) is reported
    assert code(failed.order(2, 2.0), 2.0) is reported
    assert code(failed.order(2, 2.0).show(2), 2.0) is None


def test_events_that_cannot_be_handled_are_a_fault_if_they_repeat() -> None:
    liveness = Liveness(since=0)
    for _ in range(MOST_EVENT_FAILURES - 1):
        liveness = liveness.miss_event(0.0)
    assert code(liveness, 0.0) is None
    assert code(liveness.miss_event(1.0), 1.0) is FaultCode.EVENTS_FAIL
    assert code(liveness.miss_event(EVENT_FAILURE_SECONDS), EVENT_FAILURE_SECONDS) is None


def test_a_scene_is_passed_over_when_it_has_failed_twice_and_at_once_in_a_version_that_fails_as_a_whole() -> None:
    once = Failures().failed(SCENE, NOON)
    assert not fallback.passes_over(once, KEY, "scn_1", NOON)
    assert fallback.passes_over(once.failed(SCENE, NOON), KEY, "scn_1", NOON)
    assert not fallback.passes_over(once.failed(SCENE, NOON), KEY, "scn_2", NOON)
    whole = once.failed(fallback.version_subject(KEY), NOON, times=fallback.MOST_VERSION_FAILURES)
    assert fallback.passes_over(whole, KEY, "scn_1", NOON)
    assert fallback.gives_way(whole, KEY, NOON)


def test_failures_are_forgotten_after_a_day() -> None:
    twice = Failures().failed(SCENE, NOON, times=2)
    assert fallback.passes_over(twice, KEY, "scn_1", NOON + COUNT_FOR)
    assert not fallback.passes_over(twice, KEY, "scn_1", NOON + COUNT_FOR + timedelta(seconds=1))


def test_the_safe_card_makes_room_for_another_try_after_its_time() -> None:
    failed = Failures().failed(fallback.DISPLAY, NOON, times=fallback.MOST_DISPLAY_FAILURES)
    assert fallback.shows_safe_card(failed, NOON)
    later = NOON + timedelta(seconds=fallback.SAFE_CARD_SECONDS)
    assert not fallback.shows_safe_card(failed, later)
    assert fallback.shows_safe_card(failed.failed(fallback.DISPLAY, later), later), "once more is enough"


@pytest.mark.proves("gpu-fails")
@pytest.mark.goes_beyond("MOST_GRAPHICS_FAILURES", "MOST_DOUBLINGS")
def test_frames_that_nobody_takes_are_waited_for_twice_as_long_each_time_and_a_gpu_that_fails_twice_is_left_alone() -> (
    None
):
    failures = Failures()
    waits = []
    for _ in range(8):
        waits.append(fallback.patience(failures, NOON))
        failures = failures.failed(fallback.FRAMES, NOON).failed(fallback.GRAPHICS, NOON)
    assert waits == [1, 2, 4, 8, 16, 32, 32, 32]
    assert fallback.needs_software(failures, NOON)
    assert not fallback.needs_software(Failures().failed(fallback.GRAPHICS, NOON), NOON)


@pytest.mark.proves("starts-die-before")
def test_what_a_process_leaves_open_when_it_dies_has_failed() -> None:
    began = Failures().opened(fallback.START, NOON)
    died = Failures.read(began.encoded())
    assert (died.of(fallback.START, NOON), died.died) == (1, {fallback.START})
    ended = Failures.read(began.closed(fallback.START).encoded())
    assert (ended.of(fallback.START, NOON), ended.died) == (0, frozenset())
