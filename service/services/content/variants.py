"""Modifiers and variants of items: as they are stored, and as the API shows them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from service.core.ids import NewId
from service.core.prices import price_of, price_units
from service.schema.base import unchecked
from service.schema.content.item import ModifierResponse, Variant, VariantResponse
from service.services.content.offers import next_change, offer_fields, offer_of, shown_prices, without_offer
from service.storage.tables.menus import ItemRow

_modifier = unchecked(ModifierResponse)
_variant = unchecked(VariantResponse)


def modifiers_of(row: ItemRow) -> Iterable[ModifierResponse]:
    """The item's modifiers, priced in decimals."""
    return (_modifier(name=part["name"], price_delta=price_of(part["units"])) for part in row.modifiers)


def variants_of(row: ItemRow, *, now: datetime) -> Iterable[VariantResponse]:
    """The item's variants, priced in decimals, as they are at this time."""
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
    """The variants as they are stored: one of a name that the item has `kept` has its id, and its 86, energy and offer
    unless they are given."""
    before = {part["name"]: part for part in kept}
    updated = []
    for variant in variants:
        part: Mapping[str, Any] = before.get(variant.name, {})
        given = variant.given()
        updated.append(
            {
                "id": part["id"] if part else new_id("var"),
                "name": variant.name,
                "units": price_units(variant.price),
                "energy": variant.energy if "energy" in given else part.get("energy"),
                "eightySixed": part.get("eightySixed", False) if variant.eighty_sixed is None else variant.eighty_sixed,
                **offer_fields(part, given),
            }
        )
    return updated


def changed_variant(part: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The stored variant after a change of some of its fields."""
    changed = without_offer(part) | offer_fields(part, changes)
    for name, value in changes.items():
        match name:
            case "price":
                changed["units"] = price_units(value)
            case "eighty_sixed":
                changed["eightySixed"] = value
            case "regular_price" | "offer_starts_at" | "offer_ends_at":
                pass
            case _:
                changed[name] = value
    return changed
