"""Approvals, points of sale, the team and the subscription.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("playlist_id", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("document", sa.Text(), nullable=True),
        sa.Column("requested_by", sa.String(length=40), nullable=False),
        sa.Column("decided_by", sa.String(length=40), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_approvals_workspace_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["playlist_id"], ["playlists.id"], name="fk_approvals_playlist_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_approvals"),
        sa.UniqueConstraint("id", name="uq_approvals_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_approvals_workspace_id_status", "approvals", ["workspace_id", "status"])
    op.create_index("ix_approvals_playlist_id", "approvals", ["playlist_id"])

    op.create_table(
        "pos_connections",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("feed", sa.String(length=2000), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=False),
        sa.Column("every_minutes", sa.Integer(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("last_sync", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_pos_connections_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_pos_connections"),
        sa.UniqueConstraint("id", name="uq_pos_connections_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pos_connections_workspace_id", "pos_connections", ["workspace_id"])
    op.create_index("ix_pos_connections_due_at", "pos_connections", ["due_at"])
    op.create_table(
        "pos_links",
        sa.Column("connection_id", sa.String(length=40), nullable=False),
        sa.Column("external_id", sa.String(length=100), nullable=False),
        sa.Column("item_id", sa.String(length=40), nullable=False),
        sa.Column("sold_out", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["pos_connections.id"], name="fk_pos_links_connection_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_pos_links_item_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("connection_id", "external_id", name="pk_pos_links"),
    )
    op.create_index("ix_pos_links_item_id", "pos_links", ["item_id"])
    op.create_table(
        "invites",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("invited_by", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_invites_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_invites"),
        sa.UniqueConstraint("id", name="uq_invites_id"),
        sa.UniqueConstraint("digest", name="uq_invites_digest"),
        sa.UniqueConstraint("workspace_id", "email", name="uq_invites_workspace_id_email"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_invites_workspace_id", "invites", ["workspace_id"])
    op.create_index("ix_invites_expires_at", "invites", ["expires_at"])
    op.create_table(
        "members",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("key_id", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_members_key_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_members_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_members"),
        sa.UniqueConstraint("id", name="uq_members_id"),
        sa.UniqueConstraint("workspace_id", "email", name="uq_members_workspace_id_email"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_members_key_id", "members", ["key_id"])
    op.create_index("ix_members_workspace_id", "members", ["workspace_id"])
    op.create_table(
        "subscriptions",
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("plan", sa.String(length=100), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_subscriptions_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("workspace_id", name="pk_subscriptions"),
    )


def downgrade() -> None:
    for table in ("subscriptions", "members", "invites", "pos_links", "pos_connections", "approvals"):
        op.drop_table(table)
