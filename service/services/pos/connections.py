"""Connections to points of sale: their feeds, schedules and results.

A sync is one transaction: every valid row of the feed, or nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, cast

from sqlalchemy import SQLColumnExpression, case, func, select, update
from sqlalchemy.orm import Session

from service.core.amounts import Notation
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, not_found
from service.core.events import EventType
from service.core.ids import NewId
from service.schema.content.pos import (
    FeedEncoding,
    OwnedField,
    PosConnectionCreate,
    PosConnectionPatch,
    PosConnectionResponse,
    PreviewResponse,
    SyncResponse,
)
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.places.notations import notation_at
from service.services.pos.connector import feed_key
from service.services.pos.feed import FeedContent, FeedFailure, Source, is_file_name, is_url
from service.services.pos.plans import ImportPlan, plan_import
from service.services.pos.results import preview_of, sync_result
from service.services.pos.writes import Footing, Writes, footing_of, writes_of
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import count, find, get, read_page, unknown
from service.services.shared.outbound import RefusedUrlError, check_url
from service.services.webhooks.outbox import emit
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import PosConnectionRow, PosLinkRow
from service.storage.tables.workspaces import LocationRow, WorkspaceRow

MAX_CONNECTIONS = 1000
"""Connections of a workspace: a chain has one or two for each location."""
LEASE = timedelta(minutes=5)
"""The duration of a claim: if no result arrives by then, the feed is read again."""
MAX_CLAIMED = 12
"""Feeds that a process reads at a time."""
MAX_CLAIMED_OF_WORKSPACE = 4
"""The most of one workspace among them."""


@dataclass(frozen=True, slots=True)
class ClaimedSync:
    """A connection that this process has claimed, to read its feed now."""

    connection: str
    workspace: str
    source: Source
    until: datetime
    """When the claim expires. While the row still has this time, no other process has claimed or requested a sync."""


class PosService:
    """Lists, creates, changes and removes connections; claims due ones and imports their feeds."""

    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId, allow_private: bool) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id
        self._allow_private = allow_private

    def list(self, workspace: str, request: PageRequest) -> Listing[PosConnectionResponse]:
        with self._database.read() as session:
            page = read_page(session, self._cursors, PosConnectionRow, workspace, request)
            return listing(page, lambda row: _view(session, row))

    def get(self, workspace: str, connection: str) -> PosConnectionResponse:
        """Returns a connection with its last sync. Raises the 404 problem."""
        with self._database.read() as session:
            return _view(session, get(session, PosConnectionRow, workspace, connection, kind="connection"))

    def create(self, workspace: str, body: PosConnectionCreate) -> PosConnectionResponse:
        """Adds a connection, synced at once if it has a schedule. Raises 422, and 409 for too many or a used feed."""
        self._check_feed(body.feed)
        with self._database.write() as unit:
            if count(unit.session, PosConnectionRow, workspace) >= MAX_CONNECTIONS:
                raise ProblemError(
                    409,
                    "too_many_connections",
                    "The workspace is full",
                    f"A workspace has at most {MAX_CONNECTIONS} connections.",
                )
            row = PosConnectionRow(
                id=self._new_id("pos"),
                workspace_id=workspace,
                last_sync=None,
                created_at=unit.now,
                changed_at=unit.now,
                **_stored(body.everything()),
            )
            _check(unit.session, row)
            _check_unused(unit.session, row)
            _reschedule(row, now=unit.now)
            unit.session.add(row)
            unit.session.flush()
            return _view(unit.session, row)

    def change(
        self, workspace: str, connection: str, body: PosConnectionPatch, expected: Condition = ALWAYS
    ) -> PosConnectionResponse:
        """Changes some fields. Raises the 404, 409, 412 and 422 problems."""
        given = _stored(body.given())
        if "feed" in given:
            self._check_feed(body.feed)
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            expected.check(_view(unit.session, row))
            before, feed, location = _schedule_of(unit.session, row), row.feed, row.location_id
            for name, value in given.items():
                setattr(row, name, value)
            _check(unit.session, row)
            if (row.feed, row.location_id) != (feed, location):
                _check_unused(unit.session, row)
            if row.location_id != location:
                # Nothing has been told there yet.
                nothing: dict[str, Any] = {"sold_out": None, "variants_sold_out": {}}
                unit.session.execute(update(PosLinkRow).where(PosLinkRow.connection_id == row.id).values(nothing))
            row.changed_at = unit.now
            if _schedule_of(unit.session, row) != before:
                _reschedule(row, now=unit.now)
            return _view(unit.session, row)

    def remove(self, workspace: str, connection: str, expected: Condition = ALWAYS) -> None:
        """Removes a connection; imported items stay. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            expected.check(_view(unit.session, row))
            unit.session.delete(row)

    def request_sync(self, workspace: str, connection: str) -> PosConnectionResponse:
        """Requests a sync as soon as possible. Raises 404, and 409 while the connection is disabled."""
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            if not row.feed:
                raise no_feed()
            _check_enabled(row)
            row.due_at = unit.now
            return _view(unit.session, row)

    def claim_due(self, now: datetime, running: Mapping[str, int] = MappingProxyType({})) -> Sequence[ClaimedSync]:
        """Claims connections that are due, fairly beside the `running` syncs of each workspace.

        Opens no write transaction while none is due.
        """
        if sum(running.values()) >= MAX_CLAIMED:
            return ()
        with self._database.read() as session:
            upcoming = session.scalar(select(func.min(PosConnectionRow.due_at)))
        if upcoming is None or upcoming > now:
            return ()
        claimed: list[ClaimedSync] = []
        taken = Counter(running)
        with self._database.write() as unit:
            until = unit.now + LEASE
            while taken.total() < MAX_CLAIMED and (row := _next_due(unit, taken)) is not None:
                row.due_at = until
                taken[row.workspace_id] += 1
                claimed.append(ClaimedSync(row.id, row.workspace_id, _source(unit.session, row), until))
        return claimed

    def finish(self, claimed: ClaimedSync, feed: FeedContent | FeedFailure) -> None:
        """Imports the feed, and stores and emits the result."""
        prepared = self._prepared(claimed.workspace, claimed.connection, feed, whole=True)
        with self._database.write() as unit:
            row = unit.session.scalar(select(PosConnectionRow).where(PosConnectionRow.id == claimed.connection))
            if (
                row is None
                or not row.enabled
                or _source(unit.session, row) != claimed.source
                or row.due_at != claimed.until
            ):
                # Removed, disabled, changed or claimed again meanwhile: the result is outdated.
                return
            _plan_next(row, now=unit.now)
            self._import(unit, row, feed, prepared, whole=True)

    def push(
        self, access: Access, connection: str, feed: FeedContent | FeedFailure, *, whole: bool, rows_at: str
    ) -> SyncResponse:
        """Imports pushed rows, which are at this pointer into the body. Raises the 403, 404, 409 and 422 problems; a
        422 is the result of a failed sync."""
        prepared = self._prepared(access.workspace, connection, feed, whole=whole)
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, access.workspace, connection, kind="connection")
            if row.location_id is None:
                access.reach_all()
            elif not access.sees(row.location_id):
                raise not_found("connection", connection)
            if row.feed:
                if isinstance(feed, FeedFailure):
                    raise _refused(sync_result(feed, now=unit.now), rows_at)
                detail = "This connection reads a feed. Make one without a `feed` to push items."
                raise ProblemError(409, "has_feed", "The connection has a feed", detail)
            _check_enabled(row)
            result = self._import(unit, row, feed, prepared, whole=whole)
        if result.reason is not None:
            raise _refused(result, rows_at)
        return result

    def notation(self, workspace: str, connection: str) -> Notation:
        """Returns the notation of amounts that are pushed to the connection as texts."""
        with self._database.read() as session:
            row = find(session, PosConnectionRow, workspace, connection)
            return notation_at(session, workspace, None if row is None else row.location_id)

    def source(self, workspace: str, connection: str) -> Source:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _source(session, get(session, PosConnectionRow, workspace, connection, kind="connection"))

    def preview(self, workspace: str, connection: str, feed: FeedContent | FeedFailure) -> PreviewResponse:
        """Returns the changes that a sync of this feed would make. Raises the 404 problem."""
        now = self._database.now()
        with self._database.read() as session:
            row = get(session, PosConnectionRow, workspace, connection, kind="connection")
            plan = plan_import(session, row, feed, whole=True, now=now, new_id=self._new_id)
            return preview_of(plan, now=now)

    def _prepared(
        self, workspace: str, connection: str, feed: FeedContent | FeedFailure, *, whole: bool
    ) -> "tuple[Footing, Writes] | None":
        """Plans the import outside of the write lock; None if there is nothing to plan, or the items changed during
        each attempt."""
        # Planned under the write lock: an import of fewer rows takes no longer than other changes.
        if isinstance(feed, FeedFailure) or len(feed.rows) < 100:
            return None
        # Until a plan is still right when the lock is held.
        for _ in range(3):
            now = self._database.now()
            with self._database.read() as session:
                row = find(session, PosConnectionRow, workspace, connection)
                if row is None:
                    return None
                footing = footing_of(session, row, at=now)
                plan = plan_import(session, row, feed, whole=whole, now=now, new_id=self._new_id)
                session.expunge_all()
            if isinstance(plan, FeedFailure):
                return None
            writes = writes_of(row, plan, now=now)
            with self._database.read() as session:
                again = find(session, PosConnectionRow, workspace, connection)
                if again is not None and footing.holds(session, again, plan):
                    return footing, writes
        return None

    def _import(
        self,
        unit: Unit,
        row: PosConnectionRow,
        feed: FeedContent | FeedFailure,
        prepared: "tuple[Footing, Writes] | None",
        *,
        whole: bool,
    ) -> SyncResponse:
        """Imports the feed; stores, emits and returns the result."""
        plan: ImportPlan | FeedFailure
        if prepared is not None and prepared[0].holds(unit.session, row, prepared[1].plan):
            writes = prepared[1]
            plan = writes.plan
        else:
            # Its rows are in a session of their own, which never writes them.
            with Session(unit.session.connection(), expire_on_commit=False) as session, session.no_autoflush:
                plan = plan_import(session, row, feed, whole=whole, now=unit.now, new_id=self._new_id)
                session.expunge_all()
            if not isinstance(plan, FeedFailure):
                writes = writes_of(row, plan, now=unit.now)
        data: dict[str, object] = {"connection": row.id, "name": row.name}
        if isinstance(plan, FeedFailure):
            data |= {"reason": plan.reason, "detail": plan.detail}
            emit(unit, row.workspace_id, EventType.POS_SYNC_FAILED, data)
        else:
            writes.carry_out(unit, row)
            if not row.feed and any(one.entry.image_url for one in plan.items):
                # For the pictures; there is nothing else to read.
                row.due_at = unit.now
            data["counts"] = plan.counts.document()
            emit(unit, row.workspace_id, EventType.POS_SYNC_COMPLETED, data)
        result = sync_result(plan, now=unit.now)
        row.last_sync = result.document()
        return result

    def _check_feed(self, feed: str | None) -> None:
        """Raises the 422 problem for a feed that can never be read."""
        if feed is None:
            return
        if is_url(feed):
            try:
                check_url(feed, allow_private=self._allow_private)
            except RefusedUrlError:
                detail = "A feed is fetched by https from a public address, without a user name in it."
                raise invalid([Fault("not_a_feed", detail, "/feed")]) from None
        elif not is_file_name(feed):
            detail = "A feed is an https URL, or the plain name of a file in the workspace's folder of feeds."
            raise invalid([Fault("not_a_feed", detail, "/feed")])


