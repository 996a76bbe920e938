"""View model of a list: its entries for QML, the current page, page turns, and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import asdict, replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from menu.documents.scene import ListWidget
from menu.text.languages import MOST_NAMED
from menu.text.phrase import phrase
from menu.text.wording import joined, page_text, sold_out_text
from player.display.layout.entry import Entry, ListLayout, Picture
from player.display.layout.page_turns import PageTurner
from player.display.layout.setting import Setting
from player.display.layout.shares import within_share
from player.display.layout.text.text_fit import fit_text
from player.display.media.tag_icons import ICON_COLORS, drawing_of
from player.display.qt.keyed_model import KeyedModel
from player.display.qt.typed import qml_property, slot
from player.display.typography.contrast import (
    LARGE_SHARE,
    TEXT_COLORS,
    backdrops,
    inks,
    known_panel,
    on_panel,
    readable,
    readable_theme,
)
from player.display.typography.theme import MeasuredFont, color
from player.display.widgets.typeset import Fonts, describe_typeset
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel, geometry
from player.domain.view import MenuListing, SceneView

EMPTY = MenuListing(sections=())


class PagedList(WidgetViewModel):
    """Pages of one widget; a list of one page never turns it."""

    file_name = "ListWidget.qml"
    in_panel = True
    inks = TEXT_COLORS
    _widget: ListWidget
    _advice: str
    """Against text that does not fit."""
    _left_out: str
    """The bound because of which items are left out."""

    layoutChanged = Signal()
    pageChanged = Signal()
    pageTurned = Signal(int)
    """From which page."""

    def __init__(self, widget: ListWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        theme, locality = context.theme, context.localities[0]
        self._widget, self._theme = widget, theme
        self._locality = locality
        # Each language goes through its pages by itself.
        self._key = f"{context.view.scene.id}/{widget.id}/{locality.locale}"
        self._resume_pages = context.resources.resume_pages
        self._view, self._now, self._monotonic = context.view, context.resources.now, context.resources.monotonic
        self._turner = PageTurner(self._resume_pages.page(self._key))
        self._on_glass = False
        self._listing = EMPTY
        self._duration = 0.0
        self._glides = False
        self._were_there: frozenset[str] = frozenset()
        self._layout: dict[str, object] = {}
        self._laid_out: ListLayout | None = None
        self._built: tuple[ListLayout, frozenset[int]] | None = None
        self._entries = KeyedModel(self)
        self._images: dict[str, tuple[object, Mapping[str, object] | None]] = {}
        """By item, what was planned for its image."""
        self._padding = 0.0
        """Between the widget's edge and its text."""
        second = context.localities[1] if len(context.localities) > 1 else None
        self._fonts = Fonts(theme, locality, second)
        self._setting = Setting(
            measurers=self._fonts.measurers,
            locality=locality,
            second=second,
            sold_out=joined(sold_out_text(one.locale) for one in context.localities),
            scale=theme.scale,
            with_panel=theme.panel.alpha() > 0,
            heading_style=theme.heading_style,
            heading_size=theme.heading_size,
            large=LARGE_SHARE * min(context.view.scene.width, context.view.scene.height),
        )
        self._facts = {
            **geometry(widget),
            "kind": self.kind,
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            **inks(theme),
            "soldOutStrength": 0.42,
            "featured": theme.featured,
        }
        self._behind = backdrops(context.view.scene, widget, theme.panel)
        self._behind_featured = known_panel(theme.featured, self._behind)
        on_featured = on_panel(theme, theme.featured, self._behind)
        self._on_featured = {**self._facts, **inks(on_featured)} if theme.featured.alpha() else None

    def update(self, view: SceneView, shares: Shares) -> None:
        """Shows its list from the next frame on; unchanged entries keep their size and close the gaps. Items beyond its
        share of the scene's letters are left out."""
        self._view = view
        listing = within_share(view.menus.get(self.part, EMPTY), shares.menu)
        self._duration = view.duration_seconds
        if listing == self._listing and self._laid_out is not None:
            self._turn_within_showing()
        else:
            self._listing = listing
            self._lay_out()
        if self.part in view.menus:
            self._report_names([row for section in listing.sections for row in section.rows])
            nothing = "" if listing.sections else phrase("no item of this menu can be had")
            self._report_if(self.part, "menu_empty", nothing)

    def enter_phase(self, *, seen: bool, on_glass: bool, plays: bool) -> None:
        """Starts or stops turning pages; the next showing begins with the page after the last one read."""
        del plays
        if seen is not self._on_glass:
            self._on_glass = seen
            if seen:
                self._prepare()
                self._turner.begin(self._monotonic())
                self._report_if_too_long()
            else:
                self._resume_pages.save(self._key, self._turner.end(self._monotonic()))
        if not on_glass:
            self._prepare()

    def _prepare(self) -> None:
        """Goes to the page with which the next showing begins."""
        moved = self._view.moved_for(max(self._now(), self._view.started_at))
        page = self._resume_pages.page(self._key) if moved is None else self._turner.page_at(moved)
        if page != self._turner.page:
            self._go_to(page)

    def tick(self) -> None:
        before, moved = self._turner.page, self._view.moved_for(self._now())
        if self._turner.turn(self._monotonic()) if moved is None else self._turner.follow(moved):
            self._go_to(self._turner.page)
            self.pageTurned.emit(before)

    @slot()
    def turned(self) -> None:
        """Called when QML has faded out the previous page: there are seconds to create the entries of the next one."""
        self._build_pages()

    def _lay_out(self) -> None:
        """Lays out the listing: as one in which nothing is sold out, as far as it has room so. Its layout depends on
        nothing else, so that a board looks the same on every panel, in a preview and after a restart."""
        raise NotImplementedError

    def _show_layout(self, layout: ListLayout) -> None:
        """Passes this layout to QML; unchanged entries glide if it follows from the one before."""
        before = self._laid_out
        if layout == before:
            self._turn_within_showing()
            self._report()
            return
        # Only entries that keep their size glide: growing and moving at once looks like flicker.
        self._glides = before is not None and before.form == layout.form
        self._were_there = frozenset(entry.key for entry in before.entries) if before and self._glides else frozenset()
        self._laid_out = layout
        self._layout = self._describe(layout)
        self._turn_within_showing()
        self.layoutChanged.emit()
        self._build_pages()
        self.pageChanged.emit()
        self._report()

    def _turn_within_showing(self) -> None:
        """Divides the showing among the pages."""
        self._turner.change(self._duration, self._laid_out.pages if self._laid_out is not None else 1)
        self.wants_ticks = self._turner.pages > 1

    def _go_to(self, page: int) -> None:
        self._turner.page = page
        self._turn_within_showing()
        if not self._on_glass or self._built is None or page not in self._built[1]:
            self._build_pages()
        self.pageChanged.emit()

    def _build_pages(self) -> None:
        """Passes to QML the entries of the current page and of the next one."""
        layout = self._laid_out
        if layout is None:
            return
        pages = frozenset((self._turner.page, self._turner.next_page))
        if (layout, pages) == self._built:
            return
        self._built = layout, pages
        built = [entry for entry in layout.entries if entry.page in pages]
        for item_id in self._images.keys() - {entry.key for entry in built}:
            del self._images[item_id]
            self._assets.free(self._image_part(item_id))
        self._entries.apply([(f"{entry.kind}/{entry.key}", self._entry(entry, layout)) for entry in built])

    def _image_part(self, item_id: str) -> str:
        return f"{self.part}/{item_id}"

    def _picture(self, picture: Picture, item_id: str) -> dict[str, object]:
        box, part, plan = picture.box, self._image_part(item_id), None
        if picture.asset is not None:
            wanted = (picture.asset, box.width, box.height, picture.fit, picture.focus)
            planned = self._images.get(item_id)
            if planned is None or planned[0] != wanted:
                image = self._assets.plan(
                    part, picture.asset, box.width, box.height, fit=picture.fit, focus=picture.focus
                )
                self._images[item_id] = planned = wanted, image
            plan = planned[1]
        return {**asdict(box), "plan": plan, "part": part, **self._letter(picture, item_id)}

    def _letter(self, picture: Picture, item_id: str) -> dict[str, object]:
        del picture, item_id
        return {"letter": ""}

    def _page_text(self) -> str:
        return page_text(self._turner.page + 1, self._turner.pages, self._locality.locale)

    def _report(self) -> None:
        """Reports items that the layout leaves out."""
        if self._on_glass:
            self._report_if_too_long()
        self._report_if_cut()

    def _report_if_too_long(self) -> None:
        """Reports omitted items, and pages for which a showing has no time."""
        timing, left_out = self._turner.timing, self._listing.left_out
        too_long = f"{left_out} of its items are left out: {self._left_out}" if left_out else ""
        continues = (
            f"{self._turner.pages} pages, of which one showing has time for {timing.pages}; the next one goes on"
            " from there"
        )
        self._report_if(self.part, "menu_too_long", too_long)
        self._report_if(self.part, "menu_continues", "" if left_out or timing.complete else continues)

    def _report_if_cut(self) -> None:
        """Reports the shortened items by name, or that all are."""
        layout = self._laid_out
        names, legend_cut = (layout.cut, layout.legend_cut) if layout is not None else ((), False)
        parts = [f"all of “{name}”" for name in names[:MOST_NAMED]]
        parts += [f"all of {len(names) - MOST_NAMED} more items"] if len(names) > MOST_NAMED else []
        parts += ["the explanation of its icons, allergens or energies"] if legend_cut else []
        cut = f"it has no room for {', '.join(parts)}, although its letters are as small as it allows: {self._advice}"
        self._report_if(self.part, f"{self.kind}_cut", cut if parts else "")
        rows = {row.item_id: row.name for section in self._listing.sections for row in section.rows}
        runs = [(entry.key, run) for entry in (layout.entries if layout else ()) for run in entry.runs if run.fills]
        drawn = [(rows[key], run) for key, run in runs if run.face == "name" and key in rows]
        self._report_word_cut(drawn, self._fonts.of("name"))

    def _describe(self, layout: ListLayout) -> dict[str, object]:
        fonts, bar = self._fonts, layout.bar
        foot, title = layout.foot, (layout.title,) if layout.title is not None else ()
        return {
            "glides": self._glides,
            "overflows": layout.overflows,
            "padding": self._padding,
            "left": layout.left,
            "width": layout.width,
            "bar": asdict(bar) if bar is not None else None,
            **describe_typeset(
                (*title, *foot.runs), foot.lines, fonts=fonts, right_to_left=self._locality.right_to_left
            ),
            "icons": [{**asdict(icon), **self._icon_look(icon.icon, self._behind)} for icon in foot.icons],
            "pageBaseline": layout.page_baseline,
            "pageFont": fonts.font("price", layout.detail_size),
            **self._describe_empty(fonts.of("detail")),
        }

    def _entry(self, entry: Entry, layout: ListLayout) -> dict[str, object]:
        leader = entry.leader
        return {
            **asdict(entry),
            "id": entry.key,
            "arrives": self._glides and entry.key not in self._were_there,
            **describe_typeset(
                entry.runs,
                entry.lines,
                entry.tags,
                fonts=self._fonts,
                right_to_left=self._locality.right_to_left,
                icon_look=partial(self._icon_look, behind=self._behind_featured if entry.panel else self._behind),
            ),
            "leader": asdict(leader) if leader is not None else None,
            "picture": self._picture(entry.picture, entry.key) if entry.picture is not None else None,
            **self._colored(entry),
            "soldOut": entry.sold_out,
        }

    def _icon_look(self, icon: str, behind: Sequence[QColor]) -> dict[str, object]:
        """Returns the drawing of an icon, and its own colour, readable on what is known to be behind it."""
        own = ICON_COLORS.get(icon) if behind else None
        color_of_it = readable(QColor(own), behind) if own is not None else None
        return {"icon": drawing_of(icon, self._locality.law) if icon else "", "own": color_of_it}

    def _colored(self, entry: Entry) -> dict[str, object]:
        """Returns the colours of an entry that has its own, and its panel."""
        if entry.panel is not None and self._on_featured is not None:
            return {"panel": asdict(entry.panel), "facts": self._on_featured}
        if entry.color is None:
            return {"panel": None, "facts": None}
        accent = color(entry.color, entry.color)
        theme = replace(self._theme, accent=accent, large_accent=accent)
        theme, _ = readable_theme(theme, self._behind, text_colors=("accent",))
        return {"panel": None, "facts": {**self._facts, **inks(theme)}}

    def _describe_empty(self, font: MeasuredFont) -> dict[str, object]:
        box, text, padding = self._widget.box, self._widget.empty_text, self._padding
        if not (self._listing.empty and text):
            return {"empty": ""}
        fitted = fit_text(
            text,
            measurer=font,
            width=box.width - 2 * padding,
            height=box.height - 2 * padding,
            most=self._widget.max_text_size * self._theme.scale,
        )
        return {"empty": "\n".join(fitted.lines), "emptyFont": font.at_size(fitted.size)}

    layout = qml_property("QVariantMap", lambda self: self._layout, notify=layoutChanged)
    """The part that changes with the listing: fonts and measurements."""
    page = qml_property(int, lambda self: self._turner.page, notify=pageChanged)
    """Counted from 0 in what is laid out."""
    entries = qml_property(QObject, lambda self: self._entries)
    pages = qml_property(int, lambda self: self._turner.pages, notify=pageChanged)
    pageText = qml_property(str, lambda self: self._page_text(), notify=pageChanged)
