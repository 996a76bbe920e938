"""Webhooks: subscriptions to events, and their deliveries."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.core.audit_acts import AuditAct
from service.core.changes import DeliveriesQueued
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, not_found
from service.core.events import PING
from service.core.ids import NewId, new_secret
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.schema.workspace.webhook import (
    AttemptResponse,
    DeliveryResponse,
    DeliveryStatus,
    WebhookCreate,
    WebhookPatch,
    WebhookResponse,
    WebhookSecretResponse,
)
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import page_of
from service.services.shared.outbound import RefusedUrlError, check_url
from service.services.webhooks.outbox import add_delivery, add_event
from service.services.webhooks.sealed_secrets import SealedSecrets
from service.storage.audit import note
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.webhooks import AttemptRow, DeliveryRow, EndpointRow, EventRow

MAX_WEBHOOKS = 100
"""The most of one workspace."""
SECRET_PREFIX = "whsec_"  # noqa: S105  (a prefix, not a secret)
SECRET_OVERLAP = timedelta(hours=24)
"""The time for which deliveries are signed with the previous secret as well, after a rotation."""


class WebhookService:
    def __init__(
        self, *, database: Database, cursors: Cursors, secrets: SealedSecrets, new_id: NewId, allow_private: bool
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._cursors = cursors
        self._new_id = new_id
        self._allow_private = allow_private

    def list(self, workspace: str, request: PageRequest) -> Listing[WebhookResponse]:
        rows = select(EndpointRow).where(EndpointRow.workspace_id == workspace)
        with self._database.read() as session:
            page = page_of(session, self._cursors, rows, EndpointRow.number, f"webhooks:{workspace}", request)
            return listing(page, _view)

    def get(self, workspace: str, webhook: str) -> WebhookResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _view(_find(session, workspace, webhook))

    def create(self, workspace: str, body: WebhookCreate) -> WebhookSecretResponse:
        """Returns a new subscription with its secret. Raises 422 for a refused URL, 409 when there are too many."""
        self._check(body.url)
        with self._database.write() as unit:
            mine = select(func.count()).select_from(EndpointRow).where(EndpointRow.workspace_id == workspace)
            if (unit.session.scalar(mine) or 0) >= MAX_WEBHOOKS:
                raise ProblemError(
                    409, "too_many_webhooks", "No more webhooks", f"A workspace has at most {MAX_WEBHOOKS} webhooks."
                )
            identifier, secret = self._new_id("whk"), new_secret(SECRET_PREFIX)
            row = EndpointRow(
                id=identifier,
                workspace_id=workspace,
                url=body.url,
                events=body.events,
                secret=self._secrets.seal(identifier, secret),
                enabled=True,
                failures=0,
                busy_until=unit.now,
                created_at=unit.now,
                changed_at=unit.now,
            )
            unit.session.add(row)
            unit.session.flush()
            return _secret_view(row, secret)

    def change(self, workspace: str, webhook: str, body: WebhookPatch, expected: Condition = ALWAYS) -> WebhookResponse:
        """Changes some fields; pending deliveries go to the new URL. Raises the 404, 412 and 422 problems."""
        given = body.given()
        if "status" in given and given.setdefault("enabled", given["status"] == "enabled") != (
            given["status"] == "enabled"
        ):
            raise invalid([Fault("contradiction", "`enabled` says the opposite. Send one of the two.", "/status")])
        if "url" in given:
            self._check(given["url"])
        with self._database.write() as unit:
            row = _find(unit.session, workspace, webhook)
            expected.check(_view(row))
            row.url = given.get("url", row.url)
            row.events = given.get("events", row.events)
            if given.get("enabled", row.enabled) and not row.enabled:
                row.failures = 0
                # Its pending deliveries are due at once.
                unit.announce(DeliveriesQueued())
            row.enabled = given.get("enabled", row.enabled)
            row.changed_at = unit.now
            return _view(row)

    def enable(self, workspace: str, webhook: str) -> WebhookResponse:
        """Enables the endpoint; pending deliveries go first. Raises the 404 problem."""
        return self.change(workspace, webhook, WebhookPatch(enabled=True))

    def remove(self, workspace: str, webhook: str, expected: Condition = ALWAYS) -> None:
        """Removes a subscription and its deliveries. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = _find(unit.session, workspace, webhook)
            expected.check(_view(row))
            unit.session.delete(row)

    def rotate(self, workspace: str, webhook: str) -> WebhookSecretResponse:
        """Creates a new secret; the previous one stays valid for `SECRET_OVERLAP`. Raises the 404 problem."""
        with self._database.write() as unit:
            row = _find(unit.session, workspace, webhook)
            row.old_secret, row.old_secret_until = row.secret, unit.now + SECRET_OVERLAP
            secret = new_secret(SECRET_PREFIX)
            row.secret = self._secrets.seal(row.id, secret)
            row.changed_at = unit.now
            return _secret_view(row, secret)

    def test(self, workspace: str, webhook: str) -> DeliveryResponse:
        """Queues a test delivery. Raises 404, and 409 while the endpoint is disabled."""
        with self._database.write() as unit:
            row = _enabled(_find(unit.session, workspace, webhook))
            event = add_event(unit, workspace, PING, {"webhook": row.id})
            unit.session.flush()
            delivery = add_delivery(unit, row, event)
            unit.session.flush()
            return _delivery_view(delivery, event, ())

    def deliveries(
        self, workspace: str, webhook: str, request: PageRequest, *, status: DeliveryStatus | None
    ) -> Listing[DeliveryResponse]:
        """Returns one page of deliveries with their attempts. Raises the 404 problem."""
        with self._database.read() as session:
            row = _find(session, workspace, webhook)
            rows = select(DeliveryRow).where(DeliveryRow.endpoint_id == row.id)
            if status is not None:
                rows = rows.where(DeliveryRow.status == status)
            order = ":newest" if request.newest_first else ""
            scope = f"deliveries:{row.id}:{status or ''}{order}"
            page = page_of(session, self._cursors, rows, DeliveryRow.number, scope, request)
            events = _events_of(session, page.rows)
            attempts = _attempts_of(session, page.rows)
            return listing(page, lambda one: _delivery_view(one, events[one.event_id], attempts[one.id]))

    def replay(self, workspace: str, webhook: str, delivery: str) -> DeliveryResponse:
        """Queues the event of a delivery again, as a new delivery.

        Raises 404, and 409 while the delivery is pending or the endpoint disabled.
        """
        with self._database.write() as unit:
            row = _enabled(_find(unit.session, workspace, webhook))
            before = unit.session.scalar(
                select(DeliveryRow).where(DeliveryRow.endpoint_id == row.id, DeliveryRow.id == delivery)
            )
            if before is None:
                raise not_found("delivery", delivery)
            if before.status == DeliveryStatus.PENDING:
                raise ProblemError(409, "delivery_pending", "The delivery is under way", "It is tried again by itself.")
            event = _events_of(unit.session, [before])[before.event_id]
            again = add_delivery(unit, row, event)
            note(unit.session, AuditAct.SENT, "webhook", row.id, row.url)
            unit.session.flush()
            return _delivery_view(again, event, ())

    def _check(self, url: str) -> None:
        try:
            check_url(url, allow_private=self._allow_private)
        except RefusedUrlError as fault:
            raise invalid([Fault("bad_url", str(fault), "/url")]) from None


