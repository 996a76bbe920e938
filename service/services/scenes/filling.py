"""The menu of a workspace as templates need it, and the lists of a scene filled from it."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.text.wording import FALLBACK_LOCALE, FALLBACK_PATTERN, cldr_locale
from service.core.prices import price_of
from service.services.scenes.pages import LISTS
from service.storage.tables.menus import ItemRow
from service.storage.tables.workspaces import LocationRow

WANTS = "wants"
"""Field of a template's list: it gets the categories with such items first."""
COMBOS = "combos"


@dataclass(frozen=True, slots=True)
class Menu:
    """Menu of a workspace: categories with the number of items in each, and item ids, both in menu order; the name and
    locale of its oldest location, which stand for the workspace's."""

    categories: dict[str, int]
    items: list[str]
    combos: frozenset[str] = frozenset()
    """Categories with combos."""
    has_cents: bool = True
    """Whether a price is no whole amount."""
    shop: str = ""
    locale: str = FALLBACK_LOCALE

    @property
    def language(self) -> str:
        return cldr_locale(self.locale).language

    @property
    def clock_pattern(self) -> str:
        """The pattern of a short time, with twelve or 24 hours."""
        return str(cldr_locale(self.locale).time_formats["short"].pattern)


NO_MENU = Menu(categories={}, items=[])


def menu_of(session: Session, workspace: str) -> Menu:
    """Reads the menu of a workspace."""
    query = select(ItemRow.id, ItemRow.category, ItemRow.image, ItemRow.parts, ItemRow.price, ItemRow.variants)
    query = query.where(ItemRow.workspace_id == workspace).order_by(ItemRow.sort_index, ItemRow.number)
    rows = session.execute(query).all()
    prices = [row.price for row in rows]
    prices += [price_of(one["units"]) for row in rows for one in row.variants]
    place = select(LocationRow.name, LocationRow.locale).where(LocationRow.workspace_id == workspace)
    shop = session.execute(place.order_by(LocationRow.number).limit(1)).first()
    # Items with an image first: an item widget shows one item with its image.
    with_image = [row.id for row in rows if row.image is not None]
    return Menu(
        categories=dict(Counter(row.category for row in rows)),
        items=with_image + [row.id for row in rows if row.image is None],
        combos=frozenset(row.category for row in rows if row.parts is not None),
        has_cents=not rows or any(price % 1 for price in prices),
        shop="" if shop is None else shop.name,
        locale=FALLBACK_LOCALE if shop is None else shop.locale,
    )


def as_there(document: dict[str, Any], menu: Menu) -> dict[str, Any]:
    """Returns the scene with the hours and the decimals that the shop writes, where neither template nor call say."""
    pattern = menu.clock_pattern
    usual = {} if pattern == FALLBACK_PATTERN else {"pattern": pattern}
    widgets = [{**usual, **one} if one["type"] == "clock" else one for one in document["widgets"]]
    cents = {} if menu.has_cents else {"priceCents": "ifAny"}
    return {**document, "theme": {**cents, **document["theme"]}, "widgets": widgets}


def with_menu(widgets: list[dict[str, Any]], menu: Menu) -> list[dict[str, Any]]:
    """Fills open menu, grid and item widgets from the workspace's menu; a widget without items is dropped."""
    menus = [widget for widget in widgets if widget["type"] in LISTS]
    open_menus = [widget for widget in menus if not widget.get("categories") and not widget.get("itemIds")]
    taken = {category for widget in menus for category in widget.get("categories") or ()}
    left = {category: count for category, count in menu.categories.items() if category not in taken}
    portions = _shared(left, open_menus, menu.combos)
    items = iter(menu.items)
    filled: list[dict[str, Any]] = []
    for widget in widgets:
        kept = {key: value for key, value in widget.items() if key != WANTS}
        if widget["id"] in portions:
            filled.append({**kept, "categories": portions[widget["id"]]})
        elif widget in open_menus:
            if upper := next((one for one in filled if _is_below(widget, one)), None):
                upper["height"] = widget["y"] + widget["height"] - upper["y"]
        elif widget["type"] == "item" and "itemId" not in widget:
            item = next(items, None)
            if item is not None:
                filled.append({**kept, "itemId": item})
        else:
            filled.append(kept)
    return filled


def _shared(left: dict[str, int], lists: list[dict[str, Any]], combos: frozenset[str]) -> dict[str, list[str]]:
    """Returns the categories of each list, by its id: those with combos in the list that wants them, the others over
    the rest in menu order. A list without any is not there, but for one where there is no category at all."""
    if not left:
        return {one["id"]: [] for one in lists[:1]}
    wanting = next((one for one in lists if one.get(WANTS) == COMBOS), None)
    first = [category for category in left if category in combos]
    if wanting is None or not first:
        shares = _portions(left, len(lists))
        return {one["id"]: share for one, share in zip(lists, shares, strict=False)}
    rest = {category: count for category, count in left.items() if category not in combos}
    others = [one for one in lists if one is not wanting]
    shares = _portions(rest, len(others)) if rest else []
    return {wanting["id"]: first} | {one["id"]: share for one, share in zip(others, shares, strict=False)}


def _is_below(lower: dict[str, Any], upper: dict[str, Any]) -> bool:
    """Returns whether one list is directly below the other, which gets its room when it has no items."""
    gap = lower["y"] - upper["y"] - upper["height"]
    # Canvas units between a menu and the one below it.
    return upper["type"] in LISTS and lower["x"] == upper["x"] and 0 <= gap <= 60


def _portions(categories: dict[str, int], menus: int) -> list[list[str]]:
    """Splits the categories, in order, over at most `menus` portions with about as many items in each."""
    portions: list[list[str]] = []
    left, waiting = sum(categories.values()), list(categories)
    for portion in range(min(menus, len(categories)), 0, -1):
        taken, share = [waiting.pop(0)], left / portion
        count = categories[taken[0]]
        while len(waiting) > portion - 1 and (portion == 1 or count + categories[waiting[0]] / 2 <= share):
            taken.append(waiting.pop(0))
            count += categories[taken[-1]]
        left -= count
        portions.append(taken)
    return portions
