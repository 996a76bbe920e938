"""Corrects stored instants after the clock was put back: none stays further ahead than it can have been meant.

An instant of a clock that was ahead would otherwise hold until the right clock reaches it: a webhook would be busy, a
workspace locked out after wrong codes, a sync not due for an hour or a year. Boards take `revisionAt` and `publishedAt`
of a manifest for past instants: from `IN_MANIFESTS` they would derive a time that is years ahead.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Update, bindparam, select, update
from sqlalchemy.orm import InstrumentedAttribute

from service.core.changes import ChangesMissed
from service.core.clock import Clock, ClockSteps
from service.schema.devices.enrolment import MAX_ENROLMENT_DAYS
from service.schema.publishing.override import MAX_OVERRIDE_DAYS
from service.services.access.entries import PENDING_LIFETIME
from service.services.access.people import SET_UP_LIFETIME
from service.services.access.team import INVITE_LIFETIME
from service.services.alerts.mails import LONGEST_RETRY as LONGEST_MAIL_RETRY
from service.services.content.eighty_six import settle
from service.services.devices.commands import LIFETIME
from service.services.devices.pairing import CODE_LIFETIME
from service.services.pos.connections import LEASE
from service.services.publishing.versions import redated
from service.services.webhooks.deliveries import CLAIM, LONGEST_RETRY
from service.services.webhooks.webhooks import SECRET_OVERLAP
from service.storage.columns import InstantColumn
from service.storage.database import Database, Unit
from service.storage.tables.alerts import MailRow, TroubleRow
from service.storage.tables.audit import AuditRow
from service.storage.tables.menus import (
    AssetUploadRow,
    ImportRow,
    ItemRow,
    LocalItemRow,
    PlaylistRow,
    PlaylistVersionRow,
    PosConnectionRow,
    RemovedAssetRow,
    RevisionRow,
    WordsRow,
)
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.people import PendingSignInRow, SessionRow, SignInLinkRow, WrongSignInRow
from service.storage.tables.planned import PlannedChangeRow
from service.storage.tables.receipts import HistoryRow
from service.storage.tables.screens import (
    CommandRow,
    EnrolmentTokenRow,
    PairingRow,
    RevokedTokenRow,
    ScreenRow,
    WrongCodeRow,
)
from service.storage.tables.webhooks import DeliveryRow, EndpointRow, EventRow
from service.storage.tables.workspaces import (
    InviteRow,
    KeyRow,
    LocationRow,
    StoredResponseRow,
    WorkspaceRow,
    WrongTokenRow,
)

Instant = InstrumentedAttribute[datetime] | InstrumentedAttribute[datetime | None]
IN_MANIFESTS: tuple[Instant, ...] = (
    ItemRow.changed_at,
    LocalItemRow.changed_at,
    LocationRow.changed_at,
    WordsRow.changed_at,
    PlaylistRow.changed_at,
    PlaylistRow.published_at,
    PlaylistVersionRow.published_at,
    OverrideRow.created_at,
    PlannedChangeRow.changed_at,
    WorkspaceRow.catalogue_changed_at,
    RevisionRow.revision_at,
)
"""Instants that make `revisionAt`, `publishedAt` and `startsAt` of manifests (docs/protocol.md)."""
LONGEST_AHEAD: Mapping[Instant, timedelta] = {
    **dict.fromkeys(IN_MANIFESTS, timedelta()),
    ItemRow.eighty_sixed_at: timedelta(),
    LocalItemRow.eighty_sixed_at: timedelta(),
    ScreenRow.last_seen: timedelta(),
    ScreenRow.reported_at: timedelta(),
    KeyRow.last_used_at: timedelta(),
    WrongCodeRow.tried_at: timedelta(),
    WrongTokenRow.tried_at: timedelta(),
    WrongSignInRow.tried_at: timedelta(),
    SessionRow.created_at: timedelta(),
    SessionRow.used_at: timedelta(),
    SignInLinkRow.expires_at: SET_UP_LIFETIME,
    PendingSignInRow.expires_at: PENDING_LIFETIME,
    AuditRow.at: timedelta(),
    StoredResponseRow.kept_at: timedelta(),
    EventRow.created_at: timedelta(),
    RevokedTokenRow.revoked_at: timedelta(),
    CommandRow.created_at: timedelta(),
    CommandRow.expires_at: LIFETIME,
    PairingRow.asked_at: timedelta(),
    PairingRow.expires_at: CODE_LIFETIME,
    OverrideRow.starts_at: timedelta(days=MAX_OVERRIDE_DAYS),
    OverrideRow.until: timedelta(days=MAX_OVERRIDE_DAYS),
    PlannedChangeRow.done_at: timedelta(),
    EnrolmentTokenRow.expires_at: timedelta(days=MAX_ENROLMENT_DAYS),
    InviteRow.expires_at: INVITE_LIFETIME,
    EndpointRow.old_secret_until: SECRET_OVERLAP,
    EndpointRow.busy_until: CLAIM,
    DeliveryRow.due_at: LONGEST_RETRY,
    TroubleRow.noticed_at: timedelta(),
    MailRow.due_at: LONGEST_MAIL_RETRY,
    MailRow.created_at: timedelta(),
    RemovedAssetRow.removed_at: timedelta(),
    AssetUploadRow.changed_at: timedelta(),
    HistoryRow.at: timedelta(),
    ImportRow.created_at: timedelta(),
}
"""The furthest ahead of now that each of these instants is set."""
_LATEST = bindparam("latest", type_=InstantColumn)


def _statement(column: InstrumentedAttribute[Any]) -> Update:
    """Returns the update that caps a column at the latest instant."""
    table = column.class_.__table__
    statement = update(table).where(table.c[column.key] > _LATEST).values({column.key: _LATEST})
    # Overrides that are planned start when a person has said, which may be long after.
    return statement.where(table.c.plan_id.is_(None)) if column.class_ is OverrideRow else statement


_CORRECTIONS = tuple((_statement(column), ahead) for column, ahead in LONGEST_AHEAD.items())


class ClockCorrection:
    """Corrects the instants at the start, and in the leader whenever the clock was set."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._steps = ClockSteps(clock)
        self._due = True

    def run(self) -> None:
        """Corrects instants too far ahead. Costs no SQL while the clock is not set."""
        self._due = self._steps.noticed() or self._due
        if not self._due:
            return
        with self._database.write() as unit:
            # Before the columns, by which they know how far the clock was ahead.
            corrected = _correct_overrides(unit) + _correct_versions(unit) + _correct_86s(unit) + _renew_revisions(unit)
            if corrected + _correct_columns(unit) + _correct_syncs(unit):
                # What was read of them is reloaded.
                unit.announce(ChangesMissed())
        self._due = False


