"""Items of a menu: finds those that a selection names, and encodes them for players."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from menu.documents.manifest import WITHOUT_AMOUNT
from service.core.clock import instant_text
from service.schema.base import wire_name
from service.schema.content.item import PartResponse
from service.schema.fields import instant_or_none
from service.services.content.availability import NOBODY_KNOWS, available_from
from service.services.content.combos import parts_named, parts_of
from service.services.content.item_views import EXACT
from service.services.content.offers import as_of, offer_of, price_now
from service.services.content.variants import modifiers_of
from service.services.publishing.versions import ItemSelection
from service.services.shared.lookup import batches, find_many
from service.storage.tables.menus import AS_STORED, ItemRow

_AS_STORED = {wire_name(column.key): column.key for column in ItemRow.__table__.columns if column.info == AS_STORED}


@dataclass(frozen=True, slots=True)
class Selected:
    """Union of the items of some selections."""

    everything: bool
    categories: frozenset[str]
    ids: frozenset[str]

    @classmethod
    def by(cls, selections: Iterable[ItemSelection]) -> "Selected":
        selections = list(selections)
        return cls(
            everything=any(selection.everything for selection in selections),
            categories=frozenset(name for selection in selections for name in selection.categories),
            ids=frozenset(name for selection in selections for name in selection.item_ids),
        )

    def names(self, item: str, category: str) -> bool:
        return self.everything or category in self.categories or item in self.ids

    def among(self, rows: Sequence[ItemRow]) -> list[ItemRow]:
        """Returns the selected items and the parts of the combos among them, in the order of the rows."""
        chosen = {row.id for row in rows if self.names(row.id, row.category)}
        chosen |= parts_named(row for row in rows if row.id in chosen)
        return [row for row in rows if row.id in chosen]


def selected_items(session: Session, workspace: str, selections: Iterable[ItemSelection]) -> list[ItemRow]:
    """Returns the items that any of the selections names, and the parts of the combos among them, in menu order."""
    selected = Selected.by(selections)
    conditions: list[ColumnElement[bool]] = []
    if selected.everything:
        conditions.append(ItemRow.workspace_id == workspace)
    else:
        for column, names in ((ItemRow.category, selected.categories), (ItemRow.id, selected.ids)):
            some = (column.in_(part) for part in batches(sorted(names)))
            conditions += ((ItemRow.workspace_id == workspace) & one for one in some)
    rows = {row.id: row for condition in conditions for row in session.scalars(select(ItemRow).where(condition))}
    rows |= find_many(session, ItemRow, workspace, sorted(parts_named(rows.values()) - rows.keys()))
    return sorted(rows.values(), key=lambda row: (row.sort_index, row.number))


def item_documents(
    rows: Sequence[ItemRow], *, now: datetime, languages: frozenset[str] | None = None
) -> list[dict[str, Any]]:
    """Encodes the items for players, with their texts in these languages, or in all for None; the parts of combos are
    among the rows."""
    items = {row.id: row for row in rows}
    return [item_document(row, items, now=now, languages=languages) for row in rows]


def bare_language(language: str) -> str:
    """Strips scripts and territories from the language: `en` for `en-GB`."""
    return language.partition("-")[0]


def item_document(
    row: ItemRow, items: Mapping[str, ItemRow], *, now: datetime, languages: frozenset[str] | None
) -> dict[str, Any]:
    """Encodes the item for players; the parts of a combo are among the items."""
    # Players that know no variants or parts sell out an item with the last variant, and a combo with any part.
    back_at = available_from(row, items, now=now)
    item: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "category": row.category,
        # As it is now: players that know no offers show it. Those that know no market price leave the item out.
        **({} if row.price_kind in WITHOUT_AMOUNT else {"price": price_now(row, now=now)}),
        "modifiers": [modifier.document() for modifier in modifiers_of(row)],
        "eightySixed": back_at > now,
        "sortIndex": row.sort_index,
    }
    optional = {
        "priceKind": row.price_kind if row.price_kind != EXACT else None,
        "priceUnit": row.price_unit,
        "eightySixedUntil": instant_or_none(back_at) if now < back_at < NOBODY_KNOWS else None,
        "variants": [_variant_document(part, now=now) for part in row.variants],
        "parts": [_part_document(part, items) for part in parts_of(row)],
        "energyTo": row.energy_to,
        "offerStartsAt": instant_or_none(row.offer_starts_at),
        "offerEndsAt": instant_or_none(row.offer_ends_at),
        "description": row.description,
        "image": None if row.image is None else f"sha256:{row.image}",
        "imageFit": row.image_fit,
        "imageFocus": row.image_focus,
        "tags": row.tags,
        "allergens": row.allergens,
        "translations": {
            language: told
            for language, told in row.translations.items()
            if languages is None or bare_language(language) in languages
        },
        **{name: getattr(row, column) for name, column in _AS_STORED.items()},
    }
    if row.regular_price is not None:
        item |= {"regularPrice": row.regular_price, "offerPrice": row.price}
    if row.energy is not None:
        item["energy"] = row.energy
    return item | {name: value for name, value in optional.items() if value}


def _variant_document(part: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    offer = as_of(offer_of(part), now)
    document: dict[str, Any] = {
        "id": part["id"],
        "name": part["name"],
        "price": price_now(offer, now=now),
        "energy": part.get("energy"),
        "eightySixed": part["eightySixed"],
    }
    if offer.regular_price is not None:
        instants = {"offerStartsAt": offer.offer_starts_at, "offerEndsAt": offer.offer_ends_at}
        document |= {"regularPrice": offer.regular_price, "offerPrice": offer.price}
        document |= {name: instant_text(at) for name, at in instants.items() if at is not None}
    return document


def _part_document(part: PartResponse, items: Mapping[str, ItemRow]) -> dict[str, Any]:
    """Encodes the part with those of its choices that still exist."""
    choices: list[dict[str, str]] = []
    for choice in part.any_of:
        item = items.get(choice.item_id)
        if item is not None and choice.variant_id is None:
            choices.append({"itemId": item.id})
        elif item is not None:
            names = (one["name"] for one in item.variants if one["id"] == choice.variant_id)
            choices += ({"itemId": item.id, "variant": name} for name in names)
    return {**({"name": part.name} if part.name else {}), "quantity": part.quantity, "anyOf": choices}
