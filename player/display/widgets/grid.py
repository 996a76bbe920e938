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
from player.display.layout.foot import LEGEND_BASELINE
from player.display.layout.grid import CardGeometry, GridLayout, PricePart, lay_out_grid
from player.display.layout.icon_legend import describe_icon_legend
from player.display.layout.page_turns import Place, ResumePages, pages_to_build
from player.display.layout.strikes import describe_strikes
from player.display.layout.text_fit import fit_text
from player.display.layout.variants import line_size
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme, hairline, monogram_colors
from player.display.widgets.geometry import geometry
from player.display.widgets.menu import SOLD_OUT_STRENGTH, MenuFonts
from player.display.widgets.paged_list import PagedList, Report, Withdraw
from player.domain.energy import is_declared_large
from player.domain.menu import MOST_CARDS
from player.domain.scene import GridWidget
from player.domain.view import Locality, MenuListing
from player.domain.wording import capitals, joined, page_text, sold_out_text

ImageOf = Callable[[str, str, float, float], Mapping[str, object] | None]
"""How to draw, as this part of the scene, an asset (hex SHA-256) in a box of this width and height; None when it cannot
be drawn."""


class GridViewModel(PagedList):
    """One grid widget. Changing its listing changes only the cards that differ."""

    def __init__(
        self,
        widget: GridWidget,
        *,
        theme: ResolvedTheme,
        z: int,
        localities: Sequence[Locality],
        image_of: ImageOf,
        free: Callable[[str], None],
        scene_id: str,
        resume_pages: ResumePages,
        report: Report,
        withdraw: Withdraw,
        monotonic: Callable[[], float],
        parent: QObject,
    ) -> None:
        locality = localities[0]
        super().__init__(
            # Each language goes through its pages by itself.
            f"{scene_id}/{widget.id}/{locality.locale}",
            resume_pages=resume_pages,
            report=report,
            withdraw=withdraw,
            monotonic=monotonic,
            parent=parent,
        )
        self._widget = widget
        self._theme = theme
        self._locality, self._localities = locality, localities
        self._image_of, self._free = image_of, free
        self._fonts = MenuFonts(theme, joined_script=locality.right_to_left, locale=locality.locale)
        self._monogram = MeasuredFont(theme.title_families, QFont.Weight.Bold)
        self._cards = KeyedModel(self)
        self._listing = MenuListing(sections=())
        self._duration = 0.0
        self._laid_out: GridLayout | None = None
        self._cards_of_page: Sequence[int] = ()
        self._built: tuple[GridLayout, frozenset[int]] | None = None
        self._images: dict[str, tuple[object, Mapping[str, object] | None]] = {}
        """By item, what was planned for its image."""
        self._glides = False
        self._were_there: frozenset[str] = frozenset()
        ground, letter = monogram_colors(theme)
        self._facts: dict[str, object] = {
            **geometry(widget, z),
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            "text": theme.text,
            "secondary": theme.secondary,
            "accent": theme.accent,
            "rule": hairline(theme),
            "ground": ground,
            "letter": letter,
            "soldOutStrength": SOLD_OUT_STRENGTH,
        }

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
        self._layout = self._describe(layout, empty=self._listing.empty)
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

    def _describe(self, layout: GridLayout, *, empty: bool) -> dict[str, object]:
        size, fonts, foot, picture = layout.size, self._fonts, layout.foot, layout.picture
        line = line_size(size, layout.detail_size)
        price = fonts.price.at_size(max(1, round(grid_layout.PRICE_SIZE * size)))
        shorter = min(picture.width, picture.height) if picture is not None else 0.0
        described: dict[str, object] = {
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
            "note": layout.note,
            "noteFont": fonts.detail.at_size(foot.note_size),
            "noteLine": row_layout.DETAIL_LINE * foot.note_size,
            "noteBaseline": layout.foot_y + foot.icons.height + LEGEND_BASELINE * foot.note_size,
            "largeEnergy": is_declared_large(self._locality.law),
            "legend": layout.legend,
            "legendLine": row_layout.DETAIL_LINE * foot.legend_size,
            "legendBaseline": layout.foot_y + foot.icons.height + foot.note_height + LEGEND_BASELINE * foot.legend_size,
            "icons": describe_icon_legend(layout.icons),
            "legendFont": fonts.detail.at_size(foot.legend_size),
            "footY": layout.foot_y,
            "pageBaseline": self._widget.box.height - grid_layout.PAGE_BASELINE * size,
            "pageFont": fonts.price.at_size(layout.detail_size),
            "empty": "",
        }
        if empty and self._widget.empty_text:
            box = self._widget.box
            most = self._widget.max_text_size * self._theme.scale
            fitted = fit_text(
                self._widget.empty_text, measurer=fonts.detail, width=box.width, height=box.height, most=most
            )
            described["empty"] = "\n".join(fitted.lines)
            described["emptyFont"] = fonts.detail.at_size(fitted.size)
        return described

    def _page_text(self) -> str:
        return page_text(self._turner.place.page + 1, self._all_pages, self._locality.locale)

    facts = qml_property("QVariantMap", lambda self: self._facts)
    """What never changes: geometry and colours."""
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
