"""Findings about parts of scenes that have nothing to show: each with its cause and something to do."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain.state import (
    PlayerState,
    WhyNot,
)
from tests.player.domain.findings.states import (
    HEALTHY,
    Case,
    check,
    parametrized,
    passed_over,
    rejected,
)

CASES: list[Case] = [
    ("one scene's items sold out", replace(HEALTHY, showing=replace(
        HEALTHY.showing, others=(passed_over("Lunch", WhyNot.SOLD_OUT),))), "menu_sold_out", "“Lunch”"),
    ("one menu's items sold out", rejected("menu_empty", "no item of this menu can be had", subject="scn_1/w",
     name="Lunch"), "menu_sold_out", "n “Lunch”: no item"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)
