"""Items, scenes and playlists, and the points of sale that items come from."""

from datetime import datetime
from decimal import Decimal

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from service.storage.columns import RowNumber
from service.storage.tables.base import DIGEST_LENGTH, NUMBERED, Base, Json, row_number, workspace_key


class AssetRow(Base):
    """An asset of a workspace; all workspaces share the file."""

    __tablename__ = "assets"
    __table_args__ = (UniqueConstraint("workspace_id", "digest"), NUMBERED)
    number: Mapped[int] = row_number()
    workspace_id: Mapped[str] = workspace_key()
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    size: Mapped[int]
    media_type: Mapped[str] = mapped_column(String(100))
    alt: Mapped[str | None] = mapped_column(String(500))
    """A text that says what is to be seen."""
    font: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """A font's family, weights and scripts; None for what is no font."""
    created_at: Mapped[datetime]


class RemovedAssetRow(Base):
    """An asset that no workspace has any more. Its file is removed a day after that."""

    __tablename__ = "removed_assets"
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), primary_key=True)
    removed_at: Mapped[datetime] = mapped_column(index=True)


class AssetUploadRow(Base):
    """An upload that is sent part by part. Its parts are in the store until it is an asset."""

    __tablename__ = "asset_uploads"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    media_type: Mapped[str] = mapped_column(String(100))
    size: Mapped[int]
    received: Mapped[int]
    """Bytes from the beginning that are there."""
    expected: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH))
    """The digest that the sender expects."""
    digest: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH))
    """The digest of the asset, once it is one."""
    changed_at: Mapped[datetime] = mapped_column(index=True)


AS_STORED = {"players": "as stored"}
"""Marks a column of an item that players get as it is stored, if it has a value."""


class ItemRow(Base):
    __tablename__ = "items"
    __table_args__ = (
        Index("ix_items_workspace_id_category", "workspace_id", "category"),
        Index("ix_items_workspace_id_sku", "workspace_id", "sku", unique=True),
        NUMBERED,
    )
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    category: Mapped[str] = mapped_column(String(100))
    sku: Mapped[str | None] = mapped_column(String(100))
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
    """With a rule, the last of the instants at which it ends at a location."""
    eighty_sixed_rule: Mapped[str | None] = mapped_column(String(20))
    """The rule by which it ends at each location: `HH:MM` or `openingTomorrow`, counted from `eighty_sixed_at`."""
    eighty_sixed_at: Mapped[datetime | None]
    restock_at: Mapped[str | None] = mapped_column(String(5))
    """The local time at which an 86 ends that is said without an end: `HH:MM`."""
    description: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(String(DIGEST_LENGTH))
    image_fit: Mapped[str | None] = mapped_column(String(10))
    image_focus: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """`{"x": number, "y": number}`, each 0 to 1."""
    tags: Mapped[list[str]]
    allergens: Mapped[list[str]]
    translations: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """`{"name": text, "description": text}` each, by language; one of the two may be left out."""
    named_in: Mapped[str] = mapped_column(String(400), server_default=text("''"))
    """The languages that have a name, each between blanks, to be searched: ` en  zh-Hant `."""
    featured: Mapped[bool] = mapped_column(info=AS_STORED)
    sort_index: Mapped[int]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class LocalItemRow(Base):
    """Local values of an item, at a location or in a group of locations; NULL is the value of the wider place."""

    __tablename__ = "local_items"
    __table_args__ = (UniqueConstraint("location_id", "item_id"), UniqueConstraint("group_id", "item_id"), NUMBERED)
    number: Mapped[int] = row_number()
    location_id: Mapped[str | None] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"))
    group_id: Mapped[str | None] = mapped_column(ForeignKey("location_groups.id", ondelete="CASCADE"))
    item_id: Mapped[str] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"), index=True)
    price: Mapped[Decimal | None]
    regular_price: Mapped[Decimal | None]
    modifiers: Mapped[dict[str, int]] = mapped_column(JSON)
    """Ten-thousandths, by the name of the modifier."""
    variants: Mapped[Json]
    """By the id of the variant, each with any of `units`, `regular` (ten-thousandths) and `eightySixed`."""
    eighty_sixed: Mapped[bool | None]
    eighty_sixed_until: Mapped[datetime | None] = mapped_column(index=True)
    eighty_sixed_rule: Mapped[str | None] = mapped_column(String(20))
    """The rule, in a group only, as in `items`: at a location it is an instant at once."""
    eighty_sixed_at: Mapped[datetime | None]
    hidden: Mapped[bool | None]
    changed_at: Mapped[datetime]


class WordsRow(Base):
    """Words of a workspace that items and scenes share, with their translations by language, and its categories with
    their settings."""

    __tablename__ = "words"
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True)
    words: Mapped[Json]
    categories: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """`{"note": text, "image": asset, "color": text}` each, by name; any may be left out."""
    changed_at: Mapped[datetime]


