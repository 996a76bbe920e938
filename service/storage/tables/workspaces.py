"""Installation and its workspaces: keys, members, invitations and locations."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.columns import RowNumber
from service.storage.tables.base import ADDRESS_LENGTH, DIGEST_LENGTH, NUMBERED, Base, Json, row_number, workspace_key


class FactRow(Base):
    """A value of the installation itself, by name."""

    __tablename__ = "facts"
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


EPOCH_NAME = "epoch"
"""The name of the fact that is another one after a restore."""
CONTRADICTED_NAME = "contradicted"
"""The name of the fact that says when a board last held something newer than this database."""

RESTORED_NAME = "restored"
"""The name of the fact that says when the database last came back from a backup, and what lets somebody in again."""


class WorkspaceRow(Base):
    __tablename__ = "workspaces"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    created_at: Mapped[datetime]
    catalogue_changed_at: Mapped[datetime]
    """When an item was last created, changed or deleted."""
    content_number: Mapped[int] = mapped_column(RowNumber, default=0, server_default=text("0"))
    """Grows with each `ContentChanged`, in its transaction."""
    second_factor: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether members sign in with a second factor only."""
    import_settings: Mapped[Json] = mapped_column(JSON, server_default=text("'{}'"), default=dict)
    """The fields of headings (`columns`) and the allergens of codes (`legend`) in tables that people import."""


class KeyRow(Base):
    __tablename__ = "keys"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    created_at: Mapped[datetime]
    locations: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """The locations that the key is narrowed to; null is the whole workspace."""
    last_used_at: Mapped[datetime | None]
    """Written in batches (`services.access`)."""


class LocationRow(Base):
    __tablename__ = "locations"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    timezone: Mapped[str] = mapped_column(String(100))
    currency: Mapped[str] = mapped_column(String(3))
    locale: Mapped[str] = mapped_column(String(50))
    rotation: Mapped[int] = mapped_column(server_default=text("0"))
    opening_hours: Mapped[list[Json]] = mapped_column(JSON, server_default=text("'[]'"))
    second_currency: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    """`{"currency": code, "rate": decimal as text}`: JSON has no decimals of its own."""
    live_values: Mapped[Json] = mapped_column(JSON, server_default=text("'{}'"))
    """By name, each `{"value": text or number, "expiresAt": instant}`."""
    spans: Mapped[list[Json]] = mapped_column(JSON, server_default=text("'[]'"))
    """Each `{"screens": [id, …]}`, from the left to the right. A screen that was removed leaves its place free."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class GroupRow(Base):
    """A group of locations. Of two that set the same value the one with the higher precedence applies, or the older."""

    __tablename__ = "location_groups"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    precedence: Mapped[int]
    created_at: Mapped[datetime]


class GroupLocationRow(Base):
    __tablename__ = "group_locations"
    group_id: Mapped[str] = mapped_column(ForeignKey("location_groups.id", ondelete="CASCADE"), primary_key=True)
    location_id: Mapped[str] = mapped_column(
        ForeignKey("locations.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class InviteRow(Base):
    """An open invitation."""

    __tablename__ = "invites"
    __table_args__ = (UniqueConstraint("workspace_id", "email"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    email: Mapped[str] = mapped_column(String(254))
    role: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    invited_by: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class EndedInviteRow(Base):
    """An invitation that can no longer be accepted, kept to show its holder why."""

    __tablename__ = "ended_invites"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    workspace_id: Mapped[str] = workspace_key()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    ending: Mapped[str] = mapped_column(String(20))


class WrongTokenRow(Base):
    """A failed attempt of an address at an invitation token: counted to stop guessing, deleted soon."""

    __tablename__ = "wrong_tokens"
    __table_args__ = (Index("ix_wrong_tokens_address_tried_at", "address", "tried_at"), NUMBERED)
    number: Mapped[int] = row_number()
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    tried_at: Mapped[datetime] = mapped_column(index=True)


class MemberRow(Base):
    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("workspace_id", "email"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    email: Mapped[str] = mapped_column(String(254))
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    key_id: Mapped[str | None] = mapped_column(ForeignKey("keys.id", ondelete="SET NULL"), index=True)
    """The key that the member got with the invitation."""
    created_at: Mapped[datetime]


class SubscriptionRow(Base):
    __tablename__ = "subscriptions"
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(20))
    changed_at: Mapped[datetime]


class StoredResponseRow(Base):
    """Response to a call with an Idempotency-Key, encrypted with the API key of the caller."""

    __tablename__ = "answers"
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    status: Mapped[int]
    nonce: Mapped[bytes] = mapped_column(LargeBinary)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    kept_at: Mapped[datetime] = mapped_column(index=True)
