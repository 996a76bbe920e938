"""Receipts of content that screens have presented, and the former values of board content."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import NUMBERED, Base, row_number


class ReceiptRow(Base):
    """A period on the display of a screen, as its player reported it. It grows while it is the last one."""

    __tablename__ = "receipts"
    __table_args__ = (
        UniqueConstraint("screen_id", "log", "sequence"),
        Index("ix_receipts_screen_id_begins_at", "screen_id", "begins_at"),
        NUMBERED,
    )
    number: Mapped[int] = row_number()
    screen_id: Mapped[str] = mapped_column(ForeignKey("screens.id", ondelete="CASCADE"))
    log: Mapped[str] = mapped_column(String(16))
    """The log on the device, of which `sequence` counts."""
    sequence: Mapped[int]
    begins_at: Mapped[datetime]
    ends_at: Mapped[datetime] = mapped_column(index=True)
    told: Mapped[bytes] = mapped_column(LargeBinary)
    """The rest of the receipt: JSON, compressed."""


class HistoryRow(Base):
    """Columns of a row before a change. Its number grows with each change of board content."""

    __tablename__ = "history"
    __table_args__ = (Index("ix_history_scope_number", "scope", "number"), NUMBERED)
    number: Mapped[int] = row_number()
    scope: Mapped[str]
    """The workspace, location, group, playlist or override to which the row belongs (`storage.history`)."""
    kind: Mapped[str] = mapped_column(String(20))
    """The table."""
    key: Mapped[str] = mapped_column(String(90))
    at: Mapped[datetime] = mapped_column(index=True)
    before: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The columns that changed, or all of a row that was deleted: JSON, compressed. NULL where there was no row."""
