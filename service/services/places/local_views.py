"""Items at a place as the API shows them, with the place that each value is from."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from service.schema.content.item import VariantResponse
from service.schema.places.local_item import (
    LocalItemResponse,
    LocalModifierResponse,
    LocalSources,
    LocalVariantResponse,
    LocalVariantSources,
)
from service.services.content.item_views import view_with
from service.services.content.place import EVERYWHERE, place_of
from service.services.places.local_items import first, is_hidden, item_at, says_eighty_sixed, says_modifier
from service.storage.tables.menus import ItemRow, LocalItemRow


def local_view(
    row: ItemRow, local: Sequence[LocalItemRow], choices: Mapping[str, ItemRow], *, now: datetime
) -> LocalItemResponse:
    """The item with its local values, the narrowest first. The choices of a combo are as they are there."""
    item = view_with(item_at(row, local, now=now), choices, now=now)

    def source(says: Callable[[LocalItemRow], bool]) -> str:
        found = first(local, says)
        place = EVERYWHERE if found is None else place_of(found)
        return place.id if place.location is None else "location"

    eighty_sixed = source(says_eighty_sixed(now))
    has_price = item.price is not None
    return LocalItemResponse(
        id=item.id,
        name=item.name,
        category=item.category,
        price=item.price,
        regular_price=item.regular_price,
        offer_starts_at=item.offer_starts_at,
        offer_ends_at=item.offer_ends_at,
        modifiers=[
            LocalModifierResponse(name=one.name, price_delta=one.price_delta, source=source(says_modifier(one.name)))
            for one in item.modifiers
        ],
        variants=[_variant(one, source) for one in item.variants],
        missing_parts=item.missing_parts,
        eighty_sixed=item.eighty_sixed,
        eighty_sixed_until=item.eighty_sixed_until,
        hidden=is_hidden(local),
        sources=LocalSources(
            price=source(lambda one: has_price and one.price is not None),
            regular_price=source(lambda one: has_price and (one.price is not None or one.regular_price is not None)),
            eighty_sixed=eighty_sixed,
            eighty_sixed_until=eighty_sixed,
            hidden=source(lambda one: one.hidden is not None),
        ),
    )


def _variant(one: VariantResponse, source: Callable[[Callable[[LocalItemRow], bool]], str]) -> LocalVariantResponse:
    def says(*names: str) -> Callable[[LocalItemRow], bool]:
        return lambda row: any(name in row.variants.get(one.id, {}) for name in names)

    return LocalVariantResponse(
        id=one.id,
        name=one.name,
        price=one.price,
        regular_price=one.regular_price,
        eighty_sixed=one.eighty_sixed,
        sources=LocalVariantSources(
            price=source(says("units")),
            regular_price=source(says("units", "regular")),
            eighty_sixed=source(says("eightySixed")),
        ),
    )
