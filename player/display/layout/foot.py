"""Sets what a list explains at its foot: its icons, what an adult needs in a day, its allergens; imports no Qt."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.icon_legend import PlacedIcon, set_icon_legend
from player.display.layout.runs import Line, Run, mirrored
from player.display.layout.setting import Setting
from player.display.layout.sizes import DETAIL_LINE, RULE
from player.display.layout.stack import Stack
from player.display.layout.text.line_breaking import ELLIPSIS
from player.domain.view import MenuListing

LEGEND_BASELINE = 0.97
"""From a line's top to its baseline, in ems of the note or the legend."""


class Foot(Struct, frozen=True, kw_only=True):
    """The explanations of a list, from 0, 0 or where they stand; canvas units."""

    runs: tuple[Run, ...]
    icons: tuple[PlacedIcon, ...]
    lines: tuple[Line, ...]
    """The hairline above them."""
    height: float
    icons_whole: bool
    whole: bool
    """Whether nothing of it is cut."""

    def placed(self, left: float, bottom: float, width: float) -> Foot:
        """The explanations from `left` on in this width, the last one ending at `bottom`."""
        y = bottom - self.height
        return replace(
            self,
            runs=tuple(replace(run.moved(left, y), width=width if run.fills else run.width) for run in self.runs),
            icons=tuple(icon.moved(left, y) for icon in self.icons),
            lines=tuple(replace(line.moved(left, y), width=width) for line in self.lines),
        )

    def mirrored(self, width: float) -> Foot:
        """The same in a mirrored widget of this width."""
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
    """The foot in lines of this width, of a list of text and details of these sizes, with a hairline `apart` ems above
    it; icons and legend are each at most `most` high, the note `most_note`."""
    measurers, large, right_to_left = setting.measurers, setting.large_energy, setting.right_to_left
    measurer, note, note_size = measurers.detail, listing.energy_note, size if large else detail
    marks = [(line.mark, line.text) for line in listing.legend]
    parts = allergen_parts(listing.legend_title, marks, right_to_left=right_to_left)
    icons, meanings, height, icons_whole = set_icon_legend(
        listing.icons, measurers, size=detail, width=width, most=most
    )
    told = measurer.lines(note, width / note_size, _lines_in(most_note, note_size)) if note else ()
    explained = measurer.flow(parts, DOT, width / detail, _lines_in(most, detail)) if parts else ()
    texts = Stack(width=width, right_to_left=right_to_left)
    texts.end = height
    for name, lines, own in (("energyNote", told, note_size), ("legend", explained, detail)):
        is_large = large and name == "energyNote"
        texts.add(
            name,
            "detail",
            lines,
            own,
            line=DETAIL_LINE * own,
            baseline=LEGEND_BASELINE * own,
            ink="text" if is_large else "secondary",
        )
    runs = (*meanings, *texts.runs)
    rule = Line(name="legendRule", ink="rule", y=-apart * size, width=width, thickness=RULE * size)
    return Foot(
        runs=runs,
        icons=icons,
        lines=(rule,) if runs else (),
        height=texts.end,
        icons_whole=icons_whole,
        whole=icons_whole and not any(lines and lines[-1].endswith(ELLIPSIS) for lines in (told, explained)),
    )


def _lines_in(height: float, size: int) -> int:
    return max(1, int(height / (DETAIL_LINE * size)))
