"""View model of an item widget: the layout of the item that it shows now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import item as item_layout
from player.display.layout.badges import describe_badges
from player.display.layout.bidi import with_base_direction
from player.display.layout.item import ItemLayout, ItemMeasurers, lay_out_item
from player.display.layout.strikes import describe_strikes
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme, hairline, placeholder_color
from player.display.widgets.geometry import geometry
from player.domain.documents.scene import Box, ItemWidget
from player.domain.view import Locality, MenuRow, PriceText

PANEL_RADIUS = 24.0
"""Of a panel's corners, in canvas units; smaller on a small panel."""

WHOLE_EMS = 6.0
"""Ems of a Japanese phrase for which a large name becomes smaller rather than breaking in it."""
NOWHERE = Box(x=0, y=0, width=0, height=0)
NO_ITEM = MenuRow(item_id="", name="", price=PriceText(text="", decimal_at=0))

ImageOf = Callable[[str, float, float], Mapping[str, object] | None]
Report = Callable[[str, str], None]
Withdraw = Callable[..., None]


class ItemViewModel(QObject):
    """One item widget. A new price changes in place; another item replaces the one that shows."""

    changed = Signal()
    replaced = Signal()
    """Another item shows."""
    repriced = Signal()
    """The same item has another price."""

    def __init__(
        self,
        widget: ItemWidget,
        *,
        theme: ResolvedTheme,
        z: int,
        localities: Sequence[Locality],
        image_of: ImageOf,
        report: Report,
        withdraw: Withdraw,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        locality, weight = localities[0], QFont.Weight
        self._widget = widget
        self._theme = theme
        self._locality = locality
        self._image_of = image_of
        self._report, self._withdraw = report, withdraw
        self._name = MeasuredFont(theme.title_families, weight.Bold, locale=locality.locale, most_whole=WHOLE_EMS)
        self._detail = MeasuredFont(theme.body_families, weight.Normal, locale=locality.locale)
        self._price = MeasuredFont(theme.title_families, weight.DemiBold, tabular=True)
        self._tag = MeasuredFont(theme.body_families, weight.DemiBold)
        self._measurers = ItemMeasurers(name=self._name, detail=self._detail, price=self._price, tag=self._tag)
        self._row: MenuRow | None = None
        self._layout: ItemLayout | None = None
        self._blank = lay_out_item(NO_ITEM, widget.box, measurers=self._measurers, locality=locality)
        self._image: Mapping[str, object] | None = None
        self._facts: dict[str, object] = {
            **geometry(widget, z),
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            "radius": min(PANEL_RADIUS, widget.box.width / 8, widget.box.height / 8),
            "text": theme.text,
            "secondary": theme.secondary,
            "accent": theme.accent,
            "rule": hairline(theme),
            "placeholder": placeholder_color(theme, in_panel=True),
        }

    @property
    def has_image(self) -> bool:
        """Whether there is an image to decode."""
        return self._image is not None

    def show_row(self, row: MenuRow | None) -> None:
        """Show this item, or nothing, from the next frame on."""
        if row == self._row:
            return
        before, self._row = self._row, row
        same = row is not None and before is not None and row.item_id == before.item_id
        if row is None:
            self._layout, self._image = None, None
        else:
            self._lay_out(
                row,
                previous=self._layout if same else None,
                keep_image=before is not None and row.image == before.image,
            )
        self.changed.emit()
        if same and row is not None and before is not None and _prices(row) != _prices(before):
            self.repriced.emit()
        elif row is not None and before is not None and not same:
            self.replaced.emit()

    def _lay_out(self, row: MenuRow, *, previous: ItemLayout | None, keep_image: bool) -> None:
        self._layout = lay_out_item(
            row,
            self._widget.box,
            measurers=self._measurers,
            scale=self._theme.scale,
            with_image=row.image is not None,
            with_panel=self._theme.panel.alpha() > 0,
            locality=self._locality,
            previous=previous,
        )
        if self._layout.cut:
            self._report("item_too_small", "its box has no room for the whole name and all allergens")
        else:
            self._withdraw("item_too_small")
        if self._layout.shortened:
            self._report("item_cut", "its box has no room for the whole description and all tags: make it larger")
        else:
            self._withdraw("item_cut")
        box = self._layout.image_box
        if not keep_image:
            self._image = self._image_of(row.image, box.width, box.height) if row.image and box else None

    def _describe(self) -> dict[str, object]:
        layout, row = self._layout or self._blank, self._row
        return {
            "shown": row is not None,
            "cut": layout.cut,
            "hasImageBox": layout.image_box is not None,
            "image": self._image,
            "imageBox": _box(layout.image_box or NOWHERE),
            "name": self._lines(
                layout.name, layout.name_box, self._name, layout.size, item_layout.LINE, item_layout.BASELINE
            ),
            "bar": _box(layout.bar),
            "details": self._lines(
                layout.details,
                layout.details_box,
                self._detail,
                layout.detail_size,
                item_layout.DETAIL_LINE,
                item_layout.DETAIL_BASELINE,
            ),
            "tags": describe_badges(layout.tags),
            "tagFont": self._tag.at_size(max(1, round(badges.TAG_SIZE * layout.tags_size))),
            "tagsSize": layout.tags_size,
            "foot": self._lines(
                layout.foot,
                layout.foot_box,
                self._detail,
                layout.foot_size,
                item_layout.FOOT_LINE,
                item_layout.FOOT_BASELINE,
            ),
            "rule": _box(layout.rule),
            "price": layout.price,
            "priceFont": self._price.at_size(layout.price_size),
            "priceLine": layout.price_box.height,
            "priceX": layout.price_box.x,
            "priceWords": [{"text": one.text, "x": one.x} for one in layout.price_words],
            "priceWordFont": self._detail.at_size(layout.word_size),
            "regular": layout.regular,
            "regularFont": self._price.at_size(layout.regular_size),
            "regularX": layout.regular_box.x,
            "saving": layout.saving,
            "savingFont": self._price.at_size(layout.regular_size),
            "savingX": layout.saving_box.x,
            "savingBaseline": layout.saving_box.y + item_layout.BASELINE * layout.regular_size,
            "variants": [
                {
                    "name": one.name,
                    "price": one.price,
                    "x": one.x,
                    "y": one.y,
                    "width": one.width,
                    "regular": one.regular,
                    "regularX": one.regular_x,
                }
                for one in layout.variants
            ],
            "variantNameFont": self._detail.at_size(layout.detail_size),
            "variantNameBaseline": item_layout.DETAIL_BASELINE * layout.detail_size,
            "variantFont": self._price.at_size(layout.variant_size),
            "variantRegularFont": self._price.at_size(layout.detail_size),
            "variantBaseline": layout.variant_baseline,
            "priceBaseline": layout.price_baseline,
            "strikes": describe_strikes(layout.strikes),
        }

    def _lines(
        self, lines: tuple[str, ...], box: Box, font: MeasuredFont, size: int, line: float, baseline: float
    ) -> dict[str, object]:
        """Lines as QML draws them; `line` and `baseline` in ems."""
        return {
            "text": with_base_direction(lines, right_to_left=self._locality.right_to_left),
            "font": font.at_size(size),
            "x": box.x,
            "width": box.width,
            "baseline": box.y + baseline * size,
            "line": line * size,
        }

    facts = qml_property("QVariantMap", lambda self: self._facts)
    """What never changes: geometry and colours."""
    layout = qml_property("QVariantMap", lambda self: self._describe(), notify=changed)
    """The layout of the item that shows; `shown` is false without one."""


def _prices(row: MenuRow) -> tuple[object, ...]:
    return row.price, row.regular, row.saving, row.variants


def _box(box: Box) -> dict[str, float]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
