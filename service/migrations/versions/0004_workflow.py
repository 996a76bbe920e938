"""Approvals of what is to be published.

A step names its own types: it has to stay as it is while the code moves on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# SQLite numbers rows by itself only for INTEGER, not for BIGINT.
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


def downgrade() -> None:
    op.drop_table("approvals")
