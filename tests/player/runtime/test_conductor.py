"""The conductor: versions change at boundaries, items at once, and the board is never dark; on a clock set by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.access import Pin
from player.domain.commands import (
    COMMAND_SECONDS,
    IDENTIFY_WITHIN_SECONDS,
    MAX_REMEMBERED,
    MAX_RESULTS,
    Outcome,
)
from player.domain.connection import ConnectionFault, ConnectionTest, Step, StepResult
from player.domain.documents.manifest import LinkSettings, VersionKey
from player.domain.documents.manifest_reader import read_manifest
from player.domain.findings.diagnosis import diagnose
from player.domain.menu.listings import listings
from player.domain.pairing import Code, Refusal
from player.domain.playing import playback
from player.domain.playing.board import Restored, StoredVersion
from player.domain.recovery import fallback
from player.domain.recovery.failures import COUNT_FOR, Failures
from player.domain.recovery.liveness import (
    FRAME_WITHIN_SECONDS,
    GOOD_SECONDS,
    HUNG_SECONDS,
    MOST_EVENT_FAILURES,
    ORDER_WITHIN_SECONDS,
    FaultCode,
)
from player.domain.state import HouseReason, Kind, PairingPhase, PlayerState
from player.domain.strip import START_SECONDS, UNREACHED_SECONDS
from player.domain.time.clock import Boot, KnownTime, Trust
from player.domain.view import Identity, Locality, MenuListing, PairingCard, SceneView
from player.runtime.conductor import (
    DETAILS_SECONDS,
    FINDINGS_SECONDS,
    IDENTIFY_SECONDS,
    MAX_ORDERS_IN_FLIGHT,
    MAX_REJECTIONS,
    MAX_TIME_ASKED,
    NO_SCREEN,
    REPORT_SECONDS,
    TEST_LEAST_SECONDS,
    Conductor,
)
from tests.support.board import (
    CODE,
    COFFEE,
    ITEMS,
    LUNCH,
    ONE,
    PAIRED,
    PLAYS,
    SIXTY,
    THREE,
    Board,
    answer,
    codes,
    commanded,
    lacking,
    look,
    look_for,
    playing_board,
    results,
    scene_of,
    scheduled_and_free,
    seen_for,
    showing,
    sold_out_until,
    strip_of,
)
from tests.support.menus import NOON, HandClock, asset, document, entry, instant, item, manifest, menu_scene


@pytest.fixture
def menus_listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The menu widgets whose items have been listed, in order."""
    listed: list[str] = []

    def counted(*args: Any, **fields: Any) -> dict[str, MenuListing]:
        found = listings(*args, **fields)
        listed.extend(found)
        return found

    monkeypatch.setattr(playback, "listings", counted)
    return listed


# Starting


def test_an_unpaired_device_asks_for_a_code_and_shows_it() -> None:
    board = Board(Restored())
    assert board.glass == "pairing: None"
    assert board.asked(act.AwaitPairing)
    assert not board.asked(act.StartLink)
    board.tell(
        ev.CodeIssued(
            code=Code(
                device_code="secret",
                user_code="WDJ-BMJ",
                verification_uri="https://menu.example/pair",
                verification_uri_complete="https://menu.example/pair?code=WDJBMJ",
                interval=5.0,
                good_until=1900.0,
            )
        )
    )
    assert board.glass == "pairing: WDJ-BMJ"
    assert board.state.pairing.phase is PairingPhase.WAITING
    board.tell(ev.CodeExpired())
    assert board.glass == "pairing: None"


def test_a_paired_device_waits_on_the_house_card_for_its_first_menu() -> None:
    board = Board()
    assert board.glass == "house: Waiting for the first menu"
    assert board.asked(act.StartLink)
    assert not board.asked(act.AwaitPairing)


def test_a_new_pairing_forgets_what_an_old_one_left_before_it_asks_for_anything() -> None:
    board = Board(Restored())
    board.tell(ev.PairingDone(screen_id="scr_2"))
    kinds = [type(action) for action in board.actions]
    assert kinds.index(act.ForgetVersions) < kinds.index(act.StartLink)


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refused_screen_goes_on_with_a_banner_that_asks_to_pair_it(refusal: Refusal) -> None:
    board = playing_board()
    board.tell(ev.ScreenRefused(refusal=refusal))
    assert board.glass == PLAYS
    assert board.notice is not None
    assert (board.notice.name, board.notice.user_code) == ("Corner Café", "")
    assert ("7 days" in board.notice.fault) is (refusal is Refusal.REVOKED)
    assert not board.asked(act.AwaitPairing), "the token is tried on"

    board.tell(ev.CodeIssued(code=CODE))
    assert board.glass == PLAYS
    assert (board.notice.user_code, board.notice.address) == ("WDJ-BMJ", "https://menu.example/pair")
    board.tell(ev.CodeExpired())
    assert board.notice.user_code == ""

    board.tell(ev.ServiceAnswered(call="pairing"))
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.REFUSED, detail="again"))
    assert board.state.contact.trouble is None, "it is known, and no fault of the network"

    board.tell(ev.CodeIssued(code=CODE))
    board.tell(ev.ScreenAccepted())
    assert board.notice is None
    assert (board.state.pairing.phase, board.state.pairing.screen_id) == (PairingPhase.PAIRED, "scr_1")
    assert not board.asked(act.ForgetVersions)


def test_a_refused_screen_with_nothing_to_play_shows_the_pairing_card() -> None:
    board = Board()
    board.tell(ev.ScreenRefused(refusal=Refusal.UNKNOWN))
    board.tell(ev.CodeIssued(code=CODE))
    assert (board.glass, board.notice) == ("pairing: WDJ-BMJ", None)
    board.tell(ev.ScreenAccepted())
    assert board.glass == "house: Waiting for the first menu"


@pytest.mark.parametrize("goes_on", [True, False])
def test_paired_again_with_its_workspace_the_board_goes_on_and_with_another_nothing_of_the_old_one_shows(
    goes_on: bool,
) -> None:
    board = playing_board()
    board.tell(ev.ScreenRefused(refusal=Refusal.REVOKED))
    board.tell(ev.CodeIssued(code=CODE))
    board.tell(ev.PairingDone(screen_id="scr_2", goes_on=goes_on))
    assert board.notice is None
    assert board.glass == (PLAYS if goes_on else "paired: ")
    assert bool(board.asked(act.ForgetVersions)) is not goes_on
    assert board.state.pairing.screen_id == "scr_2"
    assert len(board.asked(act.StartLink)) == 2


def test_a_board_that_lost_its_credentials_plays_what_is_stored_and_asks_to_be_paired() -> None:
    found, _ = manifest(scenes=[COFFEE], items=ITEMS)
    board = Board(Restored(running=StoredVersion(manifest=found, anchor=NOON)))
    assert board.glass == PLAYS
    assert board.asked(act.AwaitPairing)
    assert not board.asked(act.StartLink)
    assert board.notice is not None
    assert "lost its pairing" in board.notice.fault
    copy = Board(Restored(running=StoredVersion(manifest=found, anchor=NOON), from_another_device=True))
    assert copy.notice is not None
    assert "another device" in copy.notice.fault
    board.tell(ev.ServiceFailed(call="pairing", trouble=ev.Trouble.UNREACHABLE, detail="no route"))
    assert "network cable" in board.notice.advice


def test_programs_of_another_workspace_are_deleted_at_the_start() -> None:
    board = Board(Restored(screen_id="scr_2", forgotten=True))
    kinds = [type(action) for action in board.actions]
    assert kinds.index(act.ForgetVersions) < kinds.index(act.StartLink)


def test_the_pairing_screen_says_what_a_person_can_do_about_trouble() -> None:
    board = Board(Restored())
    board.tell(ev.ServiceFailed(call="pairing", trouble=ev.Trouble.CAPTIVE_PORTAL, detail="HTML"))
    view = board.orders()[-1].order.view
    assert isinstance(view, PairingCard)
    assert view.trouble is not None
    assert "sign-in page" in view.trouble
    board.tell(ev.ServiceAnswered(call="pairing"))
    view = board.orders()[-1].order.view
    assert isinstance(view, PairingCard)
    assert view.trouble is None


def test_what_is_on_the_disk_plays_before_the_network_is_asked() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON)))
    first = board.actions[0]
    assert isinstance(first, act.Show)
    assert isinstance(first.order.view, SceneView)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    assert board.actions.index(board.asked(act.StartLink)[0]) > board.actions.index(first)


def test_a_restart_resumes_at_the_right_place_with_the_newest_items() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    newest, _ = manifest(scenes=[COFFEE, LUNCH], items=(*ITEMS, item("Stew", 8, category="Lunch")), revision=2)
    clock = HandClock(NOON + timedelta(seconds=35))  # ten seconds each: the second loop's lunch
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), latest=newest), clock)
    assert board.glass == "v1 lunch: Soup, Stew"


def test_what_was_staged_before_a_restart_still_waits_for_its_boundary() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    newer, body = manifest(scenes=[LUNCH], items=ITEMS, version=2)
    clock = HandClock(NOON + timedelta(seconds=5))
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), staged=(newer, body)), clock)
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    assert board.glass.startswith("v1")
    board.pass_(14.9)
    assert board.glass.startswith("v1")
    board.pass_(0.1)
    assert board.glass == "v2 lunch: Soup"


# The loop boundary


def test_the_first_program_starts_at_once_counted_from_its_publishing() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=12)))
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, published_at=NOON)
    assert board.glass == "v1 lunch: Soup"
    assert board.state.running is not None
    assert board.state.running.anchor == NOON


