"""Planned changes: values of items, and overrides, that take effect at a local time of each location."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import NUMBERED, Base, row_number, workspace_key


class PlannedChangeRow(Base):
    """A planned change. Its working values are `planned_values`, and its overrides are `overrides`."""

    __tablename__ = "planned_changes"
    __table_args__ = (Index("ix_planned_changes_workspace_id_done_at", "workspace_id", "done_at"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    at: Mapped[str] = mapped_column(String(26))
    """Local date and time: `2027-01-01T05:00`."""
    document: Mapped[str] = mapped_column(Text)
    """`{"changes": […], "overrides": […]}` as they were sent; JSON with exact numbers."""
    locations: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """The locations that it is confined to; NULL for all, or for a group."""
    places: Mapped[list[list[str | None]]] = mapped_column(JSON)
    """`[location or null, group or null]` each, those of its overrides too: both null is everywhere."""
    passed_at: Mapped[datetime]
    """All that was due until then has been done."""
    done_at: Mapped[datetime | None]
    created_by: Mapped[str]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class PlannedValueRow(Base):
    """Planned values of one item at one place: at a location, in a group, or (both NULL) everywhere. Deleted in the
    transaction that applies them."""

    __tablename__ = "planned_values"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    plan_id: Mapped[str] = mapped_column(ForeignKey("planned_changes.id", ondelete="CASCADE"), index=True)
    location_id: Mapped[str | None] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), index=True)
    group_id: Mapped[str | None] = mapped_column(ForeignKey("location_groups.id", ondelete="CASCADE"), index=True)
    item_id: Mapped[str] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"), index=True)
    given: Mapped[str] = mapped_column(Text)
    """Single values by name; JSON with exact numbers."""
