"""Observations of a board, and the verdict on a version."""

from __future__ import annotations

import pytest

from guard.verdict import (
    FAULT_SECONDS,
    WELL_SECONDS,
    Before,
    BoardStatus,
    Kind,
    Observation,
    Trial,
    Unit,
    Verdict,
    observe,
)

UP = Unit("loaded", "active")
SHOWS = BoardStatus(version="2", run="a", presented=True, screen=True, paired=True, contact=True)
WAS_WELL = Before(paired=True, contact=True)

LOOKS = {
    "it shows, paired and in contact": (UP, SHOWS, WAS_WELL, Kind.WELL),
    "it does not start": (Unit("loaded", "activating"), None, WAS_WELL, Kind.FAULT),
    "systemd has given it up": (Unit("loaded", "failed"), None, WAS_WELL, Kind.FAULT),
    "it has no unit any more": (Unit("not-found", "inactive"), None, WAS_WELL, Kind.FAULT),
    "it runs and says nothing": (UP, None, WAS_WELL, Kind.FAULT),
    "the version before still runs": (UP, SHOWS._replace(version="1"), WAS_WELL, Kind.FAULT),
    "nothing is on the glass": (UP, SHOWS._replace(presented=False), WAS_WELL, Kind.FAULT),
    "it has lost its pairing": (UP, SHOWS._replace(paired=False), WAS_WELL, Kind.FAULT),
    "it was not paired before": (UP, SHOWS._replace(paired=False, contact=False), Before(), Kind.WELL),
    "it was not in contact before": (UP, SHOWS._replace(contact=False), Before(paired=True), Kind.WELL),
    "somebody has switched it off": (Unit("loaded", "inactive"), None, WAS_WELL, Kind.UNKNOWN),
    "somebody has masked it": (Unit("masked", "inactive"), None, WAS_WELL, Kind.UNKNOWN),
    "its screen is off": (UP, SHOWS._replace(screen=False, presented=False), WAS_WELL, Kind.UNKNOWN),
}


@pytest.mark.proves("network-away-screen")
@pytest.mark.parametrize("what", LOOKS)
def test_a_look_blames_the_version_only_for_what_it_alone_can_be_the_cause_of(what: str) -> None:
    unit, board, before, kind = LOOKS[what]
    found = observe(unit=unit, board=board, version="2", before=before, has_display=True, reaches_service=True)
    assert found.kind is kind, found.why
    assert bool(found.code) is (kind is Kind.FAULT), "the service knows faults by their codes"


@pytest.mark.parametrize(("reaches_service", "kind"), [(True, Kind.FAULT), (False, Kind.UNKNOWN)])
def test_a_lost_contact_is_the_versions_fault_only_where_the_machine_itself_reaches_the_service(
    reaches_service: bool, kind: Kind
) -> None:
    board = SHOWS._replace(contact=False)
    found = observe(
        unit=UP, board=board, version="2", before=WAS_WELL, has_display=True, reaches_service=reaches_service
    )
    assert found.kind is kind


def test_a_machine_without_a_display_says_nothing_about_a_version() -> None:
    found = observe(unit=UP, board=None, version="2", before=WAS_WELL, has_display=False, reaches_service=True)
    assert found.kind is Kind.UNKNOWN


def after(*looks: tuple[Observation, float]) -> Verdict:
    trial = Trial()
    for look, seconds in looks:
        trial = trial.after(look, seconds)
    return trial.verdict()


WELL, FAULT, UNKNOWN = Observation(Kind.WELL, run="a"), Observation(Kind.FAULT, "dark"), Observation(Kind.UNKNOWN)


def test_a_version_is_good_after_two_minutes_in_one_run_and_bad_after_five_at_fault() -> None:
    assert after((WELL, 5), (WELL, WELL_SECONDS - 1)) is Verdict.OPEN
    assert after((WELL, 5), (WELL, WELL_SECONDS)) is Verdict.GOOD
    assert after((FAULT, FAULT_SECONDS - 1), (WELL, 5), (WELL, WELL_SECONDS)) is Verdict.GOOD
    assert after((FAULT, FAULT_SECONDS)) is Verdict.BAD


def test_a_version_that_dies_and_comes_back_is_never_good() -> None:
    runs = [(Observation(Kind.WELL, run=str(n)), 60.0) for n in range(100)]
    assert after(*runs) is Verdict.OPEN
    assert after(*[look for run in runs for look in (run, (FAULT, 5.0))]) is Verdict.BAD


def test_what_nobody_can_tell_counts_for_nothing() -> None:
    assert after((WELL, 5), (UNKNOWN, 1e6), (WELL, WELL_SECONDS - 1)) is Verdict.OPEN
    assert after((FAULT, FAULT_SECONDS - 1), (UNKNOWN, 1e6)) is Verdict.OPEN


@pytest.mark.parametrize("document", [None, [], "{}", 5, {"version": 5, "run": [], "presented": "yes", "paired": 1}])
def test_what_a_board_cannot_mean_is_taken_for_nothing(document: object) -> None:
    board = BoardStatus.read(document)
    assert board is None or not (board.presented or board.paired or board.contact or board.version)
