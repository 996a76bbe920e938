"""Lists the items of menus, grids and item widgets: which, in which order, under which heading, at what price; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from menu.documents.manifest import Catalogue, Category, Item, Location, PriceKind, Variant
from menu.documents.scene import GridWidget, ItemWidget, ListWidget, MenuWidget, Scene, SoldOut
from menu.text.allergens import (
    LETTERS,
    LegendLine,
    allergen_legend,
    allergen_letters,
    allergen_marks,
    allergen_names,
    allergens_title,
)
from menu.text.combo import energy_of, parts_text, saved_text
from menu.text.energy import energy_text, needs_text
from menu.text.languages import Speech, in_language
from menu.text.menu_words import is_spoken
from menu.text.price import PLAIN, PriceStyle, PriceText, board_delta, price_text
from menu.text.price_words import NO_PRICE, worded_price
from menu.text.tags import ICONS, icon_of, tag_in
from menu.text.wording import joined
from player.domain.view import MenuListing, MenuRow, MenuSection, ModifierLine, SecondText, VariantText

PLAIN_CATEGORY = Category()
MOST_LISTED = 20_000
"""Rows that the menus and grids of one scene list together; one whose share is too small leaves its last items out."""
MOST_CARDS = 240
"""Cards of one grid, on all its pages; further items are left out."""
LEAST_EXPLAINING = 0.25
"""The share of the largest list's area from which on another one may have the explanations of all at its foot."""


class SortedItems:
    """Sorts a catalogue's items as menus list them; those of one sort index in the catalogue's order."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.by_id = catalogue.items
        self.all: Sequence[Item] = sorted(catalogue.items.values(), key=attrgetter("sort_index"))
        self.available: Sequence[Item] = [item for item in self.all if not item.is_sold_out]
        self.by_category: dict[str, list[Item]] = {}
        for item in self.all:
            self.by_category.setdefault(item.category, []).append(item)

    def of(self, widget: ListWidget) -> Sequence[Item]:
        """Returns the items that a menu or grid lists, each once."""
        mark = widget.sold_out is SoldOut.MARK
        if not widget.categories and not widget.item_ids:
            return self.all if mark else self.available
        named = [item for category in widget.categories for item in self.by_category.get(category, ())]
        named += [self.by_id[item_id] for item_id in widget.item_ids if item_id in self.by_id]
        return list({item.id: item for item in named if mark or not item.is_sold_out}.values())


def listings(scene: Scene, speech: Speech) -> dict[str, MenuListing]:
    """Returns the rows of a scene's menus and grids now, by widget id; all together at most `MOST_LISTED`. `sold_out`
    of a widget says whether 86'd items are hidden or marked.

    Grouped items stand under their category: first the categories that the widget names, in that order, then those of
    the items that it names. A category with no item to show has no heading. No item is listed twice in a widget.
    """
    menus = [widget for widget in scene.widgets if isinstance(widget, ListWidget)]
    if not menus:
        return {}
    found = _listings(scene, menus, speech)
    back = {name: _sold_again(item) for name, item in speech.catalogue.items.items() if _is_marked(item)}
    if not back:
        return found
    catalogue = replace(speech.catalogue, items={**speech.catalogue.items, **back})
    whole = _listings(scene, menus, replace(speech, catalogue=catalogue))
    return {name: one if one == whole[name] else replace(one, whole=whole[name]) for name, one in found.items()}


def _is_marked(item: Item) -> bool:
    """Whether the item, or one of its variants, is 86'd."""
    return item.eighty_sixed or any(one.eighty_sixed for one in item.variants)


def _sold_again(item: Item) -> Item:
    return replace(item, eighty_sixed=False, variants=tuple(replace(one, eighty_sixed=False) for one in item.variants))


def _listings(scene: Scene, menus: Sequence[ListWidget], speech: Speech) -> dict[str, MenuListing]:
    items = SortedItems(speech.catalogue)
    shown = {widget.id: items.of(widget) for widget in menus}
    most = fair_share([len(each) for each in shown.values()], MOST_LISTED)
    found = dict[str, MenuListing]()
    groups = dict[object, list[ListWidget]]()
    for widget in menus:
        groups.setdefault((widget.languages, scene.panel_of(widget.box)), []).append(widget)
    for group in groups.values():
        found |= _explained_once(group, shown, most, speech)
    return found


