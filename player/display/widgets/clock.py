"""View model of a clock widget."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtGui import QFont

from player.display.layout.text import text_fit
from player.display.layout.text.text_fit import FittedText, fit_text, widest_figures
from player.display.typography.theme import MeasuredFont
from player.display.widgets.geometry import geometry, mirrored
from player.display.widgets.widget import WidgetContext, WidgetViewModel
from player.domain.documents.scene import ClockWidget
from player.domain.words.wording import clock_text

CLOCK_TEXTS_CACHED = 64
"""Measured texts that a clock keeps: what it says changes with the minute, and comes back after a day."""


class ClockViewModel(WidgetViewModel):
    """One clock; `tick` changes it only when its text differs."""

    file_name = "TextLine.qml"
    kind = "clock"
    wants_ticks = True
    inks = ("text",)

    def __init__(self, widget: ClockWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        locality, theme = context.localities[0], context.theme
        self._widget = widget
        self._timezone = widget.timezone or locality.timezone
        self._locale = locality.locale
        self._scale = theme.scale
        # Not the title font, which often lacks figures of equal width.
        self._font = MeasuredFont(
            theme.body_families, QFont.Weight.DemiBold, tabular=True, texts_cached=CLOCK_TEXTS_CACHED
        )
        self._look = {
            **geometry(widget),
            "kind": self.kind,
            "color": theme.text,
            "align": mirrored(widget.align, locality),
        }
        self._text = ""
        self.tick(wall=context.now, monotonic=0.0)

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """Show the time at `wall`, true time."""
        del monotonic
        text = clock_text(self._widget.pattern, wall, self._timezone, self._locale)
        if text != self._text:
            self._text = text
            fitted = self._fit()
            spare = self._widget.box.height - fitted.height
            self._show(
                {
                    **self._look,
                    "text": "\n".join(fitted.lines),
                    "font": self._font.at_size(fitted.size),
                    "baseline": spare / 2 + text_fit.BASELINE * fitted.size,
                    "line": text_fit.LINE * fitted.size,
                }
            )

    def _fit(self) -> FittedText:
        size = None if self._widget.size is None else self._widget.size * self._scale
        # Arabic figures have no common width: without the widest, each minute would have a size of its own.
        return self._fitted_at(self._text, size or self._fitted_at(widest_figures(self._text, self._font), None).size)

    def _fitted_at(self, text: str, size: float | None) -> FittedText:
        box = self._widget.box
        return fit_text(text, measurer=self._font, width=box.width, height=box.height, size=size)
