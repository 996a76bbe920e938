"""View model of a countdown widget."""

from __future__ import annotations

from datetime import timedelta

from menu.documents.scene import TIME_LEFT, CountdownWidget
from menu.rules.countdown import end_of
from menu.text.wording import time_left_text
from player.display.layout.text.bidi import join_isolated
from player.display.widgets.clock import TimeViewModel

MOST_COUNTDOWNS = 12
"""Countdowns of a scene: each is measured and drawn anew every second."""
AN_HOUR = timedelta(hours=1)


class CountdownViewModel(TimeViewModel):
    """One countdown; where the time is not known, shows the text of its end."""

    kind, most = "countdown", MOST_COUNTDOWNS
    _widget: CountdownWidget

    def _texts(self) -> tuple[str, str]:
        end = end_of(self._widget, self._now, self._locality.timezone) if self._clock_known else None
        if end is None:
            text = self._widget.end_text or ""
            return text, text
        left = end - self._now
        # Drawn at the size at which it fits with hours: it does not grow in the last of them.
        return self._around(left), self._around(max(left, AN_HOUR))

    def _around(self, left: timedelta) -> str:
        """Puts the widget's text around this time."""
        time = time_left_text(left, self._locality.locale, with_seconds=self._widget.show_seconds)
        return self._widget.text.replace(TIME_LEFT, join_isolated([time], right_to_left=self._locality.right_to_left))