class SceneRow(Base):
    __tablename__ = "scenes"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    document: Mapped[Json]
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), server_default=text("''"))
    """The digest of the scene and its schedules (`services.scenes.drafts`)."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    changed_by: Mapped[str | None]
    """The key or member that last changed it; None until it is changed."""


class ScheduleRow(Base):
    __tablename__ = "schedules"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    scene_id: Mapped[str] = mapped_column(ForeignKey("scenes.id", ondelete="CASCADE"), index=True)
    document: Mapped[Json]
    created_at: Mapped[datetime]


class PlaylistRow(Base):
    __tablename__ = "playlists"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    draft_digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), default="", server_default=text("''"))
    """The digest of its name and entries as they are (`services.scenes.drafts`)."""
    published_digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH), default="", server_default=text("''"))
    """The digest of its last version."""
    published_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class EntryRow(Base):
    """A scene's place in a playlist."""

    __tablename__ = "playlist_entries"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
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
    published_by: Mapped[str | None]
    """The key, which may be revoked by now; with its name of then."""
    publisher_name: Mapped[str | None] = mapped_column(String(200))
    restores: Mapped[int | None]
    """The version whose content it has again."""
    changes: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """The differences from the version before, as the API shows them; NULL where that is not known."""


class RevisionRow(Base):
    """Revision of the manifests for a playlist at a location. `playlist_id` is empty for no playlist."""

    __tablename__ = "revisions"
    location_id: Mapped[str] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), primary_key=True)
    playlist_id: Mapped[str] = mapped_column(primary_key=True)
    revision: Mapped[int]
    digest: Mapped[str] = mapped_column(String(DIGEST_LENGTH))
    revision_at: Mapped[datetime]
    history: Mapped[int] = mapped_column(RowNumber, default=0, server_default=text("0"))
    """The newest number of the history when it was composed."""


class ApprovalRow(Base):
    """A request to publish a playlist."""

    __tablename__ = "approvals"
    __table_args__ = (Index("ix_approvals_workspace_id_status", "workspace_id", "status"), NUMBERED)
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = mapped_column(ForeignKey("workspaces.id", ondelete="CASCADE"))
    playlist_id: Mapped[str] = mapped_column(ForeignKey("playlists.id", ondelete="CASCADE"), index=True)
    status: Mapped[str] = mapped_column(String(20))
    document: Mapped[str | None] = mapped_column(Text)
    """Snapshot of the playlist at the time of the request; deleted with the decision."""
    restores: Mapped[int | None]
    """The version whose content the request has; NULL for that of the playlist."""
    requested_by: Mapped[str]
    decided_by: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(Text)
    version: Mapped[int | None]
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]


class ImportRow(Base):
    """An import of items by a user or key, which can be undone for a time: the history has the former items."""

    __tablename__ = "imports"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    created_by: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(index=True)
    created: Mapped[int]
    updated: Mapped[int]
    history_after: Mapped[int] = mapped_column(RowNumber)
    """The newest number of the history before it; its own go from the next one to `history_until`."""
    history_until: Mapped[int] = mapped_column(RowNumber)
    undone: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """The result of its undo, as the API shows it."""


class PosConnectionRow(Base):
    """A connection to a point of sale, whose feed is imported."""

    __tablename__ = "pos_connections"
    __table_args__ = NUMBERED
    number: Mapped[int] = row_number()
    id: Mapped[str] = mapped_column(unique=True)
    workspace_id: Mapped[str] = workspace_key()
    name: Mapped[str] = mapped_column(String(200))
    feed: Mapped[str] = mapped_column(String(2000))
    """Empty where items are pushed."""
    format: Mapped[str] = mapped_column(String(20))
    encoding: Mapped[str | None] = mapped_column(String(20))
    columns: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """The headings of fields in a CSV file, where those differ from the fields' names."""
    owns: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """The fields that the feed decides; NULL for all."""
    location_id: Mapped[str | None] = mapped_column(ForeignKey("locations.id", ondelete="CASCADE"), index=True)
    """The location where the feed changes what items have; NULL for everywhere."""
    every_minutes: Mapped[int | None]
    enabled: Mapped[bool]
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    """When to read the feed next; during a sync, when to retry if it never reports a result."""
    last_sync: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    links_lost: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether an upgrade has lost the links of its rows, which are found again by name and category."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]


class PosLinkRow(Base):
    """Item for an identifier of a point of sale."""

    __tablename__ = "pos_links"
    connection_id: Mapped[str] = mapped_column(ForeignKey("pos_connections.id", ondelete="CASCADE"), primary_key=True)
    external_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    item_id: Mapped[str] = mapped_column(index=True)
    """No foreign key: an item that was deleted comes back with its id while the feed goes on naming it."""
    sold_out: Mapped[bool | None]
    """The last value in the feed. The item changes only when this value changes."""
    variants_sold_out: Mapped[Json] = mapped_column(server_default=text("'{}'"))
    """The same for each variant, by its name."""
    picture: Mapped[Json | None] = mapped_column(JSON(none_as_null=True))
    """`{"wanted": URL, "has": URL or null, "tries": number}`: the picture that the feed names, the one that the item
    has got, and how often the wanted one could not be had."""
