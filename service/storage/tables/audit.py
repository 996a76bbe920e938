"""Acts of users and keys."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import DIGEST_LENGTH, NUMBERED, Base, row_number

NAME_LENGTH = 200


class AuditRow(Base):
    """An act of a key or a member. Names are those of that time: the actor and the subject may be gone by now."""

    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_workspace_id_number", "workspace_id", "number"),
        Index("ix_audit_workspace_id_actor_number", "workspace_id", "actor", "number"),
        Index("ix_audit_workspace_id_subject_number", "workspace_id", "subject", "number"),
        NUMBERED,
    )
    number: Mapped[int] = row_number()
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(index=True)
    actor: Mapped[str]
    actor_name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    act: Mapped[str] = mapped_column(String(20))
    kind: Mapped[str] = mapped_column(String(20))
    subject: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    """The first of them."""
    subject_name: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    subjects: Mapped[int]
    """The number of things that the act was on."""
    fields: Mapped[list[str]]
    """The columns that have changed, without their values."""
