"""View model of a menu widget; of a long list it lays out a portion at a time."""

from __future__ import annotations

import math

from player.display.layout.entry import Picture
from player.display.layout.menu import MenuLayout, lay_out_menu
from player.display.layout.page_turns import PagePosition
from player.display.layout.placing import vertical_align
from player.display.layout.portions import Portion, portion_of
from player.display.widgets.geometry import box_map
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

    def __init__(self, widget: MenuWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._portion: Portion | None = None
        self._align = vertical_align(widget, context.view.scene)

    def _lay_out(self) -> None:
        listing, before, place = self._listing, self._portion, self._turner.place
        laid_out = self._laid_out if before is not None and before.first == place.first else None
        kept = frozenset(entry.key for entry in laid_out.entries) if laid_out is not None else ()
        self._portion = portion_of(listing, most=self._most_letters, first=place.first, kept=kept)
        layout = lay_out_menu(
            self._widget,
            self._portion.listing,
            measurers=self._fonts.measurers,
            scale=self._theme.scale,
            with_panel=self._theme.panel.alpha() > 0,
            locality=self._locality,
            second=self._second,
            sold_out=self._sold_out,
            basis=laid_out.basis if laid_out is not None else None,
            is_portion=not self._portion.is_whole,
            align=self._align,
        )
        self._padding = layout.padding
        self._show_layout(layout)

    def _turn_within_showing(self) -> None:
        portion, pages = self._portion, self._laid_out.pages if self._laid_out is not None else 1
        if portion is None or portion.is_whole:
            super()._turn_within_showing()
            return
        self._all_pages = math.ceil(pages * portion.total / (portion.stop - portion.first))
        self.wants_ticks = True
        self._turner.change(
            self._duration,
            pages=pages,
            all_pages=self._all_pages,
            portion=portion.first,
            next_portion=portion.stop if portion.stop < portion.total else None,
        )

    def _go_to(self, place: PagePosition) -> None:
        if self._portion is not None and place.first != self._portion.first:
            self._turner.place = place
            self._lay_out()
        else:
            super()._go_to(place)

    @property
    def _is_whole(self) -> bool:
        # The number of pages that all portions have is not known before they have been laid out.
        return self._portion is None or self._portion.is_whole

    def _left_out(self) -> str:
        return f"the menus of a scene list at most {MOST_LISTED:,} together"

    def _picture(self, picture: Picture, key: str) -> dict[str, object]:
        box, part = picture.box, self._widget.id
        plan = self._assets.plan(part, picture.asset, box.width, box.height) if picture.asset is not None else None
        return {**box_map(box), "plan": plan, "part": part, "letter": ""}
