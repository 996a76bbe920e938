"""The tables of version 0.5.0, from which on databases are brought up to date.

A migration defines its own types: it must not change with the code.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = None
branch_labels = None
depends_on = None

Make = Callable[[str, str], sa.Column[Any]]
"""Makes a column from the names of its table and its own."""


def _column(kind: Any, *more: Any, null: bool = False, default: Any = None) -> Make:
    given = sa.text(default) if isinstance(default, str) else default
    return lambda _, name: sa.Column(name, kind, *more, nullable=null, server_default=given)


def _text(length: int, **more: Any) -> Make:
    return _column(sa.String(length), **more)


def _of(parent: str, ondelete: str = "CASCADE", *, null: bool = False, long: bool = False) -> Make:
    """A child of another table; `long`: as its constraint is called."""

    def make(table: str, name: str) -> sa.Column[Any]:
        called = f"fk_{table}_{name}_{parent}" if long else f"fk_{table}_{name}"
        return sa.Column(
            name, sa.String(40), sa.ForeignKey(f"{parent}.id", name=called, ondelete=ondelete), nullable=null
        )

    return make


# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NUMBER = _column(_COUNT)
_BIG, _WHOLE = sa.BigInteger(), sa.Integer()
_JSON, _BOOLEAN, _BYTES, _TEXT = sa.JSON(), sa.Boolean(), sa.LargeBinary(), sa.Text()


def _table(
    table: str,
    *,
    key: Sequence[str] = ("number",),
    unique: Sequence[str] = (),
    indexes: Sequence[str] = (),
    **columns: Make | sa.types.TypeEngine[Any],
) -> None:
    """A table; `unique` and `indexes` name their columns with a space between."""
    op.create_table(
        table,
        *((one if callable(one) else _column(one))(table, name) for name, one in columns.items()),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"),
        *(sa.UniqueConstraint(*one.split(), name=f"uq_{table}_{one.replace(' ', '_')}") for one in unique),
        sqlite_autoincrement="number" in columns,
    )
    for one in indexes:
        op.create_index(f"ix_{table}_{one.replace(' ', '_')}", table, one.split())


def upgrade() -> None:
    """Creates them: parents before their children."""
    # fmt: off
    _table("facts", key=("name",), name=_text(200), value=_TEXT)
    _table("revoked_tokens", unique=["digest"], indexes=["revoked_at"], number=_NUMBER, digest=_text(64),
           revoked_at=_BIG)
    _table("workspaces", key=("id",), unique=["name"], id=_text(40), name=_text(200), created_at=_BIG,
           catalogue_changed_at=_BIG, content_number=_column(_COUNT, default="0"))
    _table("wrong_tokens", indexes=["address tried_at", "tried_at"], number=_NUMBER, address=_text(100),
           tried_at=_BIG)
    _table("assets", unique=["workspace_id digest"], indexes=["workspace_id"], number=_NUMBER,
           workspace_id=_of("workspaces"), digest=_text(64), size=_WHOLE, media_type=_text(100), created_at=_BIG)
    _table("ended_invites", unique=["digest"], indexes=["workspace_id"], number=_NUMBER,
           workspace_id=_of("workspaces"), digest=_text(64), ending=_text(20))
    _table("events", unique=["id"], indexes=["created_at", "workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), type=_text(40), body=_TEXT, created_at=_BIG)
    _table("invites", unique=["digest", "id", "workspace_id email"], indexes=["expires_at", "workspace_id"],
           number=_NUMBER, id=_text(40), workspace_id=_of("workspaces"), email=_text(254), role=_text(20),
           digest=_text(64), invited_by=_text(40), created_at=_BIG, expires_at=_BIG)
    _table("items", unique=["id"], indexes=["eighty_sixed_until", "offer_ends_at", "offer_starts_at",
           "variants_change_at", "workspace_id", "workspace_id category"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), name=_text(200), category=_text(100), price=_BIG, modifiers=_JSON,
           eighty_sixed=_BOOLEAN, eighty_sixed_until=_column(_BIG, null=True), description=_column(_TEXT,
           null=True), image=_text(64, null=True), tags=_JSON, allergens=_JSON, sort_index=_WHOLE, created_at=_BIG,
           changed_at=_BIG, variants=_column(_JSON, default="'[]'"), energy=_column(_WHOLE, null=True),
           energy_to=_column(_WHOLE, null=True), regular_price=_column(_BIG, null=True),
           offer_starts_at=_column(_BIG, null=True), offer_ends_at=_column(_BIG, null=True), parts=_column(_JSON,
           null=True), price_kind=_text(10, default="'exact'"), price_unit=_text(10, null=True),
           translations=_column(_JSON, default="'{}'"), named_in=_text(400, default="''"),
           variants_change_at=_column(_BIG, null=True), featured=_column(_BOOLEAN, default=sa.false()))
    _table("keys", unique=["digest", "id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), name=_text(200), role=_text(20), digest=_text(64), created_at=_BIG,
           locations=_column(_JSON, null=True), last_used_at=_column(_BIG, null=True))
    _table("locations", unique=["id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), name=_text(200), timezone=_text(100), currency=_text(3),
           locale=_text(50), created_at=_BIG, changed_at=_BIG, rotation=_column(_WHOLE, default="0"),
           opening_hours=_column(_JSON, default="'[]'"), second_currency=_column(_JSON, null=True),
           live_values=_column(_JSON, default="'{}'"))
    _table("playlists", unique=["id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), name=_text(200), version=_WHOLE, published_at=_column(_BIG, null=True),
           created_at=_BIG, changed_at=_BIG)
    _table("pos_connections", unique=["id"], indexes=["due_at", "workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), name=_text(200), feed=_text(2000), format=_text(20),
           every_minutes=_column(_WHOLE, null=True), enabled=_BOOLEAN, due_at=_column(_BIG, null=True),
           last_sync=_column(_JSON, null=True), created_at=_BIG, changed_at=_BIG)
    _table("rollouts", unique=["id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), version=_text(100), tags=_JSON, percent=_WHOLE, stop_at_percent=_WHOLE,
           stopped=_BOOLEAN, created_at=_BIG)
    _table("scenes", unique=["id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), document=_JSON, created_at=_BIG, changed_at=_BIG)
    _table("subscriptions", key=("workspace_id",), workspace_id=_of("workspaces"), plan=_text(100),
           status=_text(20), changed_at=_BIG)
    _table("webhooks", unique=["id"], indexes=["workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), url=_text(2000), events=_JSON, secret=_text(100), old_secret=_text(100,
           null=True), old_secret_until=_column(_BIG, null=True), enabled=_BOOLEAN, failures=_WHOLE,
           busy_until=_BIG, created_at=_BIG, changed_at=_BIG)
    _table("words", key=("workspace_id",), workspace_id=_of("workspaces"), words=_JSON, changed_at=_BIG)
    _table("wrong_codes", indexes=["workspace_id tried_at"], number=_NUMBER, workspace_id=_of("workspaces"),
           tried_at=_BIG)
    _table("answers", key=("key_id", "name"), indexes=["kept_at"], key_id=_of("keys"), name=_text(255),
           fingerprint=_text(64), status=_WHOLE, nonce=_BYTES, sealed=_BYTES, kept_at=_BIG)
    _table("approvals", unique=["id"], indexes=["playlist_id", "workspace_id status"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), playlist_id=_of("playlists"), status=_text(20), document=_column(_TEXT,
           null=True), requested_by=_text(40), decided_by=_text(40, null=True), reason=_column(_TEXT, null=True),
           version=_column(_WHOLE, null=True), created_at=_BIG, decided_at=_column(_BIG, null=True))
    _table("deliveries", unique=["id"], indexes=["due_at", "endpoint_id due_at", "event_id"], number=_NUMBER,
           id=_text(40), endpoint_id=_of("webhooks"), event_id=_of("events"), status=_text(20), tries=_WHOLE,
           due_at=_column(_BIG, null=True), created_at=_BIG)
    _table("enrolment_tokens", unique=["digest", "id"], indexes=["location_id", "playlist_id", "workspace_id"],
           number=_NUMBER, id=_text(40), workspace_id=_of("workspaces", long=True), digest=_text(64),
           name=_text(200), location_id=_of("locations", long=True), playlist_id=_of("playlists", long=True),
           screens=_WHOLE, used=_WHOLE, created_at=_BIG, expires_at=_BIG)
    _table("members", unique=["id", "workspace_id email"], indexes=["key_id", "workspace_id"], number=_NUMBER,
           id=_text(40), workspace_id=_of("workspaces"), email=_text(254), name=_text(200), role=_text(20),
           key_id=_of("keys", "SET NULL", null=True), created_at=_BIG)
    _table("playlist_entries", unique=["id"], indexes=["playlist_id", "scene_id"], number=_NUMBER, id=_text(40),
           playlist_id=_of("playlists"), scene_id=_of("scenes", "RESTRICT"), position=_WHOLE,
           duration_seconds=_WHOLE, schedule=_column(_JSON, null=True))
    _table("pos_links", key=("connection_id", "external_id"), indexes=["item_id"],
           connection_id=_of("pos_connections"), external_id=_text(100), item_id=_of("items"),
           sold_out=_column(_BOOLEAN, null=True), variants_sold_out=_column(_JSON, default="'{}'"))
    _table("publications", key=("playlist_id", "version"), playlist_id=_of("playlists"), version=_WHOLE,
           published_at=_BIG, document=_TEXT)
    _table("revisions", key=("location_id", "playlist_id"), location_id=_of("locations"), playlist_id=_text(40),
           revision=_WHOLE, digest=_text(64), revision_at=_BIG)
    _table("schedules", unique=["id"], indexes=["scene_id", "workspace_id"], number=_NUMBER, id=_text(40),
           workspace_id=_of("workspaces"), scene_id=_of("scenes"), document=_JSON, created_at=_BIG)
    _table("screens", unique=["id", "token_digest", "workspace_id device_id"], indexes=["location_id",
           "playlist_id", "workspace_id"], number=_NUMBER, id=_text(40), workspace_id=_of("workspaces"),
           name=_text(200), device_id=_text(40), location_id=_of("locations", "RESTRICT"),
           playlist_id=_of("playlists", "RESTRICT", null=True), token_digest=_text(64, null=True),
           token_used=_BOOLEAN, last_seen=_column(_BIG, null=True), report=_column(_JSON, null=True),
           created_at=_BIG, changed_at=_BIG, online=_column(_BOOLEAN, default=sa.false()), reported_at=_column(_BIG,
           null=True), finding_codes=_text(500, null=True), display=_column(_JSON, default="'{}'"),
           tags=_column(_JSON, default="'[]'"))
    _table("commands", unique=["id"], indexes=["created_at", "expires_at", "screen_id"], number=_NUMBER,
           id=_text(40), screen_id=_of("screens"), type=_text(20), sendings=_WHOLE, expires_at=_BIG,
           created_at=_column(_BIG, default="0"), sent_at=_column(_BIG, null=True), outcome=_text(200, null=True),
           detail=_text(1000, null=True), finished_at=_column(_BIG, null=True))
    _table("delivery_attempts", indexes=["delivery_id"], number=_NUMBER, delivery_id=_of("deliveries"),
           made_at=_BIG, status=_column(_WHOLE, null=True), reason=_text(200, null=True), milliseconds=_WHOLE)
    _table("pairings", unique=["device_code_digest", "user_code"], indexes=["address expires_at", "expires_at",
           "screen_id"], number=_NUMBER, device_code_digest=_text(64), user_code=_text(6), device_id=_text(40),
           device_name=_text(200, null=True), address=_text(100), expires_at=_BIG, interval_seconds=_WHOLE,
           asked_at=_column(_BIG, null=True), claimed=_BOOLEAN, screen_id=_of("screens", "SET NULL", null=True))
    _table("screen_uploads", unique=["screen_id kind"], number=_NUMBER, screen_id=_of("screens"), kind=_text(20),
           media_type=_text(100), content=_BYTES, received_at=_BIG)
    # fmt: on


def downgrade() -> None:
    """There is nothing before."""
