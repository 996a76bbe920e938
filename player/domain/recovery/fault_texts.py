"""The texts of faults of the disk, the display and the player: what is wrong, what to do and who can do it, by the code
of the fault; pure.

Findings, the reports to the service and the log all say a fault in these words.
"""

from __future__ import annotations

from collections.abc import Mapping

from menu.documents.manifest import Rejection
from menu.rules.timeline import Unshowable, WhyNot
from menu.text.phrase import Phrase, phrase
from player.domain.finding import Who, Words, quoted

DISK: Mapping[str, Words] = {
    "disk_failing": Words(
        "The device's disk fails when it is read or written.",
        "Replace the card or the disk, and install the player again. The screen keeps its pairing only if the old card"
        " can still be copied.",
    ),
    "disk_read_only": Words(
        "The device's disk is write-protected: nothing new can be stored.",
        "If the card has a lock switch, open it. If not, the card is probably worn out: a system protects a failing"
        " disk in this way. Restart the device, and replace the card if it comes back.",
    ),
    "disk_full": Words(
        "The device's disk is full: new menus, pictures and films cannot be stored.",
        "Delete what does not belong on the device, or use a larger card. The player goes on by itself when there is"
        " room.",
    ),
    "disk_refused": Words(
        "The device cannot write to the player's directory.",
        "Check that the directory belongs to the player's user, then restart the player.",
    ),
}
"""Texts of the disk's answers to a write."""

_RESTARTS = phrase("The player restarts by itself. If this stays, restart the device; its log says more.")
_REPORT = phrase("Report it with the player's log. The board plays on.")

DISPLAY: Mapping[str, Words] = {
    "no_screen": Words(
        "No screen is connected, or it is switched off.",
        "Switch the screen on, choose the input that the device is plugged into, and check the cable at both ends. The"
        " board shows at once.",
    ),
    "scene_fails": Words(
        "The scene {name} cannot be drawn and is left out.",
        "Change or remove this scene, and publish. The other scenes play on.",
        Who.OPERATOR,
    ),
    "version_fails": Words(
        "The newest version of the playlist cannot be drawn, so the one before it plays.",
        "Change the playlist, and publish it again. What is sold out still counts.",
        Who.OPERATOR,
    ),
    "safe_card": Words(
        "The menu cannot be drawn; a card says so in its place.",
        "The player tries again every ten minutes, and when a new version is published.",
        Who.OPERATOR,
    ),
    "frames_stopped": Words(
        "Pictures are drawn, but do not reach the screen.",
        "The player restarts with the screen's software. If this stays, restart the device.",
    ),
    "graphics_failed": Words(
        "The graphics hardware of the device failed.",
        "The player restarts, and draws without the graphics hardware if that does not help.",
        Who.NOBODY,
    ),
    "display_broken": Words("The player's own files are damaged.", "Install the player again."),
    "display_hangs": Words("The display does not answer: what is on the screen stands still.", _RESTARTS, Who.NOBODY),
    "order_late": Words("What is due does not come onto the screen.", _RESTARTS, Who.NOBODY),
    "order_refused": Words("The display could not show what was due.", _RESTARTS, Who.NOBODY),
    "frame_blank": Words("The screen is empty although something is due.", _RESTARTS, Who.NOBODY),
    "board_stuck": Words(
        "What is due cannot be worked out, so the board shows what it showed before.",
        _RESTARTS,
        Who.NOBODY,
    ),
    "event_failed": Words("The player could not use something that it was told.", _REPORT, Who.SERVICE),
    "events_fail": Words("The player cannot use what it is told.", _REPORT, Who.SERVICE),
}
"""Faults of the display and of the player itself, the ones that the fault ladder meets among them."""


def fault_text(fault: Rejection) -> Phrase:
    return phrase(DISPLAY[fault.code].what, name=quoted(fault.name or fault.subject))


def detail_of(part: Rejection) -> str:
    """Returns the text of a rejected part: the observation, or else the text of its fault."""
    return part.detail or (fault_text(part) if part.code in DISPLAY else "")


_UNSHOWABLE: Mapping[WhyNot, Phrase] = {
    WhyNot.REFUSED: phrase("the display cannot show it"),
    WhyNot.FILE_MISSING: phrase("a picture or film is not on the device"),
    WhyNot.SOLD_OUT: phrase("every menu on it is empty"),
    WhyNot.WITHOUT_VALUES: phrase("it tells values that are not there, or are too old"),
}


def unshowable_text(found: Unshowable) -> str:
    return found.detail if found.why is WhyNot.UNREADABLE else _UNSHOWABLE[found.why]
