"""The panel by the opening hours of its location: off while it is closed, on in every doubt; on a clock set by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from menu.documents.manifest import MAX_OPENING_HOURS, LinkSettings
from player.domain import actions as act
from player.domain import events as ev
from player.domain.finding import Severity
from player.domain.findings.diagnosis import diagnose
from player.domain.pairing.access import Pin
from player.domain.pairing.pairing import Credentials, Refusal
from player.domain.panel.panel import AWAKE_SECONDS, WAKE_SECONDS, PanelOrder, Power, PowerRule, ScreenDisplay
from player.domain.playing.board import Restored
from player.domain.state import Kind
from player.domain.strip import identity, strip
from player.link.heartbeat import report_of
from player.runtime.restore import restore
from player.storage.store import StateStore
from player.storage.writer import write_now
from tests.support.board import COFFEE, ITEMS, PAIRED, Board
from tests.support.menus import NOON, HandClock

CAFE = [{"start": "08:00", "end": "20:00"}]
NIGHT = NOON.replace(hour=21)
"""An hour after it has closed."""


def board_at(
    at: datetime, hours: list[dict[str, Any]] | None = None, *, restored: Restored = PAIRED, **fields: Any
) -> Board:
    """A board that plays and knows the time, with its menu on the glass, after the time for which every start is on."""
    own = fields.pop("own_display", None)
    board = Board(restored, HandClock(at - timedelta(seconds=AWAKE_SECONDS)), own_display=own).trust_the_clock()
    board.receive(scenes=(COFFEE,), items=ITEMS, hours=CAFE if hours is None else hours, **fields)
    board.swap()
    board.pass_(AWAKE_SECONDS)
    return board


def power(board: Board) -> Power:
    return board.state.panel.wanted


def ordered(board: Board) -> PanelOrder | None:
    asked = board.asked(act.KeepPanel)
    return asked[-1].order if asked else None


def look(board: Board, **seen: Any) -> None:
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic(), **seen))


def answered(board: Board, display: ScreenDisplay | None, *commands: ev.Command) -> None:
    now = board.clock.monotonic()
    board.tell(
        ev.HeartbeatAnswered(
            server_time=board.clock.wall(),
            sent=now,
            received=now,
            screen_name="Counter",
            settings=LinkSettings(),
            commands=commands,
            display=display,
        )
    )


def test_the_panel_is_off_while_the_location_is_closed() -> None:
    board = board_at(NOON.replace(hour=19))
    assert (power(board), ordered(board)) == (Power.ON, PanelOrder(on=True))
    before = len(board.asked(act.SendHeartbeat))
    board.pass_(3600)
    assert (power(board), ordered(board)) == (Power.OFF_BY_SCHEDULE, PanelOrder(on=False))
    assert len(board.asked(act.SendHeartbeat)) > before, "the service hears of it at once"
    board.pass_(12 * 3600)
    assert (power(board), ordered(board)) == (Power.ON, PanelOrder(on=True))


def test_a_location_without_hours_leaves_the_panel_alone() -> None:
    board = board_at(NIGHT, hours=[])
    assert power(board) is Power.ON
    assert ordered(board) is None


@pytest.mark.proves("location-closed")
def test_a_screen_that_is_off_is_no_screen_that_is_missed() -> None:
    board = board_at(NIGHT)
    for _ in range(120):
        board.pass_(1)
        look(board, has_screen=False, frames_seen=False)
    assert board.state.faults == ()
    assert board.state.is_live, "the watchdog is fed"
    assert board.asked(act.Restart) == []
    assert board.state.presented.kind is Kind.NOTHING
    found = diagnose(board.state)
    assert [(each.code, each.severity) for each in found] == [("off_by_schedule", Severity.NOTE)]
    assert found[0].what == "The screen is off until Saturday 21 November at 08:00: its location is closed."
    report = report_of(board.state)
    assert (report["displayPower"], report["presented"]["kind"], report["errors"]) == ("off_by_schedule", "nothing", [])


def test_frames_that_nobody_takes_are_no_fault_of_a_panel_that_is_off() -> None:
    board = board_at(NIGHT)
    asked = board.clock.monotonic()
    for _ in range(60):
        board.pass_(1)
        look(board, frame_asked_at=asked)
    assert board.state.faults == ()


def test_a_display_that_hangs_is_found_while_the_panel_is_off() -> None:
    board = board_at(NIGHT)
    turned = board.clock.monotonic()
    for _ in range(20):
        board.pass_(1)
        board.tell(ev.DisplayChecked(turned_at=turned, has_screen=False, frames_seen=False))
    assert [fault.code for fault in board.state.faults] == ["display_hangs"]


def test_menus_go_on_changing_while_the_panel_is_off() -> None:
    board = board_at(NIGHT)
    board.receive(scenes=(COFFEE,), items=ITEMS[1:], hours=CAFE, revision=2)
    assert "Flat white" not in board.glass


@pytest.mark.proves("location-closed")
def test_a_panel_that_wakes_is_missed_only_when_it_takes_too_long() -> None:
    board = board_at(NOON.replace(hour=7, minute=59, second=55))
    look(board, has_screen=False, frames_seen=False)
    board.pass_(5)
    assert power(board) is Power.ON
    for _ in range(round(WAKE_SECONDS)):
        look(board, has_screen=False, frames_seen=False)
        assert board.state.faults == ()
        board.pass_(1)
    look(board, has_screen=False, frames_seen=False)
    assert [fault.code for fault in board.state.faults] == ["no_screen"]
    look(board)
    assert board.state.presented.kind is Kind.SCENE


@pytest.mark.proves("compositor-switch-screen")
def test_a_compositor_that_does_not_wake_the_panel_is_started_anew_once() -> None:
    board = board_at(NOON.replace(hour=7, minute=59, second=55))
    look(board, has_screen=False, frames_seen=False)
    board.tell(ev.PanelChecked(obeys=False))
    assert board.asked(act.Restart) == [], "it is to be off"
    board.pass_(5)
    for _ in range(3):
        board.tell(ev.PanelChecked(obeys=False))
    assert board.asked(act.Restart) == [act.Restart(with_compositor=True)]


@pytest.mark.parametrize(
    ("zone", "at", "is_open"),
    [
        ("Europe/Berlin", datetime(2026, 3, 28, 6, 59, tzinfo=UTC), False),
        ("Europe/Berlin", datetime(2026, 3, 28, 7, 0, tzinfo=UTC), True),
        ("Europe/Berlin", datetime(2026, 3, 29, 5, 59, tzinfo=UTC), False),
        ("Europe/Berlin", datetime(2026, 3, 29, 6, 0, tzinfo=UTC), True),
        ("Europe/Berlin", datetime(2026, 10, 25, 6, 30, tzinfo=UTC), False),
        ("Europe/Berlin", datetime(2026, 10, 25, 7, 0, tzinfo=UTC), True),
        ("Australia/Lord_Howe", datetime(2026, 10, 3, 20, 59, tzinfo=UTC), False),
        ("Australia/Lord_Howe", datetime(2026, 10, 3, 21, 0, tzinfo=UTC), True),
    ],
)
def test_hours_are_wall_time_over_changes_of_the_clock(zone: str, at: datetime, is_open: bool) -> None:
    board = board_at(at, timezone=zone, published_at=at, revision_at=at)
    assert (power(board) is Power.ON) is is_open


def test_the_night_of_the_clock_change_is_an_hour_longer() -> None:
    night = [{"days": ["sat"], "start": "18:00", "end": "04:00"}]
    opens = datetime(2026, 10, 24, 16, 0, tzinfo=UTC)
    board = board_at(opens, hours=night, timezone="Europe/Berlin", published_at=opens, revision_at=opens)
    assert power(board) is Power.ON
    board.pass_(11 * 3600 - 1)
    assert power(board) is Power.ON
    board.pass_(1)
    assert power(board) is Power.OFF_BY_SCHEDULE


# In doubt it is on


@pytest.mark.proves("clock-zone-hours")
def test_it_is_on_with_an_unknown_clock() -> None:
    board = Board(PAIRED, HandClock(NIGHT))
    board.receive(scenes=(COFFEE,), items=ITEMS, hours=CAFE)
    board.swap()
    board.pass_(3 * AWAKE_SECONDS)
    assert (power(board), ordered(board)) == (Power.ON, None)
    board.trust_the_clock()
    assert power(board) is Power.OFF_BY_SCHEDULE


@pytest.mark.proves("clock-zone-hours")
@pytest.mark.parametrize(
    "fields",
    [
        {"timezone": "Mars/Olympus"},
        {"hours": [{"start": "8 am", "end": "20:00"}]},
        {"hours": [{"start": "08:00", "end": "20:00"}, {"start": "21:00"}]},
        {"hours": [{"start": "08:00", "end": "20:00", "days": ["today"]}]},
        {"hours": CAFE * (MAX_OPENING_HOURS + 1)},
    ],
    ids=["zone", "time", "one of two", "days", "too many"],
)
def test_it_is_on_where_the_hours_cannot_be_read(fields: dict[str, Any]) -> None:
    board = board_at(NIGHT, **fields)
    assert power(board) is Power.ON
    assert board.state.rejections


def test_it_is_on_for_a_minute_after_a_start() -> None:
    board = Board(PAIRED, HandClock(NIGHT)).trust_the_clock()
    board.receive(scenes=(COFFEE,), items=ITEMS, hours=CAFE)
    board.pass_(AWAKE_SECONDS - 1)
    assert power(board) is Power.ON
    board.pass_(1)
    assert power(board) is Power.OFF_BY_SCHEDULE


@pytest.mark.parametrize(
    "asks",
    [
        ev.StaffAsked(action=ev.StaffAction.IDENTIFY),
        ev.DetailsAsked(),
        ev.PinChanged(pin=Pin(digits="123456", until=1e6)),
        ev.PairingChanged(screen_id="scr_1", refusal=Refusal.REVOKED),
    ],
    ids=["identify", "F1", "PIN", "refused"],
)
def test_it_wakes_for_who_has_to_read_it(asks: ev.Event) -> None:
    board = board_at(NIGHT)
    assert power(board) is Power.OFF_BY_SCHEDULE
    board.tell(asks)
    assert (power(board), ordered(board)) == (Power.ON, PanelOrder(on=True))


def test_identify_is_done_once_the_panel_has_woken() -> None:
    board = board_at(NIGHT)
    look(board, has_screen=False, frames_seen=False)
    answered(board, None, ev.Command(id="c1", type="identify"))
    assert board.state.results == ()
    board.pass_(4)
    look(board)
    board.tell(ev.FramePresented(serial=board.state.serial, at=board.clock.monotonic()))
    assert [(result.id, result.outcome.value) for result in board.state.results] == [("c1", "done")]
    board.pass_(WAKE_SECONDS)
    assert board.orders()[-1].order.identify is not None, "it shows for as long as ever after the panel has woken"
    board.pass_(AWAKE_SECONDS + 60)
    assert power(board) is Power.OFF_BY_SCHEDULE


def test_hours_that_are_taken_away_switch_it_on_again() -> None:
    board = board_at(NIGHT)
    board.receive(scenes=(COFFEE,), items=ITEMS, revision=2)
    assert (power(board), ordered(board)) == (Power.ON, PanelOrder(on=True))


# Settings


@pytest.mark.parametrize(
    ("own", "given", "is_off"),
    [
        (None, None, True),
        (None, PowerRule.ALWAYS, False),
        (PowerRule.ALWAYS, PowerRule.HOURS, False),
        (PowerRule.HOURS, PowerRule.ALWAYS, True),
    ],
)
def test_the_device_s_own_rule_comes_before_the_service_s(
    own: PowerRule | None, given: PowerRule | None, is_off: bool
) -> None:
    board = board_at(NIGHT, own_display=ScreenDisplay(power=own))
    answered(board, ScreenDisplay(power=given))
    assert (power(board) is Power.OFF_BY_SCHEDULE) is is_off


def test_the_service_s_settings_of_the_screen_show_at_once_and_are_stored() -> None:
    board = board_at(NOON)
    answered(board, ScreenDisplay(rotation=90, overscan=2.5, mode="1280x720"))
    order = board.orders()[-1].order
    assert (order.rotation, order.overscan, ordered(board)) == (90, 2.5, PanelOrder(on=True, mode="1280x720"))
    assert board.asked(act.StoreScreen)[-1].display.rotation == 90
    answered(board, None)
    assert board.orders()[-1].order.rotation == 90, "an older service says nothing of it"
    assert len(board.asked(act.StoreScreen)) == 1


def test_the_screen_has_its_name_after_a_restart_without_the_service(tmp_path: Path) -> None:
    def restarted() -> Board:
        for write in board.asked(act.StoreScreen):
            write_now(store, write)
        return Board(restore(store.load(service=service), store))

    service = "https://menu.example"
    with StateStore.open(tmp_path) as store:
        store.credentials.keep_credentials(Credentials(service=service, token="tok", screen_id="scr_1"))
        board = Board()
        board.tell(ev.PairingChanged(screen_id="scr_1", is_new=True, screen_name="Bar"))
        assert strip(restarted().state, None, locale="en").name == "Bar", "no heartbeat was answered"
        answered(board, ScreenDisplay(rotation=90))
        answered(board, None)
        board = restarted()
        assert identity(board.state).name == "Counter"
        assert board.orders()[0].order.rotation == 90
        answered(board, None)
        assert board.asked(act.StoreScreen) == [], "nothing is new"
        board.tell(ev.PairingChanged(forgets=True))
        assert identity(restarted().state).name == "Menu Player"


def test_the_stored_settings_hold_from_the_first_order() -> None:
    board = Board(Restored(screen_id="scr_1", display=ScreenDisplay(rotation=270, overscan=4)))
    assert (board.orders()[0].order.rotation, board.orders()[0].order.overscan) == (270, 4)


def test_another_workspace_s_settings_are_forgotten() -> None:
    board = board_at(NOON)
    answered(board, ScreenDisplay(rotation=90))
    board.tell(ev.PairingChanged(screen_id="scr_2", is_new=True, forgets=True))
    assert board.asked(act.StoreScreen)[-1].display == ScreenDisplay()
    assert board.orders()[-1].order.rotation == 0


def test_a_panel_that_does_not_obey_is_reported_as_on() -> None:
    board = board_at(NIGHT)
    board.tell(ev.PanelChecked(obeys=False))
    assert report_of(board.state)["displayPower"] == "on"
    assert [each.code for each in diagnose(board.state)] == ["panel_disobeys"]
    board.tell(ev.PanelChecked(managed=False))
    assert report_of(board.state)["displayPower"] == "on"
    assert [each.code for each in diagnose(board.state)] == ["panel_unmanaged"]
    board.tell(ev.PanelChecked())
    assert report_of(board.state)["displayPower"] == "off_by_schedule"


@pytest.mark.goes_beyond("MOST_MODES")
def test_a_mode_that_the_screen_does_not_have_is_a_finding_with_those_it_has() -> None:
    board = board_at(NOON, own_display=ScreenDisplay(mode="3840x2160"))
    board.tell(ev.PanelChecked(offered=("1920x1080@60", "1280x720@60")))
    (found,) = diagnose(board.state)
    assert (found.code, found.why) == ("mode_not_offered", "It has these: 1920x1080@60, 1280x720@60.")
