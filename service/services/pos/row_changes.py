"""Computes the changes of an item by a row of a feed, within the fields that the feed owns."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, get_args

from menu.documents.manifest import WITHOUT_AMOUNT
from menu.documents.scene import MAX_LANGUAGES
from service.core.ids import NewId
from service.core.prices import price_units
from service.schema.content.item import Variant
from service.schema.content.pos import FeedRowPart, FeedVariant, OwnedField
from service.services.content.eighty_six import EIGHTY_SIX
from service.services.content.item_texts import set_translations, without_base
from service.services.content.item_views import EXACT
from service.services.content.offers import brought_up_to, charged, next_change, offer_of
from service.services.content.variants import changed_variant, updated_variants
from service.storage.tables.menus import ItemRow, PosLinkRow

Changes = Mapping[str, Any]
"""New values of an item, by their columns."""

EVERY_FIELD = frozenset[str](get_args(OwnedField))
_PLAIN_FIELDS = {
    "name": "name",
    "category": "category",
    "sku": "sku",
    "sortIndex": "sort_index",
    "description": "description",
    "tags": "tags",
    "allergens": "allergens",
}
"""Fields that are stored as the feed tells them, and their columns."""


def changes_of(
    item: ItemRow, entry: FeedRowPart, link: PosLinkRow | None, *, owned: frozenset[str], now: datetime, new_id: NewId
) -> Changes:
    """Computes the changes of the item by the row; omitted fields stay."""
    wanted: dict[str, Any] = {
        column: value
        for name, column in _PLAIN_FIELDS.items()
        if name in owned and (value := getattr(entry, column)) is not None
    }
    if "modifiers" in owned and entry.modifiers is not None:
        wanted["modifiers"] = [{"name": one.name, "units": price_units(one.price_delta)} for one in entry.modifiers]
    if "translations" in owned:
        wanted["translations"] = _translations(item, entry)
    last = None if link is None else link.sold_out
    if "soldOut" in owned and entry.sold_out is not None and entry.sold_out != last:
        wanted |= {"eighty_sixed": entry.sold_out, **dict.fromkeys(EIGHTY_SIX[1:])}
    wanted |= _prices(item, entry, owned)
    flags = {} if link is None else link.variants_sold_out
    wanted |= _variants(item, entry, flags, owned=owned, now=now, new_id=new_id)
    return {name: value for name, value in wanted.items() if getattr(item, name) != value}


def apply_changes(item: ItemRow, changes: Changes, *, now: datetime) -> None:
    for name, value in changes.items():
        if name == "translations":
            set_translations(item, value)
        else:
            setattr(item, name, value)
    # Without a description, its translations go as well.
    list(without_base(item, given=False, pointer=""))
    item.changed_at = now


def flags_of(entry: FeedRowPart) -> dict[str, bool]:
    """Returns the sold-out flags of the row's variants, by their names."""
    return {one.name: one.sold_out for one in entry.variants or () if one.sold_out is not None}


def _translations(item: ItemRow, entry: FeedRowPart) -> dict[str, Any]:
    """Returns the item's texts in other languages, with the names of the row, unless there are too many."""
    told = {**item.translations}
    for language, one in (entry.translations or {}).items():
        told[language] = {**told.get(language, {}), "name": one.name}
    return told if len(told) <= MAX_LANGUAGES else item.translations


def _prices(item: ItemRow, entry: FeedRowPart, owned: frozenset[str]) -> dict[str, Any]:
    """Returns the price of the row, with its kind and unit if the row has them."""
    variants = item.variants if entry.variants is None or "variants" not in owned else entry.variants
    fields: dict[str, Any] = {"price_kind": EXACT, "price_unit": None} if variants else {}
    if "price" not in owned:
        return fields
    if not variants:
        told = {"price_kind": entry.price_kind, "price_unit": entry.price_unit}
        fields = {name: value for name, value in told.items() if value is not None}
    no_offer = {"regular_price": None, "offer_starts_at": None, "offer_ends_at": None}
    if fields.get("price_kind", item.price_kind) in WITHOUT_AMOUNT:
        # What a till charges today for what the board shows at the market price is not the board's.
        return fields | {"price": Decimal(0)} | no_offer
    if entry.price is None:
        return fields
    prices = charged(item, entry.price)
    return fields | prices | (no_offer if "price" in prices else {})


def _variants(
    item: ItemRow,
    entry: FeedRowPart,
    last: Mapping[str, Any],
    *,
    owned: frozenset[str],
    now: datetime,
    new_id: NewId,
) -> dict[str, Any]:
    """Returns the variants by their names: the row decides which exist, their prices and their flags, as far as it owns
    them."""
    if entry.variants is None or not owned & {"variants", "price", "soldOut"}:
        return {}
    kept = [brought_up_to(part, now) for part in item.variants]
    listed: Iterable[dict[str, Any]] = kept
    if "variants" in owned:
        named = [Variant.model_validate({"name": one.name, "price": one.price}) for one in entry.variants]
        listed = updated_variants(kept, named, new_id)
    before = {part["name"]: part for part in kept}
    told = {one.name: one for one in entry.variants}
    variants = [
        _variant(part, before.get(part["name"]), told.get(part["name"]), last=last, owned=owned) for part in listed
    ]
    return {"variants": variants, "variants_change_at": next_change(variants)}


def _variant(
    part: dict[str, Any],
    before: Mapping[str, Any] | None,
    told: FeedVariant | None,
    *,
    last: Mapping[str, Any],
    owned: frozenset[str],
) -> dict[str, Any]:
    if told is None:
        return part
    if before is not None:
        part = {**part, "units": before["units"]}
        if "price" in owned:
            part = changed_variant(part, charged(offer_of(part), told.price))
    # A flag that is as it was leaves an 86 by hand alone.
    flagged = before is None or ("soldOut" in owned and told.sold_out != last.get(told.name))
    return {**part, "eightySixed": told.sold_out} if flagged and told.sold_out is not None else part
