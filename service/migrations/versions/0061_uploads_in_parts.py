"""Uploads of assets that are sent part by part.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0061"
down_revision = "0053"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "asset_uploads",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("media_type", sa.String(length=100), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("received", sa.Integer(), nullable=False),
        sa.Column("expected", sa.String(length=64), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_asset_uploads_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_asset_uploads"),
        sa.UniqueConstraint("id", name="uq_asset_uploads_id"),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "changed_at"):
        op.create_index(f"ix_asset_uploads_{column}", "asset_uploads", [column])


def downgrade() -> None:
    op.drop_table("asset_uploads")