def _refused(result: SyncResponse, rows_at: str) -> ProblemError:
    """Returns the 422 problem: nothing of a push was imported."""
    bad = result.bad_rows
    faults = tuple(Fault(one.code, one.detail, f"{rows_at}/{one.row - 1}/{one.field}") for one in bad)
    return ProblemError(422, result.reason or "", "No item was imported", result.detail or "", faults)


def no_feed() -> ProblemError:
    """Returns the 409 problem: there is no feed to read."""
    return ProblemError(409, "no_feed", "The connection has no feed", "Push its items, or set a `feed`.")


def _check_enabled(row: PosConnectionRow) -> None:
    """Raises the 409 problem for a disabled connection."""
    if not row.enabled:
        raise ProblemError(409, "disabled", "The connection is switched off", "Set `enabled` to true first.")


def _stored(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a connection by their columns."""
    stored = {"location_id" if name == "location" else name: value for name, value in given.items()}
    return stored | ({"feed": given["feed"] or ""} if "feed" in given else {})


def _check(session: Session, row: PosConnectionRow) -> None:
    """Raises the 422 problem."""
    if not row.feed and row.every_minutes is not None:
        raise invalid([Fault("no_feed", "Without a `feed` there is nothing to read at an interval.", "/everyMinutes")])
    if row.location_id is not None and find(session, LocationRow, row.workspace_id, row.location_id) is None:
        raise invalid([unknown("location", row.location_id, "/location")])


def _reschedule(row: PosConnectionRow, *, now: datetime) -> None:
    """Makes a new or changed schedule due now."""
    row.due_at = now if row.enabled and row.every_minutes is not None else None


def _schedule_of(session: Session, row: PosConnectionRow) -> tuple[object, ...]:
    """Returns the fields that decide when and what is read. Unless they change, a requested or running sync stays
    valid."""
    return row.enabled, row.every_minutes, row.location_id, _source(session, row)


def _next_due(unit: Unit, taken: Mapping[str, int]) -> PosConnectionRow | None:
    """Returns the due connection whose workspace has the fewest `taken`; files before URLs, as they never block."""
    due = select(PosConnectionRow).where(PosConnectionRow.due_at <= unit.now)
    order: list[SQLColumnExpression[Any]] = [PosConnectionRow.feed.contains("://"), PosConnectionRow.due_at]
    if taken:
        full = [workspace for workspace, count in taken.items() if count >= MAX_CLAIMED_OF_WORKSPACE]
        due = due.where(PosConnectionRow.workspace_id.not_in(full))
        order.insert(0, case(dict(taken), value=PosConnectionRow.workspace_id, else_=0))
    return unit.session.scalar(due.order_by(*order).limit(1))


def _check_unused(session: Session, row: PosConnectionRow) -> None:
    """Raises the 409 problem if another connection reads this feed for the same place: that would create its items
    twice, or change them twice."""
    if not row.feed:
        return
    others = select(PosConnectionRow).where(
        PosConnectionRow.workspace_id == row.workspace_id,
        PosConnectionRow.id != row.id,
        PosConnectionRow.location_id.is_not_distinct_from(row.location_id),
    )
    for other in session.scalars(others):
        if feed_key(other.feed) == feed_key(row.feed):
            detail = f"The connection {other.id} ({other.name}) reads this feed. Change or sync that one."
            raise ProblemError(409, "feed_connected", "The feed is connected already", detail)


def _plan_next(row: PosConnectionRow, *, now: datetime) -> None:
    row.due_at = None if row.every_minutes is None else now + timedelta(minutes=row.every_minutes)


def _source(session: Session, row: PosConnectionRow) -> Source:
    # The folder of feeds was everybody's once: of the files in it, not in a folder of it, the first workspace has them.
    first = select(WorkspaceRow.id).order_by(WorkspaceRow.created_at, WorkspaceRow.id).limit(1)
    folder = "" if session.scalar(first) == row.workspace_id else row.workspace_id
    return Source(
        feed=row.feed,
        format="json" if row.format == "json" else "csv",
        folder=folder,
        encoding=cast("FeedEncoding | None", row.encoding),
        columns=tuple(row.columns.items()),
        notation=notation_at(session, row.workspace_id, row.location_id),
    )


def _view(session: Session, row: PosConnectionRow) -> PosConnectionResponse:
    source = _source(session, row)
    return PosConnectionResponse(
        id=row.id,
        name=row.name,
        feed=row.feed or None,
        file=source.file,
        format=source.format,
        encoding=source.encoding,
        columns=row.columns,
        location=row.location_id,
        owns=None if row.owns is None else [cast("OwnedField", name) for name in row.owns],
        every_minutes=row.every_minutes,
        enabled=row.enabled,
        next_sync_at=instant_or_none(row.due_at),
        last_sync=None if row.last_sync is None else SyncResponse.model_validate(row.last_sync),
        created_at=instant_text(row.created_at),
    )
