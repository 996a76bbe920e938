"""Unknown, corrected and stepping clocks: what the board shows meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import FINDINGS_SECONDS
from player.domain.time.clock import Boot, KnownTime, Trust
from player.domain.time.timekeeping import MAX_TIME_ASKED, Timekeeping
from player.domain.view import SceneView
from tests.support.board import (
    COFFEE,
    DAY,
    ITEMS,
    LUNCH,
    PAIRED,
    SIXTY,
    THREE,
    Board,
    answer,
    scene_of,
    scheduled_and_free,
    seen_for,
)
from tests.support.menus import NOON, HandClock, entry, manifest


def test_while_the_time_is_unknown_only_unscheduled_scenes_play() -> None:
    board = Board()
    board.receive(**scheduled_and_free())
    assert board.state.clock.trust is Trust.UNKNOWN
    shown = set()
    for _ in range(4):
        shown.add(board.glass)
        board.pass_(10)
    assert shown == {"v1 coffee: Flat white, Espresso"}
    board.trust_the_clock()
    for _ in range(4):
        shown.add(board.glass)
        board.pass_(10)
    assert "v1 lunch: Soup" in shown


def test_the_service_s_time_corrects_a_clock_that_woke_up_in_the_past() -> None:
    clock = HandClock(NOON - timedelta(days=400))
    board = Board(clock=clock)
    board.receive(**scheduled_and_free())
    board.tell(answer(clock, server_time=NOON))
    assert board.state.clock.trust is Trust.CORRECTED
    assert board.state.at == NOON
    assert board.glass == "v1 lunch: Soup"


def test_a_step_of_the_clock_is_followed_at_once() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(**scheduled_and_free())
    clock.step(timedelta(hours=6))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert board.glass.startswith("v1 coffee")
    woken = board.woken_at()
    assert woken is not None
    assert woken > clock.wall()


def test_a_step_back_does_not_leave_a_staged_program_waiting_for_hours() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    clock.step(timedelta(hours=-6))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    board.pass_(10)
    assert board.glass == "v2 lunch: Soup"


@pytest.mark.proves("system-clock-steps")
@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        # A 10 s, B 20 s, C 30 s; B has been on the glass for 5 s when the clock moves.
        (4, [("1 b", 11), ("1 c", 30)]),
        (-4, [("1 b", 19), ("1 c", 30)]),
        (-7, [("1 b", 22), ("1 c", 30)]),
        (16, [("1 b", 15), ("1 c", 14), ("1 a", 10)]),
        (-30, [("1 b", 15), ("1 a", 10), ("1 b", 20)]),
        (60, [("1 b", 15), ("1 c", 30)]),
        (13, [("1 b", 2), ("1 c", 30)]),
    ],
)
def test_a_correction_of_the_clock_cuts_no_scene(shift: float, expected: list[tuple[str, float]]) -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
    board.pass_(15)
    began = board.orders()[-1].order.view
    clock.step(timedelta(seconds=shift))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    after = board.orders()[-1].order.view
    assert isinstance(began, SceneView)
    assert isinstance(after, SceneView)
    assert (after.entry_id, after.started_at) == (began.entry_id, began.started_at), "it does not begin anew"
    assert seen_for(board, 80)[: len(expected)] == expected


def test_after_a_correction_a_board_is_in_step_at_the_end_of_the_scene() -> None:
    for shift in range(-70, 70):
        clock = HandClock(NOON)
        board, right = Board(clock=clock).trust_the_clock(), Board(clock=HandClock(NOON)).trust_the_clock()
        for each in (board, right):
            each.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
        board.pass_(15)
        right.pass_(15 + shift if shift > -15 else 75 + shift)
        clock.step(timedelta(seconds=shift))
        board.tell(ev.ClockChecked(synchronised=True, stepped=True))
        board.pass_(36)
        right.pass_(36)
        for _ in range(60):
            assert scene_of(board) == scene_of(right), shift
            board.pass_(1)
            right.pass_(1)


def test_a_correction_that_ends_a_scene_too_soon_leaves_it_on_for_its_least_time() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
    board.pass_(11)
    clock.step(timedelta(seconds=18.5))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert seen_for(board, 10) == [("1 b", 2), ("1 c", 8)]


def test_a_scene_of_an_hour_is_not_held_for_an_hour() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], entries=[entry("coffee", 3600), entry("lunch", 3600)], items=ITEMS)
    board.pass_(60)
    clock.step(timedelta(hours=1, seconds=5))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert seen_for(board, 100) == [("1 coffee", 60), ("1 lunch", 40)]


def test_a_correction_back_over_a_scene_change_does_not_bring_the_last_scene_back() -> None:
    """The service's time differs by less than what moves a boundary, right after the scene has changed."""
    clock = HandClock(NOON)
    board = Board(clock=clock)
    slow = {"sent": clock.monotonic() - 0.5, "server_time": NOON - timedelta(seconds=0.25)}
    board.tell(answer(clock, **slow))
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
    board.pass_(10.1)
    assert scene_of(board) == "1 b"
    board.tell(answer(clock, server_time=NOON + timedelta(seconds=9.8)))
    assert board.state.at == NOON + timedelta(seconds=9.8)
    assert seen_for(board, 30, step=0.1)[0] == ("1 b", pytest.approx(20.2))


