"""The pairing card, and the banner of a board that has to be paired again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from menu.text.wording import Locality
from player.domain import actions as act
from player.domain import events as ev
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Code, Refusal
from player.domain.playing.board import Restored
from player.domain.state import HouseReason, PairingPhase
from player.domain.view import PairingCard
from tests.support.board import (
    ACCEPTED,
    CODE,
    COFFEE,
    ITEMS,
    PLAYS,
    REFUSED,
    Board,
    answer,
    new_screen,
    playing_board,
)
from tests.support.menus import NOON, manifest


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
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.SCREEN_REFUSED, detail="again"))
    assert board.state.contact.fault is None, "it is known, and no fault of the network"

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
    board = Board(Restored(running=found))
    assert board.glass == PLAYS
    assert board.asked(act.AwaitPairing)
    assert not board.asked(act.StartLink)
    assert board.notice is not None
    assert "lost its pairing" in board.notice.fault
    copy = Board(Restored(running=found, from_another_device=True))
    assert copy.notice is not None
    assert "another device" in copy.notice.fault
    board.tell(ev.ServiceFailed(call="pairing", fault=Fault.NO_CONNECTION, detail="no route"))
    assert "network cable" in board.notice.advice


def test_programs_of_another_workspace_are_deleted_at_the_start() -> None:
    board = Board(Restored(screen_id="scr_2", forgotten=True))
    kinds = [type(action) for action in board.actions]
    assert kinds.index(act.ForgetVersions) < kinds.index(act.StartLink)


def test_the_pairing_screen_says_what_a_person_can_do_about_trouble() -> None:
    board = Board(Restored())
    board.tell(ev.ServiceFailed(call="pairing", fault=Fault.PORTAL, detail="HTML"))
    view = board.orders()[-1].order.view
    assert isinstance(view, PairingCard)
    assert view.trouble is not None
    assert "log-in page" in view.trouble
    board.tell(ev.ServiceAnswered(call="pairing"))
    view = board.orders()[-1].order.view
    assert isinstance(view, PairingCard)
    assert view.trouble is None


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