def test_a_new_version_takes_over_at_the_loop_boundary() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=[LUNCH, COFFEE], items=ITEMS, version=2)
    seen = []
    for _ in range(19):
        seen.append(board.glass.split(":")[0])
        board.pass_(1)
    assert seen == ["v1 coffee"] * 7 + ["v1 lunch"] * 10 + ["v2 lunch"] * 2
    assert board.asked(act.StoreRunning)[-1].anchor == NOON, "its loops are counted from its publishing"


def test_the_coming_program_s_first_scene_is_prepared_before_the_boundary() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.pass_(11)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert (upcoming.key.version, upcoming.scene.name) == (2, "lunch")


def test_a_version_whose_images_are_on_their_way_does_not_take_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(
        fetched=False, scenes=[menu_scene("new", "Coffee", image="hero")], items=ITEMS, version=2, images=["hero"]
    )
    board.tell(
        ev.AssetsMissing(
            key=VersionKey(playlist_id="pl_1", version=2), reasons={asset("hero")[0]: "its hash is wrong"}, remaining=1
        )
    )
    board.pass_(300)
    assert board.glass.startswith("v1")
    assert "asset_lacking" in codes(board.state)
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    board.pass_(10)
    assert board.glass.startswith("v2 new")
    assert codes(board.state) == []


def test_an_overtaken_version_never_shows() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(2)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.receive(scenes=[LUNCH, COFFEE], items=ITEMS, version=3)
    board.pass_(60)
    assert {show.order.view.key.version for show in board.orders() if isinstance(show.order.view, SceneView)} == {
        1,
        3,
    }


def test_going_back_to_the_running_version_drops_the_staged_one() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(2)
    board.receive(scenes=[LUNCH], items=ITEMS, playlist="pl_2")
    assert board.state.staged is not None
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.state.staged is None
    assert board.asked(act.DropStaged)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")


def test_nothing_scheduled_means_nothing_to_wait_for() -> None:
    board = Board().trust_the_clock()
    evening = {"type": "daypart", "start": "18:00", "end": "22:00", "timezone": "location"}
    board.receive(scenes=[COFFEE], entries=[entry("coffee", schedule=evening)], items=ITEMS)
    assert board.state.showing.house_reason is HouseReason.NOTHING_SCHEDULED
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert board.glass == "v2 lunch: Soup"


def test_boards_that_take_over_at_different_times_show_the_same() -> None:
    early, late, latest = Board(), Board(), Board(clock=HandClock(NOON + timedelta(seconds=157)))
    for board in (early, late):
        board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
        board.pass_(3)
    newer: dict[str, Any] = {"scenes": THREE, "entries": SIXTY, "items": ITEMS, "version": 2}
    published_at = NOON + timedelta(seconds=3)
    early.receive(**newer, published_at=published_at)
    late.receive(**newer, published_at=published_at, fetched=False)
    early.pass_(57)
    late.pass_(57)
    late.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    early.pass_(97)
    late.pass_(97)
    latest.receive(**newer, published_at=published_at)
    for _ in range(120):
        assert early.glass == late.glass == latest.glass
        assert showing(early) == showing(late) == showing(latest)
        for board in (early, late, latest):
            board.pass_(0.7)


def test_a_version_joins_its_loop_and_the_scene_that_it_begins_with_was_prepared() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, version=2, published_at=NOON + timedelta(seconds=3))
    board.pass_(8)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert (upcoming.key.version, upcoming.scene.name) == (2, "b"), "17 s after the publishing"
    assert seen_for(board, 69) == [("1 lunch", 9), ("2 b", 13), ("2 c", 30), ("2 a", 10), ("2 b", 7)]


@pytest.mark.parametrize(
    ("published", "first"),
    [(2.5, ("2 b", 22.5)), (4, ("2 a", 4))],
    ids=["2.5 s are left of its first scene", "4 s are left of it"],
)
def test_a_short_rest_of_a_showing_is_not_begun(published: float, first: tuple[str, float]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(9)
    published_at = NOON + timedelta(seconds=published)
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, version=2, published_at=published_at)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert upcoming.scene.name == first[0][-1], "the scene that shows is the one that was prepared"
    assert seen_for(board, 40)[1] == first
    assert scene_of(board) == "2 c"


def test_a_program_that_begins_in_the_last_second_of_a_scene_begins_with_the_next() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=9)))
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON)
    assert seen_for(board, 60)[:3] == [("1 b", 21), ("1 c", 30), ("1 a", 9)]
    again = {other.entry_id: other.next_at for other in board.state.showing.others}
    assert again["ent_b"] == NOON + timedelta(seconds=70)


def test_a_new_version_does_not_cut_a_scene_that_began_early() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=59)))
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON)
    assert scene_of(board) == "1 a", "a second early"
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert seen_for(board, 20)[:2] == [("1 a", 11), ("2 lunch", 9)]


def test_only_the_start_of_a_period_makes_a_short_showing() -> None:
    board = Board(clock=HandClock(NOON - timedelta(seconds=2))).trust_the_clock()
    morning = {"type": "daypart", "start": "06:00", "end": "12:00", "timezone": "location"}
    entries = [
        entry("coffee", 10, schedule=morning),
        entry("lunch", 10, schedule=morning | {"start": "12:00", "end": "15:00"}),
    ]
    board.receive(scenes=[COFFEE, LUNCH], entries=entries, items=ITEMS, published_at=NOON - timedelta(hours=1))
    assert seen_for(board, 10) == [("1 coffee", 2), ("1 lunch", 8)]


def test_a_version_that_an_older_player_stored_comes_into_step_at_the_end_of_its_loop() -> None:
    found, _ = manifest(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON - timedelta(seconds=25))
    begun = NOON - timedelta(seconds=35)
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=begun)))
    other = Board()
    other.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON - timedelta(seconds=25))
    seen = [scene_of(board)]
    for _ in range(49):
        board.pass_(0.5)
        seen.append(scene_of(board))
    assert set(seen) == {"1 c"}, "it goes on until 25 s, the end of its loop"
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    board.pass_(0.5)
    other.pass_(25)
    for _ in range(100):
        assert board.glass == other.glass
        board.pass_(1)
        other.pass_(1)
    assert showing(board) == showing(other)


# Items


def test_a_sold_out_item_leaves_at_once_and_the_scene_goes_on() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(4)
    before = board.orders()[-1].order.view
    board.receive(scenes=[COFFEE, LUNCH], items=(item("Flat white", sold_out=True), *ITEMS[1:]), revision=2)
    after = board.orders()[-1].order.view
    assert board.glass == "v1 coffee: Espresso"
    assert isinstance(before, SceneView)
    assert isinstance(after, SceneView)
    assert after.started_at == before.started_at
    assert board.asked(act.StoreLatest)
    assert not board.asked(act.DropStaged)


def test_a_sold_out_item_leaves_the_old_program_while_a_new_one_waits() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.receive(
        fetched=False,
        scenes=[menu_scene("new", "Coffee", image="hero")],
        items=(item("Flat white", sold_out=True), ITEMS[1]),
        version=2,
        images=["hero"],
        revision=2,
    )
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "the new version has no use for soup, but the old one still shows it"


def test_a_dish_that_is_sold_out_until_an_instant_comes_back_then_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3599.9)
    assert board.glass == "v1 coffee: Espresso"
    before = len({show.order.serial for show in board.orders()})
    board.pass_(0.1)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    board.pass_(600)
    assert len({show.order.serial for show in board.orders()}) == before + 1, "exactly once"


def test_the_service_s_own_end_of_a_sold_out_dish_causes_no_flicker() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3600)
    orders = len(board.orders())
    # The service's clock is a little behind: it still says sold out, then not any more.
    dearer = [sold_out_until(ONE)[0], item("Espresso", 2.3), ITEMS[2]]
    board.receive(scenes=[COFFEE], items=dearer, revision=2)
    board.receive(scenes=[COFFEE], items=[ITEMS[0], item("Espresso", 2.3), ITEMS[2]], revision=3)
    seen = {
        tuple(row.name for menu in show.order.view.menus.values() for section in menu.sections for row in section.rows)
        for show in board.orders()[orders:]
        if isinstance(show.order.view, SceneView)
    }
    assert seen == {("Flat white", "Espresso")}


def test_a_longer_sell_out_that_arrives_counts() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE + timedelta(hours=1)), revision=2)
    board.pass_(3700)
    assert board.glass == "v1 coffee: Espresso"
    board.receive(scenes=[COFFEE], items=sold_out_until(None), revision=3)
    board.pass_(7 * 86400)
    assert board.glass == "v1 coffee: Espresso"


