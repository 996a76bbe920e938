"""What follows from a finding is not told beside it, notes come last, and a healthy player has no finding."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.domain.events import Health
from player.domain.finding import Severity
from player.domain.findings import disk, machine
from player.domain.findings.connection import CONNECTION_CODES
from player.domain.findings.diagnosis import diagnose, diagnosed
from player.domain.findings.disk import DISK_CODES
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.contact import Contact
from player.domain.link.fault import Fault
from player.domain.machine import Glass
from player.domain.recovery.fault_texts import DISPLAY
from player.domain.state import (
    HouseReason,
    PairingFacts,
    PairingPhase,
    PlayerState,
)
from player.domain.time.clock import ClockState, Trust
from tests.player.domain.findings import (
    test_clock,
    test_connection,
    test_content,
    test_disk,
    test_display,
    test_files,
    test_machine,
    test_pairing,
    test_rejected,
    test_standstill,
)
from tests.player.domain.findings.states import (
    ALL_FILES_GONE,
    CODE,
    DAMAGED,
    FULL,
    HEALTHY,
    NEW,
    NOW,
    SCENE,
    SHA,
    UNPAIRED,
    WELL,
    codes,
    failing,
    first,
    house,
    lacking,
    lost,
    playing,
    probed,
    rejected,
    staged,
    told,
)

CASES = [
    case
    for module in (
        test_standstill,
        test_display,
        test_disk,
        test_connection,
        test_pairing,
        test_content,
        test_files,
        test_clock,
        test_machine,
        test_rejected,
    )
    for case in module.CASES
]
"""The faults of all subjects."""


HEALTHY_STATES = {
    "a board that plays": HEALTHY,
    "nothing measured": replace(HEALTHY, health=Health()),
    "a clock that is right without a time server": replace(
        HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=timedelta(seconds=3))
    ),
    "a version that takes over in a minute": replace(HEALTHY, staged=staged(takes_over_at=NOW + timedelta(seconds=59))),
    "a version whose files are coming": replace(HEALTHY, staged=staged(remaining=5, since=NOW - timedelta(seconds=5))),
    "a test of the connection that found all well": replace(
        HEALTHY, connection=ConnectionTest(at=NOW, steps=tuple(StepResult(step=step, passed=True) for step in Step))
    ),
    "an outage that is over": replace(probed(Step.LINK, Fault.NO_CABLE), contact=Contact(last_answer_at=NOW)),
    "a cable that came and went minutes ago": replace(HEALTHY, links_lost=lost(180, 190, 200, 210)),
    "a cable that was out a minute ago": replace(HEALTHY, contact=Contact(last_answer_at=NOW), links_lost=lost(60, 70)),
    "a cable that has just gone, untested": replace(
        HEALTHY, contact=Contact(last_answer_at=NOW - timedelta(seconds=3)), links_lost=lost(2)
    ),
    "a whole screen": replace(HEALTHY, view=SCENE, glass=Glass(width=1920, height=1080)),
    "a screen whose rate is not known, and a small one": replace(HEALTHY, glass=Glass(width=1280, height=720)),
    "an upright screen without a scene": replace(HEALTHY, glass=Glass(width=1080, height=1920, upright=True)),
    "a squarish screen": replace(HEALTHY, view=SCENE, glass=Glass(width=1280, height=1280, upright=False)),
    "paired anew with another service": rejected("other_service", "they are for http://a", subject="credentials"),
    "a gauge at its bound": replace(
        HEALTHY,
        health=replace(
            WELL,
            disk_free_bytes=disk.DISK_LOW_BYTES,
            memory_available_bytes=machine.MEMORY_LOW_BYTES,
            temperature_celsius=machine.HOT_CELSIUS - 0.1,
        ),
    ),
}


@pytest.mark.parametrize("state", HEALTHY_STATES.values(), ids=[name.replace(" ", "_") for name in HEALTHY_STATES])
def test_a_healthy_board_has_no_finding(state: PlayerState) -> None:
    assert diagnose(state) == ()
    assert diagnose(replace(state, found=diagnosed(state).found)) == ()


@pytest.mark.parametrize(
    ("state", "alone"),
    [
        (replace(lacking({SHA: "x"}, replace(HEALTHY, health=FULL)), staged=staged(remaining=2)), "disk_full"),
        (replace(DAMAGED, staged=None), "no_scene_can_show"),
        (
            replace(probed(Step.TLS, Fault.CERTIFICATE_EXPIRED), clock=ClockState()),
            "connection_certificate_expired",
        ),
        (replace(probed(Step.LINK, Fault.NO_CABLE), clock=ClockState()), "connection_no_cable"),
        (replace(UNPAIRED, clock=ClockState()), "not_paired"),
        (house(HouseReason.WAITING_FOR_PROGRAM, state=replace(NEW, contact=failing())), "connection_no_connection"),
    ],
)
def test_what_follows_from_a_finding_is_not_told_beside_it(state: PlayerState, alone: str) -> None:
    assert [finding.code for finding in told(state)] == [alone]


HOUSE_CARDS = {
    "damaged files": rejected("asset_damaged", subject=SHA, state=ALL_FILES_GONE),
    "files": ALL_FILES_GONE,
    "scenes": DAMAGED,
    "no schedule that holds": house(HouseReason.NOTHING_SCHEDULED),
    "scenes that wait for the time": house(HouseReason.NOTHING_SCHEDULED, state=replace(HEALTHY, clock=ClockState())),
    "no playlist": house(HouseReason.NO_PLAYLIST, state=NEW),
    "no room": rejected("no_room", "x", state=house(HouseReason.NOTHING_SHOWABLE, state=lacking({SHA: "x"}))),
    "no menu": house(HouseReason.WAITING_FOR_PROGRAM, state=NEW),
}


BESIDE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no connection": {"contact": failing()},
    "no cable": {"contact": failing(), "connection": probed(Step.LINK, Fault.NO_CABLE).connection},
    "a wrong clock": {"clock": ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))},
    "no time": {"clock": ClockState()},
    "heat": {"health": replace(WELL, temperature_celsius=90.0)},
    "a full disk": {"health": FULL},
    "lost credentials": {"pairing": PairingFacts(phase=PairingPhase.WAITING, code=CODE)},
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("card", HOUSE_CARDS.values(), ids=HOUSE_CARDS)
def test_a_house_card_has_a_fault_first_that_says_why(card: PlayerState, beside: dict[str, Any]) -> None:
    assert first(replace(card, **beside)).severity is Severity.FAULT


def test_notes_come_last_and_a_gap_in_the_schedule_is_one() -> None:
    gap = house(HouseReason.NOTHING_SCHEDULED, next_scheduled=NOW + timedelta(hours=4))
    assert first(gap).severity is Severity.NOTE
    found = told(replace(gap, health=replace(WELL, temperature_celsius=90.0)))
    assert [finding.code for finding in found] == ["hot", "nothing_scheduled"]


def test_a_finding_keeps_the_time_since_which_it_is_there() -> None:
    hot = replace(HEALTHY, health=replace(WELL, temperature_celsius=85.0))
    before = replace(hot, found=diagnosed(hot).found)
    later = replace(before, at=NOW + timedelta(minutes=9))
    (finding,) = diagnose(replace(later, found=diagnosed(later).found))
    assert finding.since == NOW
    cooled = replace(later, health=WELL)
    assert diagnosed(cooled).found == {}


@pytest.mark.parametrize(
    ("well", "between"),
    [
        ({"temperature_celsius": machine.COOL_CELSIUS - 0.1}, {"temperature_celsius": machine.COOL_CELSIUS}),
        ({"memory_available_bytes": machine.MEMORY_WELL_BYTES}, {"memory_available_bytes": machine.MEMORY_LOW_BYTES}),
        ({"disk_sync_seconds": 0.01}, {"disk_sync_seconds": disk.QUICK_SECONDS}),
        ({"disk_free_bytes": disk.DISK_WELL_BYTES}, {"disk_free_bytes": disk.DISK_LOW_BYTES}),
    ],
)
def test_a_gauge_that_swings_about_its_bound_makes_no_finding_come_and_go(
    well: dict[str, Any], between: dict[str, Any]
) -> None:
    (name,) = well
    bad = replace(HEALTHY, health=replace(WELL, **{name: 1000 if name == "temperature_celsius" else 5 * 1024**2}))
    found = diagnosed(bad).found
    assert len(found) == 1
    swung = replace(HEALTHY, health=replace(WELL, **between))
    assert diagnose(swung) == ()
    assert len(diagnose(replace(swung, found=found))) == 1
    assert diagnose(replace(HEALTHY, health=replace(WELL, **well), found=found)) == ()


def test_the_field_guide_lists_every_finding() -> None:
    page = (Path(__file__).parents[4] / "docs" / "field-guide.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    states = [case[1] for case in CASES]
    assert {finding.code for state in states for finding in told(state)} <= listed
    assert listed >= CONNECTION_CODES | DISPLAY.keys() | DISK_CODES


INNER_WORDS = re.compile(
    r"errno|revision|manifest|held poll|latency|etag|\bsha|[0-9a-f]{24}|\bEROFS|Traceback|\bpoll|heartbeat|staged"
    r"|\w+_\w{12,}|widget id|rejection",
    re.IGNORECASE,
)


@pytest.mark.parametrize("state", [case[1] for case in CASES], ids=[case[0].replace(" ", "_") for case in CASES])
def test_findings_are_sentences_without_inner_words(state: PlayerState) -> None:
    for finding in told(state):
        for text in (finding.what, finding.why, finding.do):
            assert not INNER_WORDS.search(text), text
        assert finding.what.endswith(".")
        assert finding.do.endswith(".")
        assert ".." not in finding.what + finding.why.replace("…", "") + finding.do


def test_a_board_that_plays_finds_nothing() -> None:
    board = playing()
    for _ in range(5):
        board.pass_(30)
        board.swap()
        assert codes(board) == []
