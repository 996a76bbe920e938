"""Modifiers and variants of items: as they are stored, and as the API shows them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from service.core.ids import NewId
from service.core.prices import price_of, price_units
from service.schema.base import unchecked
from service.schema.content.item import ModifierResponse, Variant, VariantResponse
from service.services.content.offers import Offer, next_change, offer_fields, offer_of, shown_prices, without_offer
from service.storage.tables.menus import ItemRow

_modifier = unchecked(ModifierResponse)
_variant = unchecked(VariantResponse)


def modifiers_of(row: ItemRow) -> Iterable[ModifierResponse]:
    """Returns the item's modifiers, priced in decimals."""
    return (_modifier(name=part["name"], price_delta=price_of(part["units"])) for part in row.modifiers)


def variants_of(row: ItemRow, *, now: datetime) -> Iterable[VariantResponse]:
    """Returns the item's variants, priced in decimals, as they are at this time."""
    for part in row.variants:
        price, regular, starts, ends = shown_prices(offer_of(part), now)
        yield _variant(
            id=part["id"],
            name=part["name"],
            price=price,
            regular_price=regular,
            offer_starts_at=starts,
            offer_ends_at=ends,
            energy=part.get("energy"),
            eighty_sixed=part["eightySixed"],
        )


def set_variants(row: ItemRow, variants: list[dict[str, Any]]) -> None:
    """Stores the item's variants, and when the first of their offers begins or ends."""
    row.variants = variants
    row.variants_change_at = next_change(variants)


def updated_variants(
    kept: Iterable[Mapping[str, Any]], variants: Iterable[Variant], new_id: NewId
) -> list[dict[str, Any]]:
    """Returns the variants as they are stored: one of a name that the item has `kept` has its id, and its 86, energy
    and offer unless they are given."""
    before = {part["name"]: part for part in kept}
    updated = []
    for variant in variants:
        part = before.get(variant.name) or {"id": new_id("var"), "energy": None, "eightySixed": False}
        given = {name: one for name, one in variant.given().items() if one is not None or name != "eighty_sixed"}
        updated.append(changed_variant(part, given))
    return updated


def changed_variant(part: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the stored variant after a change of some of its fields."""
    changed = without_offer(part) | offer_fields(part, changes)
    for name, value in changes.items():
        if name == "price":
            changed["units"] = price_units(value)
        elif name not in Offer._fields:
            changed["eightySixed" if name == "eighty_sixed" else name] = value
    return changed
