"""Findings about the machine: each with its cause and something to do."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain.findings import machine
from player.domain.state import (
    PlayerState,
    TakenBack,
)
from tests.player.domain.findings.states import (
    HEALTHY,
    WELL,
    Case,
    check,
    parametrized,
    rejected,
)

CASES: list[Case] = [
    ("memory", replace(HEALTHY, health=replace(WELL, memory_available_bytes=machine.MEMORY_LOW_BYTES - 1)),
     "memory_low", "63 MB"),
    ("died for want of memory", replace(HEALTHY, crashes=1, health=replace(WELL, memory_kills=1)), "restarted",
     "because memory ran out"),
    ("heat", replace(HEALTHY, health=replace(WELL, temperature_celsius=machine.HOT_CELSIUS)), "hot", "80 °C"),
    ("heat, and so slower",
     replace(HEALTHY, health=replace(WELL, temperature_celsius=90.0, throttled=True)), "hot", "90 °C"),
    ("slowed down", replace(HEALTHY, health=replace(WELL, throttled=True)), "throttled", "power supply"),
    ("a weak power supply", replace(HEALTHY, health=replace(WELL, throttled=True, under_voltage=True)),
     "under_voltage", "enough power"),
    ("a part that fails", rejected("part_failed", "KeyError in downloads.py, line 150", subject="downloads"),
     "part_failed", "downloads.py"),
    ("a player that dies", replace(HEALTHY, crashes=3), "restarted", "died 3 times"),
    (
        "a version that failed",
        replace(
            HEALTHY,
            device=replace(HEALTHY.device, taken_back=TakenBack(version="0.3.0", why="the board does not start")),
        ),
        "update_taken_back",
        "Version 0.3.0 of the player did not work",
    ),
    ("no version to go back to",
     replace(HEALTHY, health=replace(WELL, no_way_back="The packages of version 0.2.0 cannot be had.")),
     "no_way_back", "cannot be taken back"),
    ("a repository with another key",
     replace(HEALTHY, health=replace(WELL, refused_repositories=("https://packages.example.com",))),
     "updates_refused", "no updates from https://packages.example.com"),
    ("a player that has died once", replace(HEALTHY, crashes=1), "restarted", "died once"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)
