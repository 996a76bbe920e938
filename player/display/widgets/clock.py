"""View model of a clock widget."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import text_fit
from player.display.layout.text_fit import FittedText, fit_text, widest_figures
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.display.widgets.geometry import geometry, mirrored
from player.domain.documents.scene import ClockWidget
from player.domain.view import Locality
from player.domain.words.wording import clock_text

CLOCK_TEXTS_CACHED = 64
"""Measured texts that a clock keeps: what it says changes with the minute, and comes back after a day."""


class ClockViewModel(QObject):
    """One clock; `tick` changes it only when its text differs."""

    changed = Signal()

    def __init__(
        self, widget: ClockWidget, *, theme: ResolvedTheme, z: int, locality: Locality, now: datetime, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._widget = widget
        self._timezone = widget.timezone or locality.timezone
        self._locale = locality.locale
        self._scale = theme.scale
        # Not the title font, which often lacks figures of equal width.
        self._font = MeasuredFont(
            theme.body_families, QFont.Weight.DemiBold, tabular=True, texts_cached=CLOCK_TEXTS_CACHED
        )
        self._facts: dict[str, object] = {
            **geometry(widget, z),
            "color": theme.text,
            "align": mirrored(widget.align, locality),
        }
        self._text = clock_text(widget.pattern, now, self._timezone, self._locale)
        self._fitted = self._fit()

    def tick(self, now: datetime) -> None:
        """Show the time at `now`, true time."""
        text = clock_text(self._widget.pattern, now, self._timezone, self._locale)
        if text != self._text:
            self._text = text
            self._fitted = self._fit()
            self.changed.emit()

    def _fit(self) -> FittedText:
        size = None if self._widget.size is None else self._widget.size * self._scale
        # Arabic figures have no common width: without the widest, each minute would have a size of its own.
        return self._fitted_at(self._text, size or self._fitted_at(widest_figures(self._text, self._font), None).size)

    def _fitted_at(self, text: str, size: float | None) -> FittedText:
        box = self._widget.box
        return fit_text(text, measurer=self._font, width=box.width, height=box.height, size=size)

    def _baseline(self) -> float:
        spare = self._widget.box.height - self._fitted.height
        return spare / 2 + text_fit.BASELINE * self._fitted.size

    facts = qml_property("QVariantMap", lambda self: self._facts)
    text = qml_property(str, lambda self: "\n".join(self._fitted.lines), notify=changed)
    font = qml_property(QFont, lambda self: self._font.at_size(self._fitted.size), notify=changed)
    baseline = qml_property(float, lambda self: self._baseline(), notify=changed)
    line = qml_property(float, lambda self: text_fit.LINE * self._fitted.size, notify=changed)
