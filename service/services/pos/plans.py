"""Plans what the rows of a feed do to the items of a workspace; `writes` carries the plan out.

A plan changes nothing: a preview shows the plan that a sync would carry out. The item of a row is the one that an
earlier sync has linked with its id, or else the one with its `sku`. A row whose link was lost, or whose item is gone,
is linked with the one item of its name and category that no point of sale has. An item that was deleted by hand comes
back with its old id while the feed goes on naming it. The sold-out flag is applied only when it differs from the last
sync, so the next sync does not lift an 86 set by hand. Items that a feed no longer names stay as they are. The feed of
a location changes what items have there, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.manifest import WITHOUT_AMOUNT
from menu.documents.manifest_reader import MAX_ITEMS
from service.core.ids import NewId
from service.schema.content.pos import FeedEncoding, FeedRowPart, SyncCounts
from service.services.content.items import blank_item
from service.services.content.place import Place, places_of
from service.services.content.skus import items_by_sku
from service.services.places.local_items import LocalItems, blank
from service.services.pos.feed import MAX_LISTED_ROW_ERRORS, FeedContent, FeedFailure, FeedRowError
from service.services.pos.local_rows import local_changes_of
from service.services.pos.namesakes import Namesakes
from service.services.pos.row_changes import EVERY_FIELD, Changes, changes_of, flags_of
from service.services.shared.lookup import count, find_many
from service.storage.tables.menus import ItemRow, LocalItemRow, PosConnectionRow, PosLinkRow

_AMOUNTS = ("exact", "from")
"""Kinds of prices that have an amount."""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """A row of the feed, its item, and the changes of it."""

    entry: FeedRowPart
    item: ItemRow
    """Not in the session yet if it is new."""
    is_new: bool
    link: PosLinkRow | None
    changes: Changes
    picture: str | None = None
    """The URL of a picture that the item is to get."""
    local: Sequence[LocalItemRow] = ()
    """The values of the item at the connection's location, the narrowest first: `changes` are those of the first."""

    @property
    def does_change(self) -> bool:
        """Whether a sync changes the item; False for a new one."""
        return not self.is_new and (bool(self.changes) or self.picture is not None)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    items: Sequence[PlannedItem]
    missing: Sequence[ItemRow]
    """Items of earlier syncs that the feed does not name; they stay."""
    outdated: Sequence[PosLinkRow]
    """Links that nothing needs any more."""
    errors: Sequence[FeedRowError]
    """The first `MAX_LISTED_ROW_ERRORS`, those of the feed among them."""
    counts: SyncCounts
    encoding: FeedEncoding | None


def plan_import(
    session: Session,
    row: PosConnectionRow,
    feed: FeedContent | FeedFailure,
    *,
    whole: bool,
    now: datetime,
    new_id: NewId,
) -> ImportPlan | FeedFailure:
    """Plans the changes of the items by the rows; rows that are not `whole` change items of earlier syncs only."""
    if isinstance(feed, FeedFailure):
        return feed
    planner = _Planner(session, row, feed, whole=whole)
    planned = [one for entry in feed.rows if (one := planner.plan(entry, now=now, new_id=new_id)) is not None]
    new = sum(one.is_new for one in planned)
    if new and count(session, ItemRow, row.workspace_id) + new > MAX_ITEMS:
        return FeedFailure("workspace_full", f"With {new} new items there would be more than {MAX_ITEMS}.")
    updated = sum(one.does_change for one in planned)
    errors = sorted((*feed.errors, *planner.errors), key=lambda error: error.row)
    return ImportPlan(
        items=planned,
        missing=planner.missing() if whole else (),
        # Of a row with an error the id may be unknown.
        outdated=planner.outdated() if whole and not errors else (),
        errors=errors[:MAX_LISTED_ROW_ERRORS],
        counts=SyncCounts(
            created=new,
            updated=updated,
            unchanged=len(planned) - new - updated,
            sold_out=sum(one.entry.sold_out is True for one in planned),
            failed=feed.error_count + len(planner.errors),
        ),
        encoding=feed.encoding,
    )


