"""Checks, stores and shows combos: items that are made of others."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from service.core.errors import Fault
from service.schema.base import unchecked
from service.schema.content.item import Part, PartChoiceResponse, PartResponse
from service.services.shared.lookup import find_many, unknown
from service.storage.tables.menus import ItemRow

_part = unchecked(PartResponse)
_choice = unchecked(PartChoiceResponse)


def check_parts(session: Session, row: ItemRow, parts: Sequence[Part], pointer: str) -> Iterable[Fault]:
    """Finds a fault in these parts of the item: an unknown one, the item itself, or another combo."""
    named = find_many(session, ItemRow, row.workspace_id, (choice.item_id for part in parts for choice in part.any_of))
    for at, part in enumerate(parts):
        for number, choice in enumerate(part.any_of):
            place, item = f"{pointer}/parts/{at}/anyOf/{number}", named.get(choice.item_id)
            if choice.item_id == row.id:
                yield Fault("itself", "A combo is no part of itself.", f"{place}/itemId")
            elif item is None:
                yield unknown("item", choice.item_id, f"{place}/itemId")
            elif item.parts:
                yield Fault("combo_in_combo", f"{item.name!r} is a combo itself.", f"{place}/itemId")
            elif choice.variant_id is not None and all(one["id"] != choice.variant_id for one in item.variants):
                yield unknown("variant", choice.variant_id, f"{place}/variantId")
    if parts:
        yield from _check_is_no_part(session, row, pointer)


def _check_is_no_part(session: Session, row: ItemRow, pointer: str) -> Iterable[Fault]:
    combos = select(ItemRow.name, ItemRow.parts).where(
        ItemRow.workspace_id == row.workspace_id,
        # Only combos whose parts name it are read.
        cast(ItemRow.parts, Text).contains(row.id, autoescape=True),
        ItemRow.id != row.id,
    )
    for name, parts in session.execute(combos):
        if any(choice["itemId"] == row.id for part in parts or () for choice in part["anyOf"]):
            yield Fault("combo_in_combo", f"This item is a part of the combo {name!r}.", f"{pointer}/parts")
            return


def stored_parts(parts: Sequence[Part]) -> list[dict[str, Any]] | None:
    """Returns the parts as they are stored; None for no combo."""
    return [
        {
            "name": part.name,
            "quantity": part.quantity,
            "anyOf": [{"itemId": choice.item_id, "variantId": choice.variant_id} for choice in part.any_of],
        }
        for part in parts
    ] or None


def parts_named(rows: Iterable[ItemRow]) -> set[str]:
    """Returns the items that parts of these combos name."""
    return {choice["itemId"] for row in rows for part in row.parts or () for choice in part["anyOf"]}


def parts_of(row: ItemRow) -> Iterable[PartResponse]:
    """Yields the parts of a combo; none of another item."""
    return (
        _part(
            name=part["name"],
            quantity=part["quantity"],
            any_of=[_choice(item_id=choice["itemId"], variant_id=choice["variantId"]) for choice in part["anyOf"]],
        )
        for part in row.parts or ()
    )
