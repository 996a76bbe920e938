"""View model of a ticker widget: its messages in one line, and the distance between copies of that line."""

from __future__ import annotations

import math

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QFont

from menu.documents.scene import TickerWidget
from menu.text.wording import Locality
from player.display.layout.text.text_fit import BASELINE, LINE
from player.display.qt.typed import slot
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.display.widgets.text import WrittenViewModel
from player.display.widgets.widget import Shares, WidgetContext, geometry
from player.domain.view import SceneView

APART = 1.1
"""Ems between a message and the dot after it, and between the dot and the next."""
DOT = 0.2
"""The dot's width in ems."""
NOTHING = QColor("transparent")
MOST_COPIES = 8
"""The most copies of the line; a short line gets wider gaps instead of more copies."""


class TickerViewModel(WrittenViewModel):
    file_name = "TickerWidget.qml"
    in_panel = True
    inks = ("text", "accent")
    begun = Signal()
    """It is to begin anew, at another place."""
    _widget: TickerWidget

    def __init__(self, widget: TickerWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._view, self._resources = context.view, context.resources
        self._skew = 0.0
        self.wants_ticks = context.view.scene.span is not None

    def update(self, view: SceneView, shares: Shares) -> None:
        """Shows the text with its values; its position follows from this view."""
        self._view = view
        super().update(view, shares)

    def tick(self) -> None:
        """Restarts if the time has been corrected."""
        if abs(self._now_skew() - self._skew) > 0.1:  # A smaller step of the clock is not seen between two panels.
            self.begun.emit()

    @slot(float, result=float)
    def start(self, period: float) -> float:
        """Returns the line's start position now: its beginning, or its position on the other panels of its board."""
        self._skew = self._now_skew()
        moved = self._view.moved_for(self._resources.now())
        return 0.0 if moved is None else moved * self._widget.speed % period

    def _now_skew(self) -> float:
        moved = self._view.moved_for(self._resources.now())
        return 0.0 if moved is None else moved - self._resources.monotonic()

    def _describe(self, text: str) -> dict[str, object]:
        return describe_ticker(replace(self._widget, text=text), self._theme, self._localities[0])


def describe_ticker(widget: TickerWidget, theme: ResolvedTheme, locality: Locality) -> dict[str, object]:
    """Describes the widget to QML. The line looks the same again after it has moved by `period`, in `milliseconds`.

    Each line of the text is a message; dots separate them.
    """
    font = MeasuredFont(theme.body_families, QFont.Weight.Medium)
    box = widget.box
    size = max(1, int(min(box.height / LINE, box.height * 0.6 * theme.scale)))
    messages: list[dict[str, object]] = []
    x = 0.0
    for text in filter(None, map(str.strip, widget.text.split("\n"))):
        width = font.width(text) * size
        messages.append({"text": text, "x": x, "width": width, "dotX": x + width + APART * size})
        x += width + (2 * APART + DOT) * size
    # Whole units, so that the seam is exact to the pixel on a display of the canvas's size.
    period = math.ceil(max(x, box.width / (MOST_COPIES - 1)))
    return {
        **geometry(widget),
        "messages": messages,
        "font": font.at_size(size),
        "baseline": (box.height - LINE * size) / 2 + BASELINE * size,
        "dot": DOT * size,
        # The middle of the dot is at half the height of a small letter.
        "dotY": (box.height - LINE * size) / 2 + (BASELINE - 0.27) * size - DOT * size / 2,
        "period": period,
        "copies": math.ceil(box.width / period) + 1,
        "milliseconds": max(1, round(1000 * period / widget.speed)),
        "rightToLeft": locality.right_to_left,
        "color": theme.text,
        "accent": theme.accent,
        # Where all of its messages are left out for want of values, nothing shows.
        "panel": theme.panel if messages else NOTHING,
    }
