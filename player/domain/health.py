"""Diagnoses the player: from the snapshot to findings that say what is wrong, why, and what to do; pure.

The findings of each subject are in `player/domain/findings/`. Here they are put into an order, by these rules:

1. A finding that follows from another one is left out: a full disk is no reason to upload the pictures again.
2. What is nearer to the cause comes first, whatever is at stake: a player that does not run, display, disk, connection,
   pairing, clock, content, machine. Notes come last.
3. What may pass by itself is told only after it has stayed for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from msgspec.structs import replace

from player.domain.findings.clock import CLOCK_CODES, of_clock, of_zone
from player.domain.findings.connection import (
    CONNECTION_CODES,
    DECIDING_SECONDS,
    OF_THE_CLOCK,
    OUTAGE_SECONDS,
    PASSING,
    UNANSWERED,
    UNTESTED_SECONDS,
    WITHOUT_NETWORK,
    awaits_test,
    is_tested,
    of_connection,
    of_wifi,
)
from player.domain.findings.content import (
    CHANGE_SECONDS,
    FIRST_MENU_SECONDS,
    of_changes,
    of_colours,
    of_files,
    of_house_card,
    of_languages,
    of_long_menus,
    of_parts,
    of_playlist,
    of_values,
    of_waiting_version,
)
from player.domain.findings.disk import DISK_CODES, STATE_IN_MEMORY, of_disk, of_space, of_stored_files
from player.domain.findings.display import of_display, of_frames, of_mode, of_panel
from player.domain.findings.finding import Finding, Severity, Who, seconds_since
from player.domain.findings.machine import of_boot_file, of_machine, of_restarts, of_settings, of_updates
from player.domain.findings.pairing import ENROLMENT_REFUSED, SCREEN_REFUSED, of_pairing
from player.domain.findings.standstill import CANNOT_START, NO_PLAYER, of_standstill
from player.domain.state import PlayerState

__all__ = ["STATE_IN_MEMORY", "Finding", "Severity", "Who", "diagnose", "found_since"]

_SUBJECTS: tuple[Callable[[PlayerState], Iterator[Finding]], ...] = (
    of_standstill,
    of_display,
    of_disk,
    # What the file would change may be the connection.
    of_boot_file,
    of_connection,
    of_pairing,
    of_clock,
    of_settings,
    of_house_card,
    of_playlist,
    of_files,
    of_parts,
    of_zone,
    of_changes,
    of_waiting_version,
    of_long_menus,
    of_colours,
    of_languages,
    of_values,
    of_machine,
    of_restarts,
    of_updates,
    of_panel,
    of_mode,
    of_frames,
    of_space,
    of_stored_files,
    of_wifi,
)
"""In the order of the findings."""

_UNPAIRED = frozenset({"not_paired", "pairing_lost", SCREEN_REFUSED})
_SLOW_MACHINE = frozenset({"under_voltage", "hot", "memory_low"})

_FOLLOWS_FROM: Mapping[str, frozenset[str]] = {
    # A clock without a network cannot be set; a certificate cannot be judged without a clock.
    "clock_unknown": WITHOUT_NETWORK | {"not_paired"},
    "clock_corrected": WITHOUT_NETWORK,
    **dict.fromkeys(OF_THE_CLOCK, CLOCK_CODES),
    # A service that is not the one of before need not be one at all; without a network nobody can tell.
    **dict.fromkeys(CONNECTION_CODES - WITHOUT_NETWORK - OF_THE_CLOCK, frozenset({"other_service"})),
    # What cannot start does not run, whatever there is to draw on.
    "no_display_session": CANNOT_START,
    # A display that hangs ends the player, and holds up the next one.
    **dict.fromkeys(("player_not_running", "player_fails", "page_silent"), CANNOT_START | {"display_hangs"}),
    # What the service cannot send, and what the disk cannot take, is missing.
    "no_menu_yet": CONNECTION_CODES | DISK_CODES | _UNPAIRED,
    "files_missing": CONNECTION_CODES | DISK_CODES | {"no_room"},
    "files_failing": CONNECTION_CODES | DISK_CODES | {"no_room"},
    "files_on_their_way": CONNECTION_CODES | DISK_CODES | {"no_room", "files_missing"} | _UNPAIRED,
    "no_room": DISK_CODES,
    "not_paired": CONNECTION_CODES | NO_PLAYER | {"other_service", ENROLMENT_REFUSED},
    "pairing_lost": DISK_CODES | NO_PLAYER,
    "state_damaged": DISK_CODES,
    # A scene that cannot be shown has parts or files that say why.
    "scenes_rejected": frozenset({"no_scene_can_show"}),
    "parts_rejected": frozenset({"no_scene_can_show"}),
    "version_unshowable": frozenset({"files_failing"}),
    "change_not_shown": frozenset(
        {"no_screen", "off_by_schedule", "frames_stopped", "display_hangs", "order_late", "board_stuck"}
    ),
    "throttled": _SLOW_MACHINE,
    "frames_late": _SLOW_MACHINE | {"throttled"},
    "display_small": frozenset({"mode_not_offered"}),
    "display_turned": frozenset({"display_small"}),
    "wifi_weak": CONNECTION_CODES,
}
"""What each finding may follow from, by code: then it is not told."""

_TOLD_AFTER: Mapping[str, float] = {
    "no_menu_yet": FIRST_MENU_SECONDS,
    "change_not_shown": CHANGE_SECONDS,
    "files_missing": 5.0,
    "clock_unknown": 15.0,  # By then it is known what keeps the device from the time.
    "clock_differs": 2.0,
    "throttled": 10.0,
    **dict.fromkeys(PASSING, OUTAGE_SECONDS),
    **dict.fromkeys(UNANSWERED, UNTESTED_SECONDS),
}
"""How many seconds a finding has to stay before it is told."""


def diagnose(state: PlayerState) -> tuple[Finding, ...]:
    """The findings of a snapshot, the one to act on first."""
    found = [finding for subject in _SUBJECTS for finding in subject(state)]
    codes = {finding.code for finding in found}
    told = [
        replace(finding, since=state.found.get(finding.code))
        for finding in found
        if not codes & _FOLLOWS_FROM.get(finding.code, frozenset()) - {finding.code} and _has_stayed(finding, state)
    ]
    return tuple(sorted(told, key=lambda finding: finding.severity is Severity.NOTE))


def said_of(findings: Iterable[Finding]) -> tuple[tuple[object, ...], ...]:
    """What of findings is worth telling at once when it changes: not the numbers in their words."""
    return tuple((each.code, each.severity, getattr(each.what, "template", each.what)) for each in findings)


def found_since(state: PlayerState) -> Mapping[str, datetime]:
    """Since when each finding has been there, by its code: as the state before this one says, or since now. The
    findings that are not told yet are among them."""
    codes = {finding.code for subject in _SUBJECTS for finding in subject(state)}
    return {code: state.found.get(code, state.at) for code in sorted(codes)}


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
