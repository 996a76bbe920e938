"""View models of widgets that show the time; here the clock."""

from __future__ import annotations

from PySide6.QtGui import QFont

from menu.documents.scene import ClockWidget, CountdownWidget
from menu.text.wording import clock_text
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.text_fit import FittedText, fit_text, widest_figures
from player.display.typography.theme import MeasuredFont
from player.display.widgets.text import describe_block
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel
from player.domain.view import SceneView


class TimeViewModel(WidgetViewModel):
    file_name = "TextLine.qml"
    inks = ("text",)
    wants_ticks = True

    def __init__(self, widget: ClockWidget | CountdownWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._widget, self._theme, self._locality = widget, context.theme, context.localities[0]
        # Not the title font, which often lacks figures of equal width.
        self._font = MeasuredFont(self._theme.body_families, QFont.Weight.DemiBold, tabular=True, texts_cached=64)
        self._resources = context.resources
        self._now, self._clock_known = self._resources.now(), context.view.clock_known
        self._text: str | None = None
        self._longest, self._size = "", 1.0

    def tick(self) -> None:
        self._now = self._resources.now()
        self._tell()

    def update(self, view: SceneView, shares: Shares) -> None:
        """Shows the time, or its substitute where it is not known."""
        del shares
        self._clock_known = view.clock_known
        self._tell()

    def _texts(self) -> tuple[str, str]:
        """Returns the current text, and the one that determines the size where the widget sets none."""
        raise NotImplementedError

    def _tell(self) -> None:
        text, longest = self._texts()
        if text == self._text:
            return
        self._text = text
        fitted = self._fit(text, self._size_of(longest))
        self._show(
            {
                **describe_block(self._widget, fitted, self._locality, self._theme, kind=self.kind),
                "text": with_base_direction(fitted.lines, right_to_left=self._locality.right_to_left),
                "font": self._font.at_size(fitted.size),
                "color": self._theme.text,
            }
        )

    def _size_of(self, longest: str) -> float:
        if self._widget.size is not None:
            return self._widget.size * self._theme.scale
        # Arabic figures have no common width: without the widest, each minute would have a size of its own.
        longest = widest_figures(longest, self._font)
        if longest != self._longest:
            self._longest, self._size = longest, self._fit(longest, None).size
        return self._size

    def _fit(self, text: str, size: float | None) -> FittedText:
        box = self._widget.box
        if not text:
            return FittedText(size=1, lines=())
        return fit_text(text, measurer=self._font, width=box.width, height=box.height, size=size)


class ClockViewModel(TimeViewModel):
    kind = "clock"
    _widget: ClockWidget

    def _texts(self) -> tuple[str, str]:
        timezone = self._widget.timezone or self._locality.timezone
        text = clock_text(self._widget.pattern, self._now, timezone, self._locality.locale)
        return text, text
