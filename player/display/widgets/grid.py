"""View model of a grid widget: its cards keyed by item, and the page that shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import grid as grid_layout
from player.display.layout import row as row_layout
from player.display.layout.badges import describe_badges
from player.display.layout.grid import CardGeometry, GridLayout, PricePart, lay_out_grid
from player.display.layout.page_turns import Place, pages_to_build
from player.display.layout.strikes import describe_strikes
from player.display.layout.variants import line_size
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, monogram_colors
from player.display.widgets.menu import MenuFonts
from player.display.widgets.paged_list import ListContext, PagedList
from player.domain.documents.scene import GridWidget
from player.domain.menu.listings import MOST_CARDS
from player.domain.view import MenuListing
from player.domain.words.wording import capitals, joined, page_text, sold_out_text

ImageOf = Callable[[str, str, float, float], Mapping[str, object] | None]
"""How to draw, as this part of the scene, an asset (hex SHA-256) in a box of this width and height; None when it cannot
be drawn."""


class GridViewModel(PagedList):
    """One grid widget. Changing its listing changes only the cards that differ."""

    _widget: GridWidget

    def __init__(
        self,
        widget: GridWidget,
        context: ListContext,
        *,
        image_of: ImageOf,
        free: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(widget, context, parent=parent)
        theme, locality = self._theme, self._locality
        self._image_of, self._free = image_of, free
        self._fonts = MenuFonts(theme, joined_script=locality.right_to_left, locale=locality.locale)
        self._monogram = MeasuredFont(theme.title_families, QFont.Weight.Bold)
        self._cards = KeyedModel(self)
        self._laid_out: GridLayout | None = None
        self._cards_of_page: Sequence[int] = ()
        self._built: tuple[GridLayout, frozenset[int]] | None = None
        self._images: dict[str, tuple[object, Mapping[str, object] | None]] = {}
        """By item, what was planned for its image."""
        ground, letter = monogram_colors(theme)
        self._facts |= {"ground": ground, "letter": letter}

    @property
    def images(self) -> Sequence[str]:
        """The parts of the scene whose images the first page has, and the next one."""
        return [self._part(item_id) for item_id, (_, plan) in self._images.items() if plan is not None]

    def show_listing(self, listing: MenuListing, *, duration_seconds: float) -> None:
        """Show these cards from the next frame on; cards that stay keep their size and close the gaps."""
        self._duration = duration_seconds
        if listing == self._listing and self._laid_out is not None:
            self._turner.change(self._duration, pages=self._all_pages)
            return
        self._listing = listing
        self._lay_out()
        if self._on_glass:
            self._report_if_too_long()
        layout = self._laid_out
        self._report_cut(
            "grid_cut",
            layout.cut if layout is not None else (),
            legend=layout is not None and layout.legend_cut,
            advice="although its letters are as small as it allows: make it larger, or its texts shorter",
        )

    def _lay_out(self) -> None:
        before = self._laid_out
        layout = lay_out_grid(
            self._widget,
            self._listing,
            measurers=self._fonts.measurers,
            scale=self._theme.scale,
            with_panel=self._theme.panel.alpha() > 0,
            locality=self._locality,
            sold_out=joined(sold_out_text(one.locale) for one in self._localities),
            basis=before.basis if before is not None else None,
        )
        self._glides = before is not None and not layout.refitted
        self._were_there = frozenset(card.item_id for card in before.cards) if before and self._glides else frozenset()
        self._laid_out, self._all_pages = layout, layout.pages
        self._layout = self._describe(layout)
        self._cards_of_page = [0] * layout.pages
        for card in layout.cards:
            self._cards_of_page[card.page] += 1
        self._turner.change(self._duration, pages=layout.pages)
        self.layoutChanged.emit()
        self._build_pages()
        self.pageChanged.emit()

    def _go_to(self, place: Place) -> None:
        self._turner.place = place
        self._turner.change(self._duration, pages=self._all_pages)
        if not self._on_glass or self._built is None or self._turner.place.page not in self._built[1]:
            self._build_pages()
        self.pageChanged.emit()

    def _build_pages(self) -> None:
        layout = self._laid_out
        if layout is None:
            return
        pages = pages_to_build(self._cards_of_page, self._turner.place.page)
        if (layout, pages) == self._built:
            return
        self._built = layout, pages
        built = [card for card in layout.cards if card.page in pages]
        for item_id in self._images.keys() - {card.item_id for card in built}:
            del self._images[item_id]
            self._free(self._part(item_id))
        names = {row.item_id: row.name for section in self._listing.sections for row in section.rows}
        self._cards.apply([(card.item_id, self._card(card, names[card.item_id], layout)) for card in built])

    def _report_if_too_long(self) -> None:
        left_out = self._listing.left_out
        self._report_pages(
            left_out=f"{left_out} of its items are left out: a grid has at most {MOST_CARDS} cards" if left_out else ""
        )

    def _part(self, item_id: str) -> str:
        return f"{self._widget.id}/{item_id}"

    def _image(self, card: CardGeometry, layout: GridLayout) -> Mapping[str, object] | None:
        if card.image is None or layout.picture is None:
            return None
        key = (card.image, layout.picture.width, layout.picture.height)
        planned = self._images.get(card.item_id)
        if planned is None or planned[0] != key:
            self._images[card.item_id] = planned = key, self._image_of(self._part(card.item_id), *key)
        return planned[1]

    def _card(self, card: CardGeometry, name: str, layout: GridLayout) -> dict[str, object]:
        return {
            "id": card.item_id,
            "part": self._part(card.item_id),
            "page": card.page,
            "arrives": self._glides and card.item_id not in self._were_there,
            "x": card.x,
            "y": card.y,
            "name": card.name,
            "details": card.details,
            "detailsY": card.details_y,
            "tags": describe_badges(card.tags),
            "prices": [{"kind": cell.kind.value, "text": cell.text, "x": cell.x, "y": cell.y} for cell in card.prices],
            "strikes": describe_strikes(card.strikes),
            "image": self._image(card, layout),
            "monogram": monogram(name, self._locality.locale),
            "soldOut": card.sold_out,
        }

    def _describe(self, layout: GridLayout) -> dict[str, object]:
        size, fonts, picture = layout.size, self._fonts, layout.picture
        line = line_size(size, layout.detail_size)
        price = fonts.price.at_size(max(1, round(grid_layout.PRICE_SIZE * size)))
        shorter = min(picture.width, picture.height) if picture is not None else 0.0
        return {
            "size": size,
            "glides": self._glides,
            "overflows": layout.overflows,
            "badgeSize": layout.badge_size,
            "left": layout.left,
            "width": layout.width,
            "cardWidth": layout.card_width,
            "cardHeight": layout.card_height,
            "hasPictures": picture is not None,
            "pictureX": picture.x if picture is not None else 0.0,
            "pictureY": picture.y if picture is not None else 0.0,
            "pictureWidth": picture.width if picture is not None else 0.0,
            "pictureHeight": picture.height if picture is not None else 0.0,
            "monogramFont": self._monogram.at_size(max(1, round(grid_layout.MONOGRAM_SIZE * shorter))),
            "ruled": layout.ruled,
            "textX": layout.text_x,
            "textWidth": layout.text_width,
            "nameBaseline": layout.name_y + grid_layout.BASELINE * size,
            "line": grid_layout.LINE * size,
            "detailLine": row_layout.DETAIL_LINE * layout.detail_size,
            "detailBaseline": row_layout.DETAIL_BASELINE * row_layout.DETAIL_LINE * layout.detail_size,
            "nameFont": fonts.name.at_size(size),
            "detailFont": fonts.detail.at_size(layout.detail_size),
            "priceFonts": {
                PricePart.PRICE.value: price,
                PricePart.PRICE_IN_WORDS.value: fonts.price.at_size(line),
                PricePart.WORD.value: fonts.detail.at_size(layout.detail_size),
                PricePart.SAVING.value: fonts.price.at_size(layout.detail_size),
                PricePart.REGULAR.value: fonts.price.at_size(line),
                PricePart.VARIANT_REGULAR.value: fonts.price.at_size(layout.detail_size),
                PricePart.VARIANT_NAME.value: fonts.name.at_size(line),
                PricePart.VARIANT_PRICE.value: fonts.price.at_size(line),
                PricePart.STRUCK_NAME.value: fonts.name.at_size(line),
                PricePart.STRUCK_PRICE.value: fonts.price.at_size(line),
            },
            "marksFont": fonts.tag.at_size(max(1, round(badges.LETTERS_SIZE * layout.badge_size))),
            "tagFont": fonts.tag.at_size(max(1, round(badges.TAG_SIZE * layout.badge_size))),
            "pageBaseline": self._widget.box.height - grid_layout.PAGE_BASELINE * size,
            "pageFont": fonts.price.at_size(layout.detail_size),
            **self._describe_foot(layout.foot, fonts.detail),
            **self._describe_empty(fonts.detail),
        }

    def _page_text(self) -> str:
        return page_text(self._turner.place.page + 1, self._all_pages, self._locality.locale)

    cards = qml_property(QObject, lambda self: self._cards)


def monogram(name: str, locale: str) -> str:
    """The letter that stands for an item without a picture: the first of its name, with its marks."""
    for at, letter in enumerate(name):
        if letter.isalnum():
            end = at + 1
            while end < len(name) and unicodedata.category(name[end])[0] == "M":
                end += 1
            return capitals(name[at:end], locale)
    return ""
