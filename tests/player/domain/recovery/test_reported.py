"""Faults that other parts report, until the part is well again."""

from __future__ import annotations

import pytest

from player.domain import events as ev
from player.domain.events import PartFailed, PartWell
from player.domain.recovery.reported import MOST_FAULTS, Reported
from tests.support.board import (
    Board,
)


def failed(subject: str, code: str = "disk_failing") -> PartFailed:
    return PartFailed(subject=subject, code=code, detail="it cannot be written")


def test_a_fault_is_over_when_its_part_is_well() -> None:
    faults = Reported().failed(failed("time")).failed(PartFailed(subject="poller", detail="KeyError"))
    assert [fault.subject for fault in faults.faults.values()] == ["time", "poller"]
    assert list(faults.well(PartWell(subjects=frozenset({"time", "another"}))).faults) == ["poller"]


def test_a_file_system_that_protects_itself_hides_no_failing_disk() -> None:
    faults = Reported().failed(failed("time")).failed(failed("time", "disk_read_only"))
    assert faults.faults["time"].code == "disk_failing"
    assert Reported().failed(failed("time", "disk_read_only")).faults["time"].code == "disk_read_only"


@pytest.mark.goes_beyond("MOST_FAULTS")
def test_the_faults_that_are_remembered_are_bounded() -> None:
    faults = Reported()
    for number in range(MOST_FAULTS + 5):
        faults = faults.failed(failed(f"file {number}"))
    assert len(faults.faults) == MOST_FAULTS
    assert f"file {MOST_FAULTS + 4}" in faults.faults


def test_a_fault_of_the_disk_is_over_when_the_same_file_is_written() -> None:
    board = Board()
    for subject in ("latest", "staged"):
        board.tell(ev.PartFailed(subject=subject, code="disk_full", detail="No space left on device"))
    board.tell(ev.PartWell(subjects=frozenset({"latest", "running"})))
    assert [part.subject for part in board.state.rejections] == ["staged"]
