"""Overrides: a frozen scene or playlist that some screens show in place of all else."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import NUMBERED, Base, Json, row_number, workspace_key


class OverrideRow(Base):
    """An override. Never changed; deleted when it is withdrawn, or some time after its end."""

    __tablename__ = "overrides"
    __table_args__ = (Index("ix_overrides_workspace_id_until", "workspace_id", "until"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    target: Mapped[Json]
    """One of `screens`, `tags`, `location`, `group` and `everything`."""
    locations: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """The locations that it is confined to: that of the target, or those of the key that made it."""
    scene: Mapped[str | None]
    playlist: Mapped[str | None]
    name: Mapped[str] = mapped_column(String(200))
    reason: Mapped[str] = mapped_column(String(200))
    starts_at: Mapped[datetime]
    until: Mapped[datetime]
    document: Mapped[str] = mapped_column(Text)
    """The snapshot, as of a published version."""
    plan_id: Mapped[str | None] = mapped_column(ForeignKey("planned_changes.id", ondelete="CASCADE"), index=True)
    """The planned change that it is of; then `local_start` and `local_end` count in the time of each location, and
    `starts_at` and `until` are the first start and the last end."""
    local_start: Mapped[str | None] = mapped_column(String(26))
    local_end: Mapped[str | None] = mapped_column(String(26))
    created_by: Mapped[str]
    created_at: Mapped[datetime]