def _correct_overrides(unit: Unit) -> int:
    """Moves overrides of a clock that was ahead, which start and end as long after they were made; returns how many."""
    ahead = select(OverrideRow).where(OverrideRow.created_at > unit.now, OverrideRow.plan_id.is_(None))
    rows = unit.session.scalars(ahead).all()
    for row in rows:
        by = row.created_at - unit.now
        row.starts_at, row.until, row.created_at = row.starts_at - by, row.until - by, unit.now
    return len(rows)


def _correct_versions(unit: Unit) -> int:
    """Redates versions that were published by a clock that was ahead; returns how many."""
    ahead = PlaylistVersionRow.published_at > unit.now
    rows = unit.session.scalars(select(PlaylistVersionRow).where(ahead)).all()
    for row in rows:
        row.document = redated(row.document, version=row.version, at=unit.now)
        row.published_at = unit.now
    return len(rows)


def _correct_86s(unit: Unit) -> int:
    """Counts 86s with a rule ("until tomorrow") from now, if they were set by a clock that was ahead."""
    items = unit.session.scalars(select(ItemRow).where(ItemRow.eighty_sixed_at > unit.now)).all()
    groups = select(LocalItemRow, ItemRow.workspace_id).join(ItemRow, ItemRow.id == LocalItemRow.item_id)
    local = unit.session.execute(groups.where(LocalItemRow.eighty_sixed_at > unit.now)).all()
    said: list[tuple[ItemRow | LocalItemRow, str]] = [(row, row.workspace_id) for row in items]
    for row, workspace in (*said, *((row, workspace) for row, workspace in local)):
        row.eighty_sixed_at = unit.now
        settle(unit.session, workspace, row)
    return len(items) + len(local)


def _renew_revisions(unit: Unit) -> int:
    """Redates revisions of a clock that was ahead, with another number: boards take no second body of one."""
    later = update(RevisionRow).where(RevisionRow.revision_at > unit.now)
    anew = later.values(revision=RevisionRow.revision + 1, revision_at=unit.now)
    return unit.session.connection().execute(anew).rowcount


def _correct_columns(unit: Unit) -> int:
    """Returns the number of instants that were corrected."""
    corrected = 0
    connection = unit.session.connection()
    for statement, ahead in _CORRECTIONS:
        result = connection.execute(statement, {"latest": unit.now + ahead})
        corrected += result.rowcount
    return corrected


def _correct_syncs(unit: Unit) -> int:
    """Corrects when points of sale are read, each by its own schedule; returns how many."""
    corrected = 0
    for row in unit.session.scalars(select(PosConnectionRow).where(PosConnectionRow.due_at > unit.now + LEASE)):
        latest = unit.now + (LEASE if row.every_minutes is None else timedelta(minutes=row.every_minutes))
        if row.due_at is not None and row.due_at > latest:
            row.due_at = latest
            corrected += 1
    return corrected
