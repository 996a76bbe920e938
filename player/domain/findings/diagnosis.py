"""Diagnoses the player: from the snapshot to findings that say what is wrong, why, and what to do; pure.

The findings of each subject are in `player/domain/findings/`. Here they are put into an order, by these rules:

1. A finding that follows from another one is left out (`findings/causes.py`): a full disk is no reason to upload the
   pictures again.
2. What is nearer to the cause comes first, whatever is at stake: a player that does not run, display, disk, connection,
   pairing, clock, content, machine. Notes come last; while no menu shows, what keeps it from the glass comes first.
3. What may pass by itself is told only after it has stayed for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from player.domain.boot_file import BOOT_FILE_BAD, BOOT_FILE_NETWORK, BOOT_FILE_READABLE
from player.domain.finding import Finding, Severity
from player.domain.findings import clock, connection, content, disk, display, files, machine, pairing, standstill
from player.domain.findings.causes import follows
from player.domain.findings.finding import seconds_since
from player.domain.findings.rejected import CA_FILE_BAD, PAGE_PORT_TAKEN, rejected
from player.domain.state import Kind, PlayerState

_SUBJECTS: tuple[Callable[[PlayerState], Iterator[Finding]], ...] = (
    standstill.of_standstill,
    display.of_display,
    rejected("no_font"),
    disk.of_disk,
    disk.of_pace,
    files.of_damaged_files,
    # What the file would change may be the connection.
    rejected(BOOT_FILE_BAD, BOOT_FILE_NETWORK, BOOT_FILE_READABLE),
    connection.of_connection,
    pairing.of_pairing,
    clock.of_clock,
    rejected(PAGE_PORT_TAKEN, CA_FILE_BAD, "setting_bad"),
    content.of_house_card,
    rejected("playlist_empty", "program_unshowable", "manifest_older", "other_service"),
    files.of_files,
    content.of_parts,
    rejected("letters_missing", "video_stalled"),
    clock.of_zone,
    clock.of_other_zone,
    content.of_changes,
    content.of_waiting_version,
    content.of_sold_out,
    rejected("menu_continues", "contrast_low", "translation_missing", "value_missing"),
    machine.of_machine,
    machine.of_restarts,
    machine.of_failed_parts,
    machine.of_updates,
    display.of_panel,
    display.of_mode,
    display.of_frames,
    disk.of_space,
    rejected("state_corrupt"),
)
"""In the order of the findings."""

_TOLD_AFTER: Mapping[str, float] = {
    "no_menu_yet": content.FIRST_MENU_SECONDS,
    "change_not_shown": content.CHANGE_SECONDS,
    **dict.fromkeys(("files_missing", "files_damaged"), 5.0),
    "clock_unknown": 15.0,  # By then it is known what keeps the device from the time.
    "clock_differs": 2.0,
    "throttled": 10.0,
    **dict.fromkeys(connection.PASSING, connection.OUTAGE_SECONDS),
    **dict.fromkeys(connection.UNANSWERED, connection.UNTESTED_SECONDS),
}
"""Seconds for which a finding has to stay before it is told."""


def diagnosed(state: PlayerState) -> PlayerState:
    """The snapshot with its findings. Its `found` says since when each has been there, as far as the one before it
    knew."""
    found = _all(state)
    since = {finding.code: state.found.get(finding.code, state.at) for finding in found}
    if since != state.found:
        state = replace(state, found=since)
    return replace(state, findings=_told(found, state))


def diagnose(state: PlayerState) -> tuple[Finding, ...]:
    """The findings of a snapshot, the one to act on first."""
    return _told(_all(state), state)


def _all(state: PlayerState) -> list[Finding]:
    return [finding for subject in _SUBJECTS for finding in subject(state)]


def _told(found: list[Finding], state: PlayerState) -> tuple[Finding, ...]:
    codes = {finding.code for finding in found}
    told = [
        replace(finding, since=state.found.get(finding.code))
        for finding in found
        if not any(follows(finding.code, cause) for cause in codes) and _has_stayed(finding, state)
    ]
    is_dark = state.showing.kind is Kind.HOUSE
    ranks = {Severity.FAULT: 0, Severity.WARNING: int(is_dark), Severity.NOTE: 2}
    return tuple(sorted(told, key=lambda finding: ranks[finding.severity]))


def _has_stayed(finding: Finding, state: PlayerState) -> bool:
    least = _TOLD_AFTER.get(finding.code, 0.0)
    if finding.code in connection.UNANSWERED and connection.is_tested(finding.code, state):
        least = 0.0
    elif connection.awaits_test(finding.code, state):
        least = max(least, connection.DECIDING_SECONDS)
    if not least or state.standstill is not None:
        # What stands still does not pass.
        return True
    since = state.found.get(finding.code)
    return since is not None and seconds_since(since, state) >= least
