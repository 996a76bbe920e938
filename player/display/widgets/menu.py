"""Owns a menu widget as QML sees it: the plan as entries keyed by item, and the page that shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import menu as menu_plan
from player.display.layout import row as menu_row
from player.display.layout.badges import describe_badges
from player.display.layout.measuring import TextMeasurers
from player.display.layout.menu import HeadingGeometry, Kept, MenuLayout, plan_menu
from player.display.layout.page_turns import Bookmarks, PageTurner
from player.display.layout.row import RowGeometry
from player.display.layout.text_fit import fit_text
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import FontFace, ResolvedTheme, hairline
from player.display.widgets.geometry import geometry
from player.domain.scene import MenuWidget
from player.domain.view import Locality, MenuListing
from player.domain.wording import page_text, sold_out_text

SOLD_OUT_STRENGTH = 0.42
HEADING_TRACKING = 0.07

ImageOf = Callable[[str, float, float], Mapping[str, object] | None]
"""How to draw an asset (hex SHA-256) in a box of so many canvas units; None when it cannot be drawn."""


Report = Callable[[str, str], None]
"""Say what is wrong with the widget: a stable code, and words for people."""


class MenuFaces:
    """The faces of one menu, and the rulers on them."""

    def __init__(self, theme: ResolvedTheme, *, joined_script: bool) -> None:
        weight = QFont.Weight
        self.title = FontFace(theme.title_families, weight.Bold)
        # Letters of a joined script must not be drawn apart.
        self.heading = FontFace(theme.body_families, weight.Bold, tracking=0.0 if joined_script else HEADING_TRACKING)
        self.name = FontFace(theme.body_families, weight.Medium)
        self.struck = FontFace(theme.body_families, weight.Medium, struck=True)
        self.price = FontFace(theme.body_families, weight.DemiBold, tabular=True)
        self.detail = FontFace(theme.body_families, weight.Normal)
        self.tag = FontFace(theme.body_families, weight.DemiBold)
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

    settingChanged = Signal()
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
        bookmarks: Bookmarks,
        report: Report,
        monotonic: Callable[[], float],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._widget = widget
        self._theme = theme
        self._faces = MenuFaces(theme, joined_script=locality.right_to_left)
        self._locality = locality
        self._image_of = image_of
        self._panelled = theme.panel.alpha() > 0
        self._rows = KeyedModel(self)
        self._headings = KeyedModel(self)
        self._kept: Kept | None = None
        self._listing: MenuListing | None = None
        self._setting: dict[str, object] = {}
        self._glides = False
        self._pages = 1
        self._turner = PageTurner(0.0)
        self._name = f"{scene_id}/{widget.id}"
        self._bookmarks = bookmarks
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
        """Show these rows from the next frame on; those that stay keep their size, and close ranks."""
        if listing == self._listing:
            self._turner.change(self._pages, duration_seconds)
            return
        self._listing = listing
        plan = plan_menu(
            self._widget,
            listing,
            measurers=self._faces.measurers,
            scale=self._theme.scale,
            panelled=self._panelled,
            locality=self._locality,
            sold_out=sold_out_text(self._locality.locale),
            kept=self._kept,
        )
        # Only rows that keep their size glide: growing and moving at once reads as a flicker.
        self._glides = self._kept is not None and not plan.refitted
        self._kept = plan.kept
        self._setting = self._describe(plan, empty=listing.empty)
        self.settingChanged.emit()
        self._headings.apply([(heading.key, self._heading(heading, plan)) for heading in plan.headings])
        self._rows.apply([(row.item_id, self._row(row, plan)) for row in plan.rows])
        self._pages = plan.pages
        self._turner.change(plan.pages, duration_seconds)
        self.pageChanged.emit()
        if self._on_glass:
            self._mind_time()

    def set_on_glass(self, shown: bool) -> None:  # noqa: FBT001 -- a switch is what it is
        """Pages turn only while someone can see them; the next showing goes on where this one ends."""
        if shown is self._on_glass:
            return
        self._on_glass = shown
        if not shown:
            self._bookmarks.keep(self._name, self._turner.end(self._monotonic()))
            return
        self._turner.begin(self._monotonic(), page=self._bookmarks.page(self._name))
        self.pageChanged.emit()
        self._mind_time()

    def tick(self, monotonic: float) -> None:
        """Time has passed, in seconds: turn the page if it has been read."""
        if self._turner.turn(monotonic):
            self.pageChanged.emit()
            self.pageTurned.emit()

    def _mind_time(self) -> None:
        pace = self._turner.pace
        if not pace.complete:
            self._report(
                "menu_too_long",
                f"{self._pages} pages, of which one showing has time for {pace.pages}; the next one goes on from there",
            )

    def _describe(self, plan: MenuLayout, *, empty: bool) -> dict[str, object]:
        size, faces = plan.size, self._faces
        described: dict[str, object] = {
            "size": size,
            "glides": self._glides,
            "overflows": plan.overflows,
            "padding": plan.padding,
            "title": plan.title,
            "width": plan.width,
            "titleBaseline": plan.padding + menu_plan.TITLE_BASELINE * size,
            "titleFont": faces.title.font(plan.title_size),
            "headingFont": faces.heading.font(max(1, round(menu_plan.HEADING_SIZE * size))),
            "headingBaseline": menu_plan.HEADING_BASELINE * size,
            "nameFont": faces.name.font(size),
            "struckFont": faces.struck.font(size),
            "priceFont": faces.price.font(size),
            "detailFont": faces.detail.font(max(1, round(menu_row.DETAIL_SIZE * size))),
            "marksFont": faces.tag.font(max(1, round(badges.LETTERS_SIZE * size))),
            "tagFont": faces.tag.font(max(1, round(badges.TAG_SIZE * size))),
            "baseline": menu_row.BASELINE * size,
            "line": menu_row.LINE * size,
            "detailLine": menu_row.DETAIL_LINE * size,
            "leaderStep": menu_row.LEADER_STEP * size,
            "thumb": menu_row.THUMB_SIZE * size,
            "legend": plan.legend,
            "legendY": plan.legend_y,
            "legendBaseline": plan.legend_y + menu_plan.LEGEND_BASELINE * size,
            "pageBaseline": self._widget.box.height - plan.padding - menu_plan.PAGE_BASELINE * size,
            "pageFont": faces.price.font(max(1, round(menu_row.DETAIL_SIZE * size))),
            "empty": "",
        }
        if empty and self._widget.empty_text:
            box = self._widget.box
            fitted = fit_text(
                self._widget.empty_text,
                measurer=faces.detail,
                width=box.width - 2 * plan.padding,
                height=box.height - 2 * plan.padding,
                most=self._widget.max_text_size * self._theme.scale,
            )
            described["empty"] = "\n".join(fitted.lines)
            described["emptyFont"] = faces.detail.font(fitted.size)
        return described

    def _heading(self, heading: HeadingGeometry, plan: MenuLayout) -> dict[str, object]:
        return {
            "text": heading.text,
            "page": heading.page,
            "x": heading.x,
            "y": heading.y,
            "width": heading.width,
            "height": heading.height,
            "textWidth": heading.text_width,
            "gap": 0.5 * plan.size,
        }

    def _row(self, row: RowGeometry, plan: MenuLayout) -> dict[str, object]:
        thumb = menu_row.THUMB_SIZE * plan.size
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
    """What never changes: place and colours."""
    setting = qml_property("QVariantMap", lambda self: self._setting, notify=settingChanged)
    """How it is set in type now: fonts, measures, title."""
    rows = qml_property(QObject, lambda self: self._rows)
    headings = qml_property(QObject, lambda self: self._headings)
    page = qml_property(int, lambda self: self._turner.page, notify=pageChanged)
    pages = qml_property(int, lambda self: self._pages, notify=pageChanged)
    pageText = qml_property(
        str,
        lambda self: page_text(self._turner.page + 1, self._pages, self._locality.locale),
        notify=pageChanged,
    )
