"""Findings about the link: each with its cause and something to do."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain import events as ev
from player.domain.connection import ConnectionFault, Step
from player.domain.contact import Contact
from player.domain.findings.link import POOR_SIGNAL, QUIET_SECONDS
from player.domain.state import (
    PlayerState,
)
from tests.player.domain.findings.states import (
    HEALTHY,
    NOW,
    Case,
    check,
    codes,
    lost,
    parametrized,
    playing,
    probed,
)

CASES: list[Case] = [
    ("a cable that comes and goes, and is in", replace(HEALTHY, links_lost=lost(20, 40, 60)),
     "connection_unstable", "3 times in the last minutes"),
    ("a cable that comes and goes, and is out",
     replace(probed(Step.LINK, ConnectionFault.NO_CABLE), links_lost=lost(4, 24, 44)), "connection_unstable", "clicks"),
    ("a cable that was out", replace(HEALTHY, contact=Contact(last_answer_at=NOW), links_lost=lost(20)),
     "connection_unstable", "is back"),
    ("a weak Wi-Fi", replace(HEALTHY, wifi_signal=POOR_SIGNAL), "wifi_weak", "-78 dBm"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


def test_a_cable_with_a_loose_contact_is_one_finding_while_it_is_in_and_while_it_is_out() -> None:
    board = playing()
    for _ in range(4):
        board.tell(ev.NetworkChanged(lost=1))
        board.pass_(10)
        board.tell(ev.NetworkChanged())
        board.tell(ev.ServiceAnswered(call="manifest"))
        assert codes(board) == ["connection_unstable"]
        board.pass_(10)
        assert codes(board) == ["connection_unstable"]
        board.swap()
    board.pass_(QUIET_SECONDS)
    board.swap()
    assert codes(board) == []
