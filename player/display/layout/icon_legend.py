"""Sets the legend of icons: each beside what it means, in lines; pure arithmetic, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import icon_ratio
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurer
from player.domain.view import IconLine

# In ems of the legend's text.
ICON_SIZE = 1.3
TEXT_APART = 0.4
ENTRIES_APART = 1.6
LINE = 1.6
BASELINE = 1.14
"""From a line's top to the baseline of its text."""


class LegendEntry(Struct, frozen=True, kw_only=True):
    """An icon and its meaning; canvas units, from where the legend begins."""

    icon: str
    text: str
    x: float
    y: float
    icon_width: float
    icon_height: float
    text_x: float
    text_width: float
    baseline: float


class IconLegend(Struct, frozen=True, kw_only=True):
    """The entries in lines."""

    entries: tuple[LegendEntry, ...] = ()
    height: float = 0.0
    whole: bool = True

    def moved(self, x: float, y: float) -> IconLegend:
        """The same elsewhere."""
        entries = tuple(
            replace(one, x=one.x + x, text_x=one.text_x + x, y=one.y + y, baseline=one.baseline + y)
            for one in self.entries
        )
        return replace(self, entries=entries)

    def mirrored(self, width: float) -> IconLegend:
        """The same in a mirrored widget of this width."""
        entries = tuple(
            replace(one, x=width - one.x - one.icon_width, text_x=width - one.text_x - one.text_width)
            for one in self.entries
        )
        return replace(self, entries=entries)


def set_icon_legend(
    lines: Sequence[IconLine], *, measurer: TextMeasurer, size: int, width: float, most: float
) -> IconLegend:
    """The legend in text of this size, in lines of this width; whole if it is at most `most` high."""
    entries: list[LegendEntry] = []
    x, y, whole = 0.0, 0.0, True
    for line in lines:
        icon_width = icon_ratio(line.icon) * ICON_SIZE * size
        room = max(1.0, (width - icon_width) / size - TEXT_APART)
        text = measurer.lines(line.text, room, 1)[0]
        whole = whole and (text == line.text or not text.endswith(ELLIPSIS))
        text_width = measurer.width(text) * size
        needed = icon_width + TEXT_APART * size + text_width
        if x > 0 and x + needed > width:
            x, y = 0.0, y + LINE * size
        entries.append(
            LegendEntry(
                icon=line.icon,
                text=text,
                x=x,
                y=y + (LINE - ICON_SIZE) / 2 * size,
                icon_width=icon_width,
                icon_height=ICON_SIZE * size,
                text_x=x + icon_width + TEXT_APART * size,
                text_width=text_width,
                baseline=y + BASELINE * size,
            )
        )
        x += needed + ENTRIES_APART * size
    height = y + LINE * size if entries else 0.0
    return IconLegend(entries=tuple(entries), height=height, whole=whole and height <= most)


def describe_icon_legend(legend: IconLegend) -> list[dict[str, object]]:
    """The legend as QML draws it."""
    return [
        {
            "icon": one.icon,
            "text": one.text,
            "x": one.x,
            "y": one.y,
            "iconWidth": one.icon_width,
            "iconHeight": one.icon_height,
            "textX": one.text_x,
            "textWidth": one.text_width,
            "baseline": one.baseline,
        }
        for one in legend.entries
    ]
