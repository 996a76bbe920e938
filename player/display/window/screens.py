"""Distinguishes visible screens from the placeholders that Qt creates where there is none."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QScreen

X11_DISPLAY_MARK = ":"
"""Qt names its stand-in on X11 after the display (`:0.0`); no output has such a name. On Wayland it has none."""


def seen_screen() -> QScreen | None:
    """Returns the screen that shows the board; None while none is connected, or all are switched off."""
    # Offscreen, Qt's one screen has no name.
    counts_all = QGuiApplication.platformName() == "offscreen"
    for screen in QGuiApplication.screens():
        name = screen.name()
        if counts_all or (name and X11_DISPLAY_MARK not in name and screen.size().width() > 0):
            return screen
    return None
