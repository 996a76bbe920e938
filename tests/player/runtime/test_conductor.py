"""The conductor: versions change at boundaries, items at once, and the board is never dark; on a clock set by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.access import Pin
from player.domain.banners import DETAILS_SECONDS
from player.domain.documents.manifest import LinkSettings, VersionKey
from player.domain.findings.diagnosis import diagnose
from player.domain.findings.telling import FINDINGS_SECONDS
from player.domain.menu.listings import listings
from player.domain.pairing import Code, Refusal
from player.domain.playing import playback
from player.domain.playing.board import Restored, StoredVersion
from player.domain.state import HouseReason, PairingPhase
from player.domain.strip import START_SECONDS
from player.domain.time.clock import KnownTime, Trust
from player.domain.view import Locality, MenuListing, PairingCard, SceneView
from tests.support.board import (
    ACCEPTED,
    CODE,
    COFFEE,
    ITEMS,
    LUNCH,
    PAIRED,
    PLAYS,
    REFUSED,
    Board,
    answer,
    new_screen,
    playing_board,
    strip_of,
)
from tests.support.menus import NOON, HandClock, document, entry, item, manifest, menu_scene


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
        ev.PairingChanged(
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
    board.tell(ev.PairingChanged())
    assert board.glass == "pairing: None"


def test_a_paired_device_waits_on_the_house_card_for_its_first_menu() -> None:
    board = Board()
    assert board.glass == "house: Waiting for the first menu"
    assert board.asked(act.StartLink)
    assert not board.asked(act.AwaitPairing)


def test_a_new_pairing_forgets_what_an_old_one_left_before_it_asks_for_anything() -> None:
    board = Board(Restored())
    board.tell(new_screen("scr_2"))
    kinds = [type(action) for action in board.actions]
    assert kinds.index(act.ForgetVersions) < kinds.index(act.StartLink)


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refused_screen_goes_on_with_a_banner_that_asks_to_pair_it(refusal: Refusal) -> None:
    board = playing_board()
    refused = ev.PairingChanged(screen_id="scr_1", refusal=refusal)
    board.tell(refused)
    assert board.glass == PLAYS
    assert board.notice is not None
    assert (board.notice.name, board.notice.user_code) == ("Corner Café", "")
    assert ("7 days" in board.notice.fault) is (refusal is Refusal.REVOKED)
    assert not board.asked(act.AwaitPairing), "the token is tried on"

    board.tell(replace(refused, code=CODE))
    assert board.glass == PLAYS
    assert (board.notice.user_code, board.notice.address) == ("WDJ-BMJ", "https://menu.example/pair")
    board.tell(refused)
    assert board.notice.user_code == ""

    board.tell(ev.ServiceAnswered(call="pairing"))
    board.tell(ev.ServiceFailed(call="manifest", trouble=ev.Trouble.REFUSED, detail="again"))
    assert board.state.contact.trouble is None, "it is known, and no fault of the network"

    board.tell(replace(refused, code=CODE))
    board.tell(ACCEPTED)
    assert board.notice is None
    assert (board.state.pairing.phase, board.state.pairing.screen_id) == (PairingPhase.PAIRED, "scr_1")
    assert not board.asked(act.ForgetVersions)


def test_a_refused_screen_with_nothing_to_play_shows_the_pairing_card() -> None:
    board = Board()
    board.tell(REFUSED)
    board.tell(replace(REFUSED, code=CODE))
    assert (board.glass, board.notice) == ("pairing: WDJ-BMJ", None)
    board.tell(ACCEPTED)
    assert board.glass == "house: Waiting for the first menu"


@pytest.mark.parametrize("goes_on", [True, False])
def test_paired_again_with_its_workspace_the_board_goes_on_and_with_another_nothing_of_the_old_one_shows(
    goes_on: bool,
) -> None:
    board = playing_board()
    board.tell(ev.PairingChanged(screen_id="scr_1", refusal=Refusal.REVOKED))
    board.tell(ev.PairingChanged(screen_id="scr_1", refusal=Refusal.REVOKED, code=CODE))
    board.tell(new_screen("scr_2", forgets=not goes_on))
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
    assert "log-in page" in view.trouble
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
    board.tell(ev.PairingChanged(forgets=True))
    assert board.glass == "pairing: None"
    assert board.asked(act.ForgetVersions)
    assert board.asked(act.AwaitPairing)
    board.tell(new_screen("scr_2"))
    assert board.glass == "paired: "


def test_a_claimed_code_is_confirmed_at_once_and_until_there_is_something_to_show() -> None:
    board = Board(Restored())
    board.tell(ev.PairingChanged(code=CODE))
    board.tell(new_screen("scr_1", screen_name="Counter"))
    assert board.glass == "paired: Counter"
    assert board.state.showing.house_reason is HouseReason.WAITING_FOR_PROGRAM, "for who asks why no menu shows"
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "paired: Counter"
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_a_new_screen_speaks_the_language_of_its_settings_then_what_the_service_says_then_its_locations() -> None:
    board = Board(Restored(), locale="ar")
    board.tell(ev.PairingChanged(code=CODE))
    assert board.orders()[-1].order.locality == Locality(locale="ar", right_to_left=True)
    assert board.state.locale == "ar"
    board.tell(new_screen("scr_1", screen_name="Counter"))
    assert board.orders()[-1].order.locality.locale == "ar", "an older service does not tell"
    board.tell(new_screen("scr_1", screen_name="Counter", locale="fr-FR"))
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
    board.tell(new_screen("scr_1"))
    board.tell(answer(board.clock, server_time=NOON))
    assert board.glass == "paired: Counter left"


# Settings and commands


def test_settings_of_the_service_are_passed_on_once() -> None:
    board = Board()
    fields: dict[str, Any] = {"waitSeconds": 10, "pollSeconds": 15, "heartbeatSeconds": 20}
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields)
    board.receive(scenes=[COFFEE], items=ITEMS, settings=fields, revision=2)
    assert board.asked(act.UseSettings) == [
        act.UseSettings(settings=LinkSettings(wait_seconds=10, poll_seconds=15, heartbeat_seconds=20))
    ]


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


def test_identify_on_the_page_names_the_screen_and_shows_no_pin() -> None:
    board = Board()
    board.tell(ev.StaffAsked(action=ev.StaffAction.IDENTIFY))
    assert board.orders()[-1].order.identify is not None
    assert board.asked(act.ShowPin) == []


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
        board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
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


def test_a_wake_up_does_not_come_a_part_of_a_microsecond_before_what_it_is_for() -> None:
    board = Board()
    board.tell(ev.PinIssued(pin=Pin(digits="482913", until=board.clock.monotonic() + 120.0000004)))
    due = board.woken_at()
    assert due is not None
    board.clock.pass_((due - board.clock.wall()).total_seconds())
    board.tell(ev.TimePassed())
    assert board.orders()[-1].order.pin is None


@pytest.mark.goes_beyond("MAX_LINKS_LOST")
def test_losses_of_a_link_are_remembered_up_to_a_bound() -> None:
    board = Board()
    board.tell(ev.NetworkChanged(lost=1_000_000))
    assert len(board.published[-1].links_lost) == 100
