"""Sets what a list explains at its foot: its icons, what an adult needs in a day, its allergens; imports no Qt."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, allergen_parts
from player.display.layout.bidi import with_base_direction
from player.display.layout.icon_legend import IconLegend, set_icon_legend
from player.display.layout.line_breaking import ELLIPSIS
from player.display.layout.measuring import TextMeasurer
from player.display.layout.row import DETAIL_LINE
from player.domain.view import MenuListing

LEGEND_BASELINE = 0.97
"""From a line's top to its baseline, in ems of the note or the legend."""


class FootGeometry(Struct, frozen=True, kw_only=True):
    """The explanations where they stand; canvas units from the widget's corner."""

    y: float
    icons: IconLegend
    """What the icons of the rows mean."""
    note: str
    """What an adult needs in a day, in lines."""
    note_size: int
    note_baseline: float
    legend: str
    """The meaning of the letters of allergens, in lines; empty without any."""
    legend_size: int
    legend_baseline: float

    def mirrored(self, width: float) -> FootGeometry:
        """The same in a mirrored widget of this width."""
        return replace(self, icons=self.icons.mirrored(width))


class Foot(Struct, frozen=True, kw_only=True):
    """The explanations of a list in lines, from the icons on; canvas units."""

    note: tuple[str, ...]
    note_size: int
    legend: tuple[str, ...]
    legend_size: int
    icons: IconLegend

    @property
    def height(self) -> float:
        """Of all lines."""
        return self.icons.height + self._note_height + self._legend_height

    @property
    def whole(self) -> bool:
        """Whether nothing of it is cut."""
        return self.icons.whole and not any(
            lines and lines[-1].endswith(ELLIPSIS) for lines in (self.note, self.legend)
        )

    def placed(self, left: float, bottom: float, *, right_to_left: bool) -> FootGeometry:
        """The lines from `left` on, the last one ending at `bottom`."""
        legend_y = bottom - self._legend_height
        note_y = legend_y - self._note_height
        y = note_y - self.icons.height
        return FootGeometry(
            y=y,
            icons=self.icons.moved(left, y),
            note=with_base_direction(self.note, right_to_left=right_to_left),
            note_size=self.note_size,
            note_baseline=note_y + LEGEND_BASELINE * self.note_size,
            legend=with_base_direction(self.legend, right_to_left=right_to_left),
            legend_size=self.legend_size,
            legend_baseline=legend_y + LEGEND_BASELINE * self.legend_size,
        )

    @property
    def _note_height(self) -> float:
        return DETAIL_LINE * self.note_size * len(self.note)

    @property
    def _legend_height(self) -> float:
        return DETAIL_LINE * self.legend_size * len(self.legend)


def set_foot(
    listing: MenuListing,
    *,
    measurer: TextMeasurer,
    width: float,
    most: float,
    most_note: float,
    note_size: int,
    legend_size: int,
    right_to_left: bool,
) -> Foot:
    """The foot in lines of this width; icons and legend are each at most `most` high, the note `most_note`."""
    marks, note = [(line.mark, line.text) for line in listing.legend], listing.energy_note
    parts = allergen_parts(listing.legend_title, marks, right_to_left=right_to_left)
    return Foot(
        note=measurer.lines(note, width / note_size, _lines_in(most_note, note_size)) if note else (),
        note_size=note_size,
        legend=measurer.flow(parts, DOT, width / legend_size, _lines_in(most, legend_size)) if parts else (),
        legend_size=legend_size,
        icons=set_icon_legend(listing.icons, measurer=measurer, size=legend_size, width=width, most=most),
    )


def _lines_in(height: float, size: int) -> int:
    return max(1, int(height / (DETAIL_LINE * size)))
