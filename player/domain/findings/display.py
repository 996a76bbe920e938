"""Findings about the display: no screen, a display that hangs, frames that are not visible."""

from __future__ import annotations

from collections.abc import Iterator

from menu.text.phrase import phrase
from player.domain.finding import Finding, Severity, Who
from player.domain.findings.finding import finding, note, sentence, spoken_time
from player.domain.panel.panel import MOST_ASKS, Power
from player.domain.recovery.fault_texts import DISPLAY, fault_text
from player.domain.state import PlayerState
from player.domain.view import SceneView

_PLAYING_ON = frozenset({"event_failed", "events_fail", "scene_fails", "version_fails"})

WIDE_PIXELS, HIGH_PIXELS = 1280, 720
"""The least size for which scenes are made."""

COARSE_WIDE_PIXELS, COARSE_HIGH_PIXELS = 1024, 576
"""A picture smaller than this is what a screen falls back to that could not say what it is."""

MOST_MODES = 8
"""Modes of a screen that a finding names."""

SQUARISH = 1.2
"""A picture whose sides differ by less stands neither upright nor across."""


def of_mode(state: PlayerState) -> Iterator[Finding]:
    """A screen whose picture is small, or whose orientation differs from its scenes'."""
    glass = state.glass
    if glass is None:
        return
    wide, high = max(glass.width, glass.height), min(glass.width, glass.height)
    size = f"{glass.width} × {glass.height}"
    scene = state.view.scene if isinstance(state.view, SceneView) else None
    if glass.is_screen and (wide < WIDE_PIXELS or high < HIGH_PIXELS):
        coarse = wide < COARSE_WIDE_PIXELS or high < COARSE_HIGH_PIXELS
        yield finding(
            "display_small",
            "The picture on the screen has only {size} pixels, so small text is hard to read.",
            "A screen that does not tell the device what it can do is driven like this, as is an old one.",
            "Try another cable and another input of the screen, then switch the device off and on again.",
            severity=Severity.WARNING if coarse else Severity.NOTE,
            size=size,
        )
    stands = scene is not None and scene.span is None and _stands(scene.width, scene.height) is not None
    if scene is not None and stands and wide >= SQUARISH * high:
        upright = _stands(scene.width, scene.height)
        if upright is not glass.upright:
            yield finding(
                "display_turned",
                phrase("The screen stands upright, and its scenes lie across, so they fill only a third of it.")
                if glass.upright
                else phrase("The screen lies across, and its scenes stand upright, so they fill only a third of it."),
                "The screen has {size} pixels, and the scene {scene}.",
                "Set the rotation of the location in the service, or show scenes that are made for it.",
                who=Who.OPERATOR,
                size=size,
                scene=f"{scene.width} × {scene.height}",
            )


def of_panel(state: PlayerState) -> Iterator[Finding]:
    """A panel that is off by the schedule, or does not obey."""
    panel = state.panel
    off = panel.wanted is Power.OFF_BY_SCHEDULE
    if off and not panel.managed:
        yield finding(
            "panel_unmanaged",
            "This device cannot switch its screen off, so it stays on while the location is closed.",
            "It needs wlr-randr and a compositor that obeys it, or cec-ctl and an HDMI cable with CEC.",
            "Install wlr-randr or v4l-utils, or set the screen's power to “always” in the service.",
        )
    elif not panel.obeys:
        yield finding(
            "panel_disobeys",
            phrase("The screen stays on although its location is closed.")
            if off
            else phrase("The screen does not do what the device asks of it."),
            "It was asked {count} times, and is asked again every minute.",
            "Look whether the screen has a timer or a saving mode of its own, and switch that off.",
            count=str(MOST_ASKS),
        )
    elif off:
        yield note(
            Power.OFF_BY_SCHEDULE.value,
            phrase("The screen is off until {time}: its location is closed.", time=spoken_time(panel.until, state))
            if panel.until is not None
            else phrase("The screen is off: its location is closed."),
            "The opening hours of the location say so.",
            "Nothing. To see the board now, have the screen show its name.",
            who=Who.NOBODY,
        )
    if panel.mode is not None and panel.offered is not None:
        yield finding(
            "mode_not_offered",
            "The screen does not have the mode {mode}, which it is set to.",
            "It has these: {modes}.",
            "Choose one of them in the settings of the screen, or none.",
            who=Who.OPERATOR,
            mode=panel.mode,
            modes=", ".join(panel.offered[:MOST_MODES]) or "?",
        )


def of_frames(state: PlayerState) -> Iterator[Finding]:
    """Frames that come late for some time."""
    if state.frames_late:
        yield finding(
            "frames_late",
            "Pictures come onto the screen late, so films and fades jerk.",
            "The device has been too busy for some time.",
            "Stop other programs on the device. If there are none, use smaller films and fewer of them, or a faster"
            " device.",
        )


def _stands(width: float, height: float) -> bool | None:
    """Whether a scene of this size is upright; None if it is squarish."""
    return height > width if max(width, height) >= SQUARISH * min(width, height) else None


def of_display(state: PlayerState) -> Iterator[Finding]:
    """Yields one finding for each fault, the gravest first."""
    for fault in state.faults:
        words = DISPLAY[fault.code]
        yield finding(
            fault.code,
            fault_text(fault),
            sentence(fault.detail),
            phrase(words.do),
            severity=Severity.WARNING if fault.code in _PLAYING_ON else Severity.FAULT,
            who=words.who,
        )
