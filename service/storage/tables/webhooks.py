"""Events and their deliveries."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import NUMBERED, Base, row_number, workspace_key


class EventRow(Base):
    """An event in the outbox: written in the transaction of its cause, deleted when it is old."""

    __tablename__ = "events"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    type: Mapped[str]
    body: Mapped[str] = mapped_column(Text)
    """The envelope, sent byte for byte the same each time."""
    created_at: Mapped[datetime] = mapped_column(index=True)


class EndpointRow(Base):
    __tablename__ = "webhooks"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    url: Mapped[str] = mapped_column(String(2000))
    events: Mapped[list[str]]
    """As given by the subscriber, including aliases."""
    secret: Mapped[str] = mapped_column(String(100))
    """Under a key that is not in the database (docs/adr/0016)."""
    old_secret: Mapped[str | None] = mapped_column(String(100))
    old_secret_until: Mapped[datetime | None]
    enabled: Mapped[bool]
    failures: Mapped[int]
    """Failed deliveries in a row."""
    busy_until: Mapped[datetime]
    """In the past when the endpoint is free: it gets one delivery at a time. A sender claims it with a time in the
    future, after which it is free again even if the sender has died."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class DeliveryRow(Base):
    __tablename__ = "deliveries"
    __table_args__ = (Index("ix_deliveries_endpoint_id_due_at", "endpoint_id", "due_at"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    endpoint_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_id: Mapped[str] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    tries: Mapped[int]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    """When the next attempt is due; null once the delivery has succeeded or failed."""
    created_at: Mapped[datetime]


class AttemptRow(Base):
    """A request to an endpoint, and its result."""

    __tablename__ = "delivery_attempts"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    delivery_id: Mapped[str] = mapped_column(ForeignKey("deliveries.id", ondelete="CASCADE"), index=True)
    made_at: Mapped[datetime]
    status: Mapped[int | None]
    """HTTP status of the response, if there was one."""
    reason: Mapped[str | None] = mapped_column(String(200))
    """Why there was no response."""
    milliseconds: Mapped[int]
