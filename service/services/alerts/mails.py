"""Queues mails: a mail stays until the mail server has accepted it, or a day has passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select

from service.services.alerts.rules import Mail
from service.storage.database import Database, Unit
from service.storage.tables.alerts import AlertRow, MailRow

RETRY = timedelta(minutes=1)
"""Before the first retry; each further one waits twice as long, up to LONGEST_RETRY."""
LONGEST_RETRY = timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(days=1)
MAX_QUEUED = 20
"""Mails of one alert that wait; of more, the oldest are dropped."""
AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class QueuedMail:
    number: int
    to: str
    mail: Mail
    at: datetime


def queue(unit: Unit, alert: str, mail: Mail) -> None:
    unit.session.add(
        MailRow(alert_id=alert, subject=mail.subject, body=mail.body, tries=0, due_at=unit.now, created_at=unit.now)
    )
    unit.session.flush()
    newest = select(MailRow.number).where(MailRow.alert_id == alert).order_by(MailRow.number.desc()).limit(MAX_QUEUED)
    unit.session.execute(delete(MailRow).where(MailRow.alert_id == alert, MailRow.number.not_in(newest)))


class MailQueue:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    def due(self, now: datetime) -> Sequence[QueuedMail]:
        """Returns the mails to send now, oldest first."""
        rows = (
            select(MailRow, AlertRow.email)
            .join(AlertRow, AlertRow.id == MailRow.alert_id)
            .where(MailRow.due_at <= now)
            .order_by(MailRow.number)
            .limit(AT_ONCE)
        )
        with self._database.read() as session:
            return [
                QueuedMail(row.number, email, Mail(row.subject, row.body), row.created_at)
                for row, email in session.execute(rows)
            ]

    def sent(self, number: int, failure: str | None) -> None:
        """Records that a mail was accepted, or why not: then it is retried, for a day."""
        with self._database.write() as unit:
            mail = unit.session.get(MailRow, number)
            if mail is None:
                return
            alert = unit.session.scalars(select(AlertRow).where(AlertRow.id == mail.alert_id)).one()
            alert.failure = failure
            if failure is None:
                alert.mailed_at = unit.now
            if failure is None or unit.now - mail.created_at >= GIVEN_UP_AFTER:
                unit.session.delete(mail)
            else:
                mail.due_at = unit.now + min(RETRY * 2**mail.tries, LONGEST_RETRY)
                mail.tries += 1
