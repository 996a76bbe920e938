"""View model of a menu widget: its layout as entries keyed by item, and the page that shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import menu as menu_layout
from player.display.layout import row as row_layout
from player.display.layout.badges import describe_badges
from player.display.layout.measuring import TextMeasurers
from player.display.layout.menu import HeadingGeometry, MenuLayout, lay_out_menu
from player.display.layout.page_turns import Place, pages_to_build
from player.display.layout.placing import vertical_align
from player.display.layout.portions import Portion, portion_of
from player.display.layout.price import featured_size
from player.display.layout.row import RowGeometry
from player.display.layout.second import SECOND_BASELINE, SECOND_LINE
from player.display.layout.strikes import describe_strikes
from player.display.layout.variants import CellKind, label_size, line_size
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme, family_chain
from player.display.widgets.paged_list import ListContext, PagedList
from player.domain.documents.scene import MenuWidget
from player.domain.menu.listings import MOST_LISTED
from player.domain.view import Locality, MenuListing
from player.domain.words.wording import joined, page_text, sold_out_text

HEADING_TRACKING = 0.07

ImageOf = Callable[[str, float, float], Mapping[str, object] | None]
"""How to draw an asset (hex SHA-256) in a box of this width and height; None when it cannot be drawn."""


class MenuFonts:
    """The fonts of one menu, and their measurers."""

    def __init__(
        self, theme: ResolvedTheme, *, joined_script: bool, locale: str = "", second: Locality | None = None
    ) -> None:
        """`second` is the locality of a second language, with Han characters in its own forms."""
        weight = QFont.Weight
        self.title = MeasuredFont(theme.title_families, weight.Bold)
        # No letter spacing in a joined script.
        self.heading = MeasuredFont(
            theme.body_families, weight.Bold, tracking=0.0 if joined_script else HEADING_TRACKING
        )
        self.name = MeasuredFont(theme.body_families, weight.Medium, locale=locale)
        self.price = MeasuredFont(theme.body_families, weight.DemiBold, tabular=True)
        self.detail = MeasuredFont(theme.body_families, weight.Normal, locale=locale)
        self.tag = MeasuredFont(theme.body_families, weight.DemiBold)
        self.second = self.second_detail = self.detail
        if second is not None:
            families = family_chain(theme.body_families[0], locale=second.locale)
            self.second = MeasuredFont(families, weight.Normal, locale=second.locale)
            self.second_detail = self.second
        self.measurers = TextMeasurers(
            title=self.title,
            heading=self.heading,
            name=self.name,
            price=self.price,
            detail=self.detail,
            tag=self.tag,
            second=self.second if second is not None else None,
            second_detail=self.second_detail if second is not None else None,
        )


class MenuViewModel(PagedList):
    """One menu widget. Changing its listing changes only the rows that differ."""

    _widget: MenuWidget

    def __init__(self, widget: MenuWidget, context: ListContext, *, image_of: ImageOf, parent: QObject) -> None:
        super().__init__(widget, context, parent=parent)
        locality = self._locality
        self._second = self._localities[1] if len(self._localities) > 1 else None
        self._fonts = MenuFonts(
            self._theme, joined_script=locality.right_to_left, locale=locality.locale, second=self._second
        )
        self._image_of = image_of
        self._with_panel = self._theme.panel.alpha() > 0
        self._rows = KeyedModel(self)
        self._headings = KeyedModel(self)
        self._most_letters = 0
        self._portion: Portion | None = None
        self._laid_out: MenuLayout | None = None
        self._rows_of_page: Sequence[int] = ()
        self._built: tuple[MenuLayout, frozenset[int]] | None = None
        self._align = vertical_align(widget, context.scene)

    def show_listing(self, listing: MenuListing, *, most_letters: int, duration_seconds: float) -> None:
        """Show these rows from the next frame on; rows that stay keep their size and close the gaps. Of a list with
        more than `most_letters` letters, only the portion that shows is laid out."""
        self._duration = duration_seconds
        if listing == self._listing and most_letters == self._most_letters:
            self._turn_within_showing()
            return
        self._listing, self._most_letters = listing, most_letters
        self._lay_out()
        if self._on_glass:
            self._report_if_too_long()
        self._report_if_cut()

    def _lay_out(self) -> None:
        """Lay out the portion in which the page is."""
        listing, before, place = self._listing, self._portion, self._turner.place
        same = before is not None and before.first == place.first
        kept = frozenset(row.item_id for row in self._laid_out.rows) if self._laid_out is not None and same else ()
        portion = portion_of(listing, most=self._most_letters, first=place.first, kept=kept)
        layout = lay_out_menu(
            self._widget,
            portion.listing,
            measurers=self._fonts.measurers,
            scale=self._theme.scale,
            with_panel=self._with_panel,
            locality=self._locality,
            second=self._second,
            sold_out=joined(sold_out_text(one.locale) for one in self._localities),
            basis=self._laid_out.basis if self._laid_out is not None and same else None,
            is_portion=not portion.is_whole,
            align=self._align,
        )
        # Only rows that keep their size glide: growing and moving at once looks like flicker.
        self._glides = self._laid_out is not None and not layout.refitted
        self._were_there = self._keys() if self._glides else frozenset()
        self._portion, self._laid_out = portion, layout
        self._layout = self._describe(layout)
        self._rows_of_page = [0] * layout.pages
        for row in layout.rows:
            self._rows_of_page[row.page] += 1
        self._turn_within_showing()
        self.layoutChanged.emit()
        self._build_pages()
        self.pageChanged.emit()

    def _keys(self) -> frozenset[str]:
        """Of the rows and headings that are laid out."""
        layout = self._laid_out
        if layout is None:
            return frozenset()
        return frozenset((*(row.item_id for row in layout.rows), *(heading.key for heading in layout.headings)))

    def _turn_within_showing(self) -> None:
        portion, pages = self._portion, self._laid_out.pages if self._laid_out is not None else 1
        if portion is None or portion.is_whole:
            self._all_pages = pages
            self._turner.change(self._duration, pages=pages)
            return
        self._all_pages = math.ceil(pages * portion.total / (portion.stop - portion.first))
        self._turner.change(
            self._duration,
            pages=pages,
            all_pages=self._all_pages,
            portion=portion.first,
            next_portion=portion.stop if portion.stop < portion.total else None,
        )

    def _go_to(self, place: Place) -> None:
        """Show this page, from another portion of the list if need be."""
        self._turner.place = place
        if self._portion is not None and place.first != self._portion.first:
            self._lay_out()
            return
        self._turn_within_showing()
        if not self._on_glass or self._built is None or self._turner.place.page not in self._built[1]:
            self._build_pages()
        self.pageChanged.emit()

    def _build_pages(self) -> None:
        """Give QML the rows of the page that shows, and of the next one."""
        layout = self._laid_out
        if layout is None:
            return
        pages = pages_to_build(self._rows_of_page, self._turner.place.page)
        if (layout, pages) == self._built:
            return
        self._built = layout, pages
        self._headings.apply(
            [(heading.key, self._heading(heading, layout)) for heading in layout.headings if heading.page in pages]
        )
        self._rows.apply([(row.item_id, self._row(row, layout)) for row in layout.rows if row.page in pages])

    def _report_if_cut(self) -> None:
        layout = self._laid_out
        self._report_cut(
            "menu_cut",
            layout.cut if layout is not None else (),
            legend=layout is not None and layout.legend_cut,
            advice="although its letters are as small as it allows: make it higher or wider, or the text shorter",
        )

    def _report_if_too_long(self) -> None:
        left_out = self._listing.left_out
        self._report_pages(
            left_out=f"{left_out} of its items are left out: the menus of a scene list at most {MOST_LISTED:,} together"
            if left_out
            else "",
            about=self._portion is not None and not self._portion.is_whole,
        )

    def _describe(self, layout: MenuLayout) -> dict[str, object]:
        size, fonts = layout.size, self._fonts
        return {
            "size": size,
            "glides": self._glides,
            "overflows": layout.overflows,
            "badgeSize": layout.badge_size,
            "padding": layout.padding,
            "title": layout.title,
            "width": layout.width,
            "left": layout.left,
            "titleBaseline": layout.top + menu_layout.TITLE_BASELINE * size,
            "titleFont": fonts.title.at_size(layout.title_size),
            "headingFont": fonts.heading.at_size(max(1, round(menu_layout.HEADING_SIZE * size))),
            "labelFont": fonts.heading.at_size(label_size(size, layout.detail_size)),
            "headingBaseline": menu_layout.HEADING_BASELINE * size,
            "plain": self._fonts_of_rows(layout, size),
            "featured": self._fonts_of_rows(layout, featured_size(size)),
            "detailFont": fonts.detail.at_size(layout.detail_size),
            "marksFont": fonts.tag.at_size(max(1, round(badges.LETTERS_SIZE * layout.badge_size))),
            "tagFont": fonts.tag.at_size(max(1, round(badges.TAG_SIZE * layout.badge_size))),
            "line": row_layout.LINE * size,
            "detailLine": row_layout.DETAIL_LINE * layout.detail_size,
            "leaderStep": row_layout.LEADER_STEP * size,
            "thumb": row_layout.THUMB_SIZE * size,
            "secondFont": fonts.second.at_size(layout.second_size),
            "secondDetailFont": fonts.second_detail.at_size(layout.detail_size),
            "secondLine": SECOND_LINE * layout.second_size,
            "secondBaseline": SECOND_BASELINE * layout.second_size,
            "pageBaseline": self._widget.box.height - layout.padding - menu_layout.PAGE_BASELINE * size,
            "pageFont": fonts.price.at_size(layout.detail_size),
            **self._describe_foot(layout.foot, fonts.detail),
            **self._describe_empty(fonts.detail, layout.padding),
        }

    def _fonts_of_rows(self, layout: MenuLayout, name_size: int) -> dict[str, object]:
        """The fonts of rows with names of this size."""
        fonts = self._fonts
        return {
            "name": fonts.name.at_size(name_size),
            "price": fonts.price.at_size(name_size),
            "cells": self._cell_fonts(layout.size, layout.detail_size, name_size),
            "line": row_layout.LINE * name_size,
        }

    def _cell_fonts(self, size: int, detail: int, name_size: int) -> dict[str, QFont]:
        """The font of each kind of cell."""
        fonts, line, price_line = self._fonts, line_size(size, detail), line_size(name_size, detail)
        return {
            CellKind.PRICE.value: fonts.price.at_size(size),
            CellKind.STRUCK.value: fonts.price.at_size(size),
            CellKind.NONE.value: fonts.price.at_size(size),
            CellKind.LINE_NAME.value: fonts.name.at_size(line),
            CellKind.LINE_STRUCK_NAME.value: fonts.name.at_size(line),
            CellKind.LINE_PRICE.value: fonts.price.at_size(line),
            CellKind.LINE_STRUCK.value: fonts.price.at_size(line),
            CellKind.REGULAR.value: fonts.price.at_size(price_line),
            CellKind.OFFER.value: fonts.price.at_size(size),
            CellKind.LINE_OFFER.value: fonts.price.at_size(line),
            CellKind.VARIANT_REGULAR.value: fonts.price.at_size(detail),
            CellKind.SAVING.value: fonts.price.at_size(detail),
            CellKind.PRICE_WORD.value: fonts.detail.at_size(detail),
            CellKind.PRICE_IN_WORDS.value: fonts.price.at_size(price_line),
            CellKind.ENERGY.value: fonts.detail.at_size(detail),
            CellKind.LARGE_ENERGY.value: fonts.price.at_size(size),
        }

    def _heading(self, heading: HeadingGeometry, layout: MenuLayout) -> dict[str, object]:
        return {
            "text": heading.text,
            "page": heading.page,
            "arrives": self._glides and heading.key not in self._were_there,
            "x": heading.x,
            "y": heading.y,
            "width": heading.width,
            "height": heading.height,
            "ruleX": heading.rule_x,
            "ruleWidth": heading.rule_width,
            "labels": [{"text": label.text, "x": label.x, "width": label.width} for label in heading.labels],
            "labelsY": heading.labels_y,
        }

    def _row(self, row: RowGeometry, layout: MenuLayout) -> dict[str, object]:
        thumb = row_layout.THUMB_SIZE * layout.size
        return {
            "id": row.item_id,
            "page": row.page,
            "arrives": self._glides and row.item_id not in self._were_there,
            "x": row.x,
            "y": row.y,
            "width": row.width,
            "height": row.height,
            "featured": row.featured,
            "baseline": row.baseline,
            "name": row.name,
            "nameX": row.name_x,
            "nameWidth": row.name_width,
            "price": row.price,
            "priceX": row.price_x,
            "onOffer": any(cell.kind is CellKind.REGULAR for cell in row.cells),
            "priceWidth": row.price_width,
            "cells": [
                {"kind": cell.kind.value, "text": cell.text, "x": cell.x, "y": cell.y, "width": cell.width}
                for cell in row.cells
            ],
            "strikes": describe_strikes(row.strikes),
            "details": row.details,
            "detailsX": row.details_x,
            "detailsY": row.details_y,
            "detailsWidth": row.details_width,
            "second": row.second,
            "secondY": row.second_y,
            "secondDetails": row.second_details,
            "secondDetailsY": row.second_details_y,
            "leaderX": row.leader_x,
            "leaderWidth": row.leader_width,
            "tags": describe_badges(row.tags),
            "image": self._image_of(row.image, thumb, thumb) if row.image is not None else None,
            "soldOut": row.sold_out,
        }

    def _page_text(self) -> str:
        place, whole = self._turner.place, self._portion is None or self._portion.is_whole
        # How many pages all portions have is not known before they have been laid out.
        return page_text(place.pages_before + place.page + 1, self._all_pages if whole else None, self._locality.locale)

    rows = qml_property(QObject, lambda self: self._rows)
    headings = qml_property(QObject, lambda self: self._headings)
