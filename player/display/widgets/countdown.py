"""View model of a countdown widget."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont

from player.display.layout.text import text_fit
from player.display.layout.text.bidi import has_right_to_left, join_isolated, with_base_direction
from player.display.layout.text.text_fit import FittedText, figures_of, fit_text, widest_figures
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont
from player.display.widgets.geometry import geometry, mirrored
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel
from player.domain.documents.scene import TIME_LEFT, CountdownWidget
from player.domain.time.countdown import end_of
from player.domain.view import SceneView
from player.domain.words.wording import time_left_text

MOST_COUNTDOWNS = 12
"""Countdowns of a scene: each is measured and drawn anew every second."""
COUNTDOWN_TEXTS_CACHED = 64
"""Measured texts that a countdown keeps; what is left never comes back, its words do."""
AN_HOUR = timedelta(hours=1)
SAME_WIDTH = 0.01
"""Ems by which figures of one width may differ. Arabic ones differ by more: each has a cell of its own."""


class CountdownViewModel(WidgetViewModel):
    """One countdown; `tick` changes it only when its text differs."""

    counted = Signal()

    file_name = "CountdownWidget.qml"
    kind, most = "countdown", MOST_COUNTDOWNS
    wants_ticks = True
    inks = ("text",)

    def __init__(self, widget: CountdownWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        theme, locality = context.theme, context.localities[0]
        self._widget = widget
        self._locality = locality
        self._scale = theme.scale
        # Not the title font, which often lacks figures of equal width.
        self._font = MeasuredFont(
            theme.body_families, QFont.Weight.DemiBold, tabular=True, texts_cached=COUNTDOWN_TEXTS_CACHED
        )
        self._facts = {**geometry(widget), "color": theme.text}
        self._align = mirrored(widget.align, locality)
        self._now, self._clock_known = context.now, context.view.clock_known
        self._asked = None if widget.size is None else widget.size * theme.scale
        self._longest, self._size = "", 1
        self._text, self._fitted, self._parts = "", FittedText(size=1, lines=()), list[dict[str, object]]()
        self._count()

    def tick(self, *, wall: datetime, monotonic: float) -> None:
        """Show the time that is left at `wall`, true time."""
        del monotonic
        self._now = wall
        self._count()

    def update(self, view: SceneView, shares: Shares) -> None:
        """Count, or show the text of its end where the time is not known."""
        del shares
        self._clock_known = view.clock_known
        self._count()

    def _count(self) -> None:
        end = end_of(self._widget, self._now, self._locality.timezone) if self._clock_known else None
        left = None if end is None else end - self._now
        time = "" if left is None else self._time(left)
        text = self._widget.end_text or "" if left is None else self._around(time)
        if text == self._text:
            return
        self._text = text
        if left is None:
            self._fitted = self._fit(text, self._asked)
            self._parts = list(self._whole_lines(self._fitted.lines))
        else:
            # Laid out with the widest figures: nothing moves while others take their place.
            widest = self._around(widest_figures(time, self._font))
            self._fitted = self._fit(widest, self._asked or self._steady_size(left))
            self._parts = list(self._counting_lines(time))
        self.counted.emit()

    def _time(self, left: timedelta) -> str:
        return time_left_text(left, self._locality.locale, with_seconds=self._widget.show_seconds)

    def _around(self, time: str) -> str:
        """The widget's text around this time."""
        return self._widget.text.replace(TIME_LEFT, join_isolated([time], right_to_left=self._locality.right_to_left))

    def _steady_size(self, left: timedelta) -> float:
        """The size at which it fits with hours: it does not grow in the last of them."""
        longest = self._around(widest_figures(self._time(max(left, AN_HOUR)), self._font))
        if longest != self._longest:
            self._longest, self._size = longest, self._fit(longest, None).size
        return self._size

    def _fit(self, text: str, size: float | None) -> FittedText:
        box = self._widget.box
        if not text:
            return FittedText(size=1, lines=())
        return fit_text(text, measurer=self._font, width=box.width, height=box.height, size=size)

    def _whole_lines(self, lines: tuple[str, ...]) -> Iterator[dict[str, object]]:
        directed = with_base_direction(lines, right_to_left=self._locality.right_to_left)
        for number, text in enumerate(directed.split("\n") if lines else ()):
            yield self._part(text, number, 0, self._widget.box.width, self._align)

    def _counting_lines(self, time: str) -> Iterator[dict[str, object]]:
        widest = widest_figures(time, self._font)
        isolated, placeholder = (
            join_isolated([text], right_to_left=self._locality.right_to_left) for text in (time, widest)
        )
        lines = self._fitted.lines
        widths = [self._font.width(figure) for figure in figures_of(_last_figure(time))]
        if max(widths) - min(widths) < SAME_WIDTH or not any(placeholder in line for line in lines):
            yield from self._whole_lines(tuple(line.replace(placeholder, isolated) for line in lines))
            return
        for number, (line, whole) in enumerate(zip(lines, self._whole_lines(lines), strict=True)):
            if placeholder in line:
                yield from self._in_cells(line.partition(placeholder), time, number, max(widths))
            else:
                yield whole

    def _in_cells(
        self, around: tuple[str, str, str], time: str, number: int, cell: float
    ) -> Iterator[dict[str, object]]:
        """A line whose figures have no common width: each in the middle of a cell that is as wide as the widest."""
        size = self._fitted.size
        days, clock = time[: -len(_clock_of(time))], _clock_of(time)
        before, after = around[0] + days, around[2]
        cells = [cell if letter.isdecimal() else self._font.width(letter) for letter in clock]
        widths = [self._font.width(before), sum(cells), self._font.width(after)]
        runs_left = self._locality.right_to_left and has_right_to_left(self._widget.text + days)
        spare = self._widget.box.width - sum(widths) * size
        x = {"left": 0.0, "center": spare / 2, "right": spare}[self._align]
        starts = [x, x + widths[0] * size, x + (widths[0] + widths[1]) * size]
        if runs_left:
            starts = [x + (widths[1] + widths[2]) * size, x + widths[2] * size, x]
        # The spaces at the ends of words beside figures are no ink: the words keep to the other side.
        near, far = ("right", "left") if runs_left else ("left", "right")
        for text, at, width, align in ((before, starts[0], widths[0], near), (after, starts[2], widths[2], far)):
            if text.strip():
                yield self._part(text.strip(), number, at, width * size, align)
        at = starts[1]
        for letter, width in zip(clock, cells, strict=True):
            yield self._part(letter, number, at, width * size, "center")
            at += width * size

    def _part(self, text: str, line: int, x: float, width: float, align: str) -> dict[str, object]:
        spare = self._widget.box.height - self._fitted.height
        baseline = spare / 2 + (text_fit.BASELINE + text_fit.LINE * line) * self._fitted.size
        return {"text": text, "x": x, "width": width, "align": align, "baseline": baseline}

    parts = qml_property("QVariantList", lambda self: self._parts, notify=counted)
    """Its lines, or the words and figures of a line: text, `x`, `width`, alignment within that, and baseline."""
    font = qml_property(QFont, lambda self: self._font.at_size(self._fitted.size), notify=counted)


def _last_figure(time: str) -> str:
    return next(letter for letter in reversed(time) if letter.isdecimal())


def _clock_of(time: str) -> str:
    """Its hours, minutes and seconds, without the days."""
    return time.rpartition("\N{NO-BREAK SPACE}")[2]
