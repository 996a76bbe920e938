"""Finds the boards that an item leaves with a change of its fields, everywhere or at some locations."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, func, select, union
from sqlalchemy.orm import Session

from service.schema.content.item import ItemResponse, LeftBoard
from service.schema.places.local_item import LocalItemResponse
from service.services.access.access import Access
from service.services.content.place import places_of
from service.services.places.local_items import LocalItems, is_hidden, narrowest, of_86, of_variant
from service.services.publishing.composition import Selections
from service.services.publishing.menu_items import Selected
from service.services.shared.lookup import batches
from service.storage.database import Database
from service.storage.tables.menus import LocalItemRow, PlaylistRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import GroupLocationRow

MAX_LEFT_BOARDS = 100
"""Playlists in one answer."""


class BoardService:
    """Reads the selections of the playlists that screens play. Reads no items."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._selections = Selections()

    def left(self, access: Access, before: ItemResponse, after: ItemResponse) -> list[LeftBoard]:
        """Returns the played playlists that showed the item, and no longer do; for a restricted key, those of its
        locations."""
        moved = before.category != after.category
        now = self._database.now()
        if not moved and (_sold(after, now=now) or not _sold(before, now=now)):
            return []
        had, lost = Counter[str](), Counter[str]()
        with self._database.read() as session:
            apart = _apart(before.id)
            plain = _counted(session, *_seen(access), ScreenRow.location_id.not_in(apart))
            there = _counted(session, *_seen(access), ScreenRow.location_id.in_(apart), by_location=True)
            local = _local(session, before.id, {location for _, location, _ in there if location})
            for playlist, location, screens in [*plain, *there]:
                own = () if location is None else local(location)
                if _sold(before, own, now=now):
                    had[playlist] += screens
                    lost[playlist] += 0 if _sold(after, own, now=now) else screens
            return [
                LeftBoard(playlist=playlist.id, name=playlist.name, screens=screens)
                for playlist, selected in self._selecting(session, had)
                if selected.names(before.id, before.category)
                and (screens := (lost if selected.names(after.id, after.category) else had)[playlist.id])
            ][:MAX_LEFT_BOARDS]

    def left_at(self, access: Access, item: LocalItemResponse, locations: Collection[str]) -> list[LeftBoard]:
        """Returns the playlists that showed the item at these locations, where it is no longer available."""
        if not locations:
            return []
        lost = Counter[str]()
        with self._database.read() as session:
            for some in batches(sorted(locations)):
                for playlist, _, screens in _counted(session, *_seen(access), ScreenRow.location_id.in_(some)):
                    lost[playlist] += screens
            return [
                LeftBoard(playlist=playlist.id, name=playlist.name, screens=lost[playlist.id])
                for playlist, selected in self._selecting(session, lost)
                if selected.names(item.id, item.category)
            ][:MAX_LEFT_BOARDS]

    def playlists_with(self, session: Session, access: Access, item: str, category: str) -> list[str]:
        """Returns the played playlists that have the item, available or not."""
        played = session.scalars(select(ScreenRow.playlist_id).where(*_seen(access)).distinct())
        found = self._selecting(session, {playlist for playlist in played if playlist is not None})
        return [playlist.id for playlist, selected in found if selected.names(item, category)]

    def _selecting(self, session: Session, playlists: Collection[str]) -> Iterator[tuple[PlaylistRow, Selected]]:
        """Yields the selection of each playlist, the oldest first; without those that were never published."""
        found: list[PlaylistRow] = []
        for some in batches(sorted(playlists)):
            found += session.scalars(select(PlaylistRow).where(PlaylistRow.id.in_(some), PlaylistRow.version > 0))
        for row in sorted(found, key=lambda row: row.number):
            if row.published_at is not None:
                yield row, Selected.by([self._selections.of(session, row.id, row.version, row.published_at)])


def _seen(access: Access) -> list[ColumnElement[bool]]:
    own = ScreenRow.workspace_id == access.workspace
    return [own] if access.locations is None else [own, ScreenRow.location_id.in_(sorted(access.locations))]


def _counted(
    session: Session, *conditions: ColumnElement[bool], by_location: bool = False
) -> list[tuple[str, str | None, int]]:
    """Counts screens by playlist, and by location."""
    by = [ScreenRow.playlist_id, *([ScreenRow.location_id] if by_location else [])]
    counted = select(*by, func.count()).where(ScreenRow.playlist_id.is_not(None), *conditions).group_by(*by)
    rows: Iterable[Any] = session.execute(counted)
    return [(row[0], row[1] if by_location else None, row[-1]) for row in rows]


def _apart(item: str) -> CompoundSelect[Any]:
    """Selects the locations at which the item has local values, of their own or of a group."""
    local = LocalItemRow.item_id == item
    return union(
        select(LocalItemRow.location_id).where(local, LocalItemRow.location_id.is_not(None)),
        select(GroupLocationRow.location_id)
        .join(LocalItemRow, LocalItemRow.group_id == GroupLocationRow.group_id)
        .where(local),
    )


def _local(session: Session, item: str, locations: Collection[str]) -> Callable[[str], Sequence[LocalItemRow]]:
    """Returns a function that finds the local values of the item at one of these locations, the narrowest first."""
    places = places_of(session, locations)
    local = LocalItems(session, (place for there in places.values() for place in there), [item])
    return lambda location: local.of(item, places[location])


def _sold(item: ItemResponse, local: Sequence[LocalItemRow] = (), *, now: datetime) -> bool:
    """Returns whether menus list the item, with its local values of a place."""
    sold_out, _ = narrowest(local, of_86(now))
    flags = [(narrowest(local, of_variant(part.id, "eightySixed"))[0], part.eighty_sixed) for part in item.variants]
    variants = [wider if own is None else own for own, wider in flags]
    return not (
        is_hidden(local)
        or (item.eighty_sixed if sold_out is None else sold_out)
        or item.missing_parts
        or (bool(variants) and all(variants))
    )
