"""Entries of a page of a list: rows, cards and headings, with everything in them placed; imports no Qt."""

from __future__ import annotations

from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import Fit, Focus
from player.display.layout.badges import Badge
from player.display.layout.foot import Foot
from player.display.layout.runs import Line, Placed, Run, mirrored
from player.domain.view import MenuRow

EntryKind = Literal["heading", "row", "card"]
"""The kind of an entry; QML names its item so."""


class Leader(Placed, frozen=True, kw_only=True):
    """Dots between a name and its price, each `step` after the one before; `y` is their lowest edge."""

    dots: int
    step: float
    dot: float


class Picture(Struct, frozen=True, kw_only=True):
    """Place of an item's picture; without an `asset` the first letter of the name stands there, in `letter_size`."""

    box: Box
    asset: str | None
    letter_size: int = 0
    fit: Fit | None = None
    focus: Focus = Focus()


def picture_of(row: MenuRow, box: Box, *, letter_size: int = 0) -> Picture:
    return Picture(box=box, asset=row.image, letter_size=letter_size, fit=row.image_fit, focus=row.image_focus)


class Entry(Placed, frozen=True, kw_only=True):
    """A row, a card or a heading. `x` and `y` are from the widget's corner, all other positions from the entry's."""

    kind: EntryKind
    key: str
    """The item's id; of a heading, its text and number."""
    height: float
    runs: tuple[Run, ...]
    page: int = 0
    lines: tuple[Line, ...] = ()
    tags: tuple[Badge, ...] = ()
    leader: Leader | None = None
    picture: Picture | None = None
    panel: Box | None = None
    """Behind a featured item."""
    color: str | None = None
    """In place of the accent's."""
    sold_out: bool = False
    cut: bool = False
    """Whether a text ends in an ellipsis, or something is left out."""

    def mirrored(self, width: float) -> Entry:
        inner, picture = self.width, self.picture
        return replace(
            self,
            x=width - self.x - inner,
            runs=mirrored(self.runs, inner),
            lines=mirrored(self.lines, inner),
            tags=mirrored(self.tags, inner),
            leader=mirrored((self.leader,), inner)[0] if self.leader is not None else None,
            picture=replace(picture, box=mirrored_box(picture.box, inner)) if picture is not None else None,
        )


class ListLayout(Struct, frozen=True, kw_only=True):
    """Layout of a list, in canvas units from its widget's corner; `size` is the one text size, in whole canvas
    units."""

    size: int
    detail_size: int
    """Size of descriptions, options, legend and page number."""
    entries: tuple[Entry, ...]
    left: float
    width: float
    """Left edge and width of the entries, and of the legend."""
    pages: int
    foot: Foot
    page_baseline: float
    overflows: bool
    """Whether an entry is higher than the widget, whose edge cuts it."""
    cut: tuple[str, ...]
    """Names of the items that are not whole."""
    legend_cut: bool
    """Whether the foot is not whole, or left out because there is room for it or a row, not for both."""
    title: Run | None = None
    bar: Box | None = None
    """Below the title."""

    @property
    def form(self) -> object:
        """Equal in layouts whose entries have one size."""
        raise NotImplementedError

    def mirrored(self, width: float) -> Self:
        return replace(
            self,
            entries=tuple(entry.mirrored(width) for entry in self.entries),
            left=width - self.left - self.width,
            foot=self.foot.mirrored(width),
            title=mirrored((self.title,), width)[0] if self.title is not None else None,
            bar=mirrored_box(self.bar, width) if self.bar is not None else None,
        )


def mirrored_box(box: Box, width: float) -> Box:
    return replace(box, x=width - box.x - box.width)