def test_with_an_unknown_clock_a_sold_out_dish_stays_so_until_its_time_must_have_come() -> None:
    board, long_ago = Board(), NOON - timedelta(hours=4)
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE), revision_at=long_ago, published_at=long_ago)
    board.pass_(7200)
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(3 * 3600 + 10)
    assert board.glass == "v1 coffee: Flat white, Espresso", "five hours after what the service wrote"
    board.trust_the_clock()
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_a_clock_that_is_set_back_sells_the_dish_out_again() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3700)
    board.clock.step(timedelta(hours=-1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(3600)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_what_was_stored_as_sold_out_comes_back_while_the_board_was_off() -> None:
    found, _ = manifest(scenes=[COFFEE], items=sold_out_until(ONE))
    running = StoredVersion(manifest=found, anchor=NOON)
    board = Board(replace(PAIRED, running=running), HandClock(ONE)).trust_the_clock()
    assert board.glass == "v1 coffee: Flat white, Espresso"


@pytest.mark.parametrize(
    ("known", "pass_hours", "is_listed"),
    [(None, 2.0, False), (NOON, 0.0, False), (NOON, 1.1, True), (ONE, 0.0, True)],
    ids=["nothing known", "earlier", "earlier, and hours have passed", "that instant has been"],
)
def test_a_start_without_the_service_and_the_time_lists_what_the_last_known_time_allows(
    known: datetime | None, pass_hours: float, is_listed: bool
) -> None:
    found, _ = manifest(scenes=[COFFEE], items=sold_out_until(ONE), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = StoredVersion(manifest=found, anchor=NOON - DAY)
    stored = KnownTime(true=known) if known is not None else None
    board = Board(replace(PAIRED, running=running, known_time=stored), HandClock(NOON - timedelta(days=400)))
    board.pass_(pass_hours * 3600)
    board.tell(ev.HealthRead(health=ev.Health()))
    assert board.state.clock.trust is Trust.UNKNOWN
    assert board.glass.endswith("Flat white, Espresso" if is_listed else "coffee: Espresso")


def test_a_restart_within_one_boot_goes_on_with_the_time_it_had() -> None:
    found, _ = manifest(**scheduled_and_free(), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = StoredVersion(manifest=found, anchor=NOON - DAY)
    stored = KnownTime(true=NOON - timedelta(hours=2), boot_id="b", boot_seconds=500.0)
    boot, clock = Boot(id="b", seconds=500.0 + 7200.0), HandClock(NOON - timedelta(days=400))
    board = Board(replace(PAIRED, running=running, known_time=stored, boot=boot), clock)
    assert board.state.at == NOON
    assert board.state.clock.trust is Trust.CORRECTED
    assert "1 lunch" in board.glass
    for wrong in (timedelta(hours=6), timedelta()):
        board.pass_(1)
        board.tell(answer(clock, server_time=board.state.at + wrong))
        assert abs(board.state.at - NOON) < timedelta(seconds=5), "one wrong time of the service is not believed"


TWO = ONE + timedelta(hours=1)


def on_offer(price: float = 3.4) -> list[dict[str, Any]]:
    """A flat white that costs less from one to two."""
    offer = {"regularPrice": 3.4, "offerPrice": 2.5, "offerStartsAt": instant(ONE), "offerEndsAt": instant(TWO)}
    return [item("Flat white", price) | offer, *ITEMS[1:]]


def flat_white(board: Board) -> tuple[str, str]:
    """Its price on the glass, and the struck one."""
    view = board.orders()[-1].order.view
    assert isinstance(view, SceneView)
    rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
    [found] = [row for row in rows if row.name == "Flat white"]
    return found.price.text, found.regular


def test_an_offer_begins_and_ends_at_its_instants_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3599.9)
    assert flat_white(board) == ("€3.40", "")
    before = len({show.order.serial for show in board.orders()})
    board.pass_(0.1)
    assert flat_white(board) == ("€2.50", "€3.40")
    board.pass_(3599.9)
    assert flat_white(board) == ("€2.50", "€3.40")
    board.pass_(0.1)
    assert flat_white(board) == ("€3.40", "")
    board.pass_(7200)
    assert len({show.order.serial for show in board.orders()}) == before + 2, "once each"


def test_offers_of_variants_begin_and_end_each_at_its_own_instant() -> None:
    def size(name: str, start: datetime, end: datetime) -> dict[str, Any]:
        times = {"offerStartsAt": instant(start), "offerEndsAt": instant(end)}
        return {"name": name, "price": 4, "regularPrice": 4, "offerPrice": 3, **times}

    half = timedelta(minutes=30)
    variants = [size("S", ONE, TWO), size("L", ONE + half, TWO + half), {"name": "XL", "price": 6}]
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=[item("Flat white", 4) | {"variants": variants}, *ITEMS[1:]])

    def prices() -> list[str]:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
        [found] = [row for row in rows if row.name == "Flat white"]
        return [f"{one.price.text} {one.regular}".strip() for one in found.variants]

    seen = [prices()]
    for _ in range(4):
        board.pass_(1800 if len(seen) > 1 else 3600)
        seen.append(prices())
    assert seen == [
        ["€4.00", "€4.00", "€6.00"],
        ["€3.00 €4.00", "€4.00", "€6.00"],
        ["€3.00 €4.00", "€3.00 €4.00", "€6.00"],
        ["€4.00", "€3.00 €4.00", "€6.00"],
        ["€4.00", "€4.00", "€6.00"],
    ]


def test_an_offer_that_was_stored_ends_while_the_board_is_off() -> None:
    found, _ = manifest(scenes=[COFFEE], items=on_offer(2.5))
    running = StoredVersion(manifest=found, anchor=NOON)
    for at, price in ((NOON, "€3.40"), (ONE, "€2.50"), (TWO, "€3.40")):
        board = Board(replace(PAIRED, running=running), HandClock(at)).trust_the_clock()
        assert flat_white(board)[0] == price


def test_with_an_unknown_clock_the_price_of_the_service_stays() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3700)
    assert flat_white(board) == ("€3.40", "")
    board.trust_the_clock()
    assert flat_white(board) == ("€2.50", "€3.40")


@pytest.mark.parametrize(("known", "price"), [(NOON, "€2.50"), (ONE, "€2.50"), (TWO, "€3.40")])
def test_an_offer_ends_at_a_start_without_the_time_if_its_end_has_been(known: datetime, price: str) -> None:
    found, _ = manifest(scenes=[COFFEE], items=on_offer(2.5), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = StoredVersion(manifest=found, anchor=NOON - DAY)
    board = Board(
        replace(PAIRED, running=running, known_time=KnownTime(true=known)), HandClock(NOON - timedelta(days=400))
    )
    assert board.state.clock.trust is Trust.UNKNOWN
    assert flat_white(board)[0] == price


def test_a_clock_that_is_set_back_ends_an_offer_that_has_not_begun() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3700)
    board.clock.step(timedelta(hours=-1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert flat_white(board) == ("€3.40", "")
    board.pass_(3600)
    assert flat_white(board) == ("€2.50", "€3.40")


def weather(expires: datetime = ONE) -> dict[str, Any]:
    """A scene that tells the temperature beside a menu, and the temperature."""
    box = {"x": 0, "y": 0, "width": 900, "height": 100}
    text = {"id": "outside", "type": "text", **box, "text": "Outside {{temperature}} °C"}
    scene = {**COFFEE, "widgets": [*COFFEE["widgets"], text]}
    return {"scenes": [scene], "values": {"temperature": {"value": 21.5, "expiresAt": instant(expires)}}}


def outside(board: Board) -> str:
    """What the text says."""
    view = board.orders()[-1].order.view
    assert isinstance(view, SceneView)
    return view.texts["outside"].text


def test_a_value_shows_at_once_and_is_gone_when_it_expires_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=weather()["scenes"], items=ITEMS)
    assert outside(board) == ""
    board.receive(**weather(), items=ITEMS, revision=2)
    assert outside(board) == "Outside 21.5 °C"
    assert board.glass.startswith("v1 "), "the same version"
    board.pass_(3599.9)
    assert outside(board) == "Outside 21.5 °C"
    board.pass_(0.1)
    assert outside(board) == ""
    assert board.woken_at() is None or board.woken_at() > board.clock.wall()


def test_a_stored_value_shows_after_a_restart_until_it_expires_but_not_while_the_time_is_unknown() -> None:
    found, _ = manifest(**weather(), items=ITEMS)
    running = StoredVersion(manifest=found, anchor=NOON)
    for at, said in ((NOON, "Outside 21.5 °C"), (ONE, "")):
        board = Board(replace(PAIRED, running=running), HandClock(at))
        assert outside(board) == ""
        board.trust_the_clock()
        assert outside(board) == said


def test_what_a_combo_saves_follows_the_offer_of_its_part_without_the_service() -> None:
    parts = [{"quantity": 2, "anyOf": [{"itemId": "itm_Flat white"}]}]
    board = Board().trust_the_clock()
    board.receive(scenes=[LUNCH], items=[*on_offer()[:2], item("For two", 6, category="Lunch") | {"parts": parts}])

    def saving() -> str:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        [row] = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
        return row.saving.replace("\N{NO-BREAK SPACE}", " ")

    board.pass_(3599.9)
    assert saving() == "Save €0.80"
    board.pass_(0.1)
    assert saving() == "", "two on offer are cheaper"
    board.pass_(3600)
    assert saving() == "Save €0.80"


def test_a_substitute_gives_way_when_its_dish_is_back() -> None:
    special = {"id": "special", "type": "item", "itemId": "itm_Soup", "insteadItemId": "itm_Espresso"}
    scene = {
        "id": "scn_special",
        "name": "special",
        "widgets": [special | {"x": 0, "y": 0, "width": 900, "height": 90}],
    }
    board = Board().trust_the_clock()
    board.receive(scenes=[scene], items=[*ITEMS[:2], item("Soup", 6.5, category="Lunch", sold_out=True, until=ONE)])

    def special_row() -> str:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        return view.items["special"].name

    assert special_row() == "Espresso"
    board.pass_(3600)
    assert special_row() == "Soup"


def test_a_scene_whose_dishes_are_all_sold_out_shows_again_when_the_first_is_back() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[LUNCH], items=[item("Soup", category="Lunch", sold_out=True, until=ONE)])
    assert board.glass == "house: "
    board.pass_(3600)
    assert board.glass == "v1 lunch: Soup"


def test_a_dish_is_back_in_the_version_that_waits_too() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(NOON + timedelta(seconds=5)))
    board.pass_(1)
    board.receive(scenes=[menu_scene("new", "Coffee")], items=sold_out_until(NOON + timedelta(seconds=5)), version=2)
    board.pass_(5)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert len(upcoming.menus["menu"].sections[0].rows) == 2
    board.pass_(4)
    assert board.glass == "v2 new: Flat white, Espresso"


