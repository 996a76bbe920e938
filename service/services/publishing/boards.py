"""Tells which boards an item leaves with a change of its fields."""

from datetime import datetime

from sqlalchemy import func, select

from service.schema.item import ItemResponse, LeftBoard
from service.services.access.access import Access
from service.services.publishing.composition import Selections
from service.services.publishing.menu_items import Selected
from service.storage.database import Database
from service.storage.tables.menus import PlaylistRow
from service.storage.tables.screens import ScreenRow

MAX_LEFT_BOARDS = 100
"""Playlists in one answer."""


class BoardService:
    """Knows what the playlists that screens play select. Reads no items."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._selections = Selections()

    def left(self, access: Access, before: ItemResponse, after: ItemResponse) -> list[LeftBoard]:
        """The played playlists that showed the item, and do so no more; of a narrowed key, those of its locations."""
        if not _sold(before) or (before.category == after.category and _sold(after)):
            return []
        screens = select(ScreenRow.playlist_id, func.count().label("screens")).where(
            ScreenRow.workspace_id == access.workspace
        )
        if access.locations is not None:
            screens = screens.where(ScreenRow.location_id.in_(sorted(access.locations)))
        played = screens.group_by(ScreenRow.playlist_id).subquery()
        playlists = (
            select(PlaylistRow.id, PlaylistRow.name, PlaylistRow.version, PlaylistRow.published_at, played.c.screens)
            .join(played, played.c.playlist_id == PlaylistRow.id)
            .where(PlaylistRow.version > 0)
            .order_by(PlaylistRow.number)
        )
        found: list[LeftBoard] = []
        with self._database.read() as session:
            for playlist, name, version, published_at, count in session.execute(playlists):
                at: datetime = published_at
                selected = Selected.by([self._selections.of(session, playlist, version, at)])
                showed = selected.names(before.id, before.category)
                if showed and not (_sold(after) and selected.names(after.id, after.category)):
                    found.append(LeftBoard(playlist=playlist, name=name, screens=count))
        return found[:MAX_LEFT_BOARDS]


def _sold(item: ItemResponse) -> bool:
    """Whether menus list the item."""
    all_gone = bool(item.variants) and all(variant.eighty_sixed for variant in item.variants)
    return not (item.eighty_sixed or item.missing_parts or all_gone)
