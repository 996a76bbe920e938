"""Overrides: a scene or playlist in place of all else, for a time, as docs/semantics.md says."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents import manifest as documents
from menu.documents import manifest_reader
from menu.documents.manifest import VersionKey
from menu.rules.timeline import Reason
from player.domain import actions as act
from player.domain import events as ev
from player.domain.playing.board import Restored
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.domain.state import Kind
from player.domain.time.clock import KnownTime
from player.domain.view import SceneView
from player.link.heartbeat import report_of
from player.runtime.restore import restore
from player.storage.store import StateStore
from player.storage.writer import write_now
from tests.menu.documents.sample_documents import read, whole
from tests.support.board import COFFEE, ITEMS, LUNCH, Board
from tests.support.menus import NOON, asset, entry, item, manifest, menu_scene, override

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOTICE = menu_scene("notice", "Lunch")
DRINKS = menu_scene("drinks", "Coffee")
PICTURE = {"id": "scn_poster", "name": "poster", "width": 1920, "height": 1080, "widgets": [
    {"id": "p", "type": "image", "x": 0, "y": 0, "width": 400, "height": 400, "asset": f"sha256:{asset('hero')[0]}"}
]}  # fmt: skip


def board_with(*overrides: dict[str, Any], **more: Any) -> Board:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(scenes=[COFFEE], items=ITEMS, revision=2, overrides=overrides, **more)
    return board


def scene_of(board: Board) -> str:
    view = board.orders()[-1].order.view
    return view.scene.name if isinstance(view, SceneView) else "house"


def told(board: Board) -> list[str]:
    return [finding.code for finding in board.state.findings]


def test_it_shows_at_once_and_ends_at_its_time_without_a_word_of_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=[COFFEE], items=ITEMS, revision=2, overrides=[override("closed", NOTICE)])
    assert scene_of(board) == "notice"
    assert board.state.showing.until == NOON + HOUR
    assert [(one.entry_id, one.reason, one.displaced_by) for one in board.state.showing.others] == [
        ("ent_coffee", Reason.DISPLACED, "notice")
    ]
    board.swap()
    presented = board.state.presented
    assert (presented.scene_id, presented.override, presented.kind) == ("scn_notice", "ovr_closed", Kind.SCENE)
    assert report_of(board.state)["presented"]["override"] == "ovr_closed"
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert upcoming.scene.name == "coffee", "what comes then is prepared"
    board.pass_(HOUR.total_seconds() - 4)
    assert scene_of(board) == "notice"
    board.pass_(1)
    assert scene_of(board) == "coffee"
    board.swap()
    assert board.state.presented.override is None


def test_withdrawn_it_is_gone_at_once() -> None:
    board = board_with(override("closed", NOTICE))
    assert scene_of(board) == "notice"
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3)
    assert scene_of(board) == "coffee"
    assert board.state.overrides == ()


def test_it_waits_for_its_start() -> None:
    board = board_with(override("closed", NOTICE, starts_at=NOON + 5 * MINUTE))
    assert scene_of(board) == "coffee"
    board.pass_(299)
    assert scene_of(board) == "coffee"
    board.pass_(1)
    assert scene_of(board) == "notice"


def test_the_one_that_started_last_shows_then_the_one_before() -> None:
    first = override("first", NOTICE, until=NOON + 2 * HOUR)
    last = override("last", DRINKS, starts_at=NOON + MINUTE, until=NOON + HOUR)
    board = board_with(last, first)
    assert scene_of(board) == "notice"
    board.pass_(60)
    assert scene_of(board) == "drinks"
    board.pass_(59 * 60)
    assert scene_of(board) == "notice"
    board.pass_(60 * 60)
    assert scene_of(board) == "coffee"


@pytest.mark.parametrize(("screens", "shows"), [(["scr_1", "x"], "notice"), (["scr_2"], "coffee"), ([], "coffee")])
def test_one_that_names_screens_is_for_these(screens: list[str], shows: str) -> None:
    assert scene_of(board_with(override("closed", NOTICE, screens=screens))) == shows


def test_its_items_are_live() -> None:
    board = board_with(override("drinks", DRINKS))
    assert board.glass == "v0 drinks: Flat white, Espresso"
    items = [item("Flat white", 3.4, sold_out=True, until=NOON + MINUTE), *ITEMS[1:]]
    board.receive(scenes=[COFFEE], items=items, revision=3, overrides=[override("drinks", DRINKS)])
    assert board.glass == "v0 drinks: Espresso"
    board.pass_(60)
    assert board.glass == "v0 drinks: Flat white, Espresso"


def test_a_playlist_plays_in_turn_and_by_its_schedules_and_never_leaves_the_board_dark() -> None:
    morning = {"type": "daypart", "start": "06:00", "end": "12:05", "timezone": "location"}
    entries = [entry("notice", schedule=morning), entry("drinks", schedule=morning)]
    board = board_with(override("two", NOTICE, DRINKS, entries=entries))
    seen = []
    for _ in range(3):
        seen.append(scene_of(board))
        board.pass_(10)
    assert seen == ["notice", "drinks", "notice"]
    board.pass_(270)
    assert scene_of(board) == "coffee", "none of its scenes is scheduled then"
    assert "override_waits" in told(board)


def test_its_files_come_first_and_until_then_it_is_said_why_it_does_not_show() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(
        scenes=[COFFEE],
        items=ITEMS,
        images=["hero"],
        revision=2,
        overrides=[override("closed", PICTURE)],
        fetched=False,
    )
    wanted = board.asked(act.DownloadAssets)[-1]
    key = VersionKey(playlist_id="ovr_closed", version=0)
    assert [version.key.playlist_id for version in wanted.versions] == ["ovr_closed", "pl_1"]
    assert wanted.overrides == {key}
    assert scene_of(board) == "coffee"
    (finding,) = [one for one in board.state.findings if one.code == "override_waits"]
    assert "because of closed" in finding.what
    assert "poster" in finding.why
    board.tell(ev.AssetsVerified(key=key))
    assert scene_of(board) == "poster"
    assert "override_waits" not in told(board)
    (finding,) = [one for one in board.state.findings if one.code == "override_shows"]
    assert finding.what == "An override shows until 13:00: because of closed."


def test_a_version_takes_over_beneath_it() -> None:
    board = board_with(override("closed", NOTICE))
    board.receive(scenes=[LUNCH], items=ITEMS, version=2, revision=3, overrides=[override("closed", NOTICE)])
    assert scene_of(board) == "notice"
    board.pass_(60)
    assert board.state.running is not None
    assert board.state.running.key.version == 2
    assert scene_of(board) == "notice"


def test_without_a_playlist_it_shows_and_then_the_house_card() -> None:
    board = Board().trust_the_clock()
    board.receive(version=None, items=ITEMS, overrides=[override("closed", NOTICE)])
    assert scene_of(board) == "notice"
    board.pass_(HOUR.total_seconds())
    assert scene_of(board) == "house"


def test_a_scene_that_the_display_could_not_show_twice_gives_way() -> None:
    key = VersionKey(playlist_id="ovr_closed", version=0)
    failures = Failures().failed(fallback.scene_subject(key, "scn_notice"), NOON, times=2)
    found, _ = manifest(scenes=[COFFEE], items=ITEMS, overrides=[override("closed", NOTICE)])
    board = Board(Restored(screen_id="scr_1", running=found, failures=failures)).trust_the_clock()
    assert scene_of(board) == "coffee"
    assert [one.subject for one in board.state.rejections if one.code == "scene_fails"] == ["scn_notice"]


class TestClock:
    def after_a_start(self, known: timedelta, **more: Any) -> Board:
        """A board that was off, and knows only that this time has been."""
        found, _ = manifest(scenes=[COFFEE], items=ITEMS, overrides=[override("closed", NOTICE)], **more)
        been = KnownTime(true=NOON + known)
        board = Board(Restored(screen_id="scr_1", running=found, known_time=been))
        assert board.state.clock.trust.value == "unknown"
        return board

    def test_with_an_unknown_clock_it_ends_with_the_last_known_time_and_what_has_passed_since(self) -> None:
        board = self.after_a_start(50 * MINUTE)
        assert scene_of(board) == "notice"
        board.clock.pass_(599)
        board.tell(ev.ClockChecked(synchronised=False, stepped=False))
        assert scene_of(board) == "notice"
        board.clock.pass_(1)
        board.tell(ev.ClockChecked(synchronised=False, stepped=False))
        assert scene_of(board) == "coffee", "it never shows for ever"

    def test_one_that_has_ended_by_then_does_not_begin_again(self) -> None:
        assert scene_of(self.after_a_start(61 * MINUTE)) == "coffee"

    def test_a_clock_that_is_corrected_begins_and_ends_it(self) -> None:
        board = board_with(override("closed", NOTICE))
        board.clock.step(2 * HOUR)
        board.tell(ev.ClockChecked(synchronised=True, stepped=True))
        assert scene_of(board) == "coffee"
        board.clock.step(-2 * HOUR)
        board.tell(ev.ClockChecked(synchronised=True, stepped=True))
        assert scene_of(board) == "notice"


def test_a_restart_without_the_service_finds_it_on_the_disk(tmp_path: Path) -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    found, body = manifest(
        scenes=[COFFEE], items=ITEMS, images=["hero"], revision=2, overrides=[override("closed", PICTURE)]
    )
    board.tell(ev.ManifestArrived(manifest=found, body=body))
    with StateStore.open(tmp_path / "state") as store:
        for action in board.actions:
            if isinstance(action, act.StoreRunning | act.StoreLatest | act.StoreStaged):
                write_now(store, action)
        lacking = restore(store.load(service="https://menu.example"), store)
        assert scene_of(Board(replace(lacking, screen_id="scr_1")).trust_the_clock()) == "coffee", "without its picture"
        digest, content = asset("hero")
        store.assets.path(digest).parent.mkdir(parents=True, exist_ok=True)
        store.assets.path(digest).write_bytes(content)
        restored = restore(store.load(service="https://menu.example"), store)
    again = Board(replace(restored, screen_id="scr_1")).trust_the_clock()
    assert scene_of(again) == "poster"
    again.pass_(HOUR.total_seconds())
    assert scene_of(again) == "coffee"


def test_a_bad_override_costs_itself() -> None:
    def codes_of(**change: Any) -> list[str]:
        document = whole()
        document["overrides"] = [override("closed", NOTICE) | change]
        found = read(document)
        assert found.version is not None
        assert len(found.overrides) == (0 if found.rejections else 1)
        return [one.code for one in found.rejections]

    assert codes_of() == []
    assert codes_of(until="never") == ["override_bad"]
    assert codes_of(startsAt=None) == ["override_bad"]
    assert codes_of(screens="scr_1") == ["override_bad"]
    assert codes_of(screens=["s"] * documents.MAX_OVERRIDE_SCREENS) == []
    assert codes_of(screens=["s"] * (documents.MAX_OVERRIDE_SCREENS + 1)) == ["override_bad"]
    assert codes_of(playlist=None) == ["override_bad"]
    document = whole()
    document["overrides"] = [override(f"n{n}", NOTICE) for n in range(manifest_reader.MAX_OVERRIDES + 1)]
    assert len(read(document).overrides) == manifest_reader.MAX_OVERRIDES
