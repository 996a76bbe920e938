"""Owns a ticker widget as QML sees it: its messages in one line, and how far apart the copies of that line run."""

from __future__ import annotations

import math

from PySide6.QtGui import QFont

from player.display.layout.text_fit import BASELINE, LINE
from player.display.typography.theme import FontFace, ResolvedTheme
from player.display.widgets.geometry import geometry
from player.domain.scene import TickerWidget
from player.domain.view import Locality

TEXT_SHARE = 0.6
"""Of the box's height that is the text's size; the rest is air above and below."""
APART = 1.1
"""Ems between a message and the dot after it, and between the dot and the next."""
DOT = 0.2
"""The dot's width in ems."""
MOST_COPIES = 8
"""Copies of the line that fill the box; a short line runs with wider gaps rather than more often."""


def describe_ticker(widget: TickerWidget, theme: ResolvedTheme, z: int, locality: Locality) -> dict[str, object]:
    """The widget for QML: `period` is how far the line runs until it looks as it did, in `milliseconds`.

    Each line of the text is a message, and dots part them.
    """
    face = FontFace(theme.body_families, QFont.Weight.Medium)
    box = widget.box
    size = max(1, int(min(box.height / LINE, box.height * TEXT_SHARE * theme.scale)))
    messages: list[dict[str, object]] = []
    x = 0.0
    for text in filter(None, map(str.strip, widget.text.split("\n"))):
        wide = face.width(text) * size
        messages.append({"text": text, "x": x, "width": wide, "dotX": x + wide + APART * size})
        x += wide + (2 * APART + DOT) * size
    # Whole units: on a display of the canvas's size the seam is exact to the pixel.
    period = math.ceil(max(x, box.width / (MOST_COPIES - 1)))
    return {
        **geometry(widget, z),
        "messages": messages,
        "font": face.font(size),
        "baseline": (box.height - LINE * size) / 2 + BASELINE * size,
        "dot": DOT * size,
        # The dot sits at the middle of a small letter's height.
        "dotY": (box.height - LINE * size) / 2 + (BASELINE - 0.27) * size - DOT * size / 2,
        "period": period,
        "copies": math.ceil(box.width / period) + 1,
        "milliseconds": max(1, round(1000 * period / widget.speed)),
        "rightToLeft": locality.right_to_left,
        "color": theme.text,
        "accent": theme.accent,
        "panel": theme.panel,
    }