WAITING = menu_scene("new", "Coffee", image="hero")


def test_an_item_that_only_the_running_version_lists_changes_while_another_version_waits() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[*ITEMS[2:], item("Stew", 8, category="Lunch")])
    waiting: dict[str, Any] = {"fetched": False, "scenes": [WAITING], "items": ITEMS[:2], "version": 2}
    waiting |= {"images": ["hero"], "other_versions": {"pl_1": [1]}}
    dearer = item("Soup", 7, category="Lunch")
    board.receive(**waiting, revision=2, other_items=[dearer, item("Stew", 8, category="Lunch", sold_out=True)])
    assert board.glass == "v1 lunch: Soup"
    assert board.prices == {"Soup": "€7.00"}
    board.receive(**waiting, revision=3, other_items=[dearer, item("Stew", 8, category="Lunch")])
    assert board.glass == "v1 lunch: Soup, Stew", "in the order in which they stood"
    board.receive(**waiting, revision=4, other_items=[item("Stew", 8, category="Lunch")])
    assert board.glass == "v1 lunch: Stew", "an item that is absent was deleted"


def test_items_keep_their_order_while_another_version_waits_and_after_a_restart_then() -> None:
    soup, espresso, stew = item("Soup"), item("Espresso"), item("Stew")
    everything = menu_scene("all")
    one, _ = manifest(scenes=[everything], items=[soup, espresso, stew])
    waiting, body = manifest(
        scenes=[WAITING],
        items=[espresso],
        version=2,
        revision=2,
        images=["hero"],
        other_items=[{**soup, "position": 0}, {**stew, "position": 1}],
        other_versions={"pl_1": [1]},
    )
    board = Board()
    board.receive(scenes=[everything], items=[soup, stew])
    board.tell(ev.ManifestArrived(manifest=waiting, body=body))
    assert board.glass == "v1 all: Soup, Espresso, Stew", "also what is listed anew"
    assert list(one.with_facts_of(waiting).catalogue.items) == ["itm_Soup", "itm_Espresso", "itm_Stew"]


def test_items_of_a_version_that_the_service_no_longer_knows_stay_as_they_were() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[*ITEMS[2:], item("Stew", 8, category="Lunch")])
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], version=12, images=["hero"], revision=2,
        other_items=[item("Stew", 8, category="Lunch", sold_out=True)], other_versions={"pl_1": [10, 11]},
    )  # fmt: skip
    assert board.glass == "v1 lunch: Soup"


def test_items_that_only_another_playlist_lists_change_while_it_still_runs() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=ITEMS[2:], playlist="pl_lunch")
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], images=["hero"],
        other_items=[item("Soup", 7, category="Lunch")], other_versions={"pl_lunch": [1]},
    )  # fmt: skip
    assert board.prices == {"Soup": "€7.00"}
    board.receive(version=None, other_items=[item("Soup", 8, category="Lunch")], other_versions={"pl_lunch": [1]})
    assert board.prices == {"Soup": "€8.00"}


def test_an_image_of_an_item_that_only_the_running_version_lists_stays() -> None:
    soup = item("Soup", 6.5, category="Lunch") | {"image": f"sha256:{asset('soup')[0]}"}
    stew = item("Stew", 6.5, category="Lunch") | {"image": f"sha256:{asset('stew')[0]}"}
    board = Board()
    board.receive(scenes=[menu_scene("lunch", "Lunch")], items=[soup], images=["soup"])
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], version=2, images=["hero"], revision=2,
        other_items=[soup, stew], other_versions={"pl_1": [1]},
    )  # fmt: skip
    catalogue = board.conductor._board.catalogue
    assert catalogue is not None
    assert [one.image for one in catalogue.items.values()][:2] == [asset("soup")[0], None], "only what is on the disk"
    assert codes(board.state) == []


def test_a_restart_keeps_what_was_sold_out_while_a_version_waits() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    newer, body = manifest(
        scenes=[WAITING], items=[item("Flat white", sold_out=True), ITEMS[1]], version=2, images=["hero"], revision=2,
        other_items=[item("Soup", 7, category="Lunch")], other_versions={"pl_1": [1]}, timezone="Asia/Tokyo",
    )  # fmt: skip
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), staged=(newer, body)))
    assert board.glass == "v1 coffee: Espresso"
    assert board.state.revision == 2
    assert board.state.location == newer.location
    board.pass_(10)
    assert board.prices == {"Soup": "€7.00"}
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    board.pass_(10)
    assert board.glass == "v2 new: Espresso"


def test_a_dish_of_the_running_version_alone_comes_back_in_time_after_a_restart_while_another_waits() -> None:
    found, _ = manifest(scenes=[LUNCH], items=ITEMS[2:])
    newer, body = manifest(
        scenes=[WAITING], items=ITEMS[:2], version=2, images=["hero"], revision=2,
        other_items=[item("Soup", category="Lunch", sold_out=True, until=ONE), item("Stew", category="Lunch")],
        other_versions={"pl_1": [1]},
    )  # fmt: skip
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), staged=(newer, body)))
    board.trust_the_clock()
    assert board.glass == "v1 lunch: Stew"
    board.pass_((ONE - NOON).total_seconds())
    assert board.glass == "v1 lunch: Soup, Stew"
    # Also if the version that waits has failed here, and the one before plays with its items.
    assert found.with_facts_of(newer).catalogue.back_at == ONE


def test_a_image_that_an_item_has_got_is_fetched_while_the_program_runs() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    asked = len(board.asked(act.DownloadAssets))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=2)
    assert len(board.asked(act.DownloadAssets)) == asked, "nothing new is wanted"
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3, images=["espresso"], fetched=False)
    assert asset("espresso")[0] in board.asked(act.DownloadAssets)[-1].versions[0].assets


def test_an_item_that_is_gone_from_the_same_version_was_deleted() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=2)
    assert board.glass == "v1 coffee: Espresso"


def test_a_scene_whose_menus_are_all_sold_out_is_passed_over_and_the_loop_keeps_its_length() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=(*ITEMS[:2], item("Soup", category="Lunch", sold_out=True)))
    board.pass_(14)
    assert board.glass.startswith("v1 coffee")
    assert board.state.showing.loop_boundary == NOON + timedelta(seconds=20)
    assert [other.reason for other in board.state.showing.others] == ["passed_over"]
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, revision=2)
    assert board.glass == "v1 lunch: Soup"


def test_when_everything_is_sold_out_the_house_card_shows_and_says_why_to_those_who_ask() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[item("Soup", category="Lunch", sold_out=True)])
    assert board.glass == "house: "
    assert board.state.showing.house_reason is HouseReason.NOTHING_SHOWABLE


# Older manifests


def test_an_older_manifest_puts_no_sold_out_dish_back() -> None:
    board = Board()
    sold_out = [item("Flat white", sold_out=True), *ITEMS[1:]]
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3)
    board.receive(scenes=[COFFEE], items=sold_out, revision=4)
    stored = len(board.asked(act.StoreLatest))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3)
    assert board.glass == "v1 coffee: Espresso"
    assert len(board.asked(act.StoreLatest)) == stored
    assert codes(board.state) == ["manifest_older"]
    assert [asked.holds for asked in board.asked(act.Contradict)] == [""], "this service knows no epochs"
    board.receive(scenes=[COFFEE], items=[*sold_out, item("Tea")], revision=5)
    assert board.glass == "v1 coffee: Espresso, Tea"
    assert codes(board.state) == []


def test_an_older_version_is_not_staged() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=4)
    board.receive(scenes=[LUNCH], items=ITEMS, version=1, revision=3)
    board.pass_(60)
    assert board.glass.startswith("v2 coffee")
    assert board.state.staged is None


def test_each_playlist_and_location_has_revisions_of_its_own() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, revision=40)
    board.receive(scenes=[LUNCH], items=ITEMS, playlist="pl_2", revision=1)
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup"
    board.receive(scenes=[COFFEE], items=ITEMS, revision=39)
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "also after another one has run"


def test_after_a_restart_the_stored_manifests_say_what_is_older() -> None:
    found, _ = manifest(scenes=[COFFEE], items=ITEMS, revision=3)
    newest, _ = manifest(scenes=[COFFEE], items=[item("Flat white", sold_out=True), *ITEMS[1:]], revision=5)
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), latest=newest))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=4)
    assert board.glass == "v1 coffee: Espresso"
    waiting, body = manifest(scenes=[WAITING], items=[ITEMS[1]], version=2, revision=6, images=["hero"])
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), staged=(waiting, body)))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=5)
    assert board.state.staged is not None


def test_a_service_that_was_put_back_without_a_word_is_told_what_the_board_holds() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, revision=9, epoch="first")
    board.receive(scenes=[COFFEE], items=ITEMS, revision=7, epoch="first")
    assert [asked.holds for asked in board.asked(act.Contradict)] == ["first 9"]
    for epoch in ("first\r\nX: 1", "é", " " * 8, "e" * 101):
        told = Board()
        told.receive(scenes=[COFFEE], items=ITEMS, revision=9, epoch=epoch)
        told.receive(scenes=[COFFEE], items=ITEMS, revision=7, epoch=epoch)
        assert not any(asked.holds for asked in told.asked(act.Contradict)), "no header can carry it"


def test_a_restored_service_that_says_so_is_believed_at_once() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=9, epoch="first")
    board.receive(scenes=[LUNCH], items=ITEMS, version=1, revision=3, epoch="second")
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup"
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=10, epoch="first")
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "an epoch that has ended does not come back"
    assert [asked.holds for asked in board.asked(act.Contradict)] == ["second 3"]
    assert codes(board.state) == ["manifest_older"]


