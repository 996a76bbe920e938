"""Approvals: an editor requests a publish, and a publisher approves or rejects it.

The request freezes the playlist, so exactly what was reviewed is published; later edits need another request. A
playlist has one pending request, which a newer one or a publish replaces.
"""

from sqlalchemy import select

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.core.events import EventType
from service.core.ids import NewId
from service.core.json_text import read_json
from service.schema.approval import ApprovalReject, ApprovalResponse, ApprovalStatus, ApprovalSummary, Design
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.publishing.composition import ensure_publishable
from service.services.publishing.playlists import PlaylistService, playlist_view, publishable, replace_pending
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
    """Creates, lists and decides requests to publish."""

    def __init__(self, *, database: Database, playlists: PlaylistService, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._playlists = playlists
        self._cursors = cursors
        self._new_id = new_id

    def list(self, workspace: str, request: PageRequest, *, status: ApprovalStatus | None) -> Listing[ApprovalSummary]:
        """One page of requests, without their designs."""
        rows = select(ApprovalRow).where(ApprovalRow.workspace_id == workspace)
        if status is not None:
            rows = rows.where(ApprovalRow.status == status)
        with self._database.read() as session:
            scope = f"approvals:{workspace}:{status or ''}"
            return listing(page_of(session, self._cursors, rows, ApprovalRow.number, scope, request), _summary)

    def get(self, workspace: str, approval: str) -> ApprovalResponse:
        """One request. Raises the 404 problem."""
        with self._database.read() as session:
            return _view(get(session, ApprovalRow, workspace, approval, kind="approval"))

    def request(self, access: Access, playlist: str, expected: Condition = ALWAYS) -> ApprovalResponse:
        """Requests to publish the playlist as it is. Raises 404, 412, and 409 when it is empty or too large."""
        with self._database.write() as unit:
            row = publishable(unit.session, access, playlist)
            expected.check(playlist_view(unit.session, row))
            document = self._playlists.freeze(unit, row, version=row.version + 1)
            ensure_publishable(unit.session, row, document, now=unit.now)
            replace_pending(unit, row.id)
            approval = ApprovalRow(
                id=self._new_id("apr"),
                workspace_id=access.workspace,
                playlist_id=row.id,
                status=ApprovalStatus.PENDING.value,
                document=document,
                requested_by=access.key,
                created_at=unit.now,
            )
            unit.session.add(approval)
            unit.session.flush()
            decided = ApprovalRow.status != ApprovalStatus.PENDING
            keep_newest(
                unit.session, ApprovalRow, MAX_DECIDED_APPROVALS, ApprovalRow.workspace_id == access.workspace, decided
            )
            return _view(approval)

    def approve(self, access: Access, approval: str) -> ApprovalResponse:
        """Publishes the frozen playlist. Raises 404, and 409 when it is decided already or too large by now."""
        with self._database.write() as unit:
            row, playlist = _decide(unit, access, approval, ApprovalStatus.APPROVED)
            self._playlists.release(unit, playlist, approved=row.document)
            row.version = playlist.version
            row.document = None
            emit(
                unit, access.workspace, EventType.DESIGN_APPROVED, _event_data(row, playlist) | {"version": row.version}
            )
            return _view(row)

    def reject(self, access: Access, approval: str, body: ApprovalReject) -> ApprovalResponse:
        """Rejects the request. Raises 404, and 409 when it is decided already."""
        with self._database.write() as unit:
            row, playlist = _decide(unit, access, approval, ApprovalStatus.REJECTED)
            row.reason = body.reason
            row.document = None
            emit(unit, access.workspace, EventType.DESIGN_REJECTED, _event_data(row, playlist) | {"reason": row.reason})
            return _view(row)


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
    """The event data that both decisions share."""
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
    )


def _view(row: ApprovalRow) -> ApprovalResponse:
    design = None
    if row.document is not None:
        document = read_json(row.document.encode())
        design = Design(playlist=document["playlist"], scenes=document["scenes"])
    return ApprovalResponse(**_summary(row).model_dump(), design=design)
