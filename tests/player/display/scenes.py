"""Menus, scenes and orders for the tests of the display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from menu.documents.box import Box
from menu.documents.manifest import VersionKey
from menu.documents.scene import MenuWidget, Scene, Transition, TransitionKind
from menu.text.price import PriceText
from menu.text.price_words import NO_PRICE
from menu.text.wording import Locality
from player.domain.view import (
    DisplayOrder,
    MenuListing,
    MenuRow,
    MenuSection,
    ModifierLine,
    SceneView,
    VariantText,
    View,
)

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
CUT = Transition(kind=TransitionKind.CUT, milliseconds=0)
GERMAN = Locality(timezone="Europe/Berlin", locale="de-DE")
ARABIC = Locality(timezone="Asia/Kuwait", locale="ar-KW", right_to_left=True)

LOCALES = {
    "latin": ("de-DE", "EUR", "Käsekuchen Ofenkartoffel Rinderfilet mit Donaudampfschifffahrtsfrühstück und 2 Ei Öl"),
    "greek": ("el-GR", "EUR", "Τζατζίκι Χωριάτικη σαλάτα Ψητό χταπόδι με"),
    "cyrillic": ("ru-RU", "RUB", "Борщ Пельмени со сметаной Щи достопримечательность"),
    "arabic": ("ar-KW", "KWD", "قهوة عربية شاي بالنعناع Latte شاورما (حار) 2"),
    "hebrew": ("he-IL", "ILS", "קפה הפוך Espresso שקשוקה עם 2 ביצים"),
    "thai": ("th-TH", "THB", "ข้าวผัดกุ้งราดซอสมะขาม ต้มยำกุ้งน้ำข้น ผัดไทย"),
    "hindi": ("hi-IN", "INR", "पनीर बटर मसाला छोले भटूरे क्षीर"),
    "chinese": ("zh-CN", "CNY", "手冲咖啡，云南保山《水洗》 牛油果吐司 小笼包（八只） Flat"),
    "japanese": ("ja-JP", "JPY", "抹茶ラテ 「特製」チャーシュー麺（大盛り） おにぎり"),
    "korean": ("ko-KR", "KRW", "김치찌개와 공기밥 비빔밥 해물파전"),
}
"""Locales with their currency, and words for menus."""


def price(text: str, decimals: int = 2) -> PriceText:
    """A price as CLDR would give it: the separator stands before the last `decimals` digits; with none, after them."""
    last = max(index for index, letter in enumerate(text) if letter.isdigit())
    return PriceText(text=text, decimal_at=last - decimals if decimals else last + 1)


def row(name: str, cost: str = "3,40 €", **more: Any) -> MenuRow:
    if "modifiers" in more:
        more["modifiers"] = tuple(ModifierLine(name=n, delta=d) for n, d in more["modifiers"])
    decimals = more.pop("decimals", 2)
    if "variants" in more:
        more["variants"] = tuple(
            VariantText(name=n, price=price(p, decimals), sold_out=bool(gone)) for n, p, *gone in more["variants"]
        )
        return MenuRow(item_id=more.pop("item_id", name), name=name, price=NO_PRICE, **more)
    return MenuRow(item_id=more.pop("item_id", name), name=name, price=price(cost, decimals), **more)


def listing(*sections: tuple[str, Sequence[MenuRow]]) -> MenuListing:
    return MenuListing(
        sections=tuple(MenuSection(heading=name, category=name, rows=tuple(rows)) for name, rows in sections)
    )


def menu(widget_id: str = "menu", *, box: Box | None = None, **more: Any) -> MenuWidget:
    return MenuWidget(id=widget_id, box=box or Box(x=80, y=80, width=1760, height=920), **more)


def scene(*widgets: Any, scene_id: str = "scn_1", **more: Any) -> Scene:
    return Scene(id=scene_id, name=scene_id, widgets=tuple(widgets), **{"transition": CUT, **more})


def showing(
    shown: Scene,
    menus: Mapping[str, MenuListing] | None = None,
    *,
    entry: str = "ent_1",
    locality: Locality = GERMAN,
    seconds: int = 60,
) -> SceneView:
    return SceneView(
        key=VersionKey(playlist_id="pl_1", version=1),
        entry_id=entry,
        scene=shown,
        started_at=NOON,
        revision=1,
        locality=locality,
        duration_seconds=seconds,
        menus=menus or {},
    )


def order(serial: int, view: View, upcoming: SceneView | None = None, **more: Any) -> DisplayOrder:
    return DisplayOrder(serial=serial, view=view, upcoming=upcoming, **more)


def one_menu(shown: MenuListing, *, locality: Locality = GERMAN, seconds: int = 60, **more: Any) -> SceneView:
    """A scene with one menu widget that lists this."""
    canvas = {key: more.pop(key) for key in ("width", "height", "background", "theme") if key in more}
    return showing(scene(menu(**more), **canvas), {"menu": shown}, locality=locality, seconds=seconds)


def reads(shown: str, name: str) -> bool:
    """Whether `shown` is the name, or its beginning with an ellipsis; words may be hyphenated."""
    bare, whole = ("".join(text.replace("-", "").split()) for text in (shown, name))
    return bare == whole or (bare.endswith("…") and whole.startswith(bare.removesuffix("…")))