def test_another_version_with_the_number_of_the_running_one_takes_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=4, revision=9, epoch="first")
    later: dict[str, Any] = {"version": 4, "revision": 5, "epoch": "second", "published_at": NOON + timedelta(hours=1)}
    board.receive(
        fetched=False, scenes=[menu_scene("new", "Lunch", image="hero")], items=ITEMS, images=["hero"], **later
    )
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=4, epoch="first")))
    board.pass_(20)
    assert board.glass == "v4 coffee: Flat white, Espresso", "its picture is still missing"
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=4, epoch="second")))
    board.pass_(10)
    assert board.glass == "v4 new: Soup"


def test_the_running_version_goes_on_in_a_new_epoch() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, revision=9)
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS[1:], revision=1, epoch="second")
    assert board.glass == "v1 coffee: Espresso"
    assert board.state.staged is None
    waiting: dict[str, Any] = {"fetched": False, "scenes": [WAITING], "images": ["hero"], "version": 2, "revision": 2}
    board.receive(**waiting, items=ITEMS[1:2], epoch="second", other_items=[ITEMS[2]], other_versions={"pl_1": [1]})
    board.receive(**waiting, items=ITEMS[1:2], epoch="second", other_items=[], other_versions={"pl_1": [1]})
    board.pass_(10)
    assert board.glass == "v1 coffee: Espresso", "there is no soup any more: the version is known in the new epoch, too"


def test_a_service_that_keeps_to_an_older_manifest_is_believed_in_the_end() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
    for _ in range(23):
        board.pass_(25)
        board.tell(ev.ServiceAnswered(call="heartbeat"))
        board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Flat white"
    board.pass_(25)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Espresso"
    assert codes(board.state) == []
    board.receive(scenes=[COFFEE], items=ITEMS, revision=4)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_an_outage_is_no_evidence_for_an_older_manifest() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
    board.pass_(3600)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Flat white"


def test_one_newer_manifest_ends_the_doubt() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    for _ in range(60):
        board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
        board.pass_(25)
        board.tell(ev.ServiceAnswered(call="manifest"))
        board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    assert board.glass == "v1 coffee: Flat white"


# Bad content


def test_an_empty_playlist_leaves_the_last_good_program_on_and_is_reported() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(version=2)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")
    assert codes(board.state) == ["playlist_empty"]


def test_items_of_the_last_good_version_change_while_an_empty_one_is_the_latest() -> None:
    found, _ = manifest(scenes=[COFFEE], items=ITEMS)
    board = Board(replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON)))
    empty: dict[str, Any] = {"version": 2, "other_versions": {"pl_1": [1]}}
    board.receive(**empty, revision=2, other_items=[item("Flat white", sold_out=True), ITEMS[1]])
    assert board.glass == "v1 coffee: Espresso"
    stored = board.asked(act.StoreStaged)[-1]

    again = Board(
        replace(
            PAIRED,
            running=StoredVersion(manifest=found, anchor=NOON),
            staged=(read_manifest(stored.body), stored.body),
        )
    )
    assert again.glass == "v1 coffee: Espresso", "after a restart without the service, too"
    assert again.state.staged is None
    assert codes(again.state) == ["playlist_empty"]
    again.pass_(60)
    assert again.glass == "v1 coffee: Espresso"


def test_an_empty_first_playlist_is_the_house_card_with_the_reason() -> None:
    board = Board()
    board.receive(version=1)
    assert board.glass == "house: The playlist has no scenes"


def test_a_version_of_which_nothing_can_be_shown_does_not_take_over() -> None:
    unknown = {"id": "hologram", "type": "hologram", "x": 0, "y": 0, "width": 100, "height": 100}
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(scenes=[menu_scene("odd") | {"widgets": [unknown]}], items=ITEMS, version=2)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")
    assert {"widget_unknown", "program_unshowable"} <= set(codes(board.state))


def test_an_image_that_never_comes_costs_its_widget_when_nothing_ran_before() -> None:
    board = Board()
    with_image = menu_scene("pictured", "Coffee", image="hero")
    board.receive(fetched=False, scenes=[with_image, LUNCH], items=ITEMS, images=["hero"])
    assert board.glass == "house: The menu is on its way"
    key = VersionKey(playlist_id="pl_1", version=1)
    board.tell(ev.AssetsMissing(key=key, reasons={asset("hero")[0]: "404"}, remaining=1))
    assert board.glass == "v1 pictured: Flat white, Espresso"
    assert lacking(board) == {asset("hero")[0]}
    board.tell(ev.AssetsVerified(key=key))
    assert board.glass == "v1 pictured: Flat white, Espresso"
    assert lacking(board) == set()


def test_a_file_that_the_display_cannot_draw_is_checked_before_what_was_uploaded_is_blamed() -> None:
    board, hero = Board(), asset("hero")[0]
    board.receive(scenes=[menu_scene("pictured", "Coffee", image="hero")], items=ITEMS, images=["hero"])
    key = VersionKey(playlist_id="pl_1", version=1)
    fault = ev.PartUndrawable(subject="scn_pictured/picture", code="asset_undecodable", detail="no image", asset=hero)
    board.tell(fault)
    board.tell(fault)
    assert board.asked(act.RecheckAssets) == [act.RecheckAssets(asset=hero)], "once, however often it is drawn"
    board.tell(ev.AssetsMissing(key=key, reasons={hero: "not fetched yet"}, remaining=1))
    assert codes(board.state) == ["asset_lacking"]
    board.tell(ev.AssetsVerified(key=key))
    assert codes(board.state) == [], "the fault ends with the file"
    board.tell(fault)
    board.tell(ev.AssetsVerified(key=key))
    assert codes(board.state) == ["asset_undecodable"], "it is as it was uploaded"


def test_no_playlist_is_the_house_card_from_the_boundary_on() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(4)
    board.receive(version=None, revision=2)
    assert board.glass.startswith("v1 coffee")
    board.pass_(6)
    assert board.glass == "house: No published playlist is assigned to this screen"
    board.receive(scenes=[LUNCH], items=ITEMS, revision=3)
    assert board.glass == "v1 lunch: Soup"


def test_never_published_is_told_from_not_assigned_and_follows_what_the_service_says() -> None:
    board = Board()
    board.receive(version=None, without_playlist={"reason": "unpublished", "name": "Draft"})
    assert board.glass == "house: The playlist of this screen has not been published yet"
    assert [(each.code, "“Draft”" in each.what) for each in diagnose(board.state)] == [("never_published", True)]
    board.receive(version=None, revision=2, without_playlist={"reason": "unassigned"})
    assert board.glass == "house: No published playlist is assigned to this screen"
    assert [(each.code, "no playlist is assigned" in each.what) for each in diagnose(board.state)] == [
        ("no_playlist", True)
    ]
    board.receive(version=None, revision=3, without_playlist={"reason": "unpublished", "name": "Lunch"})
    assert "“Lunch”" in diagnose(board.state)[0].what
    board.receive(scenes=[LUNCH], items=ITEMS, revision=4)
    assert (board.glass, diagnose(board.state)) == ("v1 lunch: Soup", ())


def test_a_part_that_cannot_be_drawn_is_reported_until_another_program_runs() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.PartUndrawable(subject="scn_coffee/picture", code="image_broken", detail="not a PNG"))
    assert codes(board.state) == ["image_broken"]
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.pass_(10)
    assert codes(board.state) == []


def test_a_part_that_is_drawn_well_again_is_not_reported_any_more() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.PartUndrawable(subject="scn_coffee/menu", code="menu_continues", detail="9 pages"))
    board.tell(ev.PartDrawn(subject="scn_coffee/menu", codes=frozenset({"menu_too_long"})))
    board.tell(ev.PartDrawn(subject="scn_coffee/other", codes=frozenset({"menu_continues"})))
    assert codes(board.state) == ["menu_continues"]
    board.tell(ev.PartDrawn(subject="scn_coffee/menu", codes=frozenset({"menu_continues"})))
    assert codes(board.state) == []


def test_what_the_next_version_cannot_draw_is_still_told_when_it_has_taken_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(4)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert board.orders()[-1].order.upcoming is not None
    board.tell(ev.PartUndrawable(subject="scn_lunch/film", code="video_broken", detail="not a film"))
    board.tell(ev.PartUndrawable(subject="scn_coffee/picture", code="image_broken", detail="not a PNG"))
    board.pass_(10)
    assert board.glass == "v2 lunch: Soup"
    assert [(part.subject, part.name) for part in board.state.rejections] == [("scn_lunch/film", "lunch")]
    board.receive(scenes=[COFFEE], items=ITEMS, version=3)
    board.pass_(20)
    assert codes(board.state) == []


def test_the_number_of_rejections_is_bounded() -> None:
    board = Board()
    for number in range(MAX_REJECTIONS * 2):
        board.tell(ev.PartUndrawable(subject=f"scn/{number}", code="image_broken", detail=""))
        board.tell(ev.DiskFailed(subject=f"file-{number}", code="disk_full", detail=""))
    assert len(board.state.rejections) == MAX_REJECTIONS


# Never dark


def test_an_outage_changes_nothing_on_the_glass() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    for trouble in ev.Trouble:
        board.tell(ev.ServiceFailed(call="manifest", trouble=trouble, detail="…"))
        board.pass_(10)
        assert board.glass.startswith("v1")
    (failing,) = board.state.contact.failing
    assert (failing.failures, failing.since) == (len(ev.Trouble), NOON)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.state.contact.trouble is None


