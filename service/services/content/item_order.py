"""Puts the items of a category in an order. They stay where they are among those of other categories."""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.errors import Fault, invalid
from service.schema.content.item import ItemOrder, ItemResponse
from service.schema.fields import WHOLE_NUMBER_LIMIT
from service.schema.lists import Listing, whole
from service.services.content.catalogue import catalogue_changed
from service.services.content.item_views import viewer
from service.services.shared.etags import changed_meanwhile
from service.services.shared.lookup import find_many
from service.storage.database import Database
from service.storage.tables.menus import ItemRow

GAP = 1_000
"""Sort indexes between two items when all are numbered anew: room for some ten that are put between them."""


class Placed(NamedTuple):
    """Fields by which an item is listed (docs/semantics.md)."""

    sort_index: int
    number: int
    id: str
    category: str


class ItemOrderService:
    """Lists the items of a category in the order of boards, and changes it."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def names(self, workspace: str, category: str) -> dict[str, str]:
        """Returns the names of the category's items by id, in their order."""
        named = select(ItemRow.id, ItemRow.name).where(ItemRow.workspace_id == workspace, ItemRow.category == category)
        with self._database.read() as session:
            rows = session.execute(named.order_by(ItemRow.sort_index, ItemRow.number))
            return {identifier: name for identifier, name in rows}  # noqa: C416  (typed rows)

    def change(self, workspace: str, body: ItemOrder, *, before: Sequence[str] | None = None) -> Listing[ItemResponse]:
        """Puts the items of a category in this order, and returns them. Raises the 422 problem unless the order names
        each of them once, and 412 if they were not in the order `before`."""
        with self._database.write() as unit:
            all_items = _placed(unit.session, workspace)
            own = {one.id: one for one in all_items if one.category == body.category}
            if before is not None and list(own) != list(before):
                raise changed_meanwhile()
            _check(body.items, own.keys())
            order = iter(body.items)
            wanted = [own[next(order)] if one.id in own else one for one in all_items]
            indexes = numbered(wanted)
            rows = find_many(unit.session, ItemRow, workspace, [*indexes, *body.items])
            for name, index in indexes.items():
                rows[name].sort_index, rows[name].changed_at = index, unit.now
            if indexes:
                catalogue_changed(unit, workspace, [rows[name] for name in indexes])
            shown = [rows[name] for name in body.items]
            return whole(list(map(viewer(partial(find_many, unit.session, ItemRow), shown, now=unit.now), shown)))


def numbered(wanted: Sequence[Placed]) -> dict[str, int]:
    """Returns the sort indexes to change, by id, so that items are listed in this order: of those that have moved, or
    of all if there is no room between two that stay. None becomes more than 0, which new items have: those come last.
    """
    changed: dict[str, int] = {}
    at = 0
    for end in (*_longest_rising(wanted), len(wanted)):
        if count := end - at:
            before = wanted[at - 1].sort_index if at else wanted[end].sort_index - GAP * (count + 1)
            after = wanted[end].sort_index if end < len(wanted) else 1
            if after - before <= count or before < -WHOLE_NUMBER_LIMIT:
                return {one.id: GAP * (place - len(wanted)) for place, one in enumerate(wanted)}
            indexes = (before + (after - before) * place // (count + 1) for place in range(1, count + 1))
            changed |= {one.id: index for one, index in zip(wanted[at:end], indexes, strict=True)}
        at = end + 1
    return changed


def _longest_rising(wanted: Sequence[Placed]) -> list[int]:
    """Returns the places of as many items as possible that are in order already."""
    ends: list[Placed] = []
    at: list[int] = []
    previous: list[int | None] = []
    for place, one in enumerate(wanted):
        length = bisect_left(ends, one)
        previous.append(at[length - 1] if length else None)
        ends[length : length + 1] = [one]
        at[length : length + 1] = [place]
    found: list[int] = []
    last = at[-1] if at else None
    while last is not None:
        found.append(last)
        last = previous[last]
    return found[::-1]


def _placed(session: Session, workspace: str) -> list[Placed]:
    columns = ItemRow.sort_index, ItemRow.number, ItemRow.id, ItemRow.category
    rows = select(*columns).where(ItemRow.workspace_id == workspace)
    return [Placed(*row) for row in session.execute(rows.order_by(ItemRow.sort_index, ItemRow.number))]


def _check(order: Sequence[str], own: Collection[str]) -> None:
    faults = [
        Fault("not_in_category", f"The category has no item {name!r}.", f"/items/{at}")
        for at, name in enumerate(order)
        if name not in own
    ]
    if not faults and (len(order) != len(set(order)) or len(order) != len(own)):
        faults = [Fault("incomplete", f"The order names each of the {len(own)} items of the category once.", "/items")]
    if faults:
        raise invalid(faults)
