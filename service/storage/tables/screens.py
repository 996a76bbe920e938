"""Screens, their pairing and enrolment, and the commands sent to them."""

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.tables.base import ADDRESS_LENGTH, DIGEST_LENGTH, NUMBERED, Base, Json, row_number, workspace_key


class ScreenRow(Base):
    __tablename__ = "screens"
    __table_args__ = (UniqueConstraint("workspace_id", "device_id"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    device_id: Mapped[str]
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="RESTRICT"), index=True)
    playlist_id: Mapped[str | None] = mapped_column(ForeignKey("playlists.id", ondelete="RESTRICT"), index=True)
    """The playlist that it plays."""
    next_playlist_id: Mapped[str | None] = mapped_column(index=True)
    """The playlist that it is given, while that was never published: it plays the one before."""
    token_digest: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH), unique=True)
    display: Mapped[Json] = mapped_column(JSON, server_default=text("'{}'"))
    """Settings of its panel."""
    token_used: Mapped[bool]
    """Whether the player has called with its token, which uses up its device code."""
    online: Mapped[bool] = mapped_column(default=False)
    """The state in the last event. The API derives the status from the last contact instead."""
    last_seen: Mapped[datetime | None]
    report: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """The last heartbeat. Contacts are written in batches (`services.presence`)."""
    reported_at: Mapped[datetime | None]
    """When the last heartbeat arrived."""
    finding_codes: Mapped[str | None] = mapped_column(String(500))
    """The codes of the findings in the report, in order and separated by blanks: what `/metrics` counts."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    tags: Mapped[list[str]] = mapped_column(JSON(), default=list, server_default=text("'[]'"))
    """Words by which rollouts choose screens."""
    waiting: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether it gets no menu until somebody confirms it."""


class RolloutRow(Base):
    """A version that some screens should run."""

    __tablename__ = "rollouts"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    version: Mapped[str] = mapped_column(String(100))
    tags: Mapped[list[str]]
    """Tags of the screens that are meant; empty for all."""
    percent: Mapped[int]
    stop_at_percent: Mapped[int]
    """The number of chosen screens after which it stops, once so many have taken the version back."""
    stopped: Mapped[bool]
    created_at: Mapped[datetime]


class CommandRow(Base):
    """A command to a screen: pending, or with its result."""

    __tablename__ = "commands"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    screen_id: Mapped[str] = mapped_column(ForeignKey("screens.id", ondelete="CASCADE"), index=True)
    type: Mapped[str] = mapped_column(String(20))
    sendings: Mapped[int]
    """The number of further heartbeat answers that carry it."""
    expires_at: Mapped[datetime] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(index=True, server_default=text("0"))
    sent_at: Mapped[datetime | None]
    outcome: Mapped[str | None] = mapped_column(String(200))
    detail: Mapped[str | None] = mapped_column(String(1000))
    finished_at: Mapped[datetime | None]


class ScreenUploadRow(Base):
    """Last screenshot or log that a screen has sent."""

    __tablename__ = "screen_uploads"
    __table_args__ = (UniqueConstraint("screen_id", "kind"), NUMBERED)
    number: Mapped[int] = row_number()
    screen_id: Mapped[str] = mapped_column(ForeignKey("screens.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(20))
    media_type: Mapped[str] = mapped_column(String(100))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime]


class PairingRow(Base):
    """A pairing in progress. Deleted once its token is used, or some time after it expired."""

    __tablename__ = "pairings"
    __table_args__ = (Index("ix_pairings_address_expires_at", "address", "expires_at"), NUMBERED)
    number: Mapped[int] = row_number()
    device_code_digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    user_code: Mapped[str] = mapped_column(String(6), unique=True)
    device_id: Mapped[str]
    device_name: Mapped[str | None] = mapped_column(String(200))
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    expires_at: Mapped[datetime] = mapped_column(index=True)
    interval_seconds: Mapped[int]
    asked_at: Mapped[datetime | None]
    claimed: Mapped[bool]
    screen_id: Mapped[str | None] = mapped_column(ForeignKey("screens.id", ondelete="SET NULL"), index=True)


class EnrolmentTokenRow(Base):
    """A token by which devices become screens without a code: at most `screens`, of which `used` are there."""

    __tablename__ = "enrolment_tokens"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), index=True)
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    screens: Mapped[int]
    used: Mapped[int]
    confirm: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether its screens wait until somebody confirms them."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class RevokedTokenRow(Base):
    """A token that a screen used until it was removed or paired again; kept so that its player gets the right error."""

    __tablename__ = "revoked_tokens"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    revoked_at: Mapped[datetime] = mapped_column(index=True)


class WrongCodeRow(Base):
    """A failed attempt of a workspace at a pairing code: counted to stop guessing, deleted after a day."""

    __tablename__ = "wrong_codes"
    __table_args__ = (Index("ix_wrong_codes_workspace_id_tried_at", "workspace_id", "tried_at"), NUMBERED)
    number: Mapped[int] = row_number()
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    tried_at: Mapped[datetime]
