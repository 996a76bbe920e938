"""Computes the changes by a row of a location's feed in the item's values there: prices, modifiers and 86s.

Nothing else changes, and no item is created: the feed of one location's till holds there only.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from menu.documents.manifest import WITHOUT_AMOUNT
from service.core.errors import Fault
from service.schema.content.pos import FeedRowPart, FeedVariant
from service.schema.places.local_item import LocalModifier, LocalVariant
from service.services.content.offers import charged, offer_of
from service.services.places.local_changes import apply
from service.services.places.local_items import copy_of, item_at
from service.storage.tables.menus import ItemRow, LocalItemRow, PosLinkRow

_CHANGED = ("price", "regular_price", "modifiers", "variants", "eighty_sixed", "eighty_sixed_until")


def local_changes_of(
    item: ItemRow,
    entry: FeedRowPart,
    link: PosLinkRow | None,
    local: Sequence[LocalItemRow],
    *,
    owned: frozenset[str],
    now: datetime,
) -> tuple[Mapping[str, Any], Sequence[Fault]]:
    """Returns the new values of the item at the location, the first of `local`, by their columns, and the faults."""
    own, *wider = local
    here = item_at(item, local, now=now)
    given: dict[str, Any] = {}
    if "price" in owned and entry.price is not None and item.price_kind not in WITHOUT_AMOUNT:
        given |= charged(here, entry.price)
    names = {part["name"] for part in item.modifiers}
    told = [one.document() for one in entry.modifiers or () if one.name in names]
    if "modifiers" in owned and told:
        given["modifiers"] = [LocalModifier.model_validate(one) for one in told]
    last = None if link is None else link.sold_out
    if "soldOut" in owned and entry.sold_out is not None and entry.sold_out != last:
        # What the till has may be sold out everywhere: then that counts.
        given["eighty_sixed"] = entry.sold_out or None
    flags = {} if link is None else link.variants_sold_out
    by_name = {part["name"]: part for part in here.variants}
    variants = [_variant(by_name[one.name], one, flags, owned) for one in entry.variants or () if one.name in by_name]
    if variants:
        given["variants"] = variants
    changed = copy_of(own)
    faults = list(apply(changed, item, wider, given, now=now, pointer=""))
    return {name: value for name in _CHANGED if (value := getattr(changed, name)) != getattr(own, name)}, faults


def _variant(
    part: Mapping[str, Any], told: FeedVariant, last: Mapping[str, Any], owned: frozenset[str]
) -> LocalVariant:
    given: dict[str, Any] = {"id": part["id"]}
    if "price" in owned:
        prices = charged(offer_of(part), told.price)
        given |= {"regularPrice" if name == "regular_price" else name: value for name, value in prices.items()}
    if "soldOut" in owned and told.sold_out is not None and told.sold_out != last.get(told.name):
        given["eightySixed"] = told.sold_out or None
    return LocalVariant.model_validate(given)
