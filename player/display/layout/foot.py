"""Sets the explanations at the foot of a list: icons, an adult's daily needs, allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from menu.text.allergens import LegendLine
from player.display.layout.badges import DOT, allergen_parts, icon_ratio
from player.display.layout.runs import Ink, Line, Placed, Run, exact_run, mirrored
from player.display.layout.setting import Setting
from player.display.layout.sizes import DETAIL_LINE, RULE
from player.display.layout.stack import Stack
from player.display.layout.text.line_breaking import ends_early, flow_evenly
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import MenuListing

LEGEND_BASELINE = 0.97
"""From a line's top to its baseline, in ems of the note or the legend."""
# In ems of the legend's text.
ICON_SIZE = 1.3
TEXT_APART, ENTRIES_APART = 0.4, 1.6
ICON_LINE, ICON_BASELINE = 1.6, 1.14
"""Height of a line of icons, and from its top to the baseline of its text."""


class PlacedIcon(Placed, frozen=True, kw_only=True):
    icon: str
    height: float


class Foot(Struct, frozen=True, kw_only=True):
    """Explanations of a list, from 0, 0 or where they stand; canvas units."""

    runs: tuple[Run, ...]
    icons: tuple[PlacedIcon, ...]
    lines: tuple[Line, ...]
    """The hairline above them."""
    height: float
    icons_whole: bool
    whole: bool
    """Whether nothing of it is cut."""

    def placed(self, left: float, bottom: float, width: float) -> Foot:
        """Places the explanations from `left` on in this width, the last one ending at `bottom`."""
        y = bottom - self.height
        return replace(
            self,
            runs=tuple(replace(run.moved(left, y), width=width if run.fills else run.width) for run in self.runs),
            icons=tuple(icon.moved(left, y) for icon in self.icons),
            lines=tuple(replace(line.moved(left, y), width=width) for line in self.lines),
        )

    def mirrored(self, width: float) -> Foot:
        runs, icons, lines = (mirrored(parts, width) for parts in (self.runs, self.icons, self.lines))
        return replace(self, runs=runs, icons=icons, lines=lines)


def set_foot(
    listing: MenuListing,
    setting: Setting,
    *,
    width: float,
    most: float,
    most_note: float,
    size: int,
    detail: int,
    apart: float,
) -> Foot:
    """Sets the foot in lines of this width, for text and details of these sizes, with a hairline `apart` ems above it;
    icons and legend are each at most `most` high, the note `most_note`."""
    measurers, large, right_to_left = setting.measurers, setting.large_energy, setting.right_to_left
    measurer, note, note_size = measurers.detail, listing.energy_note, size if large else detail
    marks = [(line.mark, line.text) for line in listing.legend]
    parts = allergen_parts(listing.legend_title, marks, right_to_left=right_to_left)
    icons, meanings, height, icons_whole = _set_icons(listing.icons, measurers, size=detail, width=width, most=most)
    told = measurer.lines(note, width / note_size, _lines_in(most_note, note_size)) if note else ()
    explained = flow_evenly(measurer, parts, DOT, width / detail, _lines_in(most, detail)) if parts else ()
    texts = Stack(width=width, right_to_left=right_to_left)
    texts.end = height
    ink: Ink = "text" if large else "secondary"
    texts.add("energyNote", "detail", told, note_size, DETAIL_LINE, LEGEND_BASELINE, ink=ink)
    texts.add("legend", "detail", explained, detail, DETAIL_LINE, LEGEND_BASELINE)
    runs = (*meanings, *texts.runs)
    rule = Line(name="legendRule", ink="rule", y=-apart * size, width=width, thickness=RULE * size)
    return Foot(
        runs=runs,
        icons=icons,
        lines=(rule,) if runs else (),
        height=texts.end,
        icons_whole=icons_whole,
        whole=icons_whole and not ends_early(told, note) and not ends_early(explained, ""),
    )


def _set_icons(
    lines: Sequence[LegendLine], measurers: TextMeasurers, *, size: int, width: float, most: float
) -> tuple[tuple[PlacedIcon, ...], tuple[Run, ...], float, bool]:
    """Sets the icons and their meanings in lines of this width, from 0, 0; also returns the height of the lines, and
    whether they are whole and at most `most` high."""
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
            x, y = 0.0, y + ICON_LINE * size
        top = y + (ICON_LINE - ICON_SIZE) / 2 * size
        icons.append(PlacedIcon(icon=line.mark, x=x, y=top, width=icon_width, height=ICON_SIZE * size))
        runs.append(run.moved(x + before, y + ICON_BASELINE * size))
        x += before + run.width + ENTRIES_APART * size
    height = y + ICON_LINE * size if icons else 0.0
    return tuple(icons), tuple(runs), height, whole and height <= most


def _lines_in(height: float, size: int) -> int:
    return max(1, int(height / (DETAIL_LINE * size)))
