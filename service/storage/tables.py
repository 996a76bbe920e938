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
"""Fits an IPv6 address with its zone."""

Json = dict[str, Any]


class Base(DeclarativeBase):
    """Shared settings. Constraint names follow a convention, so that migrations can refer to them on any engine."""

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
    """Row number in order of creation, for paging. A number is never reused."""
    return mapped_column(RowNumber, primary_key=True, autoincrement=True)


def _workspace() -> Mapped[str]:
    return mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), index=True)


_NUMBERED = {"sqlite_autoincrement": True}


class FactRow(Base):
    """A value of the installation itself, by name."""

    __tablename__ = "facts"
    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[str] = mapped_column(Text)


EPOCH_NAME = "epoch"
"""The name of the fact that is another one after a restore."""
CONTRADICTED_NAME = "contradicted"
"""The name of the fact that says when a board last held something newer than this database."""


class WorkspaceRow(Base):
    __tablename__ = "workspaces"
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    created_at: Mapped[datetime]
    catalogue_changed_at: Mapped[datetime]
    """When an item was last created, changed or deleted."""
    content_number: Mapped[int] = mapped_column(RowNumber, default=0, server_default=text("0"))
    """Grows with each `ContentChanged`, in its transaction."""


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
    """The locations that the key is narrowed to; null is the whole workspace."""
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
    opening_hours: Mapped[list[Json]] = mapped_column(JSON, server_default=text("'[]'"))
    second_currency: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    """`{"currency": code, "rate": decimal as text}`: JSON has no decimals of its own."""
    live_values: Mapped[Json] = mapped_column(JSON, server_default=text("'{}'"))
    """By name, each `{"value": text or number, "expiresAt": instant}`."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class AssetRow(Base):
    """An asset of a workspace; all workspaces share the file."""

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
    __table_args__ = (Index("ix_items_workspace_id_category", "workspace_id", "category"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    name: Mapped[str] = mapped_column(String(200))
    category: Mapped[str] = mapped_column(String(100))
    price: Mapped[Decimal]
    """0 at the market price, and told nowhere."""
    price_kind: Mapped[str] = mapped_column(String(10), server_default=text("'exact'"))
    price_unit: Mapped[str | None] = mapped_column(String(10))
    regular_price: Mapped[Decimal | None]
    """The price outside the time of the offer, for which `price` is; without it there is no offer."""
    offer_starts_at: Mapped[datetime | None] = mapped_column(index=True)
    """None once it has begun."""
    offer_ends_at: Mapped[datetime | None] = mapped_column(index=True)
    modifiers: Mapped[list[Json]]
    """`{"name": text, "units": ten-thousandths}` each: JSON has no decimals of its own."""
    variants: Mapped[list[Json]] = mapped_column(server_default=text("'[]'"))
    """`{"id": text, "name": text, "units": ten-thousandths, "energy": kilocalories or null, "eightySixed": flag}` each,
    of an offer also `regular` (ten-thousandths), `offerStartsAt` and `offerEndsAt` (instants)."""
    variants_change_at: Mapped[datetime | None] = mapped_column(index=True)
    """When the first of their offers begins or ends."""
    parts: Mapped[list[Json] | None] = mapped_column(JSON(none_as_null=True))
    """`{"name": text or null, "quantity": number, "anyOf": [{"itemId": text, "variantId": text or null}, …]}` each;
    NULL for an item that is no combo."""
    energy: Mapped[int | None]
    """Kilocalories; up to `energy_to` where that is set."""
    energy_to: Mapped[int | None]
    eighty_sixed: Mapped[bool]
    eighty_sixed_until: Mapped[datetime | None] = mapped_column(index=True)
    description: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH))
    tags: Mapped[list[str]]
    allergens: Mapped[list[str]]
    translations: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """`{"name": text, "description": text}` each, by language; one of the two may be left out."""
    named_in: Mapped[str] = mapped_column(String(400), server_default=text("''"))
    """The languages that have a name, each between blanks, to be searched: ` en  zh-Hant `."""
    featured: Mapped[bool]
    sort_index: Mapped[int]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class WordsRow(Base):
    """The words of a workspace that items and scenes share: their translations by language."""

    __tablename__ = "words"
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True)
    words: Mapped[Json]
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
    """A published version of a playlist. Never changed; deleted when it is old."""

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


class RolloutRow(Base):
    """A version that some screens should run."""

    __tablename__ = "rollouts"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    version: Mapped[str] = mapped_column(String(100))
    tags: Mapped[list[str]]
    """Tags of the screens that are meant; empty for all."""
    percent: Mapped[int]
    stop_at_percent: Mapped[int]
    """The number of chosen screens after which it stops, once so many have taken the version back."""
    stopped: Mapped[bool]
    created_at: Mapped[datetime]


class CommandRow(Base):
    """A command to a screen: pending, or what has become of it."""

    __tablename__ = "commands"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
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
    """The last picture or log that a screen has sent."""

    __tablename__ = "screen_uploads"
    __table_args__ = (UniqueConstraint("screen_id", "kind"), _NUMBERED)
    number: Mapped[int] = _number()
    screen_id: Mapped[str] = mapped_column(ForeignKey("screens.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(20))
    media_type: Mapped[str] = mapped_column(String(100))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime]


class PairingRow(Base):
    """A pairing in progress. Deleted once its token is used, or some time after it expired."""

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


class EnrolmentTokenRow(Base):
    """A token by which devices become screens without a code: at most `screens`, of which `used` are there."""

    __tablename__ = "enrolment_tokens"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    name: Mapped[str] = mapped_column(String(200))
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), index=True)
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    screens: Mapped[int]
    used: Mapped[int]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class RevokedTokenRow(Base):
    """A token that a screen used until it was removed or paired again; kept so that its player can be told."""

    __tablename__ = "revoked_tokens"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    revoked_at: Mapped[datetime] = mapped_column(index=True)


class WrongCodeRow(Base):
    """A failed attempt of a workspace at a pairing code: counted to stop guessing, deleted after a day."""

    __tablename__ = "wrong_codes"
    __table_args__ = (Index("ix_wrong_codes_workspace_id_tried_at", "workspace_id", "tried_at"), _NUMBERED)
    number: Mapped[int] = _number()
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    tried_at: Mapped[datetime]


class WrongTokenRow(Base):
    """A failed attempt of an address at an invitation token: counted to stop guessing, deleted soon."""

    __tablename__ = "wrong_tokens"
    __table_args__ = (Index("ix_wrong_tokens_address_tried_at", "address", "tried_at"), _NUMBERED)
    number: Mapped[int] = _number()
    address: Mapped[str] = mapped_column(String(ADDRESS_LENGTH))
    tried_at: Mapped[datetime] = mapped_column(index=True)


class RevisionRow(Base):
    """The revision of the manifests for a playlist at a location. `playlist_id` is empty for no playlist."""

    __tablename__ = "revisions"
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), primary_key=True)
    playlist_id: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[int]
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    revision_at: Mapped[datetime]


class ApprovalRow(Base):
    """A request to publish a playlist."""

    __tablename__ = "approvals"
    __table_args__ = (Index("ix_approvals_workspace_id_status", "workspace_id", "status"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    document: Mapped[str | None] = mapped_column(Text)
    """Snapshot of the playlist at the time of the request; deleted with the decision."""
    requested_by: Mapped[str]
    decided_by: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(Text)
    version: Mapped[int | None]
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]


class StoredResponseRow(Base):
    """The answer to a call with an Idempotency-Key, encrypted with the API key of the caller."""

    __tablename__ = "answers"
    key_id: Mapped[str] = mapped_column(ForeignKey("keys.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    status: Mapped[int]
    nonce: Mapped[bytes] = mapped_column(LargeBinary)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    kept_at: Mapped[datetime] = mapped_column(index=True)


class EventRow(Base):
    """An event in the outbox: written in the transaction of its cause, deleted when it is old."""

    __tablename__ = "events"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    type: Mapped[str]
    body: Mapped[str] = mapped_column(Text)
    """The envelope, sent byte for byte the same each time."""
    created_at: Mapped[datetime] = mapped_column(index=True)


class EndpointRow(Base):
    """A webhook: the endpoint of a workspace for events."""

    __tablename__ = "webhooks"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
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
    """The delivery of an event to an endpoint."""

    __tablename__ = "deliveries"
    __table_args__ = (Index("ix_deliveries_endpoint_id_due_at", "endpoint_id", "due_at"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    endpoint_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_id: Mapped[str] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    tries: Mapped[int]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    """When the next attempt is due; null once the delivery has succeeded or failed."""
    created_at: Mapped[datetime]


class AttemptRow(Base):
    """One request to an endpoint, and its result."""

    __tablename__ = "delivery_attempts"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    delivery_id: Mapped[str] = mapped_column(ForeignKey("deliveries.id", ondelete="CASCADE"), index=True)
    made_at: Mapped[datetime]
    status: Mapped[int | None]
    """HTTP status of the response, if there was one."""
    reason: Mapped[str | None] = mapped_column(String(200))
    """Why there was no response."""
    milliseconds: Mapped[int]


class PosConnectionRow(Base):
    """A connection to a point of sale, whose feed is imported."""

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
    """When to read the feed next; during a sync, when to retry if it never reports a result."""
    last_sync: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class PosLinkRow(Base):
    """The item for an identifier of a point of sale."""

    __tablename__ = "pos_links"
    connection_id: Mapped[str] = mapped_column(ForeignKey("pos_connections.id", ondelete="CASCADE"), primary_key=True)
    external_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    item_id: Mapped[str] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"), index=True)
    sold_out: Mapped[bool | None]
    """The last value in the feed. The item changes only when this value changes."""
    variants_sold_out: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """The same for each variant, by its name."""


class InviteRow(Base):
    """An open invitation."""

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
    """An invitation that can no longer be accepted, kept to tell its holder why."""

    __tablename__ = "ended_invites"
    __table_args__ = _NUMBERED
    number: Mapped[int] = _number()
    workspace_id: Mapped[str] = _workspace()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), unique=True)
    ending: Mapped[str] = mapped_column(String(20))


class MemberRow(Base):
    """A member of a workspace."""

    __tablename__ = "members"
    __table_args__ = (UniqueConstraint("workspace_id", "email"), _NUMBERED)
    number: Mapped[int] = _number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = _workspace()
    email: Mapped[str] = mapped_column(String(254))
    name: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20))
    key_id: Mapped[str | None] = mapped_column(ForeignKey("keys.id", ondelete="SET NULL"), index=True)
    """The key that the member got with the invitation."""
    created_at: Mapped[datetime]


class SubscriptionRow(Base):
    """The subscription of a workspace."""

    __tablename__ = "subscriptions"
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(20))
    changed_at: Mapped[datetime]