def _explained_once(
    widgets: Sequence[ListWidget], shown: Mapping[str, Sequence[Item]], most: int, speech: Speech
) -> dict[str, MenuListing]:
    """Returns the listings of widgets on one panel in the same languages; one of them explains all."""
    speech = speech.of(widgets[0])
    lettered = [widget.id for widget in widgets if widget.show_allergens]
    marks = allergen_marks(item.allergens for widget_id in lettered for item in shown[widget_id])
    found = {widget.id: _listing(widget, shown[widget.id], most, speech.of(widget), marks) for widget in widgets}
    explaining = _explaining([widget for widget in widgets if shown[widget.id]])
    if explaining is None:
        return found
    icons = [item for one in widgets if one.show_tags and one.tag_icons for item in shown[one.id][:most]]
    notes = dict.fromkeys(_energy_note(widget, found[widget.id].sections, speech.location) for widget in widgets)
    found[explaining.id] = replace(
        found[explaining.id],
        legend=_legend(marks, speech),
        icons=_icon_legend(icons, speech),
        legend_title=allergens_title(*(locale.locale for locale in speech.localities)) if marks else "",
        energy_note=" ".join(filter(None, notes)),
    )
    return found


def _explaining(widgets: Sequence[ListWidget]) -> ListWidget | None:
    """Returns the widget with the explanations at its foot: the one that ends lowest, except small ones."""
    area = {widget.id: widget.box.width * widget.box.height for widget in widgets}
    large = [widget for widget in widgets if area[widget.id] >= LEAST_EXPLAINING * max(area.values())]
    return max(large, key=lambda widget: widget.box.y + widget.box.height, default=None)


def _listing(
    widget: ListWidget, items: Sequence[Item], most: int, speech: Speech, marks: Mapping[str, str]
) -> MenuListing:
    groups: dict[str, list[Item]] = {}
    if isinstance(widget, GridWidget):
        most = min(most, MOST_CARDS)
        if items:
            groups[""] = list(items)
    elif widget.group_by_category:
        for item in items:
            groups.setdefault(item.category, []).append(item)
    elif items:
        groups[""] = sorted(items, key=attrgetter("sort_index"))
    marks = marks if widget.show_allergens else {}
    sections, room = [], most
    for category, group in groups.items():
        if room > 0:
            heading = speech.word(category) if category else ""
            rows = tuple(_row(item, widget, speech, allergen_letters(item.allergens, marks)) for item in group[:room])
            short = in_language(category, speech.languages[0], speech.words) if len(speech.languages) > 1 else ""
            told = speech.catalogue.categories.get(category, PLAIN_CATEGORY)
            note = speech.word(told.note)
            sections.append(
                MenuSection(
                    heading=heading,
                    rows=rows,
                    category=category,
                    short=short,
                    note=note,
                    image=told.image,
                    color=told.color,
                )
            )
        room -= len(group)
    return MenuListing(sections=tuple(sections), left_out=max(0, -room))


def _energy_note(widget: ListWidget, sections: Sequence[MenuSection], location: Location) -> str:
    if not _tells_energies(row for section in sections for row in section.rows):
        return ""
    return needs_text(location.locale) if widget.energy_note is None else widget.energy_note


def _tells_energies(rows: Iterable[MenuRow]) -> bool:
    return any(row.energy or any(variant.energy for variant in row.variants) for row in rows)


def posters(scene: Scene, speech: Speech, menus: Mapping[str, MenuListing]) -> dict[str, MenuRow]:
    """Returns the rows of a scene's item widgets now, by widget id. Where none of its `menus` shows energies and items
    do, the one with the largest box states an adult's daily need."""
    widgets = {widget.id: widget for widget in scene.widgets if isinstance(widget, ItemWidget)}
    rows = {name: row for name, widget in widgets.items() if (row := item_row(widget, speech)) is not None}
    told = [widgets[name] for name, row in rows.items() if _tells_energies([row])]
    if told and not any(_tells_energies(s.rows) for menu in menus.values() for s in menu.sections):
        notes = (widget.energy_note for widget in told if widget.energy_note is not None)
        note = next(notes, needs_text(speech.location.locale))
        largest = max(told, key=lambda widget: (widget.box.width * widget.box.height, widget.box.y)).id
        rows[largest] = replace(rows[largest], energy_note=note)
    return rows


def item_row(widget: ItemWidget, speech: Speech) -> MenuRow | None:
    """Returns the row of an item widget now: its item, or its replacement while that is sold out or gone, or None."""
    item = _available(widget, speech.catalogue.items)
    if item is None:
        return None
    speech = speech.of(widget)
    return _row(item, widget, speech, _allergen_names(item, speech) if widget.show_allergens else ())


