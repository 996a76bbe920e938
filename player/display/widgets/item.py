"""View model of an item widget: the layout of the current item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from msgspec.structs import asdict, replace
from PySide6.QtCore import Signal
from PySide6.QtGui import QFont

from menu.documents.box import Box
from menu.documents.scene import ItemWidget
from menu.text.price import PriceText
from player.display.layout.item import LEAST_SIZE, ItemLayout, lay_out_item
from player.display.layout.setting import Setting
from player.display.layout.text.line_breaking import ELLIPSIS
from player.display.layout.text.measuring import Face
from player.display.qt.typed import qml_property
from player.display.typography.contrast import TEXT_COLORS, inks
from player.display.typography.theme import MeasuredFont, placeholder_color
from player.display.widgets.typeset import Fonts, describe_typeset
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel, geometry
from player.domain.view import MenuRow, SceneView

ALL_FACES: frozenset[Face] = frozenset(get_args(Face))
NOWHERE = Box(x=0, y=0, width=0, height=0)
NO_ITEM = MenuRow(item_id="", name="", price=PriceText(text="", decimal_at=0))


class ItemViewModel(WidgetViewModel):
    """One item widget. A new price changes in place; another item replaces the current one."""

    layoutChanged = Signal()
    replaced = Signal()
    """Another item shows."""
    repriced = Signal()
    """The same item has another price."""

    file_name = "ItemWidget.qml"
    in_panel = True
    inks = TEXT_COLORS

    def __init__(self, widget: ItemWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        locality, theme, weight = context.localities[0], context.theme, QFont.Weight
        self._widget = widget
        self._theme = theme
        self._locality = locality
        name = MeasuredFont(
            theme.title_families,
            weight.Bold,
            tracking=theme.tracking[0],
            italic=theme.italic_titles,
            locale=locality.locale,
            most_whole=6.0,  # A longer Japanese phrase may break.
        )
        price = MeasuredFont(theme.title_families, weight.DemiBold, tabular=True)
        self._fonts = Fonts(theme, locality, others={"name": name, "price": price}, shadowed=ALL_FACES)
        self._row: MenuRow | None = None
        self._layout: ItemLayout | None = None
        self._own: ItemLayout | None = None
        """The layout of its item alone."""
        self._setting = Setting(
            measurers=self._fonts.measurers,
            locality=locality,
            scale=theme.scale,
            with_panel=theme.panel.alpha() > 0,
        )
        box, canvas = widget.box, context.view.scene
        extents = [(one.box.width, one.box.height) for one in canvas.widgets if isinstance(one, ItemWidget)]
        self._is_alone = extents.count((box.width, box.height)) <= 1
        self._fills_canvas = box.width >= canvas.width and box.height >= canvas.height
        self._blank = lay_out_item(NO_ITEM, widget.box, self._setting)
        self._image: Mapping[str, object] | None = None
        self._facts = {
            **geometry(widget),
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            "radius": min(24.0, widget.box.width / 8, widget.box.height / 8),
            **inks(theme),
            "placeholder": placeholder_color(theme, in_panel=True),
        }

    @property
    def parts(self) -> Sequence[str]:
        """Its own part, if there is an image to decode."""
        return (self.part,) if self._image is not None else ()

    def update(self, view: SceneView, shares: Shares) -> None:
        """Show its item, or nothing, from the next frame on."""
        row = view.items.get(self.part)
        # Its box cuts a long description anyway, but not before it has been measured.
        if row is not None and len(row.description) > shares.description:
            row = replace(row, description=row.description[: shares.description] + ELLIPSIS)
        self._show_row(row)
        self._report_names([row] if row is not None else [])

    @classmethod
    def share_size(cls, models: Sequence[WidgetViewModel]) -> None:
        """Gives the names of items that are equally wide and high, all with a picture or all without, their smallest
        size; none below the least size because of another, nor below half of its own."""
        items = [model for model in models if isinstance(model, ItemViewModel) and not model.is_empty]
        for room in {item.room for item in items}:
            alike = [item for item in items if item.room == room]
            largest = max(item.own.size for item in alike)
            # A smaller one stays so alone.
            size = max(LEAST_SIZE, min(item.own.size for item in alike if item.own.size >= 0.5 * largest))
            for item in alike:
                item.lay_out_alike(size)

    @property
    def is_empty(self) -> bool:
        return self._row is None

    @property
    def own(self) -> ItemLayout:
        """Layout of its item alone."""
        return self._own or self._blank

    @property
    def room(self) -> tuple[float, float, bool]:
        """Width and height, and whether a picture takes part of them."""
        return self._widget.box.width, self._widget.box.height, self.own.image_box is not None

    def lay_out_alike(self, size: int) -> None:
        """Lays out its item with a name of at most this size."""
        own, row = self.own, self._row
        if row is not None and self._layout is not None and self._layout.size != min(size, own.size):
            alike = replace(own, size=size, names=())
            self._show_layout(row, own if own.size <= size else self._lay_out(row, previous=alike))
            self.layoutChanged.emit()

    def _show_row(self, row: MenuRow | None) -> None:
        if row == self._row:
            return
        before, self._row = self._row, row
        same = row is not None and before is not None and row.item_id == before.item_id
        if row is None:
            self._own = self._layout = self._image = None
        else:
            # Those that share a size are laid out anew, or the size of all would depend on earlier prices.
            self._own = self._lay_out(row, previous=self._own if same and self._is_alone else None)
            self._show_layout(row, self._own)
            if before is None or _picture(row) != _picture(before):
                self._plan_image(row, self._own.image_box)
        self.layoutChanged.emit()
        if same and row is not None and before is not None and _prices(row) != _prices(before):
            self.repriced.emit()
        elif row is not None and before is not None and not same:
            self.replaced.emit()

    def _lay_out(self, row: MenuRow, *, previous: ItemLayout | None) -> ItemLayout:
        return lay_out_item(
            row,
            self._widget.box,
            self._setting,
            with_image=row.image is not None,
            fills_canvas=self._fills_canvas,
            previous=previous,
        )

    def _show_layout(self, row: MenuRow, layout: ItemLayout) -> None:
        """Shows this layout of its item, and reports what it leaves out."""
        self._layout = layout
        cut = "its box has no room for the whole name and all allergens" if layout.cut else ""
        self._report_if(self.part, "item_too_small", cut)
        names = [(row.name, run) for run in layout.texts if run.name == "itemName"]
        self._report_word_cut(names, self._fonts.of("name"))
        shortened = "its box has no room for the whole description, all tags and the daily need: make it larger"
        self._report_if(self.part, "item_cut", shortened if layout.shortened else "")

    def _plan_image(self, row: MenuRow, box: Box | None) -> None:
        self._image = None
        if row.image and box:
            self._image = self._assets.plan(
                self.part,
                row.image,
                box.width,
                box.height,
                fit=row.image_fit,
                focus=row.image_focus,
            )

    def _describe(self) -> dict[str, object]:
        layout, row = self._layout or self._blank, self._row
        describe = partial(describe_typeset, fonts=self._fonts, right_to_left=self._locality.right_to_left)
        return {
            "shown": row is not None,
            "cut": layout.cut,
            "hasImageBox": layout.image_box is not None,
            "image": self._image,
            "imageBox": asdict(layout.image_box or NOWHERE),
            "bar": asdict(layout.bar),
            "texts": describe(layout.texts, layout.lines, layout.tags),
            "prices": describe(layout.prices, layout.strikes),
        }

    layout = qml_property("QVariantMap", lambda self: self._describe(), notify=layoutChanged)
    """The layout of the item that shows; `shown` is false without one."""


def _picture(row: MenuRow) -> tuple[object, ...]:
    return row.image, row.image_fit, row.image_focus


def _prices(row: MenuRow) -> tuple[object, ...]:
    return row.price, row.regular, row.saving, row.variants
