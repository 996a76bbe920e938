"""Alerts: their recipients and subjects, the reported faults, and the queued mails."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import NUMBERED, Base, Json, row_number, workspace_key


class AlertRow(Base):
    """An e-mail address, and the faults that are reported to it."""

    __tablename__ = "alerts"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    email: Mapped[str] = mapped_column(String(254))
    kinds: Mapped[list[str]]
    offline_minutes: Mapped[int]
    quiet: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """`{"start": time, "end": time, "timezone": zone}`."""
    locations: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """Locations of the screens that it tells of; NULL for all."""
    mailed_at: Mapped[datetime | None]
    """When the last mail was accepted by the mail server."""
    failure: Mapped[str | None] = mapped_column(String(300))
    """Why the last attempt has failed; NULL once one succeeds."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class TroubleRow(Base):
    """A fault that an alert reports: detected, and perhaps already reported."""

    __tablename__ = "troubles"
    alert_id: Mapped[str] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(30), primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    """The id of the screen, connection, approval or webhook."""
    name: Mapped[str] = mapped_column(String(200))
    noticed_at: Mapped[datetime]
    told_at: Mapped[datetime | None]


class MailRow(Base):
    """A mail that the mail server has not accepted yet."""

    __tablename__ = "mails"
    __table_args__ = (Index("ix_mails_alert_id", "alert_id"), NUMBERED)
    number: Mapped[int] = row_number()
    alert_id: Mapped[str] = mapped_column(ForeignKey("alerts.id", ondelete="CASCADE"))
    subject: Mapped[str] = mapped_column(String(300))
    body: Mapped[str] = mapped_column(Text)
    tries: Mapped[int]
    due_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime]