def keep_link(row: PosConnectionRow, one: PlannedItem) -> PosLinkRow:
    """Returns the link of the row's id, updated with the item and its values in the feed."""
    link = one.link
    if link is None:
        link = PosLinkRow(connection_id=row.id, external_id=one.entry.id, sold_out=None, variants_sold_out={})
    if one.picture is not None:
        kept = link.picture if link.item_id == one.item.id and not one.is_new else None
        link.picture = {"wanted": one.picture, "has": None if kept is None else kept["has"], "tries": 0}
    wanted: dict[str, Any] = {"item_id": one.item.id}
    if one.entry.sold_out is not None:
        wanted["sold_out"] = one.entry.sold_out
    if one.entry.variants is not None:
        wanted["variants_sold_out"] = flags_of(one.entry)
    for name, value in wanted.items():
        if getattr(link, name) != value:
            setattr(link, name, value)
    return link


def owned_by(row: PosConnectionRow) -> frozenset[str]:
    """Returns the fields that the feed of the connection owns."""
    return EVERY_FIELD if row.owns is None else frozenset(row.owns)


class _RefusedRowError(Exception):
    """A row that the items of the workspace do not allow. The message is for the operator."""

    def __init__(self, field: str, code: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.code = code


@dataclass(slots=True)
class _Planner:
    """Finds the item of each row."""

    session: Session
    row: PosConnectionRow
    feed: FeedContent
    whole: bool
    errors: list[FeedRowError] = field(default_factory=list)
    _links: dict[str, PosLinkRow] = field(init=False)
    _items: dict[str, ItemRow] = field(init=False)
    _by_sku: dict[str, ItemRow] = field(init=False)
    _places: Sequence[str] = field(init=False)
    """Places whose values count at the connection's location."""
    _local: LocalItems = field(init=False)
    _taken: dict[str, str] = field(init=False)
    """The id of the row that each item belongs to."""
    _skus: set[str] = field(default_factory=set)
    _namesakes: Namesakes = field(init=False)

    def __post_init__(self) -> None:
        mine = select(PosLinkRow).where(PosLinkRow.connection_id == self.row.id)
        self._links = {link.external_id: link for link in self.session.scalars(mine)}
        workspace = self.row.workspace_id
        self._items = find_many(self.session, ItemRow, workspace, (link.item_id for link in self._links.values()))
        self._by_sku = {item.sku: item for item in self._items.values() if item.sku is not None}
        named = {entry.sku for entry in self.feed.rows if entry.sku is not None}
        self._by_sku |= items_by_sku(self.session, workspace, named - self._by_sku.keys())
        location = self.row.location_id
        self._places = [] if location is None else places_of(self.session, [location])[location]
        here = [*self._items, *(item.id for item in self._by_sku.values())]
        self._local = LocalItems(self.session, self._places, here)
        self._namesakes = Namesakes(self.session, workspace, self.feed.rows)
        self._taken = {
            link.item_id: entry.id
            for entry in self.feed.rows
            if (link := self._links.get(entry.id)) is not None and link.item_id in self._items
        }

    def plan(self, entry: FeedRowPart, *, now: datetime, new_id: NewId) -> PlannedItem | None:
        """Plans the change of its item by the row; None for one that is refused."""
        link = self._links.get(entry.id)
        try:
            item = self._item_of(entry, link)
            namesake = self._namesake_of(entry, link) if item is None else None
            item = item or namesake
            if item is None and self.row.location_id is not None:
                raise _RefusedRowError("sku", "unknown_item", "No item has this SKU: a location's feed makes none.")
            if item is None and not self.whole:
                raise _RefusedRowError("id", "unknown_id", "No whole row with this id has been sent before.")
            needs_price = entry.price is None and entry.price_kind in _AMOUNTS
            if item is not None and item.price_kind in WITHOUT_AMOUNT and needs_price:
                raise _RefusedRowError("price", "required", "The item has no price, by its `priceKind`.")
            if item is not None and self.row.location_id is not None:
                return self._plan_there(entry, item, link, self.row.location_id, now=now)
        except _RefusedRowError as refused:
            number = self.feed.numbers.get(entry.id, 0)
            self.errors.append(FeedRowError(number, entry.id, refused.field, refused.code, str(refused)))
            return None
        is_new = item is None
        if item is None:
            item = blank_item(self.row.workspace_id, new_id("itm") if link is None else link.item_id, now)
        self._taken[item.id] = entry.id
        # What the link says of an item that was deleted is nothing that this one has had.
        last = link if link is not None and not is_new and link.item_id == item.id else None
        if namesake is not None:
            # Whose the 86 of this item is, is not known any more: one by hand stays.
            last = PosLinkRow(sold_out=False, variants_sold_out=dict.fromkeys(flags_of(entry), False))
        owned = EVERY_FIELD if is_new else owned_by(self.row)
        changes = changes_of(item, entry, last, owned=owned, now=now, new_id=new_id)
        told = entry.image_url if "imageUrl" in owned else None
        had = None if last is None or last.picture is None else last.picture["wanted"]
        return PlannedItem(
            entry=entry, item=item, is_new=is_new, link=link, changes=changes, picture=None if told == had else told
        )

    def _plan_there(
        self, entry: FeedRowPart, item: ItemRow, link: PosLinkRow | None, location: str, *, now: datetime
    ) -> PlannedItem:
        """Plans the row's change of the item's values at the connection's location."""
        last = link if link is not None and link.item_id == item.id else None
        local = self._local.of(item.id, self._places)
        if not local or local[0].location_id != location:
            local = (blank(item.id, Place(location), now=now), *local)
        changes, faults = local_changes_of(item, entry, last, local, owned=owned_by(self.row), now=now)
        for fault in faults:
            raise _RefusedRowError((fault.pointer or "").removeprefix("/"), fault.code, fault.detail)
        self._taken[item.id] = entry.id
        return PlannedItem(entry=entry, item=item, is_new=False, link=link, changes=changes, local=local)

    def _item_of(self, entry: FeedRowPart, link: PosLinkRow | None) -> ItemRow | None:
        """Finds the item of the row's id, or else of its SKU; None for a new one."""
        item = None if link is None else self._items.get(link.item_id)
        if entry.sku is None:
            return item
        if entry.sku in self._skus:
            raise _RefusedRowError("sku", "duplicate", "This SKU stands in the feed already.")
        self._skus.add(entry.sku)
        found = self._by_sku.get(entry.sku)
        if found is None or found is item:
            return item
        if item is not None or found.id in self._taken:
            raise _RefusedRowError("sku", "sku_taken", f"The item {found.id} ({found.name}) has this SKU.")
        return found

    def _namesake_of(self, entry: FeedRowPart, link: PosLinkRow | None) -> ItemRow | None:
        """Finds the item that a row without an item continues, instead of creating a duplicate."""
        if self.row.location_id is not None or (link is None and not self.row.links_lost):
            return None
        return self._namesakes.of(entry, self._taken)

    def missing(self) -> Sequence[ItemRow]:
        """Items of earlier syncs that no row names, not even one with an error."""
        named = {entry.id for entry in self.feed.rows} | {error.id for error in self.feed.errors}
        unnamed = (link.item_id for identifier, link in self._links.items() if identifier not in named)
        return [self._items[item] for item in unnamed if item in self._items and item not in self._taken]

    def outdated(self) -> Sequence[PosLinkRow]:
        """Links that the feed does not name, of items that are deleted or another row's."""
        named = {entry.id for entry in self.feed.rows}
        unnamed = (link for identifier, link in self._links.items() if identifier not in named)
        return [link for link in unnamed if link.item_id not in self._items or link.item_id in self._taken]
