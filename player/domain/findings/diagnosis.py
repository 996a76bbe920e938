"""Diagnoses the player: from the snapshot to findings that say what is wrong, why, and what to do; pure.

The findings of each subject are in `player/domain/findings/`. Here they are put into an order, by these rules:

1. A finding that follows from another one is left out (`findings/causes.py`): a full disk is no reason to upload the
   pictures again.
2. What is nearer to the cause comes first, whatever is at stake: a player that does not run, display, disk, connection,
   pairing, clock, content, machine. Notes come last; while no menu shows, what keeps it from the glass comes first.
3. What may pass by itself is told only after it has stayed for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from player.domain.boot_file import BOOT_FILE_BAD, BOOT_FILE_READABLE
from player.domain.finding import Finding, Severity
from player.domain.findings.causes import follows
from player.domain.findings.clock import of_clock, of_zone
from player.domain.findings.connection import (
    DECIDING_SECONDS,
    OUTAGE_SECONDS,
    PASSING,
    UNANSWERED,
    UNTESTED_SECONDS,
    awaits_test,
    is_tested,
    of_connection,
)
from player.domain.findings.content import (
    CHANGE_SECONDS,
    FIRST_MENU_SECONDS,
    of_changes,
    of_house_card,
    of_parts,
    of_sold_out,
    of_waiting_version,
)
from player.domain.findings.disk import of_disk, of_pace, of_space
from player.domain.findings.display import of_display, of_frames, of_mode, of_panel
from player.domain.findings.files import of_damaged_files, of_files
from player.domain.findings.finding import seconds_since
from player.domain.findings.machine import (
    of_failed_parts,
    of_machine,
    of_restarts,
    of_updates,
)
from player.domain.findings.pairing import of_pairing
from player.domain.findings.rejected import CA_FILE_BAD, PAGE_PORT_TAKEN, rejected
from player.domain.findings.standstill import of_standstill
from player.domain.state import Kind, PlayerState

_SUBJECTS: tuple[Callable[[PlayerState], Iterator[Finding]], ...] = (
    of_standstill,
    of_display,
    rejected("no_font"),
    of_disk,
    of_pace,
    of_damaged_files,
    # What the file would change may be the connection.
    rejected(BOOT_FILE_BAD, BOOT_FILE_READABLE),
    of_connection,
    of_pairing,
    of_clock,
    rejected(PAGE_PORT_TAKEN, CA_FILE_BAD, "setting_bad"),
    of_house_card,
    rejected("playlist_empty", "program_unshowable", "manifest_older", "other_service"),
    of_files,
    of_parts,
    rejected("letters_missing", "video_stalled"),
    of_zone,
    of_changes,
    of_waiting_version,
    of_sold_out,
    rejected("menu_continues", "contrast_low", "translation_missing", "value_missing"),
    of_machine,
    of_restarts,
    of_failed_parts,
    of_updates,
    of_panel,
    of_mode,
    of_frames,
    of_space,
    rejected("state_corrupt"),
)
"""In the order of the findings."""

_TOLD_AFTER: Mapping[str, float] = {
    "no_menu_yet": FIRST_MENU_SECONDS,
    "change_not_shown": CHANGE_SECONDS,
    **dict.fromkeys(("files_missing", "files_damaged"), 5.0),
    "clock_unknown": 15.0,  # By then it is known what keeps the device from the time.
    "clock_differs": 2.0,
    "throttled": 10.0,
    **dict.fromkeys(PASSING, OUTAGE_SECONDS),
    **dict.fromkeys(UNANSWERED, UNTESTED_SECONDS),
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


def said_of(findings: Iterable[Finding]) -> tuple[tuple[object, ...], ...]:
    """The part of findings that is told at once when it changes: not the numbers in their words."""
    return tuple((each.code, each.severity, getattr(each.what, "template", each.what)) for each in findings)


def _has_stayed(finding: Finding, state: PlayerState) -> bool:
    least = _TOLD_AFTER.get(finding.code, 0.0)
    if finding.code in UNANSWERED and is_tested(finding.code, state):
        least = 0.0
    elif awaits_test(finding.code, state):
        least = max(least, DECIDING_SECONDS)
    if not least or state.standstill is not None:
        # What stands still does not pass.
        return True
    since = state.found.get(finding.code)
    return since is not None and seconds_since(since, state) >= least
