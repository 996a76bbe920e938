"""The tables. A row is a record, without behaviour; `migrations` makes the same tables step by step."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from service.storage.columns import InstantColumn, PriceColumn, RowNumber

ID_LENGTH = 40
DIGEST_LENGTH = 64
ADDRESS_LENGTH = 100
"""Of where a caller calls from: an IPv6 address with its zone has room."""

Json = dict[str, Any]


class Base(DeclarativeBase):
    """Shared settings: names of constraints are spelt out so that a migration can name them on any engine."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        str: String(ID_LENGTH),
        datetime: InstantColumn(),
        Decimal: PriceColumn(),
        Json: JSON(),
        list[str]: JSON(),
        list[Json]: JSON(),
    }


def _number() -> Mapped[int]:
    """Rows in the order of their making: what lists are paged by. A number is never used again."""
    return mapped_column(RowNumber, primary_key=True, autoincrement=True)


def _workspace() -> Mapped[str]:
    return mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)


_NUMBERED = {"sqlite_autoincrement": True}


class FactRow(Base):
    """What the installation itself remembers, by name."""

    __tablename__ = "facts"
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class WorkspaceRow(Base):
    __tablename__ = "workspaces"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    created_at: Mapped[datetime]
    catalogue_changed_at: Mapped[datetime]
    """When an item was last made, changed or deleted."""


class KeyRow(Base):
    __tablename__ = "keys"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    created_at: Mapped[datetime]
    locations: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """What the key is narrowed to; null is the whole workspace."""
    last_used_at: Mapped[datetime | None]
    """Written in batches (`services.access`)."""


class LocationRow(Base):
    __tablename__ = "locations"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    timezone: Mapped[str] = mapped_column(String(100))
    currency: Mapped[str] = mapped_column(String(3))
    locale: Mapped[str] = mapped_column(String(50))
    rotation: Mapped[int] = mapped_column(server_default=text("0"))
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class AssetRow(Base):
    """That a workspace holds these bytes; the file itself is shared by all workspaces."""

    __tablename__ = "assets"
    __table_args__ = (UniqueConstraint("workspace_id", "digest"), _NUMBERED)
    number: Mapped[int] = _number()
    workspace_id: Mapped[str] = _workspace()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    size: Mapped[int]
    media_type: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime]


class ItemRow(Base):
    __tablename__ = "items"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    category: Mapped[str] = mapped_column(String(100))
    price: Mapped[Decimal]
    modifiers: Mapped[list[Json]]
    """`{"name": text, "units": ten-thousandths}` each: JSON has no decimals of its own."""
    eighty_sixed: Mapped[bool]
    eighty_sixed_until: Mapped[datetime | None] = mapped_column(index=True)
    description: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH))
    tags: Mapped[list[str]]
    allergens: Mapped[list[str]]
    sort_index: Mapped[int]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class SceneRow(Base):
    __tablename__ = "scenes"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    document: Mapped[Json]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class ScheduleRow(Base):
    __tablename__ = "schedules"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    scene_id: Mapped[str] = mapped_column(ForeignKey("scenes.id", ondelete="CASCADE"), index=True)
    document: Mapped[Json]
    created_at: Mapped[datetime]


class PlaylistRow(Base):
    __tablename__ = "playlists"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    published_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class EntryRow(Base):
    """A scene's place in a playlist."""

    __tablename__ = "playlist_entries"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    scene_id: Mapped[str] = mapped_column(ForeignKey("scenes.id", ondelete="RESTRICT"), index=True)
    position: Mapped[int]
    duration_seconds: Mapped[int]
    schedule: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))


class PlaylistVersionRow(Base):
    """A published version of a playlist, as it was: never changed, only dropped when it is old."""

    __tablename__ = "publications"
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    published_at: Mapped[datetime]
    document: Mapped[str] = mapped_column(Text)


class ScreenRow(Base):
    __tablename__ = "screens"
    __table_args__ = (UniqueConstraint("workspace_id", "device_id"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    device_id: Mapped[str]
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="RESTRICT"), index=True)
    playlist_id: Mapped[str | None] = mapped_column(ForeignKey("playlists.id", ondelete="RESTRICT"), index=True)
    token_digest: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH), unique=True)
    token_used: Mapped[bool]
    """Whether the player has called with its token: from then on its device code is spent."""
    online: Mapped[bool] = mapped_column(default=False)
    """As the last event told it; what is shown goes by the last contact."""
    last_seen: Mapped[datetime | None]
    report: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """The last heartbeat. Contacts are written in batches (`services.presence`)."""
    reported_at: Mapped[datetime | None]
    """When that was."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class CommandRow(Base):
    """What a screen is still to be told to do."""

    __tablename__ = "commands"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    screen_id: Mapped[str] = mapped_column(ForeignKey("screens.id", ondelete="CASCADE"), index=True)
    type: Mapped[str] = mapped_column(String(20))
    sendings: Mapped[int]
    """How many answers are still to carry it."""
    expires_at: Mapped[datetime] = mapped_column(index=True)


class PairingRow(Base):
    """A device that asked for a code. Gone once its token is used, or some time after it expired."""

    __tablename__ = "pairings"
    __table_args__ = (Index("ix_pairings_address_expires_at", "address", "expires_at"), _NUMBERED)
    number: Mapped[int] = _number()
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


class WrongCodeRow(Base):
    """That a workspace tried a code which is not there: counted to stop guessing, and dropped after a day."""

    __tablename__ = "wrong_codes"
    __table_args__ = (Index("ix_wrong_codes_workspace_id_tried_at", "workspace_id", "tried_at"), _NUMBERED)
    number: Mapped[int] = _number()
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    tried_at: Mapped[datetime]


class WrongTokenRow(Base):
    """That an address tried an invitation's token which is not there: counted to stop guessing, and soon dropped."""

    __tablename__ = "wrong_tokens"
    __table_args__ = (Index("ix_wrong_tokens_address_tried_at", "address", "tried_at"), _NUMBERED)
    number: Mapped[int] = _number()
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    tried_at: Mapped[datetime] = mapped_column(index=True)


