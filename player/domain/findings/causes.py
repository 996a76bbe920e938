"""Which finding may follow from which other one: then only the cause is told; pure.

The relation has no circle, so of any findings at least one follows from none.
"""

from __future__ import annotations

from collections.abc import Mapping

from player.domain.connection import ConnectionFault
from player.domain.findings.connection import CONNECTION_CODES, OF_THE_CLOCK, PREFIX, WITHOUT_NETWORK
from player.domain.findings.disk import DISK_CODES
from player.domain.findings.pairing import ENROLMENT_REFUSED, SCREEN_REFUSED
from player.domain.findings.standstill import CANNOT_START, NO_PLAYER

_UNPAIRED = frozenset({"not_paired", "pairing_lost", "copied_card", SCREEN_REFUSED})
_SLOW_MACHINE = frozenset({"under_voltage", "hot", "memory_low"})
_CLOCK_WRONG = frozenset({f"{PREFIX}{ConnectionFault.CLOCK_WRONG}"})

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
    "clock_corrected": WITHOUT_NETWORK | _CLOCK_WRONG,
    "clock_differs": _CLOCK_WRONG,
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
