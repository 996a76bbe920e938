"""Finds the troubles that alerts report, in the database now: each is a state that begins and ends, not an event."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.schema.publishing.approval import ApprovalStatus
from service.schema.workspace.alert import AlertKind
from service.services.shared.hours import held_since
from service.services.webhooks.deliveries import FAILURES_TO_DISABLE
from service.storage.tables.menus import ApprovalRow, PlaylistRow, PosConnectionRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.webhooks import EndpointRow
from service.storage.tables.workspaces import LocationRow

MAX_TROUBLES = 1000
"""The most of one kind in a workspace; further ones are told once some of these are over."""
SEVERE = "fault"
"""The severity of findings by which something that should show does not."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, or a pending decision."""

    kind: AlertKind
    subject: str
    """The id of the screen, connection, approval or webhook."""
    name: str
    text: str
    """A sentence, without its full stop."""
    location: str | None = None
    since: datetime | None = None
    """When it began, where that is known."""
    open_since: datetime | None = None
    """Since when the location has been open without a break; None where that does not matter."""
    is_closed: bool = False
    """Whether the location is closed: nobody is told, and nothing is over."""


def troubles(session: Session, workspace: str, *, now: datetime) -> dict[AlertKind, list[Trouble]]:
    return {kind: list(find(session, workspace, now)) for kind, find in _FINDERS.items()}


def _offline(session: Session, workspace: str, now: datetime) -> Iterator[Trouble]:
    rows = select(ScreenRow, LocationRow).join(LocationRow, LocationRow.id == ScreenRow.location_id)
    silent = rows.where(ScreenRow.workspace_id == workspace, ScreenRow.online.is_(False))
    called = silent.where(ScreenRow.last_seen.is_not(None)).order_by(ScreenRow.number)
    for screen, location in session.execute(called.limit(MAX_TROUBLES)):
        yield _of_screen(AlertKind.SCREEN_OFFLINE, screen, location, "is offline", now, since=screen.last_seen)


def _faulty(session: Session, workspace: str, now: datetime) -> Iterator[Trouble]:
    rows = select(ScreenRow, LocationRow).join(LocationRow, LocationRow.id == ScreenRow.location_id)
    online = rows.where(ScreenRow.workspace_id == workspace, ScreenRow.online, ScreenRow.finding_codes.is_not(None))
    for screen, location in session.execute(online.order_by(ScreenRow.number).limit(MAX_TROUBLES)):
        first: Mapping[str, Any] = next(iter((screen.report or {}).get("findings", [])), {})
        if first.get("severity") == SEVERE:
            # The sentences are the device's own, for people: one line each.
            told = " ".join(f"{first['what']} {first.get('do') or ''}".split()).rstrip(".")
            yield _of_screen(AlertKind.BOARD_FAULT, screen, location, f"says: {told}", now)


def _of_screen(
    kind: AlertKind,
    screen: ScreenRow,
    location: LocationRow,
    says: str,
    now: datetime,
    *,
    since: datetime | None = None,
) -> Trouble:
    opened = held_since(location.opening_hours, location.timezone, now) if location.opening_hours else None
    return Trouble(
        kind=kind,
        subject=screen.id,
        name=screen.name,
        text=f"{screen.name} ({location.name}) {says}",
        location=location.id,
        since=since,
        open_since=opened,
        is_closed=bool(location.opening_hours) and opened is None,
    )


def _failed_syncs(session: Session, workspace: str, now: datetime) -> Iterator[Trouble]:
    rows = select(PosConnectionRow).where(PosConnectionRow.workspace_id == workspace, PosConnectionRow.enabled)
    for row in session.scalars(rows.limit(MAX_TROUBLES)):
        if row.last_sync is not None and (reason := row.last_sync.get("reason")):
            text = f"{row.name} could not be synchronised: {row.last_sync.get('detail') or reason}".rstrip(".")
            yield Trouble(AlertKind.SYNC_FAILED, row.id, row.name, text)


def _approvals(session: Session, workspace: str, now: datetime) -> Iterator[Trouble]:
    rows = select(ApprovalRow, PlaylistRow).join(PlaylistRow, PlaylistRow.id == ApprovalRow.playlist_id)
    pending = rows.where(ApprovalRow.workspace_id == workspace, ApprovalRow.status == ApprovalStatus.PENDING)
    for approval, playlist in session.execute(pending.order_by(ApprovalRow.number).limit(MAX_TROUBLES)):
        text = f"Somebody asks to publish the playlist {playlist.name}"
        yield Trouble(AlertKind.APPROVAL_REQUESTED, approval.id, playlist.name, text, since=approval.created_at)


def _disabled_webhooks(session: Session, workspace: str, now: datetime) -> Iterator[Trouble]:
    rows = select(EndpointRow).where(EndpointRow.workspace_id == workspace, EndpointRow.enabled.is_(False))
    for row in session.scalars(rows.where(EndpointRow.failures >= FAILURES_TO_DISABLE).limit(MAX_TROUBLES)):
        # The path of its URL may hold a secret.
        host = urlsplit(row.url).hostname or row.id
        text = f"The webhook at {host} is disabled, as {row.failures} deliveries in a row have failed"
        yield Trouble(AlertKind.WEBHOOK_DISABLED, row.id, host, text)


_FINDERS: dict[AlertKind, Callable[[Session, str, datetime], Iterator[Trouble]]] = {
    AlertKind.SCREEN_OFFLINE: _offline,
    AlertKind.BOARD_FAULT: _faulty,
    AlertKind.SYNC_FAILED: _failed_syncs,
    AlertKind.APPROVAL_REQUESTED: _approvals,
    AlertKind.WEBHOOK_DISABLED: _disabled_webhooks,
}