def test_a_call_that_fails_stays_a_fault_while_others_are_answered() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.FAULT, detail="it answers 500"))
    for call in ("heartbeat", "asset", "pairing"):
        board.tell(ev.ServiceAnswered(call=call))
        assert board.state.contact.trouble is ev.Trouble.FAULT, call
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.state.contact.trouble is None


def test_each_file_that_fails_is_known_until_it_comes_or_nobody_wants_it() -> None:
    board = Board()
    photo, picture = asset("hero")[0], menu_scene("photo", image="hero")
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(fetched=False, version=2, scenes=[picture], items=ITEMS, images=["hero"])
    missing = ev.ServiceFailed(call="asset", subject=photo, trouble=ev.Trouble.FAULT, detail="it answers 404")
    board.tell(missing)
    board.tell(replace(missing, subject="b" * 64))
    board.tell(ev.ServiceAnswered(call="manifest"))
    board.tell(ev.ServiceAnswered(call="asset", subject="c" * 64))
    assert [failing.subject for failing in board.state.contact.of("asset")] == [photo], "the other is not wanted"
    board.tell(ev.ServiceAnswered(call="asset", subject=photo))
    assert not board.state.contact.failing
    board.tell(missing)
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    assert not board.state.contact.failing, "it is on the disk"
    board.receive(fetched=False, version=3, scenes=[picture], items=ITEMS, images=["hero"])
    board.tell(missing)
    board.receive(version=4, scenes=[COFFEE], items=ITEMS)
    board.pass_(60)
    assert not board.state.contact.failing


def test_the_way_to_the_service_is_tested_at_the_first_failure_and_while_it_lasts() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    failed = ev.ServiceFailed(call="manifest", trouble=ev.Trouble.UNREACHABLE, detail="no route")
    tested_at = []
    for second in range(100):
        board.tell(failed)
        if len(board.asked(act.TestConnection)) > len(tested_at):
            tested_at.append(second)
        board.pass_(1)
    assert tested_at == [0, 30, 60, 90]

    failure = StepResult(step=Step.LINK, passed=False, fault=ConnectionFault.NO_CABLE, evidence="eth0 has no cable")
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON, steps=[failure])))
    assert board.state.connection is not None
    assert board.state.connection.failure == failure
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert len(board.asked(act.TestConnection)) == 5, "what it found is not so any more"

    board.tell(failed)
    assert len(board.asked(act.TestConnection)) == 5, "one is under way"
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON + timedelta(seconds=100), steps=[failure])))
    board.pass_(10)
    board.tell(failed)
    assert len(board.asked(act.TestConnection)) == 6
    board.pass_(10)
    board.tell(replace(failed, trouble=ev.Trouble.CAPTIVE_PORTAL))
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON + timedelta(seconds=110), steps=[failure])))
    board.tell(ev.DisplayLooked(turned_at=board.clock.monotonic()))
    assert len(board.asked(act.TestConnection)) == 7, "it fails in another way"


def test_what_is_on_the_way_to_the_service_is_worse_than_one_call_s_own_fault() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.FAULT, detail="it answers 500"))
    board.pass_(5)
    board.tell(ev.ServiceFailed(call="heartbeat", trouble=ev.Trouble.UNREACHABLE, detail="no route"))
    assert board.state.contact.trouble is ev.Trouble.UNREACHABLE
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    assert board.state.contact.trouble is ev.Trouble.FAULT


def test_calls_of_a_refused_screen_leave_no_trouble_behind() -> None:
    board = playing_board()
    refused = ev.ServiceFailed(call="manifest", trouble=ev.Trouble.REFUSED, detail="unknown")
    board.tell(refused)
    board.tell(ev.ScreenRefused(refusal=Refusal.UNKNOWN))
    assert board.state.contact.trouble is None
    board.tell(replace(refused, trouble=ev.Trouble.UNREACHABLE))
    board.tell(ev.ServiceFailed(call="pairing", trouble=ev.Trouble.UNREACHABLE, detail="no route"))
    board.tell(refused)
    assert [failing.call for failing in board.state.contact.failing] == ["pairing"], "the service answers manifests"
    board.tell(ev.ScreenAccepted())
    assert board.state.contact.trouble is None


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


def test_a_revoked_screen_forgets_the_menu_and_asks_for_a_code() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(ev.PairingRevoked())
    assert board.glass == "pairing: None"
    assert board.asked(act.ForgetVersions)
    assert board.asked(act.AwaitPairing)
    board.tell(ev.PairingDone(screen_id="scr_2"))
    assert board.glass == "paired: "


def test_a_claimed_code_is_confirmed_at_once_and_until_there_is_something_to_show() -> None:
    board = Board(Restored())
    board.tell(ev.CodeIssued(code=CODE))
    board.tell(ev.PairingDone(screen_id="scr_1", screen_name="Counter"))
    assert board.glass == "paired: Counter"
    assert board.state.showing.house_reason is HouseReason.WAITING_FOR_PROGRAM, "for who asks why no menu shows"
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "paired: Counter"
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_a_new_screen_speaks_the_language_of_its_settings_then_what_the_service_says_then_its_locations() -> None:
    board = Board(Restored(), locale="ar")
    board.tell(ev.CodeIssued(code=CODE))
    assert board.orders()[-1].order.locality == Locality(locale="ar", right_to_left=True)
    assert board.state.locale == "ar"
    board.tell(ev.PairingDone(screen_id="scr_1", screen_name="Counter"))
    assert board.orders()[-1].order.locality.locale == "ar", "an older service does not tell"
    board.tell(ev.PairingDone(screen_id="scr_1", screen_name="Counter", locale="fr-FR"))
    assert board.orders()[-1].order.locality == Locality(locale="fr-FR")
    assert board.state.locale == "fr-FR"
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.state.location is not None
    assert board.state.locale == board.state.location.locale != "fr-FR"


def test_a_paired_screen_without_a_menu_waits_in_the_language_of_its_settings() -> None:
    board = Board(locale="de")
    assert board.glass == "house: Warten auf das erste Menü"


def test_the_name_of_an_older_service_comes_with_the_first_heartbeat() -> None:
    board = Board(Restored())
    board.tell(ev.PairingDone(screen_id="scr_1"))
    board.tell(answer(board.clock, server_time=NOON))
    assert board.glass == "paired: Counter left"


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


DAY = timedelta(days=1)


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


@pytest.mark.parametrize("wrong", [DAY, 3653 * DAY, -DAY], ids=["a day", "ten years", "a day back"])
@pytest.mark.parametrize("source", ["the disk", "a stored menu"])
def test_a_first_time_that_contradicts_what_is_known_is_not_shown(wrong: timedelta, source: str) -> None:
    clock = HandClock(NOON - timedelta(days=400))
    found, _ = manifest(**scheduled_and_free(), revision_at=NOON)
    restored = replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON))
    if source == "the disk":
        found, _ = manifest(**scheduled_and_free(), revision_at=NOON - 90 * DAY, published_at=NOON - 90 * DAY)
        restored = replace(PAIRED, running=StoredVersion(manifest=found, anchor=NOON), known_time=KnownTime(true=NOON))
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
        act.StoreTime(instant=NOON + 2 * DAY + timedelta(minutes=10), at=clock.monotonic())
    ]


# Presented frames


def test_presented_follows_the_swapped_frame_not_the_order() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.state.presented.kind is Kind.NOTHING
    board.swap()
    presented = board.state.presented
    assert (presented.kind, presented.scene_id, presented.revision) == (Kind.SCENE, "scn_coffee", 1)
    assert presented.since == NOON


def test_latency_is_from_the_commit_to_the_frame() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(5)
    changed_at = board.clock.wall() - timedelta(milliseconds=300)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=2, revision_at=changed_at)
    board.clock.pass_(0.05)
    board.swap()
    presented = board.state.presented
    assert presented.revision == 2
    assert presented.latency == timedelta(milliseconds=350)
    assert presented.since == NOON, "the scene has been on the glass all the time"


def test_a_change_elsewhere_is_presented_too_so_that_an_operator_sees_it_everywhere() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.swap()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS[:2], revision=2)
    board.swap()
    assert board.state.presented.revision == 2


def test_a_new_view_on_the_glass_is_reported_at_once_and_the_same_one_is_not() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    told = len(board.asked(act.SendHeartbeat))
    assert told == 1
    board.pass_(60)
    board.swap()
    assert len(board.asked(act.SendHeartbeat)) == told


def test_a_frame_of_an_order_long_overtaken_changes_nothing() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.swap()
    old = board.orders()[0].order.serial
    before = board.state.presented
    board.tell(ev.FramePresented(serial=old, at=board.clock.monotonic()))
    assert board.state.presented == before


# Settings and commands


def test_settings_of_the_service_are_passed_on_once() -> None:
    board = Board()
    fields: dict[str, Any] = {"waitSeconds": 10, "pollSeconds": 15, "heartbeatSeconds": 20}
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields)
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields, revision=2)
    assert board.asked(act.UseSettings) == [
        act.UseSettings(settings=LinkSettings(wait_seconds=10, poll_seconds=15, heartbeat_seconds=20))
    ]


def test_the_strip_shows_for_a_while_after_the_first_frame() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert strip_of(board) is None, "the first frame does not wait for it"
    board.swap()
    board.tell(ev.AddressesRead(addresses=("192.168.1.23",), pages=("http://192.168.1.23:8085",)))
    strip = strip_of(board)
    assert strip is not None
    assert (strip.address, strip.qr) == ("http://192.168.1.23:8085", "http://192.168.1.23:8085")

    board.pass_(START_SECONDS - 1)
    assert strip_of(board) is not None
    board.pass_(1)
    assert strip_of(board) is None
    board.swap()
    assert strip_of(board) is None, "later frames are no start"


