"""Creates, orders and publishes playlists."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import Session

from service.core.changes import ContentChanged, ScreenChanged
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, in_use, invalid, not_found
from service.core.events import EventType
from service.core.ids import NewId
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.schema.publishing.approval import ApprovalStatus
from service.schema.publishing.playlist import (
    MAX_ENTRIES,
    EntryCreate,
    EntryPatch,
    EntryResponse,
    PlaylistCreate,
    PlaylistPatch,
    PlaylistResponse,
    PlaylistSummary,
)
from service.schema.publishing.schedule import schedule_document
from service.services.access.access import Access
from service.services.publishing.composition import ensure_publishable
from service.services.publishing.live_overrides import announce_screens
from service.services.publishing.versions import add_version, ensure_assets, redated, snapshot
from service.services.scenes.drafts import digest_drafts
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find, get, read_page, unknown
from service.services.webhooks.outbox import emit
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ApprovalRow, EntryRow, PlaylistRow, PlaylistVersionRow, RevisionRow, SceneRow
from service.storage.tables.screens import ScreenRow

MAX_STORED_VERSIONS = 10
"""Published versions of a playlist that are stored; older ones are deleted. Each is a copy of its scenes, about 130
bytes a widget and at most 4 MiB, and manifests name the items of all of them."""


class PlaylistService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, workspace: str, request: PageRequest) -> Listing[PlaylistSummary]:
        """Returns one page of playlists, without their scenes."""
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, PlaylistRow, workspace, request), _summary)

    def get(self, workspace: str, playlist: str) -> PlaylistResponse:
        """Returns a playlist with its ordered scenes. Raises the 404 problem."""
        with self._database.read() as session:
            return playlist_view(session, get(session, PlaylistRow, workspace, playlist, kind="playlist"))

    def create(self, workspace: str, body: PlaylistCreate) -> PlaylistResponse:
        """Creates an empty playlist."""
        with self._database.write() as unit:
            return playlist_view(unit.session, self.add(unit, workspace, body))

    def add(self, unit: Unit, workspace: str, body: PlaylistCreate) -> PlaylistRow:
        """Adds a playlist in the caller's transaction."""
        row = PlaylistRow(
            id=self._new_id("pl"),
            workspace_id=workspace,
            name=body.name,
            version=0,
            published_at=None,
            created_at=unit.now,
            changed_at=unit.now,
        )
        unit.session.add(row)
        unit.session.flush()
        return row

    def change(
        self, workspace: str, playlist: str, body: PlaylistPatch, expected: Condition = ALWAYS
    ) -> PlaylistResponse:
        """Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PlaylistRow, workspace, playlist, kind="playlist")
            expected.check(playlist_view(unit.session, row))
            for name, value in body.given().items():
                setattr(row, name, value)
            digest_drafts(unit.session, [row.id])
            row.changed_at = unit.now
            if not row.version:
                # Screens that wait for it say its name.
                unit.announce(ContentChanged(workspace, playlist=row.id))
            return playlist_view(unit.session, row)

    def remove(self, access: Access, playlist: str, expected: Condition = ALWAYS) -> None:
        """Removes a playlist and its published versions. Raises 404, 412, and 409 while a screen uses it."""
        with self._database.write() as unit:
            row = publishable(unit.session, access, playlist)
            expected.check(playlist_view(unit.session, row))
            if unit.session.scalar(select(exists().where(_of_screen(row.id)))):
                raise in_use("playlist", "the screens that play it")
            unit.session.execute(delete(RevisionRow).where(RevisionRow.playlist_id == row.id))
            unit.session.delete(row)
            # The manifests of other playlists told its items.
            unit.announce(ContentChanged(access.workspace, playlist=row.id))

    def append(self, workspace: str, playlist: str, body: EntryCreate) -> EntryResponse:
        """Appends a scene. Raises the 404 and 422 problems, and 409 when the playlist is full."""
        with self._database.write() as unit:
            row = get(unit.session, PlaylistRow, workspace, playlist, kind="playlist")
            return _entry_view(self.add_entry(unit, row, body))

    def add_entry(self, unit: Unit, playlist: PlaylistRow, body: EntryCreate) -> EntryRow:
        """Appends a scene in the caller's transaction."""
        if find(unit.session, SceneRow, playlist.workspace_id, body.scene_id) is None:
            raise invalid([unknown("scene", body.scene_id, "/sceneId")])
        entries = entries_of(unit.session, playlist.id)
        if len(entries) >= MAX_ENTRIES:
            raise ProblemError(
                409, "too_many_scenes", "The playlist is full", f"A playlist holds at most {MAX_ENTRIES} scenes."
            )
        entry = EntryRow(
            id=self._new_id("ent"),
            playlist_id=playlist.id,
            scene_id=body.scene_id,
            position=entries[-1].position + 1 if entries else 0,
            duration_seconds=body.duration_seconds,
            schedule=None if body.schedule is None else schedule_document(body.schedule),
        )
        unit.session.add(entry)
        unit.session.flush()
        digest_drafts(unit.session, [playlist.id])
        playlist.changed_at = unit.now
        return entry

    def reorder(
        self, workspace: str, playlist: str, order: Sequence[str], expected: Condition = ALWAYS
    ) -> PlaylistResponse:
        """Reorders the scenes; `order` names each exactly once. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PlaylistRow, workspace, playlist, kind="playlist")
            expected.check(playlist_view(unit.session, row))
            ordered = _permutation(entries_of(unit.session, row.id), order)
            for position, entry in enumerate(ordered):
                entry.position = position
            row.changed_at = unit.now
            unit.session.flush()
            digest_drafts(unit.session, [row.id])
            return playlist_view(unit.session, row)

    def take_out(self, workspace: str, playlist: str, entry: str, expected: Condition = ALWAYS) -> None:
        """Removes one entry; its scene stays. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PlaylistRow, workspace, playlist, kind="playlist")
            found = _entry(unit.session, row, entry)
            expected.check(_entry_view(found))
            unit.session.delete(found)
            unit.session.flush()
            digest_drafts(unit.session, [row.id])
            row.changed_at = unit.now

    def change_entry(
        self, workspace: str, playlist: str, entry: str, body: EntryPatch, expected: Condition = ALWAYS
    ) -> EntryResponse:
        """Changes an entry's duration or schedule. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PlaylistRow, workspace, playlist, kind="playlist")
            found = _entry(unit.session, row, entry)
            expected.check(_entry_view(found))
            given = body.given()
            found.duration_seconds = given.get("duration_seconds", found.duration_seconds)
            if "schedule" in given:
                found.schedule = None if body.schedule is None else schedule_document(body.schedule)
            unit.session.flush()
            digest_drafts(unit.session, [row.id])
            row.changed_at = unit.now
            return _entry_view(found)

    def publish(self, access: Access, playlist: str, expected: Condition = ALWAYS) -> PlaylistResponse:
        """Publishes the playlist as its next version. Raises 404, 412, and 409 when it is empty or too large."""
        with self._database.write() as unit:
            row = publishable(unit.session, access, playlist)
            expected.check(playlist_view(unit.session, row))
            self.release(unit, row, by=access.key)
            return playlist_view(unit.session, row)

    def release(
        self,
        unit: Unit,
        playlist: PlaylistRow,
        *,
        by: str | None = None,
        frozen: str | None = None,
        restores: int | None = None,
    ) -> None:
        """Publishes the next version in the caller's transaction: the current playlist, or a frozen one, which was
        approved or is an earlier version. Raises 409 if it has become too large, or lacks an asset."""
        playlist.version += 1
        playlist.published_at = playlist.changed_at = unit.now
        if frozen is None:
            document = self.freeze(unit, playlist, version=playlist.version)
        else:
            document = redated(frozen, version=playlist.version, at=unit.now)
            ensure_assets(unit.session, playlist, document)
        ensure_publishable(unit.session, playlist, document, now=unit.now)
        add_version(unit, playlist, document, by=by, restores=restores)
        _begin_on_screens(unit, playlist)
        too_old = PlaylistVersionRow.version <= playlist.version - MAX_STORED_VERSIONS
        of_playlist = PlaylistVersionRow.playlist_id == playlist.id
        for row in unit.session.scalars(select(PlaylistVersionRow).where(of_playlist, too_old)):
            unit.session.delete(row)
        # A pending request was made for a playlist that differs from the one published now.
        replace_pending(unit, playlist.id)
        unit.announce(ContentChanged(playlist.workspace_id, playlist=playlist.id))
        emit(
            unit,
            playlist.workspace_id,
            EventType.CONTENT_PUBLISHED,
            {
                "playlist": playlist.id,
                "name": playlist.name,
                "version": playlist.version,
                "publishedAt": instant_text(unit.now),
            },
        )

    def freeze(self, unit: Unit, playlist: PlaylistRow, *, version: int) -> str:
        """Freezes the current playlist, to publish it now or later. Raises the 409 problem if it has no scene."""
        entries = entries_of(unit.session, playlist.id)
        if not entries:
            raise playlist_empty()
        return snapshot(unit.session, playlist, entries, version=version, at=unit.now)


def playlist_empty() -> ProblemError:
    """Returns the 409 problem: a playlist without a scene is not shown."""
    return ProblemError(
        409,
        "playlist_empty",
        "The playlist has no scene",
        "Its screens would have nothing to show. Append a scene first, or give the screens another playlist.",
    )


def publishable(session: Session, access: Access, playlist: str) -> PlaylistRow:
    """Returns the playlist if the key may publish or remove it. Raises the 404 problem.

    A key that is restricted to locations may not, if a screen at another location plays the playlist.
    """
    row = get(session, PlaylistRow, access.workspace, playlist, kind="playlist")
    if access.locations is not None:
        elsewhere = ScreenRow.location_id.not_in(sorted(access.locations))
        if session.scalar(select(exists().where(_of_screen(row.id), elsewhere))):
            raise not_found("playlist", playlist)
    return row


def _of_screen(playlist: str) -> ColumnElement[bool]:
    """Selects screens that play the playlist, or will as soon as it is published."""
    return (ScreenRow.playlist_id == playlist) | (ScreenRow.next_playlist_id == playlist)


def _begin_on_screens(unit: Unit, playlist: PlaylistRow) -> None:
    """Assigns the playlist to the screens that have waited for it."""
    rows = unit.session.scalars(select(ScreenRow).where(ScreenRow.next_playlist_id == playlist.id)).all()
    for row in rows:
        row.playlist_id, row.next_playlist_id = playlist.id, None
        row.changed_at = unit.now
        unit.announce(ScreenChanged(row.workspace_id, row.id))
    unit.session.flush()
    announce_screens(unit, playlist.workspace_id, [row.location_id for row in rows])


def entries_of(session: Session, playlist: str) -> Sequence[EntryRow]:
    """Returns the playlist's entries in their order."""
    return session.scalars(
        select(EntryRow).where(EntryRow.playlist_id == playlist).order_by(EntryRow.position, EntryRow.number)
    ).all()


