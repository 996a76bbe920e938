"""Owns an item widget as QML sees it: the dish that stands there now, set in type."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from player.display.layout import badges as marks
from player.display.layout import item as dish_plan
from player.display.layout.badges import describe_marks
from player.display.layout.bidi import based
from player.display.layout.item import DishPlan, DishRulers, plan_dish
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import Face, Look, calm, hairline
from player.display.widgets.geometry import place
from player.domain.scene import Box, ItemWidget
from player.domain.view import Locality, MenuRow, PriceText

PANEL_RADIUS = 24.0
"""Of a panel's corners, in canvas units; less where the panel is low."""

NOWHERE = Box(x=0, y=0, width=0, height=0)
NO_DISH = MenuRow(item_id="", name="", price=PriceText(text="", decimal_at=0))

PictureOf = Callable[[str, float, float], Mapping[str, object] | None]
Report = Callable[[str, str], None]


class DishViewModel(QObject):
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
        look: Look,
        z: int,
        locality: Locality,
        picture_of: PictureOf,
        report: Report,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        weight = QFont.Weight
        self._widget = widget
        self._look = look
        self._locality = locality
        self._picture_of = picture_of
        self._report = report
        self._name = Face(look.title_families, weight.Bold)
        self._detail = Face(look.body_families, weight.Normal)
        self._price = Face(look.title_families, weight.DemiBold, tabular=True)
        self._tag = Face(look.body_families, weight.DemiBold)
        self._rulers = DishRulers(name=self._name, detail=self._detail, price=self._price, tag=self._tag)
        self._row: MenuRow | None = None
        self._plan: DishPlan | None = None
        self._blank = plan_dish(NO_DISH, widget.box, rulers=self._rulers, locality=locality)
        self._image: Mapping[str, object] | None = None
        self._facts: dict[str, object] = {
            **place(widget, z),
            "rightToLeft": locality.right_to_left,
            "panel": look.panel,
            "radius": min(PANEL_RADIUS, widget.box.width / 8, widget.box.height / 8),
            "text": look.text,
            "secondary": look.secondary,
            "accent": look.accent,
            "rule": hairline(look),
            "calm": calm(look, in_panel=True),
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

    def _set(self, row: MenuRow, *, kept: DishPlan | None, image_stays: bool) -> None:
        self._plan = plan_dish(
            row,
            self._widget.box,
            rulers=self._rulers,
            scale=self._look.scale,
            pictured=row.image is not None,
            panelled=self._look.panel.alpha() > 0,
            locality=self._locality,
            kept=kept,
        )
        if self._plan.cut:
            self._report("item_too_small", "its box has no room for the whole name and all allergens")
        box = self._plan.picture
        if not image_stays:
            self._image = self._picture_of(row.image, box.width, box.height) if row.image and box else None

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
            "tags": describe_marks(plan.tags),
            "tagFont": self._tag.font(max(1, round(marks.TAG_SIZE * plan.tags_size))),
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
        self, lines: tuple[str, ...], box: Box, face: Face, size: int, line: float, baseline: float
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
