"""Lists the items of menu and item widgets: which ones, in which order, under which heading, at what price; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from player.domain.allergens import allergen_legend, allergen_letters, allergen_names, allergens_title
from player.domain.manifest import Catalogue, Item, Location, Modifier
from player.domain.price import delta_text, price_text
from player.domain.scene import ItemWidget, MenuWidget, Scene, SoldOut
from player.domain.view import AllergenLine, MenuListing, MenuRow, MenuSection, ModifierLine, PriceText

NO_PRICE = PriceText(text="", decimal_at=0)


def listing(widget: MenuWidget, catalogue: Catalogue, *, location: Location) -> MenuListing:
    """The rows of a menu widget now; `sold_out` says whether 86'd items are hidden or marked.

    Grouped items stand under their category: first the categories that the widget names, in that order, then those of
    the items that it names. A category with no item to show has no heading. No item is listed twice.
    """
    items = _shown(widget, catalogue)
    groups: dict[str, list[Item]] = {}
    if widget.group_by_category:
        for item in items:
            groups.setdefault(item.category, []).append(item)
    elif items:
        groups[""] = sorted(items, key=_sort_index)
    legend = allergen_legend((item.allergens for item in items), location.locale) if widget.show_allergens else ()
    return MenuListing(
        sections=tuple(
            MenuSection(heading=category, rows=_rows(group, widget, location, legend))
            for category, group in groups.items()
        ),
        legend=legend,
        legend_title=allergens_title(location.locale) if legend else "",
    )


def item_row(widget: ItemWidget, catalogue: Catalogue, *, location: Location) -> MenuRow | None:
    """The row of an item widget now: its item, or its replacement while that is sold out or gone, or None."""
    item = _available(widget, catalogue)
    if item is None:
        return None
    return MenuRow(
        item_id=item.id,
        name=item.name,
        price=price_text(item.price, currency=location.currency, locale=location.locale)
        if widget.show_price
        else NO_PRICE,
        description=(item.description or "") if widget.show_description else "",
        tags=item.tags if widget.show_tags else (),
        allergens=allergen_names(item.allergens, location.locale) if widget.show_allergens else (),
        image=item.image if widget.show_image else None,
    )


def scene_is_empty(scene: Scene, catalogue: Catalogue) -> bool:
    """Whether a scene has menus and all are empty, or has no menus but item widgets and none has an item to show.

    Its entry is skipped, whatever other widgets the scene has.
    """
    menus = [widget for widget in scene.widgets if isinstance(widget, MenuWidget)]
    if menus:
        return not any(_shown(widget, catalogue) for widget in menus)
    items = [widget for widget in scene.widgets if isinstance(widget, ItemWidget)]
    return bool(items) and not any(_available(widget, catalogue) for widget in items)


def _available(widget: ItemWidget, catalogue: Catalogue) -> Item | None:
    for item_id in (widget.item_id, widget.instead_item_id):
        item = catalogue.items.get(item_id) if item_id is not None else None
        if item is not None and not item.eighty_sixed:
            return item
    return None


def _shown(widget: MenuWidget, catalogue: Catalogue) -> list[Item]:
    mark = widget.sold_out is SoldOut.MARK
    return [item for item in _selected(widget, catalogue) if mark or not item.eighty_sixed]


def _selected(widget: MenuWidget, catalogue: Catalogue) -> Iterable[Item]:
    """The widget's items, each once, in its order. Items of the same sort index keep the catalogue's order."""
    ordered = sorted(catalogue.items.values(), key=_sort_index)
    if not widget.categories and not widget.item_ids:
        return ordered
    by_category: dict[str, list[Item]] = {}
    for item in ordered:
        by_category.setdefault(item.category, []).append(item)
    named = [item for category in widget.categories for item in by_category.get(category, ())]
    named += [catalogue.items[item_id] for item_id in widget.item_ids if item_id in catalogue.items]
    return {item.id: item for item in named}.values()


def _sort_index(item: Item) -> int:
    return item.sort_index


def _rows(
    items: Sequence[Item], widget: MenuWidget, location: Location, legend: Sequence[AllergenLine]
) -> tuple[MenuRow, ...]:
    return tuple(
        MenuRow(
            item_id=item.id,
            name=item.name,
            price=price_text(item.price, currency=location.currency, locale=location.locale),
            description=(item.description or "") if widget.show_descriptions else "",
            modifiers=tuple(_modifier(modifier, location) for modifier in item.modifiers)
            if widget.show_modifiers
            else (),
            tags=item.tags if widget.show_tags else (),
            allergens=allergen_letters(item.allergens, legend),
            image=item.image if widget.show_images else None,
            sold_out=item.eighty_sixed,
        )
        for item in items
    )


def _modifier(modifier: Modifier, location: Location) -> ModifierLine:
    delta = delta_text(modifier.price_delta, currency=location.currency, locale=location.locale)
    return ModifierLine(name=modifier.name, delta=delta)
