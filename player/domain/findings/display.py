"""Findings about the glass: no screen, a display that hangs, frames that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.findings.finding import Finding, Severity, Who, Words, quoted, sentence
from player.domain.phrase import phrase
from player.domain.state import PlayerState

_RESTARTS = phrase("The player restarts by itself. If this stays, restart the device; its log says more.")
_REPORT = phrase("Report it with the player's log. The board plays on.")

_WORDS: dict[str, Words] = {
    "no_screen": Words(
        "No screen is connected, or it is switched off.",
        "Switch the screen on, choose the input that the device is plugged into, and check the cable at both ends. The"
        " board shows at once.",
        Who.HERE,
    ),
    "scene_fails": Words(
        "The scene {name} cannot be drawn and is left out.",
        "Change or remove this scene, and publish. The other scenes play on.",
        Who.OPERATOR,
    ),
    "version_fails": Words(
        "The newest version of the playlist {name} cannot be drawn, so the one before it plays.",
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
        Who.HERE,
    ),
    "graphics_failed": Words(
        "The graphics hardware of the device failed.",
        "The player restarts, and draws without the graphics hardware if that does not help.",
        Who.NOBODY,
    ),
    "display_broken": Words("The player's own files are damaged.", "Install the player again.", Who.HERE),
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
"""What is wrong, what to do and who can do it, by the code of the fault."""

_NAMELESS = {
    "scene_fails": phrase("The scene cannot be drawn and is left out."),
    "version_fails": phrase("The newest version of the playlist cannot be drawn, so the one before it plays."),
}
"""The same of what has no name."""

_PLAYING_ON = frozenset({"event_failed", "events_fail", "scene_fails", "version_fails"})

DISPLAY_CODES = frozenset(_WORDS)


def of_display(state: PlayerState) -> Iterator[Finding]:
    """One finding for each fault, the gravest first."""
    for fault in state.faults:
        words = _WORDS.get(fault.code) or Words(sentence(fault.detail), _RESTARTS, Who.HERE)
        what = phrase(words.what, name=quoted(fault.name)) if fault.code in _WORDS else words.what
        if not fault.name:
            what = _NAMELESS.get(fault.code, what)
        detail = sentence(fault.detail)
        yield Finding(
            code=fault.code,
            severity=Severity.WARNING if fault.code in _PLAYING_ON else Severity.FAULT,
            what=what,
            why="" if detail.rstrip(".").lower() in what.lower() else detail,
            do=phrase(words.do),
            who=words.who,
        )