def test_a_new_version_takes_over_at_the_end_of_the_scene_that_is_held() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
    board.pass_(45)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    clock.step(timedelta(seconds=10))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert seen_for(board, 20) == [("1 c", 5), ("2 lunch", 15)]
    clock.step(timedelta(seconds=-400))
    board.tell(ev.TimePassed())
    assert scene_of(board) == "2 lunch"


def test_a_scene_that_is_held_goes_when_its_dishes_are_gone() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS)
    board.pass_(15)
    clock.step(timedelta(seconds=16))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert scene_of(board) == "1 b"
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS[:2], revision=2)
    assert scene_of(board) == "1 c"


def test_the_network_s_jitter_moves_no_boundary() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock)
    board.tell(answer(clock, server_time=NOON + timedelta(seconds=100)))
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, published_at=NOON)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    before = board.state.staged
    board.tell(answer(clock, server_time=NOON + timedelta(seconds=100.1)))
    after = board.state.staged
    assert before is not None
    assert after is not None
    assert after.takes_over_at == before.takes_over_at


@pytest.mark.proves("wrong-time-service")
@pytest.mark.parametrize("wrong", [DAY, 3653 * DAY, -DAY], ids=["a day", "ten years", "a day back"])
def test_one_wrong_time_of_the_service_changes_nothing(wrong: timedelta) -> None:
    clock = HandClock(NOON - timedelta(days=400))
    board = Board(clock=clock)
    board.receive(**scheduled_and_free())
    for error in (timedelta(), timedelta(), wrong, timedelta(), timedelta()):
        board.tell(answer(clock, server_time=NOON + timedelta(seconds=clock.monotonic() - 1000) + error))
        assert board.state.at == NOON + timedelta(seconds=clock.monotonic() - 1000)
        assert board.state.clock.trust is Trust.CORRECTED
        board.pass_(30)


@pytest.mark.proves("first-time-after")
@pytest.mark.parametrize("wrong", [DAY, 3653 * DAY, -DAY], ids=["a day", "ten years", "a day back"])
@pytest.mark.parametrize("source", ["the disk", "a stored menu"])
def test_a_first_time_that_contradicts_what_is_known_is_not_shown(wrong: timedelta, source: str) -> None:
    clock = HandClock(NOON - timedelta(days=400))
    found, _ = manifest(**scheduled_and_free(), revision_at=NOON)
    restored = replace(PAIRED, running=found)
    if source == "the disk":
        found, _ = manifest(**scheduled_and_free(), revision_at=NOON - 90 * DAY, published_at=NOON - 90 * DAY)
        restored = replace(PAIRED, running=found, known_time=KnownTime(true=NOON))
    board = Board(restored, clock=clock)
    board.tell(answer(clock, server_time=NOON + wrong))
    assert board.state.clock.trust is Trust.UNKNOWN
    assert board.glass.startswith("v1 coffee")
    for _ in range(2):
        board.pass_(1)
        board.tell(answer(clock, server_time=NOON + timedelta(seconds=clock.monotonic() - 1000)))
    assert board.state.clock.trust is Trust.CORRECTED
    assert "1 lunch" in dict(seen_for(board, 20))


def test_a_doubtful_time_is_asked_for_again_at_once_but_not_for_ever() -> None:
    clock = HandClock()
    board = Board(clock=clock)
    board.tell(answer(clock, server_time=NOON))
    assert len(board.asked(act.SendHeartbeat)) == 1, "nothing has confirmed it"
    board.pass_(1)
    board.tell(answer(clock, server_time=NOON + timedelta(seconds=1)))
    assert len(board.asked(act.SendHeartbeat)) == 1
    for number in range(50):
        board.pass_(1)
        board.tell(answer(clock, server_time=NOON + number * DAY))
    findings = 50 / FINDINGS_SECONDS
    assert 0 <= len(board.asked(act.SendHeartbeat)) - 1 - MAX_TIME_ASKED <= findings, "that the clocks differ is told"


def test_a_step_that_nobody_has_told_of_yet_changes_nothing_where_the_service_s_time_is_used() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock)
    for _ in range(2):
        board.tell(answer(clock, server_time=NOON))
    board.receive(**scheduled_and_free())
    assert board.glass == "v1 lunch: Soup"
    clock.step(timedelta(hours=-6))
    board.tell(ev.HealthRead(health=ev.Health()))
    assert board.state.at == NOON
    assert board.glass == "v1 lunch: Soup"