def _entry(session: Session, playlist: PlaylistRow, entry: str) -> EntryRow:
    """Raises the 404 problem."""
    found = session.scalar(select(EntryRow).where(EntryRow.playlist_id == playlist.id, EntryRow.id == entry))
    if found is None:
        raise not_found("playlist entry", entry)
    return found


def replace_pending(unit: Unit, playlist: str) -> None:
    """Marks a pending request to publish this playlist as replaced."""
    unit.session.execute(
        update(ApprovalRow)
        .where(ApprovalRow.playlist_id == playlist, ApprovalRow.status == ApprovalStatus.PENDING)
        .values(status=ApprovalStatus.REPLACED, document=None, decided_at=unit.now)
    )


def _permutation(entries: Sequence[EntryRow], order: Sequence[str]) -> list[EntryRow]:
    """Returns the entries in the given order; each is named by its id, or by its scene's id for the first remaining
    one."""
    left = list(entries)
    ordered: list[EntryRow] = []
    faults: list[Fault] = []
    for index, name in enumerate(order):
        chosen = next((entry for entry in left if entry.id == name), None) or next(
            (entry for entry in left if entry.scene_id == name), None
        )
        if chosen is None:
            faults.append(
                Fault("not_in_playlist", f"The playlist has no scene {name!r} that is left.", f"/order/{index}")
            )
        else:
            left.remove(chosen)
            ordered.append(chosen)
    if left:
        missing = ", ".join(entry.scene_id for entry in left)
        faults.append(Fault("incomplete", f"The order leaves out {missing}.", "/order"))
    if faults:
        raise invalid(faults)
    return ordered


def _summary(row: PlaylistRow) -> PlaylistSummary:
    return PlaylistSummary(
        id=row.id,
        name=row.name,
        version=row.version,
        published_at=instant_or_none(row.published_at),
        created_at=instant_text(row.created_at),
        has_unpublished_changes=row.draft_digest != row.published_digest,
    )


def playlist_view(session: Session, row: PlaylistRow) -> PlaylistResponse:
    entries = [_entry_view(entry) for entry in entries_of(session, row.id)]
    return PlaylistResponse(**_summary(row).model_dump(), scenes=entries)


def _entry_view(row: EntryRow) -> EntryResponse:
    return EntryResponse(id=row.id, scene_id=row.scene_id, duration_seconds=row.duration_seconds, schedule=row.schedule)
