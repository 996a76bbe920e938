"""View model of a menu widget."""

from __future__ import annotations

from player.display.layout.menu import MenuLayout, lay_out_menu, vertical_align
from player.display.layout.shares import MOST_LETTERS
from player.display.widgets.paged_list import PagedList
from player.display.widgets.widget import WidgetContext
from player.domain.documents.scene import MenuWidget
from player.domain.menu.listings import MOST_LISTED


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

    def _lay_out(self) -> None:
        layout = lay_out_menu(
            self._widget,
            self._listing,
            self._setting,
            basis=self._laid_out.basis if self._laid_out is not None else None,
            align=self._align,
        )
        self._padding = layout.padding
        self._show_layout(layout)
