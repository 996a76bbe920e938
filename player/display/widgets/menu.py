"""View model of a menu widget: its layout as entries keyed by item, and the page that shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import menu as menu_layout
from player.display.layout import row as row_layout
from player.display.layout.badges import describe_badges
from player.display.layout.measuring import TextMeasurers
from player.display.layout.menu import HeadingGeometry, LayoutBasis, MenuLayout, lay_out_menu
from player.display.layout.page_turns import PageTurner, ResumePages
from player.display.layout.row import RowGeometry
from player.display.layout.text_fit import fit_text
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme, hairline
from player.display.widgets.geometry import geometry
from player.domain.scene import MenuWidget
from player.domain.view import Locality, MenuListing
from player.domain.wording import page_text, sold_out_text

SOLD_OUT_STRENGTH = 0.42
HEADING_TRACKING = 0.07

ImageOf = Callable[[str, float, float], Mapping[str, object] | None]
"""How to draw an asset (hex SHA-256) in a box of this width and height; None when it cannot be drawn."""


Report = Callable[[str, str], None]
"""Report a fault of the widget: a stable code, and a sentence for people."""


class MenuFonts:
    """The fonts of one menu, and their measurers."""

    def __init__(self, theme: ResolvedTheme, *, joined_script: bool) -> None:
        weight = QFont.Weight
        self.title = MeasuredFont(theme.title_families, weight.Bold)
        # No letter spacing in a joined script.
        self.heading = MeasuredFont(
            theme.body_families, weight.Bold, tracking=0.0 if joined_script else HEADING_TRACKING
        )
        self.name = MeasuredFont(theme.body_families, weight.Medium)
        self.struck = MeasuredFont(theme.body_families, weight.Medium, struck=True)
        self.price = MeasuredFont(theme.body_families, weight.DemiBold, tabular=True)
        self.detail = MeasuredFont(theme.body_families, weight.Normal)
        self.tag = MeasuredFont(theme.body_families, weight.DemiBold)
        self.measurers = TextMeasurers(
            title=self.title,
            heading=self.heading,
            name=self.name,
            price=self.price,
            detail=self.detail,
            tag=self.tag,
        )


class MenuViewModel(QObject):
    """One menu widget. Changing its listing changes only the rows that differ."""

    layoutChanged = Signal()
    pageChanged = Signal()
    pageTurned = Signal()

    def __init__(
        self,
        widget: MenuWidget,
        *,
        theme: ResolvedTheme,
        z: int,
        locality: Locality,
        image_of: ImageOf,
        scene_id: str,
        resume_pages: ResumePages,
        report: Report,
        monotonic: Callable[[], float],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._widget = widget
        self._theme = theme
        self._fonts = MenuFonts(theme, joined_script=locality.right_to_left)
        self._locality = locality
        self._image_of = image_of
        self._with_panel = theme.panel.alpha() > 0
        self._rows = KeyedModel(self)
        self._headings = KeyedModel(self)
        self._basis: LayoutBasis | None = None
        self._listing: MenuListing | None = None
        self._layout: dict[str, object] = {}
        self._glides = False
        self._pages = 1
        self._turner = PageTurner(0.0)
        self._key = f"{scene_id}/{widget.id}"
        self._resume_pages = resume_pages
        self._report = report
        self._monotonic = monotonic
        self._on_glass = False
        self._facts: dict[str, object] = {
            **geometry(widget, z),
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            "text": theme.text,
            "secondary": theme.secondary,
            "accent": theme.accent,
            "rule": hairline(theme),
            "soldOutStrength": SOLD_OUT_STRENGTH,
        }

    def show_listing(self, listing: MenuListing, *, duration_seconds: float) -> None:
        """Show these rows from the next frame on; rows that stay keep their size and close the gaps."""
        if listing == self._listing:
            self._turner.change(self._pages, duration_seconds)
            return
        self._listing = listing
        layout = lay_out_menu(
            self._widget,
            listing,
            measurers=self._fonts.measurers,
            scale=self._theme.scale,
            with_panel=self._with_panel,
            locality=self._locality,
            sold_out=sold_out_text(self._locality.locale),
            basis=self._basis,
        )
        # Only rows that keep their size glide: growing and moving at once looks like flicker.
        self._glides = self._basis is not None and not layout.refitted
        self._basis = layout.basis
        self._layout = self._describe(layout, empty=listing.empty)
        self.layoutChanged.emit()
        self._headings.apply([(heading.key, self._heading(heading, layout)) for heading in layout.headings])
        self._rows.apply([(row.item_id, self._row(row, layout)) for row in layout.rows])
        self._pages = layout.pages
        self._turner.change(layout.pages, duration_seconds)
        self.pageChanged.emit()
        if self._on_glass:
            self._report_if_too_long()

    def set_on_glass(self, shown: bool) -> None:  # noqa: FBT001 -- a switch
        """Start or stop turning pages; the next showing begins with the page after the last one read."""
        if shown is self._on_glass:
            return
        self._on_glass = shown
        if not shown:
            self._resume_pages.save(self._key, self._turner.end(self._monotonic()))
            return
        self._turner.begin(self._monotonic(), page=self._resume_pages.page(self._key))
        self.pageChanged.emit()
        self._report_if_too_long()

    def tick(self, monotonic: float) -> None:
        """Turn the page if it is time; `monotonic` is in seconds."""
        if self._turner.turn(monotonic):
            self.pageChanged.emit()
            self.pageTurned.emit()

    def _report_if_too_long(self) -> None:
        timing = self._turner.timing
        if not timing.complete:
            self._report(
                "menu_too_long",
                f"{self._pages} pages, of which one showing has time for {timing.pages};"
                " the next one goes on from there",
            )

    def _describe(self, layout: MenuLayout, *, empty: bool) -> dict[str, object]:
        size, fonts = layout.size, self._fonts
        described: dict[str, object] = {
            "size": size,
            "glides": self._glides,
            "overflows": layout.overflows,
            "padding": layout.padding,
            "title": layout.title,
            "width": layout.width,
            "titleBaseline": layout.padding + menu_layout.TITLE_BASELINE * size,
            "titleFont": fonts.title.at_size(layout.title_size),
            "headingFont": fonts.heading.at_size(max(1, round(menu_layout.HEADING_SIZE * size))),
            "headingBaseline": menu_layout.HEADING_BASELINE * size,
            "nameFont": fonts.name.at_size(size),
            "struckFont": fonts.struck.at_size(size),
            "priceFont": fonts.price.at_size(size),
            "detailFont": fonts.detail.at_size(max(1, round(row_layout.DETAIL_SIZE * size))),
            "marksFont": fonts.tag.at_size(max(1, round(badges.LETTERS_SIZE * size))),
            "tagFont": fonts.tag.at_size(max(1, round(badges.TAG_SIZE * size))),
            "baseline": row_layout.BASELINE * size,
            "line": row_layout.LINE * size,
            "detailLine": row_layout.DETAIL_LINE * size,
            "leaderStep": row_layout.LEADER_STEP * size,
            "thumb": row_layout.THUMB_SIZE * size,
            "legend": layout.legend,
            "legendY": layout.legend_y,
            "legendBaseline": layout.legend_y + menu_layout.LEGEND_BASELINE * size,
            "pageBaseline": self._widget.box.height - layout.padding - menu_layout.PAGE_BASELINE * size,
            "pageFont": fonts.price.at_size(max(1, round(row_layout.DETAIL_SIZE * size))),
            "empty": "",
        }
        if empty and self._widget.empty_text:
            box = self._widget.box
            fitted = fit_text(
                self._widget.empty_text,
                measurer=fonts.detail,
                width=box.width - 2 * layout.padding,
                height=box.height - 2 * layout.padding,
                most=self._widget.max_text_size * self._theme.scale,
            )
            described["empty"] = "\n".join(fitted.lines)
            described["emptyFont"] = fonts.detail.at_size(fitted.size)
        return described

    def _heading(self, heading: HeadingGeometry, layout: MenuLayout) -> dict[str, object]:
        return {
            "text": heading.text,
            "page": heading.page,
            "x": heading.x,
            "y": heading.y,
            "width": heading.width,
            "height": heading.height,
            "textWidth": heading.text_width,
            "gap": 0.5 * layout.size,
        }

    def _row(self, row: RowGeometry, layout: MenuLayout) -> dict[str, object]:
        thumb = row_layout.THUMB_SIZE * layout.size
        return {
            "id": row.item_id,
            "page": row.page,
            "x": row.x,
            "y": row.y,
            "width": row.width,
            "height": row.height,
            "name": row.name,
            "nameX": row.name_x,
            "nameWidth": row.name_width,
            "price": row.price,
            "priceX": row.price_x,
            "priceWidth": row.price_width,
            "details": row.details,
            "detailsX": row.details_x,
            "detailsY": row.details_y,
            "detailsWidth": row.details_width,
            "leaderX": row.leader_x,
            "leaderWidth": row.leader_width,
            "tags": describe_badges(row.tags),
            "image": self._image_of(row.image, thumb, thumb) if row.image is not None else None,
            "soldOut": row.sold_out,
        }

    facts = qml_property("QVariantMap", lambda self: self._facts)
    """What never changes: geometry and colours."""
    layout = qml_property("QVariantMap", lambda self: self._layout, notify=layoutChanged)
    """What changes with the listing: fonts, measurements, title."""
    rows = qml_property(QObject, lambda self: self._rows)
    headings = qml_property(QObject, lambda self: self._headings)
    page = qml_property(int, lambda self: self._turner.page, notify=pageChanged)
    pages = qml_property(int, lambda self: self._pages, notify=pageChanged)
    pageText = qml_property(
        str,
        lambda self: page_text(self._turner.page + 1, self._pages, self._locality.locale),
        notify=pageChanged,
    )
