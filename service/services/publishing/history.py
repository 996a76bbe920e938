"""Stored versions of playlists: their content and changes, and restoring one of them.

A restore publishes the content of an earlier version as the next one. The draft stays as it is (docs/adr/0188).
"""

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from service.core.clock import instant_text
from service.core.errors import ProblemError, not_found
from service.schema.lists import Listing
from service.schema.publishing.playlist import PlaylistResponse
from service.schema.publishing.version import Publisher, VersionChanges, VersionResponse, VersionSummary
from service.services.access.access import Access
from service.services.publishing.playlists import MAX_STORED_VERSIONS, PlaylistService, playlist_view, publishable
from service.services.publishing.versions import stored_version
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import get, page_of
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import PlaylistRow, PlaylistVersionRow


class HistoryService:
    def __init__(self, *, database: Database, playlists: PlaylistService, cursors: Cursors) -> None:
        self._database = database
        self._playlists = playlists
        self._cursors = cursors

    def list(self, access: Access, playlist: str, request: PageRequest) -> Listing[VersionSummary]:
        """Returns one page of the stored versions, oldest first, without their content. Raises the 404 problem."""
        with self._database.read() as session:
            row = get(session, PlaylistRow, access.workspace, playlist, kind="playlist")
            stored = (
                select(PlaylistVersionRow)
                .where(PlaylistVersionRow.playlist_id == row.id)
                .options(defer(PlaylistVersionRow.document))
            )
            page = page_of(session, self._cursors, stored, PlaylistVersionRow.version, f"versions:{row.id}", request)
            return listing(page, lambda version: _summary(access, version))

    def get(self, access: Access, playlist: str, version: int) -> VersionResponse:
        """Returns a version with its content. Raises the 404 and 410 problems."""
        with self._database.read() as session:
            row = find_version(session, get(session, PlaylistRow, access.workspace, playlist, kind="playlist"), version)
            content = msgspec.json.decode(row.document)
            return VersionResponse(
                **_summary(access, row).model_dump(),
                name=content["playlist"]["name"],
                entries=content["playlist"]["entries"],
                scenes=content["scenes"],
            )

    def restore(self, access: Access, playlist: str, version: int, expected: Condition = ALWAYS) -> PlaylistResponse:
        """Publishes the content of a version as the next one. Raises 404, 410, 412, and 409 if it lacks an asset or has
        become too large."""
        with self._database.write() as unit:
            row = publishable(unit.session, access, playlist)
            expected.check(playlist_view(unit.session, row))
            frozen = find_version(unit.session, row, version).document
            self._playlists.release(unit, row, by=access.key, frozen=frozen, restores=version)
            return playlist_view(unit.session, row)


def find_version(session: Session, playlist: PlaylistRow, version: int) -> PlaylistVersionRow:
    """Raises the 404 problem, and 410 for a version that is no longer stored."""
    if version > playlist.version:
        raise not_found("version", str(version))
    row = stored_version(session, playlist.id, version)
    if row is None:
        detail = f"The last {MAX_STORED_VERSIONS} versions of a playlist are stored."
        raise ProblemError(410, "version_gone", "This version is not stored any more", detail)
    return row


def _summary(access: Access, row: PlaylistVersionRow) -> VersionSummary:
    # What keys are called is no business of one that sees only some of them.
    name = row.publisher_name if access.locations is None else None
    return VersionSummary(
        version=row.version,
        published_at=instant_text(row.published_at),
        published_by=None if row.published_by is None else Publisher(key=row.published_by, name=name),
        restores=row.restores,
        changes=None if row.changes is None else VersionChanges.model_validate(row.changes),
    )
