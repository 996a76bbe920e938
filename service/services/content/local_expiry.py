"""Ends local values: 86s that have expired, and offers that end with that of the item."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.services.content.catalogue import catalogue_changed
from service.services.content.eighty_six import set_86
from service.services.content.place import place_of
from service.storage.database import Unit
from service.storage.tables.menus import ItemRow, LocalItemRow


def next_local_expiry(session: Session) -> datetime | None:
    """When the next 86 at a place expires."""
    return session.scalar(select(func.min(LocalItemRow.eighty_sixed_until)))


def end_local_86s(unit: Unit) -> None:
    """Ends every 86 at a place that has expired: what the wider place says counts again."""
    due = select(LocalItemRow, ItemRow).join(ItemRow, ItemRow.id == LocalItemRow.item_id)
    for row, item in unit.session.execute(due.where(LocalItemRow.eighty_sixed_until <= unit.now)).all():
        set_86(row, said=None)
        row.changed_at = unit.now
        keep(unit, row)
        catalogue_changed(unit, item.workspace_id, [item], place_of(row))


def end_local_offers(unit: Unit, ended: Mapping[str, Iterable[str | None]]) -> None:
    """Ends the offers at places of these items, or of these variants of them: the regular price is the price again."""
    for item, parts in ended.items():
        for row in unit.session.scalars(select(LocalItemRow).where(LocalItemRow.item_id == item)).all():
            for part in parts:
                _end_offer(row, part)
            row.changed_at = unit.now


def _end_offer(row: LocalItemRow, part: str | None) -> None:
    told: Mapping[str, Any] = row.variants.get(part, {}) if part is not None else {}
    if part is None and row.regular_price is not None:
        row.price, row.regular_price = row.regular_price, None
    elif "regular" in told:
        kept = {name: value for name, value in told.items() if name != "regular"}
        row.variants = {**row.variants, part or "": {**kept, "units": told["regular"]}}


def keep(unit: Unit, row: LocalItemRow) -> None:
    """Stores the row, or removes it when it says nothing any more."""
    if not says_nothing(row):
        unit.session.add(row)
    elif row in unit.session:
        unit.session.delete(row)


def says_nothing(row: LocalItemRow) -> bool:
    """Whether the item has nothing of its own there any more."""
    plain = (row.price, row.regular_price, row.eighty_sixed, row.hidden)
    return all(value is None for value in plain) and not row.modifiers and not row.variants
