"""Manages alerts: who is notified of what by e-mail."""

from sqlalchemy import delete

from service.core.clock import instant_text
from service.core.errors import ProblemError, invalid
from service.core.ids import NewId
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.schema.workspace.alert import AlertCreate, AlertKind, AlertPatch, AlertResponse, QuietHoursResponse
from service.services.alerts.mails import queue
from service.services.alerts.rules import Mail
from service.services.alerts.watch import MAX_ALERTS
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import count, find_many, get, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.alerts import AlertRow, TroubleRow
from service.storage.tables.workspaces import LocationRow

TEST = Mail("This is a test of the alerts of your menu boards", "If you read this, alerts reach you.\n")


class AlertService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId, can_send: bool) -> None:
        """`can_send`: there is a mail server."""
        self._database = database
        self._cursors = cursors
        self._new_id = new_id
        self._can_send = can_send

    @property
    def can_send(self) -> bool:
        """True if there is a mail server."""
        return self._can_send

    def list(self, workspace: str, request: PageRequest) -> Listing[AlertResponse]:
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, AlertRow, workspace, request), _view)

    def get(self, workspace: str, alert: str) -> AlertResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _view(get(session, AlertRow, workspace, alert, kind="alert"))

    def create(self, workspace: str, body: AlertCreate) -> AlertResponse:
        """Returns a new alert. Raises 409 without a mail server and when there are too many, 422 for an unknown
        location."""
        self._need_mail_server()
        with self._database.write() as unit:
            if count(unit.session, AlertRow, workspace) >= MAX_ALERTS:
                detail = f"A workspace has at most {MAX_ALERTS} alerts."
                raise ProblemError(409, "too_many_alerts", "No more alerts", detail)
            _check_locations(unit, workspace, body.locations)
            row = AlertRow(
                id=self._new_id("alr"),
                workspace_id=workspace,
                **_columns(body),
                created_at=unit.now,
                changed_at=unit.now,
            )
            unit.session.add(row)
            unit.session.flush()
            return _view(row)

    def change(self, workspace: str, alert: str, body: AlertPatch, expected: Condition = ALWAYS) -> AlertResponse:
        """Changes some fields. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, AlertRow, workspace, alert, kind="alert")
            expected.check(_view(row))
            _check_locations(unit, workspace, body.locations)
            for name, value in _columns(body).items():
                setattr(row, name, value)
            row.changed_at = unit.now
            # What it does not tell of any more is not over for that.
            unit.session.execute(
                delete(TroubleRow).where(TroubleRow.alert_id == row.id, TroubleRow.kind.not_in(row.kinds))
            )
            return _view(row)

    def remove(self, workspace: str, alert: str, expected: Condition = ALWAYS) -> None:
        """Removes an alert and its mails. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, AlertRow, workspace, alert, kind="alert")
            expected.check(_view(row))
            unit.session.delete(row)

    def test(self, workspace: str, alert: str) -> AlertResponse:
        """Queues a test mail. Raises 404, and 409 without a mail server."""
        self._need_mail_server()
        with self._database.write() as unit:
            row = get(unit.session, AlertRow, workspace, alert, kind="alert")
            queue(unit, row.id, TEST)
            return _view(row)

    def _need_mail_server(self) -> None:
        if not self._can_send:
            detail = "Start the service with --smtp and --mail-from, the mail server and the sender's address."
            raise ProblemError(409, "no_mail_server", "There is no mail server", detail)


def _columns(body: AlertCreate | AlertPatch) -> dict[str, object]:
    given = body.everything() if isinstance(body, AlertCreate) else body.given()
    if given.get("quiet") is not None:
        given["quiet"] = given["quiet"].document()
    return given


def _check_locations(unit: Unit, workspace: str, locations: "list[str] | None") -> None:
    known = find_many(unit.session, LocationRow, workspace, locations or ())
    faults = [
        unknown("location", one, f"/locations/{at}") for at, one in enumerate(locations or ()) if one not in known
    ]
    if faults:
        raise invalid(faults)


def _view(row: AlertRow) -> AlertResponse:
    return AlertResponse(
        id=row.id,
        email=row.email,
        kinds=[AlertKind(kind) for kind in row.kinds],
        offline_minutes=row.offline_minutes,
        quiet=None if row.quiet is None else QuietHoursResponse(**row.quiet),
        locations=row.locations,
        mailed_at=instant_or_none(row.mailed_at),
        failure=row.failure,
        created_at=instant_text(row.created_at),
    )