@pytest.mark.proves("synchronised-clock-says")
def test_a_synchronised_clock_that_steps_to_1970_is_not_followed() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(**scheduled_and_free())
    for _ in range(2):
        board.tell(answer(clock, server_time=NOON))
    clock.step(-20_000 * DAY)
    board.tell(ev.TimePassed())
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert board.state.clock.trust is Trust.CORRECTED
    assert board.state.at == NOON
    assert board.glass == "v1 lunch: Soup"


@pytest.mark.proves("service-clock-wrong")
def test_a_board_with_the_time_of_its_own_network_does_not_follow_a_service_that_is_wrong() -> None:
    clock = HandClock(NOON)
    board = Board(clock=clock).trust_the_clock()
    board.receive(**scheduled_and_free())
    for _ in range(10):
        board.pass_(30)
        board.tell(answer(clock, server_time=clock.wall() + DAY))
        assert board.state.at == clock.wall()
    assert board.state.clock.trust is Trust.TRUSTED
    assert len(board.asked(act.SendHeartbeat)) == 1, "it says once that the clocks differ"


def test_the_time_is_stored_seldom_and_when_it_was_corrected() -> None:
    clock = HandClock()
    board = Board(clock=clock)
    board.tell(answer(clock, server_time=NOON + DAY))
    assert not board.asked(act.StoreTime), "nothing has confirmed it"
    board.tell(answer(clock, server_time=NOON + DAY))
    assert board.asked(act.StoreTime) == [act.StoreTime(instant=NOON + DAY, at=clock.monotonic())]
    for _ in range(24 * 60):
        board.pass_(60)
        board.tell(ev.HealthRead(health=ev.Health()))
    assert len(board.asked(act.StoreTime)) == 5
    for _ in range(2):
        board.tell(answer(clock, server_time=NOON + 2 * DAY + timedelta(minutes=10)))
    assert board.asked(act.StoreTime)[5:] == [
        act.StoreTime(instant=NOON + 2 * DAY + timedelta(minutes=10), at=clock.monotonic(), before=NOON + 2 * DAY)
    ]


@pytest.mark.parametrize("boot", [Boot(id="b", seconds=1600.0), Boot(id="c", seconds=30.0)], ids=["same", "another"])
def test_a_start_believes_no_manifest_that_a_clock_which_was_ahead_has_written(boot: Boot) -> None:
    known = KnownTime(true=NOON, boot_id="b", boot_seconds=1000.0)
    ahead = NOON + timedelta(days=3 * 365)
    time = Timekeeping(wall=NOON - timedelta(days=400), monotonic=boot.seconds)
    time = time.restored(been=[NOON + timedelta(minutes=5), ahead], known=known, boot=boot, synchronised=False)
    assert time.estimate.known is not None
    assert time.estimate.known.true_at(boot.seconds) < NOON + timedelta(hours=1)
    if boot.id == "b":
        assert time.known == NOON + timedelta(minutes=10)


AHEAD = timedelta(days=3 * 365)


@pytest.mark.parametrize(
    ("boot", "off"),
    [(Boot(id="b", seconds=1020.0), 20.0), (Boot(id="c", seconds=30.0), 40.0), (Boot(id="c", seconds=30.0), 36e3)],
    ids=["the same boot", "another boot", "after a night without power"],
)
def test_a_restart_after_a_service_that_was_ahead_for_seconds_finds_back_at_once(boot: Boot, off: float) -> None:
    clock = HandClock(NOON - timedelta(days=400))
    before = Board(clock=clock)
    for wrong in (timedelta(), timedelta(), AHEAD, AHEAD):
        before.tell(answer(clock, server_time=NOON + wrong))
    stored = before.asked(act.StoreTime)[-1]
    assert stored.instant == NOON + AHEAD
    known = KnownTime(true=stored.instant, before=stored.before, boot_id="b", boot_seconds=1000.0)
    now = NOON + timedelta(seconds=off)
    clock = HandClock(NOON - timedelta(days=500))
    board = Board(replace(PAIRED, known_time=known, boot=boot), clock)
    for _ in range(2):
        board.tell(answer(clock, server_time=now))
    assert board.state.at == now
    assert board.asked(act.StoreTime)[-1].instant == now


def test_a_restart_an_hour_after_a_correction_goes_back_no_sooner_than_ever() -> None:
    clock = HandClock(NOON - timedelta(days=400))
    before = Board(clock=clock)
    for wrong in (timedelta(), timedelta(), AHEAD, AHEAD):
        before.tell(answer(clock, server_time=NOON + wrong))
    before.pass_(6 * 3600 + 60)
    before.tell(ev.HealthRead(health=ev.Health()))
    assert before.asked(act.StoreTime)[-1].before is None