def test_the_strip_shows_from_the_fifth_minute_without_the_service_until_it_is_reached() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(UNREACHED_SECONDS - 15)
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.UNREACHABLE, detail="no route"))
    board.pass_(14)
    assert strip_of(board) is None
    board.pass_(1)
    strip = strip_of(board)
    assert strip is not None
    assert strip.finding, "it says what is wrong"
    board.pass_(86_400)
    assert strip_of(board) is not None
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    assert strip_of(board) is None


@pytest.mark.parametrize("trouble", [ev.Trouble.FAULT, ev.Trouble.REFUSED])
def test_a_service_that_answers_with_a_fault_is_reached(trouble: ev.Trouble) -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    for _ in range(10):
        board.pass_(60)
        board.tell(ev.ServiceFailed(call="manifest", trouble=trouble, detail="503"))
    assert strip_of(board) is None


def test_the_strip_stays_on_the_cards() -> None:
    board = Board(Restored())
    board.swap()
    assert strip_of(board) is not None, "nothing is paired"
    board.tell(ev.PairingDone(screen_id="scr_1"))
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(120)
    assert strip_of(board) is not None, "nothing can be shown"


def test_a_defect_in_what_is_told_of_the_board_costs_only_the_strip(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: PlayerState) -> None:
        raise ValueError("a defect")

    monkeypatch.setattr("player.runtime.conductor.diagnose", fail)
    board = Board()
    board.swap()
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.glass.startswith("v1 coffee")
    assert strip_of(board) is None


def test_identify_names_the_screen_for_a_while() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.tell(answer(board.clock, server_time=NOON, commands=(ev.Command(id="c1", type="identify"),)))
    named = board.orders()[-1].order.identify
    assert named == Identity(name="Counter left", location="Corner Café", short_id="DDDDDD", address="")
    board.tell(ev.AddressesRead(addresses=("192.168.1.23",), pages=("http://192.168.1.23:8085/",)))
    named = board.orders()[-1].order.identify
    assert named is not None
    assert named.address == "http://192.168.1.23:8085"
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    board.pass_(IDENTIFY_SECONDS)
    assert board.orders()[-1].order.identify is None


def test_f1_shows_which_screen_it_is_and_what_is_wrong_until_it_is_pressed_again() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceAnswered(call="heartbeat"))
    board.pass_(START_SECONDS)
    shown = lambda: (board.orders()[-1].order.identify is not None, strip_of(board) is not None)  # noqa: E731
    assert shown() == (False, False)
    board.tell(ev.DetailsAsked())
    assert shown() == (True, True)
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    board.tell(ev.DetailsAsked())
    assert shown() == (False, False)
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    board.tell(ev.DetailsAsked())
    board.pass_(DETAILS_SECONDS - 1)
    assert shown() == (True, True)
    board.pass_(1)
    assert shown() == (False, False)


def test_the_page_s_pin_is_on_the_glass_until_its_time_is_over_or_it_was_used() -> None:
    board = Board()
    board.tell(ev.PinAsked())
    assert board.asked(act.ShowPin) == [act.ShowPin()]
    pin = Pin(digits="482913", until=board.clock.monotonic() + 120)
    board.tell(ev.PinIssued(pin=pin))
    assert board.orders()[-1].order.pin == pin
    assert "482913" not in str(board.orders()[-1])
    assert board.asked(act.WakeAt)[-1].instant == NOON + timedelta(seconds=120)
    board.pass_(120)
    assert board.orders()[-1].order.pin is None
    board.tell(ev.PinIssued(pin=Pin(digits="111222", until=board.clock.monotonic() + 120)))
    board.tell(ev.PinEnded())
    assert board.orders()[-1].order.pin is None


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


def test_the_way_to_the_service_is_tested_once_however_often_somebody_asks() -> None:
    board = Board()
    for _ in range(5):
        board.tell(ev.StaffAsked(action=ev.StaffAction.TEST))
    assert board.asked(act.TestConnection) == [act.TestConnection()]
    board.tell(ev.ConnectionTested(test=ConnectionTest(at=NOON, steps=[])))
    board.pass_(TEST_LEAST_SECONDS)
    board.tell(ev.StaffAsked(action=ev.StaffAction.TEST))
    assert len(board.asked(act.TestConnection)) == 2


def test_identify_on_the_page_names_the_screen_and_shows_no_pin() -> None:
    board = Board()
    board.tell(ev.StaffAsked(action=ev.StaffAction.IDENTIFY))
    assert board.orders()[-1].order.identify is not None
    assert board.asked(act.ShowPin) == []


@pytest.mark.parametrize(("command", "action"), [("reload", act.RefetchManifest), ("restart", act.Restart)])
def test_a_command_sent_twice_is_obeyed_once(command: str, action: type[act.Action]) -> None:
    board = Board()
    for _ in range(2):
        board.tell(answer(board.clock, server_time=NOON, commands=(ev.Command(id="c1", type=command),)))
    assert len(board.asked(action)) == 1


def test_a_command_is_stored_before_it_is_obeyed_and_not_obeyed_again_after_a_restart() -> None:
    board = Board()
    commanded(board, "restart")
    (stored,) = board.asked(act.StoreCommands)
    (restart,) = board.asked(act.Restart)
    assert board.actions.index(stored) < board.actions.index(restart)
    assert board.state.results == (), "it is done when the player runs again"

    board = Board(replace(PAIRED, commands=stored.commands), board.clock)
    commanded(board, "restart")
    assert not board.asked(act.Restart)
    assert results(board) == [("c0", "done", "The player runs again.")]


def test_what_was_under_way_when_the_player_ended_has_failed() -> None:
    board = Board()
    commanded(board, "screenshot", "restart", "sendLogs")
    stored = board.asked(act.StoreCommands)[-1]
    board = Board(replace(PAIRED, commands=stored.commands), board.clock)
    found = [(identifier, outcome) for identifier, outcome, _ in results(board)]
    assert found == [("c0", "failed"), ("c1", "done"), ("c2", "failed")]


def test_identify_is_done_when_the_frame_with_the_banner_has_been_swapped() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    commanded(board, "identify")
    assert board.state.results == ()
    beats = len(board.asked(act.SendHeartbeat))
    board.clock.pass_(0.3)
    board.swap()
    assert results(board) == [("c0", "done", "The screen shows its name.")]
    assert board.state.results[0].at == board.clock.wall()
    assert len(board.asked(act.SendHeartbeat)) == beats + 1, "the operator waits for it"
    board.swap()
    assert len(board.asked(act.SendHeartbeat)) == beats + 1
    board.tell(answer(board.clock, server_time=board.clock.wall(), told=("c0",)))
    assert board.state.results == ()
    assert board.asked(act.StoreCommands)[-1].commands.results == ()


def test_identify_is_done_at_once_while_the_banner_shows() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.DetailsAsked())
    board.swap()
    commanded(board, "identify")
    shows = len(board.orders())
    assert results(board) == [("c0", "done", "The screen shows its name.")]
    board.tell(ev.DisplayLooked(turned_at=board.clock.monotonic()))
    assert len(board.orders()) == shows, "nothing new comes onto the glass"


def test_identify_fails_where_nobody_can_see_it() -> None:
    board = Board()
    board.tell(ev.DisplayLooked(turned_at=board.clock.monotonic(), has_screen=False))
    commanded(board, "identify")
    assert results(board) == [("c0", "failed", f"Not shown: {NO_SCREEN.detail}.")]

    board = Board()
    commanded(board, "identify")
    board.clock.pass_(IDENTIFY_WITHIN_SECONDS)
    board.tell(ev.DisplayLooked(turned_at=board.clock.monotonic()))
    assert results(board) == [("c0", "failed", "The player did not get it done in time.")]


def test_the_safe_card_says_which_screen_it_is_and_shows_it_larger_when_asked() -> None:
    board = Board(replace(PAIRED, safe_card=True))
    shown = board.orders()[-1].order.strip
    assert shown is not None, "at once, and for as long as it shows"
    assert shown.finding == "", "that it shows is what it says itself"
    board.tell(ev.AddressesRead(addresses=("192.168.7.20",), pages=("http://192.168.7.20:8085/",)))
    assert board.orders()[-1].order.strip == replace(
        shown, address="http://192.168.7.20:8085", qr="http://192.168.7.20:8085"
    )
    board.tell(ev.DetailsAsked())
    assert board.orders()[-1].order.identify is not None
    board.tell(ev.DetailsAsked())
    commanded(board, "identify")
    assert board.orders()[-1].order.identify is not None
    assert results(board) == [("c0", "done", "The screen shows its name.")]


def test_reload_is_done_when_the_menu_has_come_and_fails_with_the_call() -> None:
    board = Board()
    commanded(board, "reload")
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.state.results == (), "it is of the call before"
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert results(board) == [("c0", "done", "The menu was fetched again.")]

    board = Board()
    commanded(board, "reload", "reload")
    board.tell(ev.ServiceFailed(call="heartbeat", trouble=ev.Trouble.TIMEOUT, detail="no answer"))
    assert board.state.results == ()
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.TIMEOUT, detail="no answer within 10 s"))
    said = "The menu could not be fetched: no answer within 10 s."
    assert results(board) == [("c0", "failed", said), ("c1", "failed", said)]


