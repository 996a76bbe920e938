"""Applies a change of the local values of an item."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from menu.documents.manifest import WITHOUT_AMOUNT
from service.core.errors import Fault
from service.core.prices import price_units
from service.schema.content.item import HAS_NO_AMOUNT
from service.schema.places.local_item import LocalModifier, LocalVariant
from service.services.content.eighty_six import change_86
from service.services.content.place import Place
from service.services.places.local_items import LocalItems, blank, copy_of, prices
from service.storage.tables.menus import ItemRow, LocalItemRow


def tried(
    local: LocalItems,
    item: ItemRow,
    place: Place,
    wider: Sequence[str],
    given: Mapping[str, Any],
    *,
    now: datetime,
    pointer: str = "",
) -> tuple[LocalItemRow, list[Fault]]:
    """Tries a change of the item's values at a place, on a copy in no session: returns it, and the faults. `wider` are
    the wider places. What cannot be, such as the price of a variant that is gone, does nothing."""
    own = local.at(item.id, place)
    row = blank(item.id, place, now=now) if own is None else copy_of(own)
    return row, list(apply(row, item, local.of(item.id, wider), given, now=now, pointer=pointer))


def apply(
    own: LocalItemRow,
    item: ItemRow,
    wider: Sequence[LocalItemRow],
    given: Mapping[str, Any],
    *,
    now: datetime,
    pointer: str,
) -> Iterable[Fault]:
    """Changes the row, and yields the faults; `wider` are the local values of the wider places."""
    for name in ("price", "regular_price", "hidden"):
        if name in given:
            setattr(own, name, given[name])
    yield from change_86(own, given, restock_at=item.restock_at, now=now, pointer=pointer)
    if "modifiers" in given:
        yield from _change_modifiers(own, item, given["modifiers"], pointer=f"{pointer}/modifiers")
    if "variants" in given:
        yield from _change_variants(own, item, given["variants"], wider, pointer=f"{pointer}/variants")
    if item.price_kind in WITHOUT_AMOUNT:
        for name, field in (("price", "price"), ("regular_price", "regularPrice")):
            if given.get(name) is not None:
                yield Fault("market_price", HAS_NO_AMOUNT, f"{pointer}/{field}")
    elif given.get("price") is not None or given.get("regular_price") is not None:
        pairs = ((one.price, one.regular_price) for one in (own, *wider))
        yield from _check_prices(pairs, (item.price, item.regular_price), pointer)


def _change_modifiers(
    own: LocalItemRow, item: ItemRow, given: Sequence[LocalModifier] | None, *, pointer: str
) -> Iterable[Fault]:
    names = {part["name"] for part in item.modifiers}
    kept = {name: units for name, units in own.modifiers.items() if name in names} if given is not None else {}
    for at, one in enumerate(given or ()):
        if one.name not in names:
            yield Fault("unknown_modifier", f"This item has no modifier {one.name!r}.", f"{pointer}/{at}/name")
        elif one.price_delta is None:
            kept.pop(one.name, None)
        else:
            kept[one.name] = price_units(one.price_delta)
    own.modifiers = kept


def _change_variants(
    own: LocalItemRow,
    item: ItemRow,
    given: Sequence[LocalVariant] | None,
    wider: Sequence[LocalItemRow],
    *,
    pointer: str,
) -> Iterable[Fault]:
    parts = {part["id"]: part for part in item.variants}
    kept = {name: told for name, told in own.variants.items() if name in parts} if given is not None else {}
    for at, one in enumerate(given or ()):
        part = parts.get(one.id)
        if part is None:
            yield Fault("unknown_variant", f"This item has no variant {one.id!r}.", f"{pointer}/{at}/id")
            continue
        told = _variant(kept.pop(one.id, {}), one.given())
        if told:
            kept[one.id] = told
        if "units" in told or "regular" in told:
            places = (told, *(place.variants.get(one.id, {}) for place in wider))
            pairs = ((place.get("units"), place.get("regular")) for place in places)
            yield from _check_prices(pairs, (part["units"], part.get("regular")), f"{pointer}/{at}")
    own.variants = kept


def _check_prices(own: Iterable[tuple[Any, Any]], wide: tuple[Any, Any], pointer: str) -> Iterable[Fault]:
    price, regular = prices(own, wide)
    if regular is not None and regular <= price:
        detail = "The regular price is above the price of the offer."
        yield Fault("not_above", detail, f"{pointer}/regularPrice")


def _variant(before: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the local values of a variant, as they are stored."""
    changes: dict[str, Any] = {}
    for name, key in (("price", "units"), ("regular_price", "regular")):
        if name in given:
            changes[key] = None if given[name] is None else price_units(given[name])
    if "eighty_sixed" in given:
        changes["eightySixed"] = given["eighty_sixed"]
    return {name: value for name, value in {**before, **changes}.items() if value is not None}
