"""Sets what a list explains at its foot: what an adult needs in a day, and the marks of its rows; imports no Qt."""

from __future__ import annotations

from msgspec import Struct

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.icon_legend import IconLegend, set_icon_legend
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurer
from player.display.layout.row import DETAIL_LINE
from player.domain.view import MenuListing

LEGEND_BASELINE = 0.97
"""In ems of the legend."""


class Foot(Struct, frozen=True, kw_only=True):
    """The explanations of a list in lines, from the icons on; canvas units."""

    note: tuple[str, ...]
    note_size: int
    legend: tuple[str, ...]
    legend_size: int
    icons: IconLegend

    @property
    def note_height(self) -> float:
        """Of the sentence on energies."""
        return DETAIL_LINE * self.note_size * len(self.note)

    @property
    def height(self) -> float:
        """Of all lines."""
        return self.icons.height + self.note_height + DETAIL_LINE * self.legend_size * len(self.legend)

    @property
    def whole(self) -> bool:
        """Whether nothing of it is cut."""
        return self.icons.whole and not any(
            lines and lines[-1].endswith(ELLIPSIS) for lines in (self.note, self.legend)
        )


def set_foot(
    listing: MenuListing,
    *,
    measurer: TextMeasurer,
    width: float,
    most: float,
    note_size: int,
    legend_size: int,
    right_to_left: bool,
) -> Foot:
    """The foot in lines of this width; note and legend are each at most `most` high."""

    def limit(size: int) -> int:
        return max(1, int(most / (DETAIL_LINE * size)))

    marks = [(line.mark, line.text) for line in listing.legend]
    parts = allergen_parts(listing.legend_title, marks, right_to_left=right_to_left)
    return Foot(
        note=measurer.lines(listing.energy_note, width / note_size, limit(note_size)) if listing.energy_note else (),
        note_size=note_size,
        legend=measurer.flow(parts, DOT, width / legend_size, limit(legend_size)) if parts else (),
        legend_size=legend_size,
        icons=set_icon_legend(listing.icons, measurer=measurer, size=legend_size, width=width, most=most),
    )