def test_what_another_part_carries_out_ends_as_it_says_or_after_a_while() -> None:
    board = Board()
    commanded(board, "screenshot", "sendLogs")
    assert board.asked(act.SendScreenshot) == [act.SendScreenshot(command="c0")]
    board.tell(ev.CommandEnded(id="c0", outcome=Outcome.REFUSED, detail="The PIN is on the screen."))
    board.tell(ev.CommandEnded(id="c0", outcome=Outcome.DONE, detail="twice"))
    board.clock.pass_(COMMAND_SECONDS)
    board.tell(ev.TimePassed())
    assert results(board) == [
        ("c0", "refused", "The PIN is on the screen."),
        ("c1", "failed", "The player did not get it done in time."),
    ]


def test_results_are_bounded_and_not_told_to_another_operator() -> None:
    board = Board()
    for number in range(MAX_RESULTS + 5):
        command = ev.Command(id=str(number), type="self-destruct")
        board.tell(answer(board.clock, server_time=NOON, commands=(command,)))
    assert [one.id for one in board.state.results] == [str(number) for number in range(5, MAX_RESULTS + 5)]
    board.tell(ev.PairingDone(screen_id="scr_2"))
    assert board.state.results == ()


def beats(board: Board) -> int:
    return len(board.asked(act.SendHeartbeat))


def weak(board: Board, *, supply: bool) -> None:
    """The power supply is read: it is too weak, or well."""
    board.tell(ev.HealthRead(health=ev.Health(under_voltage=supply)))


def test_a_finding_that_comes_or_goes_is_told_at_once() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.pass_(FINDINGS_SECONDS)
    weak(board, supply=False)
    board.pass_(FINDINGS_SECONDS)
    before = beats(board)
    weak(board, supply=True)
    assert [finding.code for finding in diagnose(board.state)] == ["under_voltage"]
    assert beats(board) == before + 1
    weak(board, supply=True)
    assert beats(board) == before + 1
    board.clock.pass_(FINDINGS_SECONDS)
    weak(board, supply=False)
    assert beats(board) == before + 2


def test_a_finding_that_comes_and_goes_all_the_time_is_told_now_and_then_and_at_last() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    before = beats(board)
    for second in range(60):
        weak(board, supply=second % 3 != 0)
        board.clock.pass_(1.0)
    assert 4 <= beats(board) - before <= 60 / FINDINGS_SECONDS + 1
    weak(board, supply=False)
    before = beats(board)
    for _ in range(int(FINDINGS_SECONDS)):
        board.clock.pass_(1.0)
        board.tell(ev.DisplayLooked(turned_at=board.clock.monotonic()))
    assert beats(board) - before <= 1
    assert not diagnose(board.state)


def test_while_heartbeats_fail_a_finding_waits_for_the_next() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.swap()
    board.tell(ev.ServiceFailed(call="heartbeat", trouble=ev.Trouble.FAULT, detail="500"))
    before = beats(board)
    for _ in range(5):
        board.clock.pass_(FINDINGS_SECONDS)
        weak(board, supply=True)
        board.clock.pass_(FINDINGS_SECONDS)
        weak(board, supply=False)
    assert beats(board) == before


def test_a_fault_of_the_disk_is_over_when_the_same_file_is_written() -> None:
    board = Board()
    for subject in ("latest", "staged"):
        board.tell(ev.DiskFailed(subject=subject, code="disk_full", detail="No space left on device"))
    board.tell(ev.DiskWritten(subjects=frozenset({"latest", "running"})))
    assert [part.subject for part in board.state.rejections] == ["staged"]


def test_an_unknown_command_is_refused_and_the_ids_remembered_are_bounded() -> None:
    board = Board().trust_the_clock()
    before = len(board.actions)
    for number in range(MAX_REMEMBERED + 5):
        command = ev.Command(id=str(number), type="self-destruct")
        board.tell(answer(board.clock, server_time=NOON, commands=(command,)))
    allowed = (act.Show, act.StoreCommands, act.SendHeartbeat)
    assert not [action for action in board.actions[before:] if not isinstance(action, allowed)]
    assert results(board)[-1][1:] == (
        "refused",
        "This player does not know the command 'self-destruct'. Update the player.",
    )
    board.tell(answer(board.clock, server_time=NOON, commands=(ev.Command(id="0", type="restart"),)))
    assert board.asked(act.Restart), "an id that old has been forgotten"


# Snapshots, and what they cost


def test_an_event_that_changes_the_state_publishes_one_snapshot() -> None:
    board = Board()
    board.tell(ev.HealthRead(health=ev.Health(temperature_celsius=51.0)))
    assert len(board.published) == 1
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert len(board.published) == 2
    assert board.published[-1].health.temperature_celsius == 51.0
    assert board.published[-1] == board.state


NO_CHANGE: tuple[ev.Event, ...] = (
    ev.TimePassed(),
    ev.ClockChecked(synchronised=True, stepped=False),
    ev.HealthRead(health=ev.Health(temperature_celsius=51.0)),
    ev.FramePresented(serial=10_000, at=0.0),
    ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=1)),
    ev.AssetsVerified(key=VersionKey(playlist_id="pl_other", version=9)),
)


def test_events_that_change_nothing_publish_nothing_and_list_no_menu(menus_listed: list[str]) -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    for event in NO_CHANGE:
        board.tell(event)
    orders, published = len(board.orders()), len(board.published)
    menus_listed.clear()
    for _ in range(3):
        board.clock.pass_(2)
        for event in NO_CHANGE:
            board.tell(event)
    assert menus_listed == []
    assert len(board.published) == published
    assert len(board.orders()) == orders
    assert board.state.at == NOON + timedelta(seconds=6), "the state is of now, whenever it was last published"


def test_events_that_change_no_menu_list_none(menus_listed: list[str]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    menus_listed.clear()
    board.tell(ev.ServiceAnswered(call="manifest"))
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.TIMEOUT, detail="…"))
    board.tell(answer(board.clock, server_time=NOON + timedelta(milliseconds=100)))
    board.swap()
    assert menus_listed == ["menu", "menu"], "the clock is corrected now, so schedules count: the view and the next one"
    menus_listed.clear()
    board.receive(fetched=False, scenes=[LUNCH], items=ITEMS, version=2)
    assert menus_listed == ["menu", "menu"]
    menus_listed.clear()
    for remaining in (3, 2, 1):
        board.tell(ev.AssetsMissing(key=VersionKey(playlist_id="pl_1", version=2), remaining=remaining))
    assert menus_listed == []
    assert board.state.staged is not None
    assert board.state.staged.assets_remaining == 1


def test_time_alone_changes_the_view_and_publishes(menus_listed: list[str]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    menus_listed.clear()
    published = len(board.published)
    board.clock.pass_(10)
    board.tell(ev.TimePassed())
    assert board.glass == "v1 lunch: Soup"
    assert menus_listed == ["menu", "menu"]
    assert len(board.published) == published + 1
    board.clock.step(timedelta(hours=-10))
    board.tell(ev.TimePassed())
    board.pass_(10)
    assert board.glass.startswith("v1 coffee"), "a time before the view's is not taken for its own"


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
    running = StoredVersion(manifest=found, anchor=NOON)
    board = Board(Restored(screen_id="scr_1", running=running), synchronised=synchronised)
    assert board.glass == first
    board.trust_the_clock()
    assert board.glass == first, "what began is not cut"


def test_a_clock_that_says_it_is_right_and_cannot_be_is_not_believed_at_the_start_either() -> None:
    found, _ = manifest(scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso")])
    running = StoredVersion(manifest=found, anchor=NOON)
    slow = HandClock(NOON - timedelta(days=400))
    known = Restored(screen_id="scr_1", running=running, known_time=KnownTime(true=NOON))
    assert Board(known, slow, synchronised=True).state.clock.trust is not Trust.TRUSTED
    assert Board(known, HandClock(), synchronised=True).state.clock.trust is Trust.TRUSTED


def test_orders_whose_frames_never_come_are_forgotten_and_the_newest_still_counts() -> None:
    board = Board(Restored(screen_id="scr_1"))
    for number in range(MAX_ORDERS_IN_FLIGHT + 10):
        board.receive(
            scenes=[menu_scene("coffee", "Coffee")], items=[item("Espresso", price=1 + number)], revision=1 + number
        )
    assert len(board.conductor._in_flight) == MAX_ORDERS_IN_FLIGHT
    board.swap()
    assert board.state.presented.kind is Kind.SCENE
    assert not board.conductor._in_flight


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


def test_a_run_is_one_failed_try_whatever_fails_in_it() -> None:
    board = Board(Restored())
    board.tell(ev.CodeIssued(code=CODE))
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


def test_an_event_that_cannot_be_handled_is_reported_and_restarts_the_player_only_if_it_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=ITEMS)
    before = board.glass
    monkeypatch.setattr(Conductor, "_record_failure", fail)
    failed = ev.ServiceFailed(call="manifest", trouble=ev.Trouble.TIMEOUT, detail="")
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
            running = StoredVersion(manifest=manifest(scenes=scenes, items=ITEMS)[0], anchor=NOON)
            board = Board(Restored(screen_id="scr_1", running=running, failures=failures), clock).trust_the_clock()
    return board, restarts


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
    """What shows in that time, the display being well."""
    seen = set()
    for _ in range(seconds):
        board.pass_(1)
        board.swap()
        look(board)
        seen.add(board.glass)
    return seen


def test_a_wake_up_does_not_come_a_part_of_a_microsecond_before_what_it_is_for() -> None:
    board = Board()
    board.tell(ev.PinIssued(pin=Pin(digits="482913", until=board.clock.monotonic() + 120.0000004)))
    due = board.woken_at()
    assert due is not None
    board.clock.pass_((due - board.clock.wall()).total_seconds())
    board.tell(ev.TimePassed())
    assert board.orders()[-1].order.pin is None