def scene_is_empty(scene: Scene, items: SortedItems) -> bool:
    """Whether a scene has menus or grids and all are empty, or has none of them but item widgets and none has an item
    to show.

    Its entry is skipped, whatever other widgets the scene has.
    """
    menus = [widget for widget in scene.widgets if isinstance(widget, ListWidget)]
    if menus:
        return not any(items.of(widget) for widget in menus)
    single = [widget for widget in scene.widgets if isinstance(widget, ItemWidget)]
    return bool(single) and not any(_available(widget, items.by_id) for widget in single)


def _available(widget: ItemWidget, items: Mapping[str, Item]) -> Item | None:
    for item_id in (widget.item_id, widget.instead_item_id):
        item = items.get(item_id) if item_id is not None else None
        if item is not None and not item.is_sold_out:
            return item
    return None


def _row(item: Item, widget: ListWidget | ItemWidget, speech: Speech, allergens: tuple[str, ...]) -> MenuRow:
    told = [speech.item(item, language) for language in speech.languages]
    descriptions = [""] * len(told)
    if widget.show_descriptions:
        # A combo without a description lists its parts.
        descriptions = [
            one.description or parts_text(item, speech, language)
            for one, language in zip(told, speech.languages, strict=True)
        ]
    second = None
    if len(told) > 1:
        name = "\n".join(dict.fromkeys(one.name for one in told[1:] if one.name != told[0].name))
        description = "\n".join(dict.fromkeys(one for one in descriptions[1:] if one and one != descriptions[0]))
        second = SecondText(name=name, description=description) if name or description else None
    untranslated = tuple(language for language, one in zip(speech.languages, told, strict=True) if not one.translated)
    location, language, energy = speech.location, speech.languages[0], widget.show_energy
    calories = energy_of(item, speech.catalogue.items) if energy else None
    priced = widget.show_price if isinstance(widget, ItemWidget) else widget.show_prices
    marked = not isinstance(widget, ItemWidget) and widget.sold_out is SoldOut.MARK
    icons = not isinstance(widget, ItemWidget) and widget.show_tags and widget.tag_icons
    return MenuRow(
        item_id=item.id,
        name=told[0].name,
        price=single_price(item, location, language, speech.prices) if priced else NO_PRICE,
        variants=_variants(item, speech, mark=marked, energy=energy) if priced else (),
        lowest=_lowest(item, speech, energy=energy) if isinstance(widget, GridWidget) and priced else None,
        regular=_struck(item, speech) if priced and not item.variants else "",
        saving=saved_text(item, speech) if priced and not item.is_sold_out else "",
        energy=energy_text(*calories, location.locale) if calories is not None else "",
        description=descriptions[0],
        modifiers=_modifiers(item, speech, priced=priced)
        if isinstance(widget, MenuWidget) and widget.show_modifiers
        else (),
        tags=_tags(item, speech, icons=icons) if widget.show_tags else (),
        icons=tuple(dict.fromkeys(filter(None, map(icon_of, item.tags)))) if icons else (),
        allergens=allergens,
        image=item.image if widget.show_images else None,
        image_fit=item.image_fit,
        image_focus=item.image_focus,
        featured=item.featured and isinstance(widget, MenuWidget),
        sold_out=item.is_sold_out,
        second=second,
        untranslated=untranslated,
        written=item.name if untranslated else "",
        unsaid=_unsaid(item, widget, speech),
    )


def _unsaid(item: Item, widget: ListWidget | ItemWidget, speech: Speech) -> tuple[str, ...]:
    """Returns the tags and allergens of an item for which a displayed language has no word, neither ours nor the
    workspace's."""
    if not item.tags and not item.allergens:
        return ()  # is_spoken would read the words of all languages.
    foreign = [language for language in speech.languages if not is_spoken(language)]
    tags = [
        tag
        for tag in (item.tags if widget.show_tags else ())
        if icon_of(tag) and any(in_language(tag, language, speech.words) == tag for language in foreign)
    ]
    return (*tags, *(one for one in item.allergens if foreign and widget.show_allergens and one in LETTERS))


def _tags(item: Item, speech: Speech, *, icons: bool) -> tuple[str, ...]:
    """Returns the tags of an item in words, without those that have an icon if `icons` are drawn."""
    return tuple(_tag(tag, speech) for tag in item.tags if not icons or icon_of(tag) is None)


