"""Sets what a list explains at its foot: its icons, what an adult needs in a day, its allergens; imports no Qt."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.icon_legend import IconLegend, PlacedIcon, set_icon_legend
from player.display.layout.runs import Ink, Line, Run, mirrored_lines, mirrored_runs
from player.display.layout.sizes import DETAIL_LINE, RULE
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.line_breaking import ELLIPSIS
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import MenuListing

LEGEND_BASELINE = 0.97
"""From a line's top to its baseline, in ems of the note or the legend."""


class PlacedFoot(Struct, frozen=True, kw_only=True):
    """The explanations where they stand; canvas units from the widget's corner."""

    runs: tuple[Run, ...]
    lines: tuple[Line, ...]
    icons: tuple[PlacedIcon, ...]

    def mirrored(self, width: float) -> PlacedFoot:
        """The same in a mirrored widget of this width."""
        return PlacedFoot(
            runs=mirrored_runs(self.runs, width),
            lines=mirrored_lines(self.lines, width),
            icons=tuple(replace(one, x=width - one.x - one.width) for one in self.icons),
        )


class Foot(Struct, frozen=True, kw_only=True):
    """The explanations of a list in lines, from the icons on; canvas units."""

    note: tuple[str, ...]
    note_size: int
    legend: tuple[str, ...]
    legend_size: int
    icons: IconLegend

    @property
    def height(self) -> float:
        """Height of all lines."""
        return self.icons.height + self._note_height + self._legend_height

    @property
    def whole(self) -> bool:
        """Whether nothing of it is cut."""
        return self.icons.whole and not any(
            lines and lines[-1].endswith(ELLIPSIS) for lines in (self.note, self.legend)
        )

    def placed(
        self, left: float, width: float, bottom: float, *, apart: float, size: int, large: bool, right_to_left: bool
    ) -> PlacedFoot:
        """The lines from `left` on, the last one ending at `bottom`, in a list of text of this size, with a hairline
        `apart` above them. `large`: the law wants the note as conspicuous as names."""
        legend_y = bottom - self._legend_height
        note_y = legend_y - self._note_height
        y = note_y - self.icons.height
        runs = list(self.icons.texts(left, y))
        for name, lines, line_size, top, ink in (
            ("energyNote", self.note, self.note_size, note_y, Ink.TEXT if large else Ink.SECONDARY),
            ("legend", self.legend, self.legend_size, legend_y, Ink.SECONDARY),
        ):
            if lines:
                run = Run(
                    name=name,
                    text=with_base_direction(lines, right_to_left=right_to_left),
                    face="detail",
                    size=line_size,
                    ink=ink,
                    x=left,
                    y=top + LEGEND_BASELINE * line_size,
                    width=width,
                    line=DETAIL_LINE * line_size,
                    fills=True,
                )
                runs.append(run)
        rule = Line(name="legendRule", ink=Ink.RULE, x=left, y=y - apart * size, width=width, thickness=RULE * size)
        return PlacedFoot(runs=tuple(runs), lines=(rule,) if runs else (), icons=self.icons.icons(left, y))

    @property
    def _note_height(self) -> float:
        return DETAIL_LINE * self.note_size * len(self.note)

    @property
    def _legend_height(self) -> float:
        return DETAIL_LINE * self.legend_size * len(self.legend)


def set_foot(
    listing: MenuListing,
    *,
    measurers: TextMeasurers,
    width: float,
    most: float,
    most_note: float,
    note_size: int,
    legend_size: int,
    right_to_left: bool,
) -> Foot:
    """The foot in lines of this width; icons and legend are each at most `most` high, the note `most_note`."""
    measurer = measurers.detail
    marks, note = [(line.mark, line.text) for line in listing.legend], listing.energy_note
    parts = allergen_parts(listing.legend_title, marks, right_to_left=right_to_left)
    return Foot(
        note=measurer.lines(note, width / note_size, _lines_in(most_note, note_size)) if note else (),
        note_size=note_size,
        legend=measurer.flow(parts, DOT, width / legend_size, _lines_in(most, legend_size)) if parts else (),
        legend_size=legend_size,
        icons=set_icon_legend(listing.icons, measurers, size=legend_size, width=width, most=most),
    )


def _lines_in(height: float, size: int) -> int:
    return max(1, int(height / (DETAIL_LINE * size)))
