"""Computes when what is sold out can be sold again: items, their variants, and the parts of combos."""

from collections.abc import Mapping
from datetime import UTC, datetime

from service.schema.content.item import PartResponse
from service.services.content.combos import parts_of
from service.services.content.eighty_six import said_86
from service.storage.tables.menus import ItemRow

NOBODY_KNOWS = datetime.max.replace(tzinfo=UTC)
"""When what is sold out without an end is back."""


def sold_out(row: ItemRow, *, now: datetime) -> bool:
    """True if the item is 86'd at this time; an expired 86 does not count, even while the row still has it."""
    return said_86(row, now=now) is True


def sold_from(row: ItemRow, variant: str | None, *, now: datetime) -> datetime:
    """Returns when the item itself, or this variant of it, can be sold again; now, if it can."""
    variants = [one for one in row.variants if variant in (None, one["id"])]
    if all(one["eightySixed"] for one in variants) and (variants or variant is not None):
        return NOBODY_KNOWS
    return (row.eighty_sixed_until or NOBODY_KNOWS) if sold_out(row, now=now) else now


def filled_from(part: PartResponse, items: Mapping[str, ItemRow], *, now: datetime) -> datetime:
    """Returns when any choice of the part can be sold again; now, if one can. Deleted ones are not among the items."""
    choices = (sold_from(items[one.item_id], one.variant_id, now=now) for one in part.any_of if one.item_id in items)
    return min(choices, default=NOBODY_KNOWS)


def available_from(row: ItemRow, items: Mapping[str, ItemRow], *, now: datetime) -> datetime:
    """Returns when the item can be sold again; now, if it can. A combo can while any choice of each of its parts can;
    these are among the items."""
    parts = (filled_from(part, items, now=now) for part in parts_of(row))
    return max([sold_from(row, None, now=now), *parts])
