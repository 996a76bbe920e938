"""Manages the subscription of a workspace: an owner or the billing provider changes it, and each real change is
emitted."""

from datetime import timedelta
from typing import get_args

from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import ProblemError, not_found, unauthenticated
from service.core.events import EventType
from service.schema.workspace.subscription import (
    BillingNotice,
    SubscriptionPatch,
    SubscriptionResponse,
    SubscriptionStatus,
)
from service.services.webhooks.outbox import emit
from service.services.webhooks.signatures import is_signed
from service.storage.database import Database, Unit
from service.storage.tables.workspaces import SubscriptionRow, WorkspaceRow

TOLERANCE = timedelta(seconds=300)
"""Bound on a notice's timestamp against now, as for deliveries (specification, webhook delivery signature)."""
INITIAL = SubscriptionResponse(plan="free", status="active", changed_at=None)
"""The subscription of a workspace that never subscribed."""


class SubscriptionService:
    def __init__(self, *, database: Database, billing_secret: str | None) -> None:
        """Without a secret there is no billing."""
        self._database = database
        self._billing_secret = billing_secret

    def get(self, workspace: str) -> SubscriptionResponse:
        with self._database.read() as session:
            return _view(session, workspace)

    def change(self, workspace: str, body: SubscriptionPatch) -> SubscriptionResponse:
        with self._database.write() as unit:
            before = _view(unit.session, workspace)
            return _store(unit, workspace, before, before.model_copy(update=body.given()))

    def check_notice(self, signature: str, body: bytes) -> None:
        """Raises the 401 problem for a notice without a valid signature, and 404 if there is no billing."""
        if self._billing_secret is None:
            raise ProblemError(404, "not_found", "There is no billing here", "The operator has set no billing secret.")
        now = self._database.now()
        if not is_signed(signature, body, secret=self._billing_secret, now=now, tolerance=TOLERANCE):
            raise unauthenticated("The signature is not right, or too old.")

    def apply_notice(self, notice: BillingNotice) -> SubscriptionResponse:
        """Applies a change that the billing provider reports. Raises the 404 problem."""
        with self._database.write() as unit:
            if unit.session.get(WorkspaceRow, notice.workspace) is None:
                raise not_found("workspace", notice.workspace)
            before = _view(unit.session, notice.workspace)
            after = before.model_copy(update={"plan": notice.plan, "status": notice.status})
            return _store(unit, notice.workspace, before, after)


def _store(
    unit: Unit, workspace: str, before: SubscriptionResponse, after: SubscriptionResponse
) -> SubscriptionResponse:
    if after == before:
        return before
    row = unit.session.get(SubscriptionRow, workspace)
    if row is None:
        row = SubscriptionRow(workspace_id=workspace)
        unit.session.add(row)
    row.plan, row.status, row.changed_at = after.plan, after.status, unit.now
    data = {
        "plan": after.plan,
        "status": after.status,
        "previous": {"plan": before.plan, "status": before.status},
    }
    emit(unit, workspace, EventType.SUBSCRIPTION_UPDATED, data)
    return after.model_copy(update={"changed_at": instant_text(unit.now)})


def _view(session: Session, workspace: str) -> SubscriptionResponse:
    row = session.get(SubscriptionRow, workspace)
    if row is None:
        return INITIAL
    statuses: dict[str, SubscriptionStatus] = {status: status for status in get_args(SubscriptionStatus)}
    return SubscriptionResponse(plan=row.plan, status=statuses[row.status], changed_at=instant_text(row.changed_at))
