"""The conductor: versions change at boundaries, items at once, and the board is never dark; on a clock set by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.finding import Finding
from player.domain.findings import diagnosis
from player.domain.link.announcement import announcement_of
from player.domain.link.fault import Fault
from player.domain.playing.board import Restored
from player.domain.state import PlayerState
from player.domain.strip import UNREACHED_SECONDS
from player.domain.time.clock import KnownTime, Trust
from player.domain.view import SceneView
from player.link.heartbeat import report_of
from player.runtime import conductor
from player.runtime.situation import Situation
from tests.support.board import (
    COFFEE,
    ITEMS,
    LUNCH,
    PAIRED,
    Board,
    playing_board,
    strip_of,
)
from tests.support.menus import NOON, HandClock, document, entry, item, manifest, menu_scene


def test_every_event_has_a_case() -> None:
    source = Path(conductor.__file__).read_text()
    cases = re.findall(r"\bev\.(\w+)\(", "".join(re.findall(r"^ +case .*", source, re.MULTILINE)))
    kinds = {kind for kind in vars(ev).values() if isinstance(kind, type) and issubclass(kind, ev.Event)}
    assert {kind.__name__ for kind in kinds if not kind.__subclasses__()} == set(cases)


def test_what_is_on_the_disk_plays_before_the_network_is_asked() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    board = Board(replace(PAIRED, running=found))
    first = board.actions[0]
    assert isinstance(first, act.Show)
    assert isinstance(first.order.view, SceneView)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    assert board.actions.index(board.asked(act.StartLink)[0]) > board.actions.index(first)


def test_a_restart_resumes_at_the_right_place_with_the_newest_items() -> None:
    newest, _ = manifest(scenes=[COFFEE, LUNCH], items=(*ITEMS, item("Stew", 8, category="Lunch")), revision=2)
    clock = HandClock(NOON + timedelta(seconds=35))  # ten seconds each: the second loop's lunch
    board = Board(replace(PAIRED, running=newest), clock)
    assert board.glass == "v1 lunch: Soup, Stew"


def test_what_was_staged_before_a_restart_still_waits_for_its_boundary() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    newer, body = manifest(scenes=[LUNCH], items=ITEMS, version=2)
    clock = HandClock(NOON + timedelta(seconds=5))
    board = Board(replace(PAIRED, running=found, staged=(newer, body)), clock)
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    assert board.glass.startswith("v1")
    board.pass_(14.9)
    assert board.glass.startswith("v1")
    board.pass_(0.1)
    assert board.glass == "v2 lunch: Soup"


# Never dark


def test_an_outage_changes_nothing_on_the_glass() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    for fault in Fault:
        board.tell(ev.ServiceFailed(call="manifest", fault=fault, detail="…"))
        board.pass_(10)
        assert board.glass.startswith("v1")
    (failing,) = board.state.contact.failing
    assert (failing.failures, failing.since) == (len(Fault), NOON)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.state.contact.fault is None


def test_a_defect_in_handling_one_event_leaves_the_view_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("player.domain.playing.board.apply_manifest", broken)
        board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert "ManifestArrived could not be handled" in caplog.text
    assert board.glass.startswith("v1 coffee")
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.pass_(10)
    assert board.glass.startswith("v2 lunch")


# Settings and commands


def test_settings_of_the_service_are_passed_on_once() -> None:
    board = Board()
    fields: dict[str, Any] = {"waitSeconds": 10, "pollSeconds": 15, "heartbeatSeconds": 20}
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields)
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields, revision=2)
    assert board.asked(act.UseSettings) == [
        act.UseSettings(settings=LinkSettings(wait_seconds=10, poll_seconds=15, heartbeat_seconds=20))
    ]


@pytest.mark.parametrize(
    ("wish", "action"),
    [
        (ev.StaffAction.RELOAD, act.RefetchManifest()),
        (ev.StaffAction.FETCH, act.RecheckAssets()),
        (ev.StaffAction.TEST, act.TestConnection()),
        (ev.StaffAction.RESTART, act.Restart()),
        (ev.StaffAction.PAIR, act.PairAgain()),
    ],
)
def test_what_the_page_asks_for_is_done(wish: ev.StaffAction, action: act.Action) -> None:
    board = Board()
    board.tell(ev.StaffAsked(action=wish))
    assert board.asked(type(action)) == [action]


# Snapshots, and what they cost


def test_an_event_that_changes_the_state_publishes_one_snapshot() -> None:
    board = Board()
    board.tell(ev.HealthRead(health=ev.Health(temperature_celsius=51.0)))
    assert len(board.published) == 1
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert len(board.published) == 2
    assert board.published[-1].health.temperature_celsius == 51.0
    assert board.published[-1] == board.state


def test_the_document_helper_says_what_the_protocol_says() -> None:
    """Guards the tests themselves: what they build is read without a complaint."""
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    assert found.rejections == ()
    assert document(scenes=[COFFEE]) != document(scenes=[LUNCH])


@pytest.mark.parametrize(("synchronised", "first"), [(True, "v1 lunch: Soup"), (False, "v1 coffee: Espresso")])
def test_the_first_view_after_a_start_follows_the_schedules_where_the_clock_is_right(
    synchronised: bool, first: str
) -> None:
    all_day = {"type": "daypart", "start": "12:00", "end": "12:00", "timezone": "location"}
    found, _ = manifest(
        scenes=[menu_scene("lunch", "Lunch"), menu_scene("coffee", "Coffee")],
        entries=[entry("lunch", 30, schedule=all_day), entry("coffee", 30)],
        items=[item("Espresso"), item("Soup", category="Lunch")],
    )
    running = found
    board = Board(Restored(screen_id="scr_1", running=running), synchronised=synchronised)
    assert board.glass == first
    board.trust_the_clock()
    assert board.glass == first, "what began is not cut"


def test_a_clock_that_says_it_is_right_and_cannot_be_is_not_believed_at_the_start_either() -> None:
    found, _ = manifest(scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso")])
    running = found
    slow = HandClock(NOON - timedelta(days=400))
    known = Restored(screen_id="scr_1", running=running, known_time=KnownTime(true=NOON))
    assert Board(known, slow, synchronised=True).state.clock.trust is not Trust.TRUSTED
    assert Board(known, HandClock(), synchronised=True).state.clock.trust is Trust.TRUSTED


def test_an_event_makes_one_snapshot_which_is_diagnosed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    board = playing_board()
    board.swap()
    board.pass_(UNREACHED_SECONDS)
    assert strip_of(board) is not None, "the strip tells of findings, too"
    made: list[str] = []
    snapshot, subjects = Situation.snapshot, diagnosis._SUBJECTS

    def diagnosed(state: PlayerState) -> Iterator[Finding]:
        made.append("diagnosis")
        return subjects[0](state)

    monkeypatch.setattr(Situation, "snapshot", lambda self: (made.append("snapshot"), snapshot(self))[1])
    monkeypatch.setattr(diagnosis, "_SUBJECTS", (diagnosed, *subjects[1:]))
    for event in (
        ev.TimePassed(),
        ev.DisplayChecked(turned_at=board.clock.monotonic()),
        ev.HealthRead(health=ev.Health(under_voltage=True)),
        ev.ServiceFailed(call="manifest", fault=Fault.SLOW, detail="…"),
        ev.DetailsAsked(),
    ):
        made.clear()
        board.tell(event)
        assert made == ["snapshot", "diagnosis"], event
        state = board.published[-1]
        assert announcement_of(state).condition != "ok" or not state.findings
        assert [each["code"] for each in report_of(state)["findings"]] == [each.code for each in state.findings]
    assert made == ["snapshot", "diagnosis"], "who reads findings makes none"