class RevisionRow(Base):
    """How often what a playlist shows at a location has changed. `playlist_id` is empty for no playlist."""

    __tablename__ = "revisions"
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), primary_key=True)
    playlist_id: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[int]
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    revision_at: Mapped[datetime]


class ApprovalRow(Base):
    """A publish that was asked for, with the playlist as it stood then until it is decided."""

    __tablename__ = "approvals"
    __table_args__ = (Index("ix_approvals_workspace_id_status", "workspace_id", "status"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    document: Mapped[str | None] = mapped_column(Text)
    """The snapshot that was asked for; dropped when it is decided."""
    requested_by: Mapped[str]
    decided_by: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(Text)
    version: Mapped[int | None]
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]


class StoredResponseRow(Base):
    """What a call with an Idempotency-Key was answered, kept for a retry; only the key that called can open it."""

    __tablename__ = "answers"
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    status: Mapped[int]
    nonce: Mapped[bytes] = mapped_column(LargeBinary)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    kept_at: Mapped[datetime] = mapped_column(index=True)


class EventRow(Base):
    """That something happened: written together with it, and dropped when it is old."""

    __tablename__ = "events"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    type: Mapped[str]
    body: Mapped[str] = mapped_column(Text)
    """The envelope as it is sent, byte for byte the same each time."""
    created_at: Mapped[datetime] = mapped_column(index=True)


class EndpointRow(Base):
    """Where a workspace wants to be told of events."""

    __tablename__ = "webhooks"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    url: Mapped[str] = mapped_column(String(2000))
    events: Mapped[list[str]]
    """As the subscriber named them, aliases among them."""
    secret: Mapped[str] = mapped_column(String(100))
    """In the clear, as signing needs it (docs/adr/0016)."""
    old_secret: Mapped[str | None] = mapped_column(String(100))
    old_secret_until: Mapped[datetime | None]
    enabled: Mapped[bool]
    failures: Mapped[int]
    """Deliveries that failed in a row."""
    busy_until: Mapped[datetime]
    """In the past when the endpoint is free: one delivery is under way at a time. Who claims it writes a time ahead,
    after which the endpoint is free again even if the claimer is gone."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class DeliveryRow(Base):
    """An event on its way to an endpoint."""

    __tablename__ = "deliveries"
    __table_args__ = (Index("ix_deliveries_endpoint_id_due_at", "endpoint_id", "due_at"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    endpoint_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_id: Mapped[str] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    tries: Mapped[int]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    """When the next attempt is due; empty once the delivery has ended, well or badly."""
    created_at: Mapped[datetime]


class AttemptRow(Base):
    """One call of an endpoint, and how it ended."""

    __tablename__ = "delivery_attempts"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    delivery_id: Mapped[str] = mapped_column(ForeignKey("deliveries.id", ondelete="CASCADE"), index=True)
    made_at: Mapped[datetime]
    status: Mapped[int | None]
    """Of the HTTP answer, if there was one."""
    reason: Mapped[str | None] = mapped_column(String(200))
    """Why there was no answer."""
    milliseconds: Mapped[int]


class PosConnectionRow(Base):
    """A point of sale whose menu is imported."""

    __tablename__ = "pos_connections"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    feed: Mapped[str] = mapped_column(String(2000))
    format: Mapped[str] = mapped_column(String(20))
    every_minutes: Mapped[int | None]
    enabled: Mapped[bool]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    """When it is to be read next; while it is being read, when to try again if nobody tells how it went."""
    last_sync: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class PosLinkRow(Base):
    """Which item a point of sale means by an identifier of its own."""

    __tablename__ = "pos_links"
    connection_id: Mapped[str] = mapped_column(ForeignKey("pos_connections.id", ondelete="CASCADE"), primary_key=True)
    external_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    item_id: Mapped[str] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"), index=True)
    sold_out: Mapped[bool | None]
    """What the point of sale said last: only when it says otherwise does the item follow."""


class InviteRow(Base):
    """An invitation that nobody has accepted yet."""

    __tablename__ = "invites"
    __table_args__ = (UniqueConstraint("workspace_id", "email"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    email: Mapped[str] = mapped_column(String(254))
    role: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    invited_by: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class EndedInviteRow(Base):
    """An invitation that nobody can accept any more, so that whoever comes with it is told why."""

    __tablename__ = "ended_invites"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    workspace_id: Mapped[str] = _workspace()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    ending: Mapped[str] = mapped_column(String(20))


class MemberRow(Base):
    """Somebody who belongs to a workspace."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("workspace_id", "email"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    email: Mapped[str] = mapped_column(String(254))
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    key_id: Mapped[str | None] = mapped_column(ForeignKey("keys.id", ondelete="SET NULL"), index=True)
    """The key that the member was given."""
    created_at: Mapped[datetime]


class SubscriptionRow(Base):
    """What a workspace has subscribed to."""

    __tablename__ = "subscriptions"
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(20))
    changed_at: Mapped[datetime]
