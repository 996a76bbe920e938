"""The subscription of a workspace: changed by an owner or by whoever bills, and told of when it really changed."""

from datetime import timedelta
from typing import get_args

from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import ProblemError, not_found, unauthenticated
from service.core.events import EventType
from service.schema.subscription import BillingNotice, SubscriptionPatch, SubscriptionResponse, SubscriptionStatus
from service.services.webhooks.outbox import emit
from service.services.webhooks.signatures import is_signed
from service.storage.database import Database, Unit
from service.storage.tables import SubscriptionRow, WorkspaceRow

TOLERANCE = timedelta(seconds=300)
"""How far a notice's time may be from now, as for deliveries (specification, webhook delivery signature)."""
FIRST = SubscriptionResponse(plan="free", status="active", changed_at=None)
"""What a workspace has that never subscribed to anything."""


class SubscriptionService:
    """Shows and changes subscriptions."""

    def __init__(self, *, database: Database, billing_secret: str | None) -> None:
        """Without a secret nobody may bill."""
        self._database = database
        self._billing_secret = billing_secret

    def get(self, workspace: str) -> SubscriptionResponse:
        """The subscription as it stands."""
        with self._database.read() as session:
            return _view(session, workspace)

    def change(self, workspace: str, body: SubscriptionPatch) -> SubscriptionResponse:
        """Change some fields."""
        with self._database.write() as unit:
            before = _view(unit.session, workspace)
            return _put(unit, workspace, before, before.model_copy(update=body.given()))

    def check_notice(self, signature: str, body: bytes) -> None:
        """Raises the 401 problem for a notice that is not signed as it should be, and 404 where nobody may bill."""
        if self._billing_secret is None:
            raise ProblemError(404, "not_found", "There is no billing here", "The operator has set no billing secret.")
        now = self._database.now()
        if not is_signed(signature, body, secret=self._billing_secret, now=now, tolerance=TOLERANCE):
            raise unauthenticated("The signature is not right, or too old.")

    def heed(self, notice: BillingNotice) -> SubscriptionResponse:
        """Take over what the billing provider says. Raises the 404 problem."""
        with self._database.write() as unit:
            if unit.session.get(WorkspaceRow, notice.workspace) is None:
                raise not_found("workspace", notice.workspace)
            before = _view(unit.session, notice.workspace)
            said = before.model_copy(update={"plan": notice.plan, "status": notice.status})
            return _put(unit, notice.workspace, before, said)


def _put(unit: Unit, workspace: str, before: SubscriptionResponse, after: SubscriptionResponse) -> SubscriptionResponse:
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
        return FIRST
    statuses: dict[str, SubscriptionStatus] = {status: status for status in get_args(SubscriptionStatus)}
    return SubscriptionResponse(plan=row.plan, status=statuses[row.status], changed_at=instant_text(row.changed_at))
