"""View model of a menu widget."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from menu.documents.scene import MenuWidget
from player.display.layout.menu import MenuLayout, begins_at_edge, lay_out_menu, vertical_align
from player.display.layout.menu_columns import LayoutBasis
from player.display.layout.shares import MOST_LETTERS
from player.display.widgets.paged_list import PagedList
from player.display.widgets.widget import WidgetContext, WidgetViewModel
from player.domain.playing.listings import MOST_LISTED
from player.domain.view import MenuListing

LEADING = 1 / 3
"""A menu with less than this share of the rows of another does not make that one smaller."""


class MenuViewModel(PagedList):
    """One menu widget. Changing its listing changes only the rows that differ."""

    _widget: MenuWidget
    _laid_out: MenuLayout | None
    kind = "menu"
    _advice = "make it higher or wider, or the text shorter"
    _left_out = f"the menus of a scene list at most {MOST_LISTED:,} together, with {MOST_LETTERS:,} letters"

    def __init__(self, widget: MenuWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._align = vertical_align(widget, context.view.scene)
        self._at_edge = begins_at_edge(widget, context.view.scene)
        self.is_stale = False
        """Whether it is not laid out as its listing is."""
        self._whole: tuple[MenuListing, dict[int | None, MenuLayout]] | None = None
        """The listing in which nothing is sold out, and its layouts by their largest text size."""

    @classmethod
    def share_size(cls, models: Sequence[WidgetViewModel]) -> None:
        """Lays out the menus of a scene. Those of the same bounds, but for menus on panels, have the smallest size of
        theirs, and rows on one grid; a short menu that needs smaller text is alone with it."""
        menus = [model for model in models if isinstance(model, MenuViewModel)]
        if not any(menu.is_stale for menu in menus):
            return
        groups: dict[object, list[MenuViewModel]] = {}
        for menu in menus:
            groups.setdefault(menu.alike, []).append(menu)
        for group in groups.values():
            longest = max(menu.rows for menu in group)
            size = min(menu.whole_in().size for menu in group if menu.rows >= LEADING * longest)
            alike = [menu for menu in group if menu.whole_in().size >= size]
            step = min(menu.whole_in(size).basis.step for menu in alike)
            for menu in group:
                menu.show_in(size, step if menu in alike else menu.whole_in().basis.step)

    @property
    def is_empty(self) -> bool:
        return self._listing.empty

    @property
    def rows(self) -> int:
        """Number of its rows if nothing were sold out."""
        return sum(len(section.rows) for section in (self._listing.whole or self._listing).sections)

    @property
    def alike(self) -> object:
        """Equal for menus that may share a text size."""
        if self._setting.with_panel or self.is_empty:
            return id(self)
        scale = self._setting.scale
        panel = self._view.scene.panel_of(self._widget.box)
        return panel, self._widget.min_text_size * scale, self._widget.max_text_size * scale

    def _lay_out(self) -> None:
        self.is_stale = True

    def whole_in(self, size: int | None = None) -> MenuLayout:
        """Returns the layout in which nothing is sold out, in at most this text size."""
        whole = self._listing.whole or self._listing
        if self._whole is None or self._whole[0] != whole:
            self._whole = whole, {}
        layouts = self._whole[1]
        if layouts and size is not None and layouts[None].size <= size:
            size = None
        if size not in layouts:
            layouts[size] = self._layout_of(whole, size)
        return layouts[size]

    def show_in(self, size: int, step: int) -> None:
        """Shows the listing in at most this text size, and its rows on a grid of this step."""
        self.is_stale = False
        layout = self.whole_in(size)
        if self._listing.whole is not None or layout.basis.step != step:
            layout = self._layout_of(self._listing, size, basis=replace(layout.basis, step=step))
        self._padding = layout.padding
        self._show_layout(layout)

    def _layout_of(self, listing: MenuListing, size: int | None, basis: LayoutBasis | None = None) -> MenuLayout:
        most = self._widget.max_text_size if size is None else size / self._setting.scale
        return lay_out_menu(
            replace(self._widget, max_text_size=most),
            listing,
            self._setting,
            basis=basis,
            align=self._align,
            at_edge=self._at_edge,
        )
