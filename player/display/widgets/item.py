"""Owns an item widget as QML sees it: the dish that stands there now, set in type."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import badges as badges
from player.display.layout import item as dish_plan
from player.display.layout.badges import describe_badges
from player.display.layout.bidi import based
from player.display.layout.item import ItemLayout, ItemMeasurers, lay_out_item
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import FontFace, ResolvedTheme, hairline, placeholder_color
from player.display.widgets.geometry import geometry
from player.domain.scene import Box, ItemWidget
from player.domain.view import Locality, MenuRow, PriceText

PANEL_RADIUS = 24.0
"""Of a panel's corners, in canvas units; less where the panel is low."""

NOWHERE = Box(x=0, y=0, width=0, height=0)
NO_DISH = MenuRow(item_id="", name="", price=PriceText(text="", decimal_at=0))

ImageOf = Callable[[str, float, float], Mapping[str, object] | None]
Report = Callable[[str, str], None]


class ItemViewModel(QObject):
    """One item widget. A new price changes in place; another dish takes its place from the next frame on."""

    changed = Signal()
    replaced = Signal()
    """Another dish stands there."""
    repriced = Signal()
    """The same dish has another price."""

    def __init__(
        self,
        widget: ItemWidget,
        *,
        theme: ResolvedTheme,
        z: int,
        locality: Locality,
        image_of: ImageOf,
        report: Report,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        weight = QFont.Weight
        self._widget = widget
        self._theme = theme
        self._locality = locality
        self._image_of = image_of
        self._report = report
        self._name = FontFace(theme.title_families, weight.Bold)
        self._detail = FontFace(theme.body_families, weight.Normal)
        self._price = FontFace(theme.title_families, weight.DemiBold, tabular=True)
        self._tag = FontFace(theme.body_families, weight.DemiBold)
        self._measurers = ItemMeasurers(name=self._name, detail=self._detail, price=self._price, tag=self._tag)
        self._row: MenuRow | None = None
        self._plan: ItemLayout | None = None
        self._blank = lay_out_item(NO_DISH, widget.box, measurers=self._measurers, locality=locality)
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
            "calm": placeholder_color(theme, in_panel=True),
        }

    @property
    def has_image(self) -> bool:
        """Whether a picture of the dish is to be decoded."""
        return self._image is not None

    def show_row(self, row: MenuRow | None) -> None:
        """Show this dish, or nothing, from the next frame on."""
        if row == self._row:
            return
        before, self._row = self._row, row
        same = row is not None and before is not None and row.item_id == before.item_id
        if row is None:
            self._plan, self._image = None, None
        else:
            self._set(
                row, kept=self._plan if same else None, image_stays=before is not None and row.image == before.image
            )
        self.changed.emit()
        if same and row is not None and before is not None and row.price != before.price:
            self.repriced.emit()
        elif row is not None and before is not None and not same:
            self.replaced.emit()

    def _set(self, row: MenuRow, *, kept: ItemLayout | None, image_stays: bool) -> None:
        self._plan = lay_out_item(
            row,
            self._widget.box,
            measurers=self._measurers,
            scale=self._theme.scale,
            pictured=row.image is not None,
            panelled=self._theme.panel.alpha() > 0,
            locality=self._locality,
            kept=kept,
        )
        if self._plan.cut:
            self._report("item_too_small", "its box has no room for the whole name and all allergens")
        box = self._plan.picture
        if not image_stays:
            self._image = self._image_of(row.image, box.width, box.height) if row.image and box else None

    def _setting(self) -> dict[str, object]:
        plan, row = self._plan or self._blank, self._row
        return {
            "shown": row is not None,
            "cut": plan.cut,
            "pictured": plan.picture is not None,
            "image": self._image,
            "picture": _box(plan.picture or NOWHERE),
            "name": self._lines(plan.name, plan.name_box, self._name, plan.size, dish_plan.LINE, dish_plan.BASELINE),
            "bar": _box(plan.bar),
            "details": self._lines(
                plan.details,
                plan.details_box,
                self._detail,
                plan.detail_size,
                dish_plan.DETAIL_LINE,
                dish_plan.DETAIL_BASELINE,
            ),
            "tags": describe_badges(plan.tags),
            "tagFont": self._tag.font(max(1, round(badges.TAG_SIZE * plan.tags_size))),
            "tagsSize": plan.tags_size,
            "foot": self._lines(
                plan.foot, plan.foot_box, self._detail, plan.foot_size, dish_plan.FOOT_LINE, dish_plan.FOOT_BASELINE
            ),
            "rule": _box(plan.rule),
            "price": plan.price,
            "priceFont": self._price.font(plan.price_size),
            "priceLine": plan.price_box.height,
            "priceX": plan.price_box.x,
            "priceBaseline": plan.price_box.y + dish_plan.BASELINE * plan.price_size,
        }

    def _lines(
        self, lines: tuple[str, ...], box: Box, face: FontFace, size: int, line: float, baseline: float
    ) -> dict[str, object]:
        """Lines as QML draws them; `line` and `baseline` in ems."""
        return {
            "text": based(lines, right_to_left=self._locality.right_to_left),
            "font": face.font(size),
            "x": box.x,
            "width": box.width,
            "baseline": box.y + baseline * size,
            "line": line * size,
        }

    facts = qml_property("QVariantMap", lambda self: self._facts)
    """What never changes: place and colours."""
    setting = qml_property("QVariantMap", lambda self: self._setting(), notify=changed)
    """The dish as it is set now; `shown` false is none."""


def _box(box: Box) -> dict[str, float]:
    return {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
