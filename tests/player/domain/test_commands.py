"""The operator's commands: done once, with one result each."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.banners import IDENTIFY_SECONDS
from player.domain.commands import (
    COMMAND_SECONDS,
    MAX_REMEMBERED,
    MAX_RESULTS,
    Outcome,
)
from player.domain.link.fault import Fault
from player.domain.panel.panel import ScreenDisplay
from player.domain.playing.board import Restored
from player.domain.view import Identity
from tests.support.board import (
    COFFEE,
    ITEMS,
    PAIRED,
    Board,
    answer,
    commanded,
    new_screen,
    results,
)
from tests.support.menus import NOON


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


@pytest.mark.proves("power-fails-command")
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
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
    assert len(board.orders()) == shows, "nothing new comes onto the glass"


def test_identify_fails_where_nobody_can_see_it() -> None:
    board = Board()
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic(), has_screen=False))
    commanded(board, "identify")
    assert results(board) == [("c0", "failed", "Not shown: No screen is connected, or it is switched off.")]

    board = Board()
    commanded(board, "identify")
    board.clock.pass_(COMMAND_SECONDS)
    board.tell(ev.DisplayChecked(turned_at=board.clock.monotonic()))
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
    board.tell(ev.ServiceFailed(call="heartbeat", fault=Fault.SLOW, detail="no answer"))
    assert board.state.results == ()
    board.tell(ev.ServiceFailed(call="manifest", fault=Fault.SLOW, detail="no answer within 10 s"))
    said = "The menu could not be fetched: no answer within 10 s."
    assert results(board) == [("c0", "failed", said), ("c1", "failed", said)]


def test_what_another_part_carries_out_ends_as_it_says_or_after_a_while() -> None:
    board = Board()
    commanded(board, "screenshot", "sendLogs")
    assert board.asked(act.Upload) == [
        act.Upload(command="c0", what="screenshot"),
        act.Upload(command="c1", what="sendLogs"),
    ]
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
    board.tell(new_screen("scr_2"))
    assert board.state.results == ()


def test_an_unknown_command_is_refused_and_the_ids_remembered_are_bounded() -> None:
    board = Board(Restored(screen_id="scr_1", display=ScreenDisplay(name="Counter left"))).trust_the_clock()
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
