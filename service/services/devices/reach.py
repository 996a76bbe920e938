"""Counts the boards that have shown the newest change of an item, by the revisions that they report."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.schema.content.item import ItemReach
from service.services.access.access import Access
from service.services.devices.presence import Presence
from service.services.publishing.boards import BoardService
from service.services.publishing.composition import ManifestKey
from service.services.publishing.manifests import Manifest, ManifestService
from service.services.shared.lookup import batches, get
from service.storage.database import Database
from service.storage.tables.menus import ItemRow, LocalItemRow, RevisionRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import WorkspaceRow

MAX_REMEMBERED = 10_000
"""Manifests whose revision is remembered."""


class ReachService:
    """Counts boards. Safe to use from any thread."""

    def __init__(
        self, *, database: Database, boards: BoardService, manifests: ManifestService, presence: Presence
    ) -> None:
        self._database = database
        self._boards = boards
        self._manifests = manifests
        self._presence = presence
        self._composed: dict[ManifestKey, tuple[int, int]] = {}
        """The content number at which a manifest was composed, and its revision then."""

    def of_item(self, access: Access, item: str, *, now: datetime) -> ItemReach:
        """Returns the boards that have the item, and those that showed its newest change. Raises the 404 problem."""
        with self._database.read() as session:
            row = get(session, ItemRow, access.workspace, item, kind="item")
            changed_at = _changed_at(session, row)
            number = session.scalars(
                select(WorkspaceRow.content_number).where(WorkspaceRow.id == access.workspace)
            ).one()
            playlists = self._boards.playlists_with(session, access, row.id, row.category)
            screens = [
                screen for screen in _screens(session, access.workspace, playlists) if access.sees(screen.location_id)
            ]
            keys = {_key(screen) for screen in screens}
            known = _revisions(session, keys, since=changed_at)
        revisions = self._newest(keys, known, number, now=now)
        left = [screen for screen in screens if not self._has_shown(screen, revisions.get(_key(screen)))]
        offline = sum(not self._presence.online(screen, now=now) for screen in left)
        return ItemReach(screens=len(screens), shown=len(screens) - len(left), offline=offline)

    def _newest(
        self, keys: Collection[ManifestKey], known: dict[ManifestKey, int], number: int, *, now: datetime
    ) -> dict[ManifestKey, int]:
        """Returns the newest revision of each manifest. One without a revision since the change is composed: the change
        may not concern it at all."""
        remembered = {key: seen[1] for key in keys if (seen := self._composed.get(key)) and seen[0] == number}
        missing = [key for key in keys if key not in known and key not in remembered]
        if not missing:
            return known | remembered
        made = self._manifests.compose_many(missing, now=now)
        composed = {key: one.revision for key, one in made.items() if isinstance(one, Manifest)}
        if len(self._composed) > MAX_REMEMBERED:
            self._composed.clear()
        self._composed.update((key, (number, revision)) for key, revision in composed.items())
        return known | remembered | composed

    def _has_shown(self, screen: ScreenRow, revision: int | None) -> bool:
        contact = self._presence.of(screen)
        presented = {} if contact is None or contact.report is None else contact.report.get("presented", {})
        return (
            revision is not None
            and presented.get("playlistId", screen.playlist_id) == screen.playlist_id
            and (presented.get("revision") or 0) >= revision
        )


def _key(screen: ScreenRow) -> ManifestKey:
    return ManifestKey(workspace=screen.workspace_id, playlist=screen.playlist_id, location=screen.location_id)


def _changed_at(session: Session, row: ItemRow) -> datetime:
    """Returns when the item was last changed, everywhere or at a place."""
    local = session.scalar(select(func.max(LocalItemRow.changed_at)).where(LocalItemRow.item_id == row.id))
    return row.changed_at if local is None else max(row.changed_at, local)


def _screens(session: Session, workspace: str, playlists: Collection[str]) -> list[ScreenRow]:
    found: list[ScreenRow] = []
    for some in batches(sorted(playlists)):
        found += session.scalars(
            select(ScreenRow).where(ScreenRow.workspace_id == workspace, ScreenRow.playlist_id.in_(some))
        )
    return found


def _revisions(session: Session, keys: Collection[ManifestKey], *, since: datetime) -> dict[ManifestKey, int]:
    """Returns the revisions of these manifests that are as new as this instant."""
    wanted = {(key.location, key.playlist): key for key in keys}
    found: dict[ManifestKey, int] = {}
    for some in batches(sorted({key.location for key in keys})):
        rows = select(RevisionRow).where(RevisionRow.location_id.in_(some), RevisionRow.revision_at >= since)
        for row in session.scalars(rows):
            key = wanted.get((row.location_id, row.playlist_id))
            if key is not None:
                found[key] = row.revision
    return found
