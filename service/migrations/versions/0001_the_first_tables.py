"""The first tables.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_facts"),
    )
    op.create_table(
        "workspaces",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("catalogue_changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workspaces"),
        sa.UniqueConstraint("name", name="uq_workspaces_name"),
    )
    op.create_table(
        "assets",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_assets_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_assets"),
        sa.UniqueConstraint("workspace_id", "digest", name="uq_assets_workspace_id_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_assets_workspace_id", "assets", ["workspace_id"])

    op.create_table(
        "items",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("category", sa.String(length=100), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("modifiers", sa.JSON(), nullable=False),
        sa.Column("eighty_sixed", sa.Boolean(), nullable=False),
        sa.Column("eighty_sixed_until", sa.BigInteger(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("image", sa.String(length=64), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("allergens", sa.JSON(), nullable=False),
        sa.Column("sort_index", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_items_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_items"),
        sa.UniqueConstraint("id", name="uq_items_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_items_eighty_sixed_until", "items", ["eighty_sixed_until"])
    op.create_index("ix_items_workspace_id", "items", ["workspace_id"])

    op.create_table(
        "keys",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_keys_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_keys"),
        sa.UniqueConstraint("digest", name="uq_keys_digest"),
        sa.UniqueConstraint("id", name="uq_keys_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_keys_workspace_id", "keys", ["workspace_id"])

    op.create_table(
        "locations",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("timezone", sa.String(length=100), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("locale", sa.String(length=50), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_locations_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_locations"),
        sa.UniqueConstraint("id", name="uq_locations_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_locations_workspace_id", "locations", ["workspace_id"])

    op.create_table(
        "playlists",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_playlists_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_playlists"),
        sa.UniqueConstraint("id", name="uq_playlists_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_playlists_workspace_id", "playlists", ["workspace_id"])

    op.create_table(
        "scenes",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_id"], ["workspaces.id"], name="fk_scenes_workspace_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_scenes"),
        sa.UniqueConstraint("id", name="uq_scenes_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_scenes_workspace_id", "scenes", ["workspace_id"])

    op.create_table(
        "wrong_codes",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("tried_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_wrong_codes_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_wrong_codes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_wrong_codes_workspace_id_tried_at", "wrong_codes", ["workspace_id", "tried_at"])

    op.create_table(
        "playlist_entries",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("playlist_id", sa.String(length=40), nullable=False),
        sa.Column("scene_id", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("duration_seconds", sa.Integer(), nullable=False),
        sa.Column("schedule", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["playlist_id"], ["playlists.id"], name="fk_playlist_entries_playlist_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["scene_id"], ["scenes.id"], name="fk_playlist_entries_scene_id", ondelete="RESTRICT"),
        sa.PrimaryKeyConstraint("number", name="pk_playlist_entries"),
        sa.UniqueConstraint("id", name="uq_playlist_entries_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_playlist_entries_playlist_id", "playlist_entries", ["playlist_id"])
    op.create_index("ix_playlist_entries_scene_id", "playlist_entries", ["scene_id"])

    op.create_table(
        "publications",
        sa.Column("playlist_id", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["playlist_id"], ["playlists.id"], name="fk_publications_playlist_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("playlist_id", "version", name="pk_publications"),
    )
    op.create_table(
        "revisions",
        sa.Column("location_id", sa.String(length=40), nullable=False),
        sa.Column("playlist_id", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("revision_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["location_id"], ["locations.id"], name="fk_revisions_location_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("location_id", "playlist_id", name="pk_revisions"),
    )
    op.create_table(
        "schedules",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("scene_id", sa.String(length=40), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["scene_id"], ["scenes.id"], name="fk_schedules_scene_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_schedules_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_schedules"),
        sa.UniqueConstraint("id", name="uq_schedules_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_schedules_scene_id", "schedules", ["scene_id"])
    op.create_index("ix_schedules_workspace_id", "schedules", ["workspace_id"])

    op.create_table(
        "screens",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("device_id", sa.String(length=40), nullable=False),
        sa.Column("location_id", sa.String(length=40), nullable=False),
        sa.Column("playlist_id", sa.String(length=40), nullable=True),
        sa.Column("token_digest", sa.String(length=64), nullable=True),
        sa.Column("token_used", sa.Boolean(), nullable=False),
        sa.Column("last_seen", sa.BigInteger(), nullable=True),
        sa.Column("report", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["location_id"], ["locations.id"], name="fk_screens_location_id", ondelete="RESTRICT"),
        sa.ForeignKeyConstraint(["playlist_id"], ["playlists.id"], name="fk_screens_playlist_id", ondelete="RESTRICT"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_screens_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_screens"),
        sa.UniqueConstraint("id", name="uq_screens_id"),
        sa.UniqueConstraint("token_digest", name="uq_screens_token_digest"),
        sa.UniqueConstraint("workspace_id", "device_id", name="uq_screens_workspace_id_device_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_screens_location_id", "screens", ["location_id"])
    op.create_index("ix_screens_playlist_id", "screens", ["playlist_id"])
    op.create_index("ix_screens_workspace_id", "screens", ["workspace_id"])

    op.create_table(
        "pairings",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("device_code_digest", sa.String(length=64), nullable=False),
        sa.Column("user_code", sa.String(length=6), nullable=False),
        sa.Column("device_id", sa.String(length=40), nullable=False),
        sa.Column("device_name", sa.String(length=200), nullable=True),
        sa.Column("address", sa.String(length=100), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("interval_seconds", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed", sa.Boolean(), nullable=False),
        sa.Column("screen_id", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(["screen_id"], ["screens.id"], name="fk_pairings_screen_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("number", name="pk_pairings"),
        sa.UniqueConstraint("device_code_digest", name="uq_pairings_device_code_digest"),
        sa.UniqueConstraint("user_code", name="uq_pairings_user_code"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pairings_address_expires_at", "pairings", ["address", "expires_at"])
    op.create_index("ix_pairings_expires_at", "pairings", ["expires_at"])
    op.create_index("ix_pairings_screen_id", "pairings", ["screen_id"])


def downgrade() -> None:
    for table in (
        "pairings",
        "screens",
        "schedules",
        "revisions",
        "publications",
        "playlist_entries",
        "wrong_codes",
        "scenes",
        "playlists",
        "locations",
        "keys",
        "items",
        "assets",
        "workspaces",
        "facts",
    ):
        op.drop_table(table)
