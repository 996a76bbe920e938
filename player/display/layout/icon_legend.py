"""Sets the legend of icons: each beside its meaning, in lines; pure arithmetic, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import icon_ratio
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.text.line_breaking import ELLIPSIS
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import LegendLine

# In ems of the legend's text.
ICON_SIZE = 1.3
TEXT_APART = 0.4
ENTRIES_APART = 1.6
LINE = 1.6
BASELINE = 1.14
"""From a line's top to the baseline of its text."""


class PlacedIcon(Struct, frozen=True, kw_only=True):
    """An icon; canvas units."""

    icon: str
    x: float
    y: float
    width: float
    height: float


class IconLegend(Struct, frozen=True, kw_only=True):
    """Each icon with its meaning, in lines, from 0, 0."""

    entries: tuple[tuple[PlacedIcon, Run], ...] = ()
    height: float = 0.0
    whole: bool = True

    def icons(self, x: float, y: float) -> tuple[PlacedIcon, ...]:
        """The icons of a legend that begins here."""
        return tuple(replace(icon, x=icon.x + x, y=icon.y + y) for icon, _ in self.entries)

    def texts(self, x: float, y: float) -> tuple[Run, ...]:
        """The meanings of a legend that begins here."""
        return tuple(run.moved(x, y) for _, run in self.entries)


def set_icon_legend(
    lines: Sequence[LegendLine], measurers: TextMeasurers, *, size: int, width: float, most: float
) -> IconLegend:
    """The legend in text of this size, in lines of this width; whole if it is at most `most` high."""
    entries: list[tuple[PlacedIcon, Run]] = []
    x, y, whole = 0.0, 0.0, True
    for line in lines:
        icon_width = icon_ratio(line.mark) * ICON_SIZE * size
        room = max(1.0, (width - icon_width) / size - TEXT_APART)
        text = measurers.detail.lines(line.text, room, 1)[0]
        whole = whole and (text == line.text or not text.endswith(ELLIPSIS))
        run = exact_run(measurers, "iconMeaning", text, "detail", size, ink=Ink.SECONDARY)
        before = icon_width + TEXT_APART * size
        if x > 0 and x + before + run.width > width:
            x, y = 0.0, y + LINE * size
        top = y + (LINE - ICON_SIZE) / 2 * size
        icon = PlacedIcon(icon=line.mark, x=x, y=top, width=icon_width, height=ICON_SIZE * size)
        entries.append((icon, run.moved(x + before, y + BASELINE * size)))
        x += before + run.width + ENTRIES_APART * size
    height = y + LINE * size if entries else 0.0
    return IconLegend(entries=tuple(entries), height=height, whole=whole and height <= most)
