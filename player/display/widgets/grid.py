"""View model of a grid widget: cards with pictures, or with the first letter of a name in place of one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from PySide6.QtGui import QFont

from menu.documents.scene import GridWidget
from menu.text.wording import capitals
from player.display.layout.entry import Picture
from player.display.layout.grid import GridLayout, lay_out_grid
from player.display.typography.theme import MeasuredFont, monogram_colors
from player.display.widgets.paged_list import PagedList
from player.display.widgets.widget import WidgetContext
from player.domain.playing.listings import MOST_CARDS
from player.domain.view import MenuListing

MOST_GRIDS = 6
"""Grids of a scene; one with as many cards as it may have takes up to a twentieth of a second to lay out."""


class GridViewModel(PagedList):
    """One grid widget. Changing its listing changes only the cards that differ."""

    _widget: GridWidget
    _laid_out: GridLayout | None
    kind, most = "grid", MOST_GRIDS
    _advice = "make it larger, or its texts shorter"
    _left_out = f"a grid has at most {MOST_CARDS} cards"

    def __init__(self, widget: GridWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._whole: tuple[MenuListing, GridLayout] | None = None
        """The layout from which the others follow, in which nothing is sold out."""
        self._monogram = MeasuredFont(self._theme.title_families, QFont.Weight.Bold)
        ground, letter = monogram_colors(self._theme)
        self._facts = {**self._facts, "ground": ground, "letter": letter}

    @property
    def parts(self) -> Sequence[str]:
        """Parts of the scene whose images are on the first page, and on the next one."""
        return [self._image_part(item_id) for item_id, (_, plan) in self._images.items() if plan is not None]

    def _lay_out(self) -> None:
        whole = self._listing.whole or self._listing
        if self._whole is None or self._whole[0] != whole:
            self._whole = whole, lay_out_grid(self._widget, whole, self._setting)
        layout = self._whole[1]
        if whole is not self._listing:
            layout = lay_out_grid(self._widget, self._listing, self._setting, basis=layout.basis)
        self._names = {row.item_id: row.name for section in self._listing.sections for row in section.rows}
        self._show_layout(layout)

    def _letter(self, picture: Picture, item_id: str) -> dict[str, object]:
        letter = monogram(self._names[item_id], self._locality.locale)
        return {"letter": letter, "font": self._monogram.at_size(picture.letter_size)}


def monogram(name: str, locale: str) -> str:
    """Returns the letter in place of a missing picture: the first of the item's name, with its marks."""
    for at, letter in enumerate(name):
        if letter.isalnum():
            end = at + 1
            while end < len(name) and unicodedata.category(name[end])[0] == "M":
                end += 1
            return capitals(name[at:end], locale)
    return ""
