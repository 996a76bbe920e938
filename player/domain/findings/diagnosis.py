"""Diagnoses the player: from the snapshot to findings that say what is wrong, why, and what to do; pure.

The findings of each subject are in `player/domain/findings/`. Here they are put into an order, by these rules:

1. A finding that follows from another one is left out (CAUSES): a full disk is no reason to upload the
   pictures again.
2. What is nearer to the cause comes first, whatever is at stake: a player that does not run, display, disk, connection,
   pairing, clock, content, machine. Notes come last; while no menu shows, or no player can be asked, what
   keeps it from the glass comes first.
3. What may pass by itself is told only after it has stayed for some seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.finding import Finding, Severity
from player.domain.findings import clock, connection, content, disk, display, files, machine, pairing, standstill
from player.domain.findings.connection import CONNECTION_CODES, OF_THE_CLOCK, WITHOUT_NETWORK
from player.domain.findings.disk import DISK_CODES
from player.domain.findings.finding import seconds_since
from player.domain.findings.pairing import ENROLMENT_REFUSED
from player.domain.findings.rejected import CA_FILE_BAD, PAGE_PORT_TAKEN, rejected
from player.domain.findings.standstill import CANNOT_START, NO_PLAYER
from player.domain.link.fault import UNANSWERED, Fault
from player.domain.pairing.boot_file import BOOT_FILE_BAD, BOOT_FILE_NETWORK, BOOT_FILE_READABLE
from player.domain.state import Kind, PlayerState

_UNPAIRED = frozenset({"not_paired", "pairing_lost", "copied_card", Fault.SCREEN_REFUSED})
_SLOW_MACHINE = frozenset({"under_voltage", "hot", "memory_low"})

CAUSES: Mapping[str, frozenset[str]] = {
    # A service that is not the one of before need not be one at all; without a network nobody can tell.
    **dict.fromkeys(CONNECTION_CODES - WITHOUT_NETWORK - OF_THE_CLOCK, frozenset({"other_service"})),
    # What cannot start does not run. A display that hangs ends the player, and holds up the next one.
    **dict.fromkeys(("player_not_running", "player_fails", "page_silent"), CANNOT_START | {"display_hangs"}),
    "no_room": DISK_CODES,
    "state_damaged": DISK_CODES,
    # A scene that cannot be shown has parts or files that say why.
    "scenes_rejected": frozenset({"no_scene_can_show"}),
    "parts_rejected": frozenset({"no_scene_can_show", "files_damaged"}),
    "change_not_shown": frozenset(
        {"no_screen", "off_by_schedule", "frames_stopped", "display_hangs", "order_late", "board_stuck"}
    ),
    "throttled": _SLOW_MACHINE,
    "display_small": frozenset({"mode_not_offered"}),
    "clock_corrected": WITHOUT_NETWORK | {Fault.CLOCK_WRONG},
    "clock_differs": frozenset({Fault.CLOCK_WRONG}),
    "not_paired": CONNECTION_CODES | NO_PLAYER | {"other_service", ENROLMENT_REFUSED},
    "pairing_lost": DISK_CODES | NO_PLAYER,
    "copied_card": NO_PLAYER,
    # What the service cannot send, and what the disk cannot take, is missing.
    "files_missing": CONNECTION_CODES | DISK_CODES | {"no_room", "files_damaged"},
    "files_failing": CONNECTION_CODES | DISK_CODES | {"no_room"},
    "frames_late": _SLOW_MACHINE | {"throttled"},
    "display_turned": frozenset({"display_small"}),
    "no_menu_yet": CONNECTION_CODES | DISK_CODES | _UNPAIRED,
    "files_on_their_way": CONNECTION_CODES | DISK_CODES | {"no_room", "files_missing", "disk_slow"} | _UNPAIRED,
    "version_unshowable": frozenset({"files_failing"}),
    # The service tells paired devices the time. What a test says of certificates is compared with the time that the
    # service's own machine tells, and so is surer than the clock.
    "clock_unknown": CONNECTION_CODES | {"not_paired"},
    # Scenes with a schedule stand back while the time is not known.
    "nothing_scheduled": frozenset({"clock_unknown"}),
}
"""Findings with their causes."""


def follows(effect: str, cause: str) -> bool:
    """Whether a finding, by its code, may follow from another one."""
    return cause in CAUSES.get(effect, ())


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
    content.of_overrides,
    rejected("playlist_empty", "program_unshowable", "manifest_older", "other_service"),
    files.of_files,
    content.of_parts,
    rejected("letters_missing", "font_bad", "video_stalled", "video_hdr"),
    clock.of_zone,
    clock.of_other_zone,
    content.of_changes,
    content.of_waiting_version,
    content.of_sold_out,
    rejected("span_whole", "span_shape", "menu_continues", "contrast_low", "translation_missing", "value_missing"),
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
    **dict.fromkeys((fault for fault in Fault if fault.row.passes), connection.OUTAGE_SECONDS),
    **dict.fromkeys(UNANSWERED, connection.UNTESTED_SECONDS),
}
"""Seconds for which a finding has to stay before it is told."""


def diagnosed(state: PlayerState) -> PlayerState:
    """Adds the findings to the snapshot. `found` says since when each has been there, as far as the previous snapshot
    knew."""
    found = _all(state)
    since = {finding.code: state.found.get(finding.code, state.at) for finding in found}
    if since != state.found:
        state = replace(state, found=since)
    return replace(state, findings=_told(found, state))


def diagnose(state: PlayerState) -> tuple[Finding, ...]:
    """Returns the findings of a snapshot, the one to act on first."""
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
    is_dark = state.showing.kind is Kind.HOUSE or state.standstill is not None
    ranks = {Severity.FAULT: 0, Severity.WARNING: int(is_dark), Severity.NOTE: 2}
    return tuple(sorted(told, key=lambda finding: ranks[finding.severity]))


def _has_stayed(finding: Finding, state: PlayerState) -> bool:
    least = _TOLD_AFTER.get(finding.code, 0.0)
    if finding.code in UNANSWERED and connection.is_tested(finding.code, state):
        least = 0.0
    elif connection.awaits_test(finding.code, state):
        least = max(least, connection.DECIDING_SECONDS)
    if not least or state.standstill is not None:
        # What stands still does not pass.
        return True
    since = state.found.get(finding.code)
    return since is not None and seconds_since(since, state) >= least


FINDINGS_SECONDS = 10.0
"""Between two heartbeats that are sent at once because what is wrong has changed: it may come and go."""


class Telling(Struct, frozen=True, kw_only=True):
    """Findings known to the service, and when they were sent; monotonic seconds."""

    said: tuple[tuple[object, ...], ...] | None = None
    said_at: float = float("-inf")

    def step(self, findings: Iterable[Finding], now: float, *, hears: bool) -> tuple[Telling, tuple[act.Action, ...]]:
        """Compares with the current findings. While the service does not listen, the next heartbeat that arrives sends
        them."""
        # Not the numbers in their words.
        said = tuple((each.code, each.severity, getattr(each.what, "template", each.what)) for each in findings)
        if not hears or self.said is None:
            return replace(self, said=said), ()
        if said == self.said or now - self.said_at < FINDINGS_SECONDS:
            return self, ()
        return Telling(said=said, said_at=now), (act.SendHeartbeat(),)
