"""Findings about a player that cannot be asked: each with its cause and something to do."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from player.domain.finding import Severity
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from player.domain.standstill import Standstill, Unit
from player.domain.state import (
    PlayerState,
)
from tests.player.domain.findings.states import (
    UNPAIRED,
    WELL,
    Case,
    check,
    parametrized,
    probed,
    stopped,
    told,
)

CASES: list[Case] = [
    ("wrong settings", stopped(setting_faults=("--rotate: '45' is no angle",)), "settings_wrong", "is no angle."),
    ("wrong settings, and so it runs and draws nowhere",
     stopped(setting_faults=("x",), unit=Unit(active="failed", restarts="5", status="2")),
     "settings_wrong", "Correct what is named"),
    ("stopped, with a unit", stopped(unit=Unit(active="inactive")), "player_not_running", "systemctl start"),
    ("stopped, without a unit", stopped(), "player_not_running", "menu-player run"),
    ("stopped before it was paired", replace(UNPAIRED, standstill=Standstill(is_paired=False)), "player_not_running",
     "shows its code when"),
    ("not staying up", stopped(unit=Unit(active="activating", restarts="7", status="1")), "player_fails", "7 times"),
    ("page off", stopped(runs=True, is_page_off=True), "page_off", "switched off"),
    ("page that does not answer", stopped(runs=True), "page_silent", "Wait a minute"),
    ("no rights", stopped(runs=None, hidden="/var/lib/menu-player"), "no_rights", "sudo"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


def test_a_fault_comes_before_a_warning_where_no_player_can_be_asked() -> None:
    state = replace(probed(Step.LINK, Fault.NO_CABLE), running=None)
    hidden = Standstill(runs=None, hidden="/var/lib/menu-player")
    found = told(replace(state, standstill=hidden, health=replace(WELL, disk_free_bytes=10**8)))
    severities = [finding.severity for finding in found]
    assert Severity.FAULT in severities
    assert Severity.WARNING in severities
    assert severities == sorted(severities, key=list(Severity).index), [finding.code for finding in found]


@pytest.mark.parametrize(
    "facts",
    [
        {"setting_faults": ("x",)},
        {"runs": None, "hidden": "/var/lib/menu-player"},
        {},
    ],
)
def test_without_a_player_nothing_is_said_to_be_unpaired(facts: dict[str, Any]) -> None:
    """Nobody can pair a screen that shows no code."""
    assert len(told(replace(stopped(is_paired=False, **facts), pairing=UNPAIRED.pairing, running=None))) == 1