def _tag(tag: str, speech: Speech) -> str:
    """Returns a tag in all languages of the showing: the workspace's translation, or our words."""
    if icon_of(tag) is None:
        return speech.word(tag)
    said = ((in_language(tag, language, speech.words), language) for language in speech.languages)
    return joined(word if word != tag else tag_in(tag, language) for word, language in said)


def _icon_legend(items: Sequence[Item], speech: Speech) -> tuple[LegendLine, ...]:
    """Explains the icons of these items, in the words of the first item that has each."""
    tags = {icon_of(tag): tag for item in reversed(items) for tag in reversed(item.tags)}
    return tuple(LegendLine(mark=icon, text=_tag(tags[icon], speech)) for icon in ICONS if icon in tags)


def single_price(item: Item, location: Location, language: str = "", style: PriceStyle = PLAIN) -> PriceText:
    """Formats the price of an item with its words, in that language or the location's; nothing where its variants have
    prices."""
    if item.variants:
        return NO_PRICE
    return worded_price(
        item.price,
        kind=item.price_kind,
        unit=item.price_unit,
        location=location,
        language=language,
        style=style,
    )


def _legend(marks: Mapping[str, str], speech: Speech) -> tuple[LegendLine, ...]:
    legends = [allergen_legend(marks, locality.locale) for locality in speech.localities]
    return tuple(replace(lines[0], text=joined(line.text for line in lines)) for lines in zip(*legends, strict=True))


def _allergen_names(item: Item, speech: Speech) -> tuple[str, ...]:
    names = [allergen_names(item.allergens, locality.locale) for locality in speech.localities]
    return tuple(joined(each) for each in zip(*names, strict=True))


def _variants(item: Item, speech: Speech, *, mark: bool, energy: bool) -> tuple[VariantText, ...]:
    """Returns the variants to show: those of an item that is sold out as a whole are not marked individually."""
    location = speech.location
    return tuple(
        VariantText(
            name=speech.word(variant.name),
            price=worded_price(
                variant.price,
                kind=PriceKind.EXACT,
                unit=None,
                location=location,
                language=speech.languages[0],
                style=speech.prices,
            ),
            regular="" if variant.eighty_sixed else _struck(variant, speech),
            energy=energy_text(variant.energy, None, location.locale) if energy and variant.energy is not None else "",
            sold_out=variant.eighty_sixed and not item.is_sold_out,
        )
        for variant in item.variants
        if mark or item.is_sold_out or not variant.eighty_sixed
    )


def _modifiers(item: Item, speech: Speech, *, priced: bool) -> tuple[ModifierLine, ...]:
    return tuple(
        ModifierLine(
            name=speech.word(one.name),
            delta=board_delta(one.price_delta, location=speech.location, style=speech.prices) if priced else "",
        )
        for one in item.modifiers
    )


def _lowest(item: Item, speech: Speech, *, energy: bool) -> VariantText | None:
    """Summarises variants that have no room: the lowest price, and all their energies."""
    if not item.variants:
        return None
    there = [variant for variant in item.variants if not variant.eighty_sixed] or item.variants
    prices = {variant.price for variant in there}
    kind = PriceKind.FROM if len(prices) > 1 else PriceKind.EXACT
    energies = sorted({one.energy for one in there if one.energy is not None}) if energy else []
    told = ""
    if energies:
        most = energies[-1] if len(energies) > 1 else None
        told = energy_text(energies[0], most, speech.location.locale, of_two=len(there) == 2)
    price = worded_price(
        min(prices), kind=kind, unit=None, location=speech.location, language=speech.languages[0], style=speech.prices
    )
    return VariantText(name="", price=price, energy=told)


def _struck(priced: Item | Variant, speech: Speech) -> str:
    """Formats the price to strike, empty where there is no offer now; in the first currency alone."""
    if priced.offer is None or priced.price != priced.offer.price:
        return ""
    location = speech.location
    style = speech.prices if location.second_currency is None else PriceStyle(cents=speech.prices.cents)
    return price_text(priced.offer.regular, currency=location.currency, locale=location.locale, style=style).text


def fair_share(wanted: Sequence[int], total: int) -> int:
    """Returns the most that each may have so that all together have at most `total`; unused shares go to the others. At
    least 1, however many there are."""
    left = total
    for number, least in enumerate(sorted(wanted)):
        share = left // (len(wanted) - number)
        if least > share:
            return max(1, share)
        left -= least
    return total
