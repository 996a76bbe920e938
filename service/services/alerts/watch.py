"""Compares current troubles with those that each alert has reported, and queues mails. Runs in the leader.

A report is noted in the transaction that queues its mail: a crash repeats nothing, and loses nothing.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session

from service.schema.workspace.alert import AlertKind
from service.services.alerts.mails import queue
from service.services.alerts.rules import Known, Name, Step, step
from service.services.alerts.troubles import Trouble, troubles
from service.services.shared.hours import held_since
from service.storage.database import Database, Unit
from service.storage.tables.alerts import AlertRow, TroubleRow

LOOK_SECONDS = 30
MAX_ALERTS = 50
"""The most of one workspace."""

Found = dict[AlertKind, list[Trouble]]


class AlertWatch:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    def look(self, now: datetime) -> None:
        """Checks once. Without alerts it costs one query."""
        found: dict[str, Found] = {}
        with self._database.read() as session:
            alerts = session.scalars(select(AlertRow).order_by(AlertRow.number)).all()
            for alert in alerts:
                if alert.workspace_id not in found:
                    found[alert.workspace_id] = troubles(session, alert.workspace_id, now=now)
            knowns = [_known(session, alert.id) for alert in alerts]
        for alert, known in zip(alerts, knowns, strict=True):
            taken = _step_of(alert, known, found[alert.workspace_id], now)
            if taken != Step():
                with self._database.write() as unit:
                    same = AlertRow.id == alert.id, AlertRow.changed_at == alert.changed_at
                    there = unit.session.scalar(select(AlertRow).where(*same))
                    # Not if a person, or another leader, has changed it since: the next look decides.
                    if there is not None and _known(unit.session, alert.id) == known:
                        _take(unit, alert.id, taken)


def _step_of(alert: AlertRow, known: dict[Name, Known], found: Found, now: datetime) -> Step:
    quiet = alert.quiet
    return step(
        [one for kind in alert.kinds for one in found[AlertKind(kind)] if _concerns(alert, one)],
        known,
        offline=timedelta(minutes=alert.offline_minutes),
        is_quiet=quiet is not None and held_since([quiet], quiet["timezone"], now) is not None,
        now=now,
    )


def _concerns(alert: AlertRow, trouble: Trouble) -> bool:
    return trouble.location is None or alert.locations is None or trouble.location in alert.locations


def _known(session: Session, alert: str) -> dict[Name, Known]:
    rows = session.scalars(select(TroubleRow).where(TroubleRow.alert_id == alert))
    return {(AlertKind(row.kind), row.subject): Known(row.name, row.noticed_at, row.told_at) for row in rows}


def _take(unit: Unit, alert: str, taken: Step) -> None:
    session = unit.session
    for kind, subject in taken.forgotten:
        session.execute(delete(TroubleRow).where(*_is(alert, kind, subject)))
    session.add_all(
        TroubleRow(alert_id=alert, kind=one.kind, subject=one.subject, name=one.name, noticed_at=unit.now)
        for one in taken.noticed
    )
    session.flush()
    for kind, subject in taken.told:
        session.execute(update(TroubleRow).where(*_is(alert, kind, subject)).values(told_at=unit.now))
    for mail in taken.mails:
        queue(unit, alert, mail)


def _is(alert: str, kind: AlertKind, subject: str) -> tuple[ColumnElement[bool], ...]:
    return (TroubleRow.alert_id == alert, TroubleRow.kind == kind, TroubleRow.subject == subject)
