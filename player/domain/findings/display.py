"""Findings about the glass: no screen, a display that hangs, frames that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.finding import Finding, Severity, Who
from player.domain.findings.finding import sentence, spoken_time
from player.domain.findings.texts import DISPLAY, fault_text
from player.domain.panel import MOST_ASKS, Power
from player.domain.state import PlayerState
from player.domain.view import SceneView
from player.domain.words.phrase import SpokenNumber, phrase

_PLAYING_ON = frozenset({"event_failed", "events_fail", "scene_fails", "version_fails"})

WIDE_PIXELS, HIGH_PIXELS = 1280, 720
"""The least size for which scenes are made."""

COARSE_WIDE_PIXELS, COARSE_HIGH_PIXELS = 1024, 576
"""A picture smaller than this is what a screen falls back to that could not say what it is."""

SLOW_HERTZ = 23.0
"""Pictures a second below which fades and films are seen to jerk."""

MOST_MODES = 8
"""Modes of a screen that a finding names."""

SQUARISH = 1.2
"""A picture whose sides differ by less stands neither upright nor across."""


def of_mode(state: PlayerState) -> Iterator[Finding]:
    """A screen that is driven in an odd mode: the first thing that is odd about it."""
    glass = state.glass
    if glass is None:
        return
    wide, high = max(glass.width, glass.height), min(glass.width, glass.height)
    size, mode = f"{glass.width} × {glass.height}", state.health.display_mode
    scene = state.view.scene if isinstance(state.view, SceneView) else None
    if wide < WIDE_PIXELS or high < HIGH_PIXELS:
        coarse = wide < COARSE_WIDE_PIXELS or high < COARSE_HIGH_PIXELS
        yield Finding(
            code="display_small",
            severity=Severity.WARNING if coarse else Severity.NOTE,
            what=phrase("The picture on the screen has only {size} pixels, so small text is hard to read.", size=size),
            why=phrase("A screen that does not tell the device what it can do is driven like this, as is an old one."),
            do=phrase("Try another cable and another input of the screen, then switch the device off and on again."),
        )
    elif mode.endswith("i"):
        yield Finding(
            code="display_interlaced",
            severity=Severity.WARNING,
            what=phrase("The screen is driven with half pictures (interlaced), so thin lines flicker."),
            why=phrase("The mode that the screen asks for is {mode}.", mode=mode),
            do=phrase("Choose another input of the screen, or set it to a mode without an “i”, such as 1080p."),
        )
    elif 0 < glass.hertz < SLOW_HERTZ:
        yield Finding(
            code="display_slow",
            severity=Severity.WARNING,
            what=phrase(
                "The screen shows only {count} pictures a second, so films and fades jerk.", count=round(glass.hertz)
            ),
            why=phrase(
                "It is driven at {size} pixels and {number} Hz.",
                size=size,
                number=SpokenNumber(glass.hertz, decimals=0 if glass.hertz.is_integer() else 2),
            ),
            do=phrase("Use a cable and an input for this size of picture, or set the screen to a smaller one (1080p)."),
        )
    if scene is not None and wide >= SQUARISH * high and _stands(scene.width, scene.height) is not None:
        upright = _stands(scene.width, scene.height)
        if upright is not glass.upright:
            yield Finding(
                code="display_turned",
                severity=Severity.WARNING,
                what=phrase("The screen stands upright, and its scenes lie across, so they fill only a third of it.")
                if glass.upright
                else phrase("The screen lies across, and its scenes stand upright, so they fill only a third of it."),
                why=phrase(
                    "The screen has {size} pixels, and the scene {scene}.",
                    size=size,
                    scene=f"{scene.width} × {scene.height}",
                ),
                do=phrase("Set the rotation of the location in the service, or show scenes that are made for it."),
                who=Who.OPERATOR,
            )


def of_panel(state: PlayerState) -> Iterator[Finding]:
    """A panel that is off by the schedule, or does not do as it is asked."""
    panel = state.panel
    off = panel.wanted is Power.OFF_BY_SCHEDULE
    if off and not panel.managed:
        yield Finding(
            code="panel_unmanaged",
            severity=Severity.WARNING,
            what=phrase("This device cannot switch its screen off, so it stays on while the location is closed."),
            why=phrase("It needs wlr-randr and a compositor that obeys it, or cec-ctl and an HDMI cable with CEC."),
            do=phrase("Install wlr-randr or v4l-utils, or set the screen's power to “always” in the service."),
        )
    elif not panel.obeys:
        yield Finding(
            code="panel_disobeys",
            severity=Severity.WARNING,
            what=phrase("The screen stays on although its location is closed.")
            if off
            else phrase("The screen does not do what the device asks of it."),
            why=phrase("It was asked {count} times, and is asked again every minute.", count=str(MOST_ASKS)),
            do=phrase("Look whether the screen has a timer or a saving mode of its own, and switch that off."),
        )
    elif off:
        yield Finding(
            code=Power.OFF_BY_SCHEDULE.value,
            severity=Severity.NOTE,
            what=phrase("The screen is off until {time}: its location is closed.", time=spoken_time(panel.until, state))
            if panel.until is not None
            else phrase("The screen is off: its location is closed."),
            why=phrase("The opening hours of the location say so."),
            do=phrase("Nothing. To see the board now, have the screen show its name."),
            who=Who.NOBODY,
        )
    if panel.mode is not None and panel.offered is not None:
        yield Finding(
            code="mode_not_offered",
            severity=Severity.WARNING,
            what=phrase("The screen does not have the mode {mode}, which it is set to.", mode=panel.mode),
            why=phrase("It has these: {modes}.", modes=", ".join(panel.offered[:MOST_MODES]) or "?"),
            do=phrase("Choose one of them in the settings of the screen, or none."),
            who=Who.OPERATOR,
        )


def of_frames(state: PlayerState) -> Iterator[Finding]:
    """Frames that come late for some time."""
    if state.frames_late:
        yield Finding(
            code="frames_late",
            severity=Severity.WARNING,
            what=phrase("Pictures come onto the screen late, so films and fades jerk."),
            why=phrase("The device has been too busy for some time."),
            do=phrase(
                "Stop other programs on the device. If there are none, use smaller films and fewer of them, or a"
                " faster device."
            ),
        )


def _stands(width: float, height: float) -> bool | None:
    """Whether a scene of this size stands upright; None if it is squarish."""
    return height > width if max(width, height) >= SQUARISH * min(width, height) else None


def of_display(state: PlayerState) -> Iterator[Finding]:
    """One finding for each fault, the gravest first."""
    for fault in state.faults:
        words = DISPLAY[fault.code]
        yield Finding(
            code=fault.code,
            severity=Severity.WARNING if fault.code in _PLAYING_ON else Severity.FAULT,
            what=fault_text(fault),
            why=sentence(fault.detail),
            do=phrase(words.do),
            who=words.who,
        )
