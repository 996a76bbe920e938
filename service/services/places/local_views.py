"""Items at a place as the API shows them, with the place of each value."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from service.schema.content.item import VariantResponse
from service.schema.places.local_item import (
    LocalItemResponse,
    LocalModifierResponse,
    LocalSources,
    LocalVariantResponse,
    LocalVariantSources,
)
from service.services.content.combos import parts_named
from service.services.content.item_views import view_with
from service.services.content.place import EVERYWHERE, Place, place_of
from service.services.places.local_items import (
    LocalItems,
    Value,
    is_hidden,
    item_at,
    narrowest,
    of_86,
    of_columns,
    of_modifier,
    of_variant,
)
from service.services.places.planned_values import there_at
from service.services.shared.lookup import find_many
from service.storage.tables.menus import ItemRow, LocalItemRow


def local_view(
    row: ItemRow, local: Sequence[LocalItemRow], choices: Mapping[str, ItemRow], *, now: datetime
) -> LocalItemResponse:
    """Returns the item with its local values, the narrowest first. The choices of a combo are those at the place."""
    item = view_with(item_at(row, local, now=now), choices, now=now)

    def source(value: Value) -> str:
        _, found = narrowest(local, value)
        place = EVERYWHERE if found is None else place_of(found)
        return place.id if place.location is None else "location"

    eighty_sixed = source(of_86(now))
    # At the market price no place has one of its own.
    prices = ("price", "regular_price") if item.price is not None else ()
    return LocalItemResponse(
        id=item.id,
        name=item.name,
        category=item.category,
        price=item.price,
        regular_price=item.regular_price,
        offer_starts_at=item.offer_starts_at,
        offer_ends_at=item.offer_ends_at,
        modifiers=[
            LocalModifierResponse(name=one.name, price_delta=one.price_delta, source=source(of_modifier(one.name)))
            for one in item.modifiers
        ],
        variants=[_variant(one, source) for one in item.variants],
        missing_parts=item.missing_parts,
        eighty_sixed=item.eighty_sixed,
        eighty_sixed_until=item.eighty_sixed_until,
        hidden=is_hidden(local),
        sources=LocalSources(
            price=source(of_columns(*prices[:1])),
            regular_price=source(of_columns(*prices)),
            eighty_sixed=eighty_sixed,
            eighty_sixed_until=eighty_sixed,
            hidden=source(of_columns("hidden")),
        ),
    )


def viewer_at(
    session: Session, workspace: str, place: Place, rows: Sequence[ItemRow], *, now: datetime
) -> Callable[[ItemRow], LocalItemResponse]:
    """Makes the responses of these rows; the choices of combos and all local values are looked up at once. At a
    location the planned values of this instant count; a group may span several."""
    choices = choices_of(session, workspace, rows)
    every = [*choices.values(), *rows]
    if place.location is not None:
        there = there_at(session, workspace, place.location, every, now=now)
        local, places = there.local, there.places
    else:
        local, places = LocalItems(session, [place.id], [row.id for row in every]), (place.id,)
    here = {row.id: row for row in local.items_at(choices.values(), places, now=now)}
    return lambda row: local_view(row, local.of(row.id, places), here, now=now)


def choices_of(session: Session, workspace: str, rows: Sequence[ItemRow]) -> Mapping[str, ItemRow]:
    """Returns the items that parts of these combos name."""
    return find_many(session, ItemRow, workspace, parts_named(rows))


def _variant(one: VariantResponse, source: Callable[[Value], str]) -> LocalVariantResponse:
    return LocalVariantResponse(
        id=one.id,
        name=one.name,
        price=one.price,
        regular_price=one.regular_price,
        eighty_sixed=one.eighty_sixed,
        sources=LocalVariantSources(
            price=source(of_variant(one.id, "units")),
            regular_price=source(of_variant(one.id, "units", "regular")),
            eighty_sixed=source(of_variant(one.id, "eightySixed")),
        ),
    )
