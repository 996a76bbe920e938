"""Does what values of items need at an instant: ends 86s, begins and ends offers, stores what is planned."""

import threading
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, or_, select

from service.core.changes import Change, ChangesMissed, ContentChanged
from service.services.content.catalogue import catalogue_changed
from service.services.content.eighty_six import set_86
from service.services.content.offers import as_of, brought_up_to, on_offer, without_offer
from service.services.content.place import place_of
from service.services.content.variants import set_variants
from service.services.places.local_items import keep
from service.services.places.planned_effects import next_effect, store_due
from service.storage.database import Database, Unit
from service.storage.tables.menus import ItemRow, LocalItemRow

_OF_ITEMS = (
    ItemRow.eighty_sixed_until,
    ItemRow.offer_starts_at,
    ItemRow.offer_ends_at,
    ItemRow.variants_change_at,
)


class DueValues:
    """Remembers the next instant, and acts when it has come. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._next: datetime | None = None
        self._stale = True

    def on_change(self, change: Change) -> None:
        """Looks up the next instant again after items may have changed."""
        if isinstance(change, ContentChanged | ChangesMissed):
            self._stale = True

    def tick(self, now: datetime) -> None:
        """Does what is due. Costs no SQL while nothing is, and no item has changed."""
        with self._lock:
            if not self._stale and (self._next is None or self._next > now):
                return
            # Before the query: a change during it makes its result stale.
            self._stale = False
            try:
                self._next = self.next_at()
                if self._next is not None and self._next <= now:
                    for act in (end_due, store_due):
                        with self._database.write() as unit:
                            act(unit)
                    self._next = self.next_at()
            except BaseException:
                self._stale = True
                raise

    def next_at(self) -> datetime | None:
        """Returns the next instant at which something is to be done; in the past if it is late."""
        with self._database.read() as session:
            columns = (*_OF_ITEMS, LocalItemRow.eighty_sixed_until)
            instants = [session.scalar(select(func.min(column))) for column in columns]
            instants.append(next_effect(session))
        return min((instant for instant in instants if instant is not None), default=None)


def end_due(unit: Unit) -> None:
    """Ends every 86 that has expired, and begins and ends the offers that are due."""
    _end_local_86s(unit)
    due = unit.session.scalars(select(ItemRow).where(or_(*(column <= unit.now for column in _OF_ITEMS)))).all()
    for row in due:
        offered = on_offer(row)
        if row.eighty_sixed_until is not None and row.eighty_sixed_until <= unit.now:
            set_86(row, said=False)
        for name, value in as_of(row, unit.now)._asdict().items():
            setattr(row, name, value)
        set_variants(row, [brought_up_to(part, unit.now) for part in row.variants])
        row.changed_at = unit.now
        _end_local_offers(unit, row, offered - on_offer(row))
    for workspace in {row.workspace_id for row in due}:
        catalogue_changed(unit, workspace, [row for row in due if row.workspace_id == workspace])


def _end_local_86s(unit: Unit) -> None:
    """Ends every 86 at a place that has expired: what the wider place says counts again."""
    due = select(LocalItemRow, ItemRow).join(ItemRow, ItemRow.id == LocalItemRow.item_id)
    for row, item in unit.session.execute(due.where(LocalItemRow.eighty_sixed_until <= unit.now)).all():
        set_86(row, said=None)
        keep(unit, item.workspace_id, row)
        catalogue_changed(unit, item.workspace_id, [item], place_of(row))


def _end_local_offers(unit: Unit, item: ItemRow, ended: Collection[str | None]) -> None:
    """Ends the offers at places of the item, or of these variants of it: the regular price is the price again."""
    for row in unit.session.scalars(select(LocalItemRow).where(LocalItemRow.item_id == item.id)).all():
        if None in ended and row.regular_price is not None:
            row.price, row.regular_price = row.regular_price, None
        row.variants = {
            name: {**without_offer(told), "units": told["regular"]} if name in ended and "regular" in told else told
            for name, told in row.variants.items()
        }
        row.changed_at = unit.now