def _find(session: Session, workspace: str, webhook: str) -> EndpointRow:
    row = session.scalar(select(EndpointRow).where(EndpointRow.workspace_id == workspace, EndpointRow.id == webhook))
    if row is None:
        raise not_found("webhook", webhook)
    return row


def _enabled(row: EndpointRow) -> EndpointRow:
    if not row.enabled:
        raise ProblemError(409, "webhook_disabled", "The webhook is disabled", "Enable it first.")
    return row


def _events_of(session: Session, deliveries: Sequence[DeliveryRow]) -> dict[str, EventRow]:
    wanted = select(EventRow).where(EventRow.id.in_([delivery.event_id for delivery in deliveries]))
    return {row.id: row for row in session.scalars(wanted)}


def _attempts_of(session: Session, deliveries: Sequence[DeliveryRow]) -> dict[str, list[AttemptRow]]:
    found: dict[str, list[AttemptRow]] = {delivery.id: [] for delivery in deliveries}
    made = select(AttemptRow).where(AttemptRow.delivery_id.in_(found)).order_by(AttemptRow.number)
    for row in session.scalars(made):
        found[row.delivery_id].append(row)
    return found


def _view(row: EndpointRow) -> WebhookResponse:
    return WebhookResponse(
        id=row.id,
        url=row.url,
        events=row.events,
        status="enabled" if row.enabled else "disabled",
        enabled=row.enabled,
        failures=row.failures,
        old_secret_until=instant_or_none(row.old_secret_until),
        created_at=instant_text(row.created_at),
    )


def _secret_view(row: EndpointRow, secret: str) -> WebhookSecretResponse:
    return WebhookSecretResponse(**_view(row).model_dump(), secret=secret)


def _delivery_view(row: DeliveryRow, event: EventRow, attempts: Sequence[AttemptRow]) -> DeliveryResponse:
    return DeliveryResponse(
        id=row.id,
        event=event.id,
        type=event.type,
        status=DeliveryStatus(row.status),
        created_at=instant_text(row.created_at),
        next_attempt_at=instant_or_none(row.due_at),
        attempts=[
            AttemptResponse(
                made_at=instant_text(one.made_at), status=one.status, reason=one.reason, milliseconds=one.milliseconds
            )
            for one in attempts
        ],
    )
