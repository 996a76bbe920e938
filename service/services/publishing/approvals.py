"""Approvals: an editor requests a publish, and a publisher approves or rejects it.

The request freezes the playlist, so exactly what was reviewed is published; later edits need another request. A
playlist has one pending request, which a newer one or a publish replaces.
"""

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.core.events import EventType
from service.core.ids import NewId
from service.core.json_text import read_json
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.schema.publishing.approval import (
    ApprovalReject,
    ApprovalResponse,
    ApprovalStatus,
    ApprovalSummary,
    Design,
    SceneComparison,
)
from service.services.access.access import Access
from service.services.publishing.composition import ensure_publishable
from service.services.publishing.differences import NOTHING, changes, scene_changes
from service.services.publishing.history import find_version
from service.services.publishing.playlists import PlaylistService, playlist_view, publishable, replace_pending
from service.services.publishing.versions import ensure_assets, redated, stored_version
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import get, keep_newest, page_of
from service.services.webhooks.outbox import emit
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ApprovalRow, PlaylistRow

MAX_DECIDED_APPROVALS = 1000
"""Decided requests of a workspace that are stored; older ones are deleted."""


class ApprovalService:
    def __init__(self, *, database: Database, playlists: PlaylistService, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._playlists = playlists
        self._cursors = cursors
        self._new_id = new_id

    def list(self, workspace: str, request: PageRequest, *, status: ApprovalStatus | None) -> Listing[ApprovalSummary]:
        """Returns one page of requests, without their designs."""
        rows = select(ApprovalRow).where(ApprovalRow.workspace_id == workspace)
        if status is not None:
            rows = rows.where(ApprovalRow.status == status)
        with self._database.read() as session:
            scope = f"approvals:{workspace}:{status or ''}"
            return listing(page_of(session, self._cursors, rows, ApprovalRow.number, scope, request), _summary)

    def get(self, workspace: str, approval: str) -> ApprovalResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _view(session, get(session, ApprovalRow, workspace, approval, kind="approval"))

    def request(
        self, access: Access, playlist: str, expected: Condition = ALWAYS, *, restores: int | None = None
    ) -> ApprovalResponse:
        """Requests to publish the current playlist, or one of its versions again.

        Raises 404, 410, 412, and 409 when it is empty or too large, or lacks an asset.
        """
        with self._database.write() as unit:
            row = publishable(unit.session, access, playlist)
            expected.check(playlist_view(unit.session, row))
            if restores is None:
                document = self._playlists.freeze(unit, row, version=row.version + 1)
            else:
                version = find_version(unit.session, row, restores)
                document = redated(version.document, version=row.version + 1, at=unit.now)
                ensure_assets(unit.session, row, document)
            ensure_publishable(unit.session, row, document, now=unit.now)
            replace_pending(unit, row.id)
            approval = ApprovalRow(
                id=self._new_id("apr"),
                workspace_id=access.workspace,
                playlist_id=row.id,
                status=ApprovalStatus.PENDING.value,
                document=document,
                restores=restores,
                requested_by=access.key,
                created_at=unit.now,
            )
            unit.session.add(approval)
            unit.session.flush()
            decided = ApprovalRow.status != ApprovalStatus.PENDING
            keep_newest(
                unit.session, ApprovalRow, MAX_DECIDED_APPROVALS, ApprovalRow.workspace_id == access.workspace, decided
            )
            return _view(unit.session, approval)

    def approve(self, access: Access, approval: str) -> ApprovalResponse:
        """Publishes the frozen playlist.

        Raises 404, and 409 when it is decided already, is too large by now, or lacks an asset.
        """
        with self._database.write() as unit:
            row, playlist = _decide(unit, access, approval, ApprovalStatus.APPROVED)
            self._playlists.release(unit, playlist, by=access.key, frozen=row.document, restores=row.restores)
            row.version = playlist.version
            row.document = None
            emit(
                unit, access.workspace, EventType.DESIGN_APPROVED, _event_data(row, playlist) | {"version": row.version}
            )
            return _view(unit.session, row)

    def reject(self, access: Access, approval: str, body: ApprovalReject) -> ApprovalResponse:
        """Rejects the request. Raises 404, and 409 when it is decided already."""
        with self._database.write() as unit:
            row, playlist = _decide(unit, access, approval, ApprovalStatus.REJECTED)
            row.reason = body.reason
            row.document = None
            emit(unit, access.workspace, EventType.DESIGN_REJECTED, _event_data(row, playlist) | {"reason": row.reason})
            return _view(unit.session, row)


def _decide(unit: Unit, access: Access, approval: str, status: ApprovalStatus) -> tuple[ApprovalRow, PlaylistRow]:
    row = get(unit.session, ApprovalRow, access.workspace, approval, kind="approval")
    playlist = publishable(unit.session, access, row.playlist_id)
    if row.status != ApprovalStatus.PENDING:
        raise ProblemError(409, "already_decided", "The approval is decided", f"It is {row.status}.")
    row.status = status.value
    row.decided_by = access.key
    row.decided_at = unit.now
    # So that the statement that replaces pending requests does not match this one.
    unit.session.flush()
    return row, playlist


def _event_data(row: ApprovalRow, playlist: PlaylistRow) -> dict[str, object]:
    return {
        "approval": row.id,
        "playlist": playlist.id,
        "name": playlist.name,
        "requestedBy": row.requested_by,
        "decidedBy": row.decided_by,
    }


def _summary(row: ApprovalRow) -> ApprovalSummary:
    return ApprovalSummary(
        id=row.id,
        playlist=row.playlist_id,
        status=ApprovalStatus(row.status),
        requested_by=row.requested_by,
        requested_at=instant_text(row.created_at),
        decided_by=row.decided_by,
        decided_at=instant_or_none(row.decided_at),
        reason=row.reason,
        version=row.version,
        restores=row.restores,
    )


def _view(session: Session, row: ApprovalRow) -> ApprovalResponse:
    if row.document is None:
        return ApprovalResponse(**_summary(row).model_dump(), design=None, changes=None, scenes=[])
    asked = read_json(row.document.encode())
    playlist: PlaylistRow = get(session, PlaylistRow, row.workspace_id, row.playlist_id, kind="playlist")
    now = stored_version(session, playlist.id, playlist.version)
    before = NOTHING if now is None else msgspec.json.decode(now.document)
    after = msgspec.json.decode(row.document)
    at = f"/v1/playlists/{playlist.id}/versions/{playlist.version}"
    return ApprovalResponse(
        **_summary(row).model_dump(),
        design=Design(playlist=asked["playlist"], scenes=asked["scenes"]),
        changes=None if now is None else changes(before, after),
        scenes=[
            SceneComparison(
                id=one.id,
                name=one.name,
                change=one.change,
                image=None if one.change == "removed" else f"/v1/approvals/{row.id}/scenes/{one.id}/image",
                image_now=None if one.change == "added" else f"{at}/scenes/{one.id}/image",
            )
            for one in scene_changes(before, after)
        ],
    )
