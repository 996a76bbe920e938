"""Sets the legend of icons: each beside its meaning, in lines; pure arithmetic, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from player.display.layout.badges import icon_ratio
from player.display.layout.runs import Placed, Run, exact_run
from player.display.layout.text.line_breaking import ends_early
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import LegendLine

# In ems of the legend's text.
ICON_SIZE = 1.3
TEXT_APART = 0.4
ENTRIES_APART = 1.6
LINE = 1.6
BASELINE = 1.14
"""From a line's top to the baseline of its text."""


class PlacedIcon(Placed, frozen=True, kw_only=True):
    """An icon."""

    icon: str
    height: float


def set_icon_legend(
    lines: Sequence[LegendLine], measurers: TextMeasurers, *, size: int, width: float, most: float
) -> tuple[tuple[PlacedIcon, ...], tuple[Run, ...], float, bool]:
    """The icons, their meanings in text of this size, in lines of this width, and the height of these, from 0, 0; and
    whether they are whole, and at most `most` high."""
    icons, runs = list[PlacedIcon](), list[Run]()
    x, y, whole = 0.0, 0.0, True
    for line in lines:
        icon_width = icon_ratio(line.mark) * ICON_SIZE * size
        room = max(1.0, (width - icon_width) / size - TEXT_APART)
        text = measurers.detail.lines(line.text, room, 1)[0]
        whole = whole and not ends_early((text,), line.text)
        run = exact_run(measurers, "iconMeaning", text, "detail", size, ink="secondary")
        before = icon_width + TEXT_APART * size
        if x > 0 and x + before + run.width > width:
            x, y = 0.0, y + LINE * size
        top = y + (LINE - ICON_SIZE) / 2 * size
        icons.append(PlacedIcon(icon=line.mark, x=x, y=top, width=icon_width, height=ICON_SIZE * size))
        runs.append(run.moved(x + before, y + BASELINE * size))
        x += before + run.width + ENTRIES_APART * size
    height = y + LINE * size if icons else 0.0
    return tuple(icons), tuple(runs), height, whole and height <= most
