"""Tells screens that can be seen from the stand-ins that Qt makes where there is none."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QScreen

X11_DISPLAY_MARK = ":"
"""Qt names its stand-in on X11 after the display (`:0.0`); no output has such a name. On Wayland it has none."""


def seen_screen() -> QScreen | None:
    """The screen that shows the board; None while none is connected, or all are switched off."""
    seen = (screen for screen in QGuiApplication.screens() if not is_stand_in(screen.name(), screen.size().width()))
    return next(seen, None)


def is_stand_in(name: str, width: int) -> bool:
    """Whether a screen of this name and width is one of Qt's stand-ins. Offscreen, Qt's one screen has no name."""
    if QGuiApplication.platformName() == "offscreen":
        return False
    return not name or X11_DISPLAY_MARK in name or width <= 0
