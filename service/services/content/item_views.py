"""Items as the API shows them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from menu.documents.manifest import WITHOUT_AMOUNT
from service.schema.base import unchecked
from service.schema.content.item import ItemResponse
from service.schema.fields import instant_or_none
from service.services.content.availability import filled_from, sold_out
from service.services.content.combos import parts_of
from service.services.content.item_texts import translations_of
from service.services.content.offers import shown_prices
from service.services.content.variants import modifiers_of, variants_of
from service.services.shared.lookup import find_many
from service.storage.tables.menus import ItemRow

EXACT = "exact"
"""The usual kind of a price."""

FindItems = Callable[[str, Iterable[str]], Mapping[str, ItemRow]]
"""Finds items of a workspace by their ids."""

_item = unchecked(ItemResponse)
WORKED_OUT = frozenset(
    (
        *("price", "regular_price", "offer_starts_at", "offer_ends_at", "modifiers", "variants", "parts"),
        *("missing_parts", "eighty_sixed", "eighty_sixed_until", "image", "translations"),
    )
)
"""Fields that are shown otherwise than they are stored."""
_STORED_AS_SHOWN = tuple(name for name in ItemResponse.model_fields if name not in WORKED_OUT)


def item_view(session: Session, row: ItemRow, *, now: datetime) -> ItemResponse:
    return viewer(partial(find_many, session, ItemRow), [row], now=now)(row)


def viewer(find: FindItems, rows: Sequence[ItemRow], *, now: datetime) -> Callable[[ItemRow], ItemResponse]:
    """Returns a maker of the responses of these rows; the choices of combos are looked up at once."""
    combos = (row for row in rows if row.parts)
    choices = {(row.workspace_id, choice.item_id) for row in combos for part in parts_of(row) for choice in part.any_of}
    items: dict[str, ItemRow] = {}
    for workspace in {workspace for workspace, _ in choices}:
        items |= find(workspace, (item for _, item in choices))
    return lambda row: view_with(row, items, now=now)


def view_with(row: ItemRow, items: Mapping[str, ItemRow], *, now: datetime) -> ItemResponse:
    """Returns the item as the API shows it; the choices of a combo are among the items."""
    active = sold_out(row, now=now)
    price, regular, starts, ends = shown_prices(row, now)
    # Most items have none: a page of items spends a third of its time here.
    parts = list(parts_of(row)) if row.parts else []
    return _item(
        **{name: getattr(row, name) for name in _STORED_AS_SHOWN},
        price=None if row.price_kind in WITHOUT_AMOUNT else price,
        regular_price=regular,
        offer_starts_at=starts,
        offer_ends_at=ends,
        modifiers=list(modifiers_of(row)) if row.modifiers else [],
        variants=list(variants_of(row, now=now)) if row.variants else [],
        parts=parts,
        missing_parts=[at for at, part in enumerate(parts) if filled_from(part, items, now=now) > now] if parts else [],
        eighty_sixed=active,
        eighty_sixed_until=instant_or_none(row.eighty_sixed_until) if active else None,
        image=None if row.image is None else f"sha256:{row.image}",
        translations=translations_of(row),
    )
