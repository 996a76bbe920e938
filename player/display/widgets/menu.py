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

    @classmethod
    def share_size(cls, models: Sequence[WidgetViewModel]) -> None:
        """Gives menus with the same bounds of text size their smallest size, and rows that stand on one grid."""
        menus = [model for model in models if isinstance(model, MenuViewModel) and not model.is_empty]
        for bounds in {menu.bounds for menu in menus}:
            alike = [menu for menu in menus if menu.bounds == bounds]
            size = min(menu.laid_out.basis.size for menu in alike)
            for menu in alike:
                if menu.laid_out.basis.size > size:
                    menu.lay_out_alike(None, size)
            step = min(menu.laid_out.basis.step for menu in alike)
            for menu in alike:
                if menu.laid_out.basis.step > step:
                    menu.lay_out_alike(replace(menu.laid_out.basis, step=step), size)

    @property
    def is_empty(self) -> bool:
        return self._listing.empty

    @property
    def bounds(self) -> tuple[float, float]:
        return self._widget.min_text_size * self._setting.scale, self._widget.max_text_size * self._setting.scale

    @property
    def laid_out(self) -> MenuLayout:
        if self._laid_out is None:
            raise RuntimeError("nothing is laid out")
        return self._laid_out

    def lay_out_alike(self, basis: LayoutBasis | None, size: int) -> None:
        """Lays it out in at most this text size, or as `basis` says."""
        widget = replace(self._widget, max_text_size=size / self._setting.scale)
        self._show_layout(replace(self._layout_from(basis, widget), refitted=True))
        self._report()

    def _lay_out(self) -> None:
        basis = self._laid_out.basis if self._laid_out is not None and self._keeps_layout else None
        self._show_layout(self._layout_from(basis, self._widget))

    def _layout_from(self, basis: LayoutBasis | None, widget: MenuWidget) -> MenuLayout:
        layout = lay_out_menu(
            widget,
            self._listing,
            self._setting,
            basis=basis,
            align=self._align,
            at_edge=self._at_edge,
        )
        self._padding = layout.padding
        return layout
