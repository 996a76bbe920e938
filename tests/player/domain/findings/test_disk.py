"""Findings about the disk: each with its cause and something to do."""

from __future__ import annotations

from msgspec.structs import replace

from player.domain import events as ev
from player.domain.findings import disk
from player.domain.state import (
    PlayerState,
)
from tests.player.domain.findings.states import (
    FAILING,
    FULL,
    HEALTHY,
    NEW,
    READ_ONLY,
    SHA,
    WELL,
    Case,
    check,
    codes,
    lacking,
    parametrized,
    playing,
    rejected,
    staged,
)

CASES: list[Case] = [
    ("read-only", replace(HEALTHY, health=READ_ONLY), "disk_read_only", "worn out"),
    ("read-only, by what the disk says", rejected("disk_read_only", "Read-only file system"), "disk_read_only", "worn"),
    ("read-only at the start",
     replace(rejected("state_in_memory", "it cannot be written (Read-only file system)"), health=READ_ONLY),
     "state_in_memory", "write-protected"),
    ("another user's folder", rejected("state_in_memory", "it cannot be written (Permission denied)"),
     "state_in_memory", "belongs to the player's user"),
    ("full", replace(HEALTHY, health=FULL), "disk_full", "0 MB are free"),
    ("no more files", replace(HEALTHY, health=replace(WELL, disk_free_files=0)), "disk_full", "no more files"),
    ("full, by what the disk says", rejected("disk_full"), "disk_full", "larger card"),
    ("failing", rejected("disk_failing", "Input/output error"), "disk_failing", "Replace the card"),
    ("failing, and so read-only",
     rejected("disk_failing", "Input/output error", state=replace(HEALTHY, health=READ_ONLY)),
     "disk_failing", "Input/output error. Replace the card"),
    ("failing, and nobody has written", replace(HEALTHY, health=FAILING), "disk_failing", "protected itself"),
    ("failing at the start", rejected("state_in_memory", state=replace(HEALTHY, health=FAILING)),
     "state_in_memory", "fails when it is read or written. The board goes on from memory"),
    ("full, and so a picture is missing", replace(lacking({SHA: "No space left on device"}), health=FULL),
     "disk_full", "larger card"),
    ("read-only, and so nothing of the new version is here",
     replace(rejected("disk_read_only", "x"), staged=staged(remaining=3, missing={SHA: "Read-only file system"})),
     "disk_read_only", "write-protected"),
    ("a version that does not fit", rejected("no_room", "9 bytes are to be downloaded, and the disk has room for 1"),
     "no_room", "The version that shows goes on."),
    ("a first version that does not fit", rejected("no_room", "the disk has room for 1", state=NEW),
     "no_room", "the screen shows no menu"),
    ("nearly full", replace(HEALTHY, health=replace(WELL, disk_free_bytes=disk.DISK_LOW_BYTES - 1)),
     "disk_low", "511 MB are free"),
    ("a worn card, over which all comes late",
     replace(HEALTHY, health=replace(WELL, disk_sync_seconds=5.2), staged=staged(remaining=9)),
     "disk_slow", "5 seconds"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


def test_a_disk_that_fails_is_not_called_write_protected_when_its_file_system_lets_nothing_be_written_any_more() -> (
    None
):
    board = playing()
    board.tell(ev.PartFailed(subject="latest", code="disk_failing", detail="Input/output error"))
    board.tell(ev.PartFailed(subject="latest", code="disk_read_only", detail="Read-only file system"))
    board.tell(ev.PartFailed(subject="clock", code="disk_read_only", detail="Read-only file system"))
    assert codes(board) == ["disk_failing"]
    board.tell(ev.PartWell(subjects=frozenset({"latest", "clock"})))
    assert codes(board) == []
