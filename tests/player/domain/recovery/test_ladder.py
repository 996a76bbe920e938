"""The fault ladder: what is restarted, passed over, given up and forgiven."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest

from menu.documents.manifest import VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.link.connection_care import ConnectionCare
from player.domain.link.fault import Fault
from player.domain.playing.board import Restored
from player.domain.recovery import fallback
from player.domain.recovery.failures import COUNT_FOR, Failures
from player.domain.recovery.ladder import REPORT_SECONDS, Ladder
from player.domain.recovery.liveness import (
    FRAME_WITHIN_SECONDS,
    GOOD_SECONDS,
    HUNG_SECONDS,
    MOST_EVENT_FAILURES,
    ORDER_WITHIN_SECONDS,
    FaultCode,
)
from player.domain.state import Kind
from player.domain.view import HouseCard, SceneView
from tests.support.board import (
    CODE,
    COFFEE,
    ITEMS,
    LUNCH,
    Board,
    codes,
    look,
    look_for,
)
from tests.support.menus import NOON, HandClock, item, manifest, menu_scene


def test_what_is_not_on_the_glass_is_neither_presented_nor_live_and_the_player_restarts_once_that_is_reported() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    look(board)
    assert (board.state.presented.kind, board.state.is_live) == (Kind.SCENE, True)

    serial = board.orders()[-1].order.serial
    board.tell(ev.OrderFailed(serial=serial, code=FaultCode.FRAME_BLANK, detail=""))

    assert (board.state.presented.kind, board.state.is_live) == (Kind.NOTHING, False)
    assert codes(board.state)[0] == "frame_blank"
    assert isinstance(board.actions[-1], act.SendHeartbeat)
    board.clock.pass_(REPORT_SECONDS)
    look(board)
    assert board.asked(act.Restart) == [act.Restart()]


@pytest.mark.proves("scene-display-refuses")
def test_a_report_that_comes_after_the_next_scene_is_due_blames_the_scene_that_failed() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    assert board.glass.startswith("v1 coffee")
    serial = board.orders()[-1].order.serial
    board.clock.pass_(10)
    board.tell(ev.OrderFailed(serial=serial, code=FaultCode.ORDER_REFUSED, detail=""))
    assert board.glass == "v1 lunch: Soup"
    [stored] = board.asked(act.StoreFailures)
    key = VersionKey(playlist_id="pl_1", version=1)
    assert set(Failures.read(stored.content).records) == {
        fallback.scene_subject(key, "scn_coffee"),
        fallback.version_subject(key),
    }


@pytest.mark.proves("faults-run-display")
def test_a_run_is_one_failed_try_whatever_fails_in_it() -> None:
    board = Board(Restored())
    board.tell(ev.PairingChanged(code=CODE))
    look(board)
    look_for(board, HUNG_SECONDS, turned_at=board.clock.monotonic())
    assert codes(board.state) == ["display_hangs"]
    look(board)
    assert codes(board.state) == ["order_late"]
    look_for(board, REPORT_SECONDS)
    assert len(board.asked(act.Restart)) == 1
    stored = Failures.read(board.asked(act.StoreFailures)[-1].content)
    assert stored.of(fallback.DISPLAY, board.clock.wall()) == 1
    assert not fallback.shows_safe_card(stored, board.clock.wall())


@pytest.mark.parametrize(
    ("code", "subject", "times"),
    [(FaultCode.GRAPHICS_FAILED, fallback.GRAPHICS, 1), (FaultCode.DISPLAY_BROKEN, fallback.DISPLAY, 2)],
)
def test_what_may_end_the_process_is_counted_at_once(code: FaultCode, subject: str, times: int) -> None:
    board = Board().trust_the_clock()
    look(board)
    board.tell(ev.OrderFailed(serial=board.orders()[-1].order.serial, code=code, detail=""))
    [stored] = board.asked(act.StoreFailures)
    assert Failures.read(stored.content).of(subject, board.clock.wall()) == times
    look_for(board, REPORT_SECONDS)
    assert len(board.asked(act.Restart)) == len(board.asked(act.StoreFailures)) == 1


@pytest.mark.proves("machine-slow-emulated")
def test_what_comes_late_but_comes_has_not_failed() -> None:
    board = Board().trust_the_clock()
    look(board)
    for revision in range(1, 2 * fallback.MOST_SCENE_FAILURES):
        board.receive(scenes=[COFFEE], items=[item("Espresso", price=revision)], revision=revision)
        look_for(board, ORDER_WITHIN_SECONDS)
        assert codes(board.state) == ["order_late"]
        board.clock.pass_(1)
        board.swap()
        assert codes(board.state) == []
    assert board.glass == "v1 coffee: Espresso"
    assert board.asked(act.Restart) == board.asked(act.StoreFailures) == []


@pytest.mark.proves("machine-slow-emulated")
def test_a_slow_machine_shows_its_menu_late_and_whole() -> None:
    """As an emulated PC does: it took 12 s to load, and half a minute for each of its first pictures."""
    board = Board(loaded_in=12.0).trust_the_clock()
    look(board)
    for revision in range(1, 4):
        board.receive(scenes=[COFFEE], items=[item("Espresso", price=revision)], revision=revision)
        turned = board.clock.monotonic()
        look_for(board, 30, turned_at=turned)
        assert codes(board.state) == []
        board.swap()
    assert (board.glass, board.state.presented.kind) == ("v1 coffee: Espresso", Kind.SCENE)
    assert board.asked(act.Restart) == board.asked(act.StoreFailures) == []


@pytest.mark.proves("compositor-stops")
def test_frames_that_stop_and_go_on_again_are_reported_and_no_more() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    look(board)
    look_for(board, FRAME_WITHIN_SECONDS, frame_asked_at=board.clock.monotonic())
    assert codes(board.state) == ["frames_stopped"]
    assert board.state.presented.kind is Kind.NOTHING
    look(board)
    assert (codes(board.state), board.state.presented.kind) == ([], Kind.SCENE)
    board.clock.pass_(REPORT_SECONDS)
    look(board)
    assert board.asked(act.Restart) == []


@pytest.mark.proves("compositor-stops")
def test_a_compositor_that_stays_away_is_restarted_with_the_player() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    look(board)
    look_for(board, FRAME_WITHIN_SECONDS + REPORT_SECONDS, frame_asked_at=board.clock.monotonic())
    assert board.asked(act.Restart) == [act.Restart(with_compositor=True)]
    assert board.asked(act.StoreFailures)


def test_without_a_screen_the_board_says_so_and_goes_on() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    look(board, has_screen=False, frames_seen=False)
    assert codes(board.state) == ["no_screen"]
    assert (board.state.presented.kind, board.state.is_live) == (Kind.NOTHING, True)
    board.clock.pass_(3600)
    look(board, has_screen=False, frames_seen=False)
    look(board)
    assert (codes(board.state), board.state.presented.kind) == ([], Kind.SCENE)
    assert board.asked(act.Restart) == []


@pytest.mark.proves("event-cannot-handled")
def test_an_event_that_cannot_be_handled_is_reported_and_restarts_the_player_only_if_it_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    before = board.glass
    monkeypatch.setattr(ConnectionCare, "fail", fail)
    failed = ev.ServiceFailed(call="manifest", fault=Fault.SLOW, detail="")
    for times in range(1, MOST_EVENT_FAILURES):
        board.tell(failed)
        assert codes(board.state) == ["event_failed"], times
    assert (board.glass, board.asked(act.Restart)) == (before, [])
    board.tell(failed)
    board.clock.pass_(REPORT_SECONDS)
    look(board)
    assert len(board.asked(act.Restart)) == 1

    known = Failures().failed(fallback.EVENTS, NOON, times=fallback.MOST_EVENT_RESTARTS)
    again = Board(Restored(screen_id="scr_1", failures=known))
    for _ in range(MOST_EVENT_FAILURES):
        again.tell(failed)
    again.clock.pass_(REPORT_SECONDS)
    look(again)
    assert again.asked(act.Restart) == [], "what shows is right: restarts that do not help end"


def test_a_good_minute_forgives_what_shows_and_nothing_else() -> None:
    key = VersionKey(playlist_id="pl_1", version=1)
    shown, other = (fallback.scene_subject(key, name) for name in ("scn_coffee", "scn_other"))
    failures = Failures().failed(shown, NOON).failed(other, NOON).failed(fallback.DISPLAY, NOON)
    board = Board(Restored(screen_id="scr_1", failures=failures)).trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.clock.pass_(GOOD_SECONDS)
    look(board)
    [stored] = board.asked(act.StoreFailures)
    assert list(Failures.read(stored.content).records) == [other]


def lives(*scenes: Any, blank: set[str], seconds: int) -> tuple[Board, int]:
    """A board whose display draws these scenes blank, each start with the failures of the one before; the last board,
    and how often it was started again."""
    clock, failures, restarts = HandClock(), Failures(), 0
    board = Board(clock=clock).trust_the_clock()
    board.receive(scenes=scenes, items=ITEMS)
    for _ in range(seconds):
        view, serial = board.orders()[-1].order.view, board.orders()[-1].order.serial
        board.swap()
        if isinstance(view, SceneView) and view.scene.name in blank:
            board.tell(ev.OrderFailed(serial=serial, code=FaultCode.FRAME_BLANK, detail=""))
        board.pass_(1)
        look(board)
        failures = next((Failures.read(write.content) for write in board.asked(act.StoreFailures)[::-1]), failures)
        if board.asked(act.Restart):
            restarts += 1
            running = manifest(scenes=scenes, items=ITEMS)[0]
            board = Board(Restored(screen_id="scr_1", running=running, failures=failures), clock).trust_the_clock()
    return board, restarts


@pytest.mark.proves("scene-nothing-can")
def test_a_scene_that_stays_blank_costs_one_restart_and_is_passed_over() -> None:
    board, restarts = lives(COFFEE, LUNCH, blank={"coffee"}, seconds=600)
    assert (restarts, board.glass) == (1, "v1 lunch: Soup")
    assert [part.subject for part in board.state.rejections if part.code == "scene_fails"] == ["scn_coffee"]
    assert board.state.is_live

    board, restarts = lives(COFFEE, blank={"coffee"}, seconds=600)
    assert (restarts, board.glass) == (1, "house: ")


class RunningClock(HandClock):
    """It goes on between two looks at it."""

    def wall(self) -> datetime:
        self._wall += timedelta(microseconds=1)
        return self._wall


def test_the_second_failure_of_a_scene_costs_no_restart_by_a_clock_that_goes_on() -> None:
    failures = Failures().failed(fallback.scene_subject(VersionKey(playlist_id="pl_1", version=1), "scn_coffee"), NOON)
    board = Board(Restored(screen_id="scr_1", failures=failures), RunningClock()).trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.OrderFailed(serial=board.orders()[-1].order.serial, code=FaultCode.ORDER_REFUSED, detail=""))
    assert board.glass == "house: "
    board.swap()
    look_for(board, 2 * REPORT_SECONDS)
    assert board.asked(act.Restart) == []


@pytest.mark.long
def test_scenes_that_are_all_blank_end_in_the_house_card_and_not_in_restarts_without_end() -> None:
    more = [menu_scene(f"coffee {number}", "Coffee") for number in range(5)]
    board, restarts = lives(*more, blank={scene["name"] for scene in more}, seconds=600)
    assert restarts <= fallback.MOST_VERSION_FAILURES
    assert board.glass == "house: "


def hang(board: Board, scene: str) -> Board:
    """The display hangs while it builds a scene; the board after the restart."""
    building = (VersionKey(playlist_id="pl_1", version=1), f"scn_{scene}")
    look(board)
    look_for(board, HUNG_SECONDS + REPORT_SECONDS, turned_at=board.clock.monotonic(), building=building)
    assert board.asked(act.Restart) == [act.Restart(with_compositor=True)]
    failures = Failures.read(board.asked(act.StoreFailures)[-1].content)
    return Board(Restored(screen_id="scr_1", failures=failures), board.clock).trust_the_clock()


@pytest.mark.proves("server-stops-display")
def test_a_scene_over_which_the_display_hung_rests_where_another_can_show_and_then_is_tried_once_more() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board = hang(board, "lunch")
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    assert scenes_seen(board, 60) == {"v1 coffee: Flat white, Espresso"}
    assert "scene_fails" in codes(board.state)
    board.clock.pass_(fallback.HANG_REST_SECONDS)
    look(board)
    assert scenes_seen(board, 25) == {"v1 coffee: Flat white, Espresso", "v1 lunch: Soup"}
    assert codes(board.state) == []

    board = hang(board, "lunch")
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.clock.pass_(fallback.HANG_REST_SECONDS)
    look(board)
    assert scenes_seen(board, 60) == {"v1 coffee: Flat white, Espresso"}, "twice is enough"


def test_the_only_scene_of_a_board_does_not_rest_after_a_hang() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[LUNCH], items=ITEMS)
    board = hang(board, "lunch")
    board.receive(scenes=[LUNCH], items=ITEMS)
    assert board.glass == "v1 lunch: Soup"


@pytest.mark.proves("scene-passed-over")
def test_a_scene_that_is_passed_over_is_tried_again_after_a_day_without_a_restart() -> None:
    scene = fallback.scene_subject(VersionKey(playlist_id="pl_1", version=1), "scn_lunch")
    failures = Failures().failed(scene, NOON, times=fallback.MOST_SCENE_FAILURES)
    board = Board(Restored(screen_id="scr_1", failures=failures)).trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    assert scenes_seen(board, 60) == {"v1 coffee: Flat white, Espresso"}
    board.clock.pass_(COUNT_FOR.total_seconds())
    look(board)
    assert scenes_seen(board, 60) == {"v1 coffee: Flat white, Espresso", "v1 lunch: Soup"}
    assert codes(board.state) == []


def scenes_seen(board: Board, seconds: int) -> set[str]:
    """The views in that time, the display being well."""
    seen = set()
    for _ in range(seconds):
        board.pass_(1)
        board.swap()
        look(board)
        seen.add(board.glass)
    return seen


def ladder(*, has_previous: bool = True) -> Ladder:
    return Ladder.begin(
        Failures(), safe_card=False, has_previous=has_previous, loaded_in=0.5, now=100.0, wall=NOON
    ).order(1, 100.0)


def kinds(actions: Iterable[act.Action]) -> list[type[act.Action]]:
    return [type(action) for action in actions]


@pytest.mark.parametrize(
    ("code", "at_once"),
    [
        (FaultCode.GRAPHICS_FAILED, [act.StoreFailures, act.SendHeartbeat]),
        (FaultCode.ORDER_REFUSED, [act.SendHeartbeat]),
        (FaultCode.ORDER_LATE, [act.SendHeartbeat]),
    ],
)
def test_a_fault_is_reported_once_and_then_restarts_the_player(code: FaultCode, at_once: list[type]) -> None:
    view = HouseCard()
    failed = ladder().refuse(ev.OrderFailed(serial=1, code=code, detail="no"), view)
    met, actions = failed.step(view=view, version=None, now=101.0, wall=NOON)
    assert kinds(actions) == at_once
    again, actions = met.step(view=view, version=None, now=101.0 + REPORT_SECONDS / 2, wall=NOON)
    assert (again.fault, actions) == (met.fault, ())
    _, actions = again.step(view=view, version=None, now=101.0 + REPORT_SECONDS, wall=NOON)
    assert act.Restart in kinds(actions)


def test_a_fault_that_passes_restarts_nothing_and_is_reported_as_over() -> None:
    failed = ladder().refuse(ev.OrderFailed(serial=1, code=FaultCode.ORDER_LATE, detail=""), HouseCard())
    met, _ = failed.step(view=None, version=None, now=101.0, wall=NOON)
    well, actions = met.order(2, 101.0).show(2).step(view=None, version=None, now=101.5, wall=NOON)
    assert (kinds(actions), well.restart_at, well.faults(is_dark=False)) == ([act.SendHeartbeat], None, ())
