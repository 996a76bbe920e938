"""Overrides.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "overrides",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("target", sa.JSON(), nullable=False),
        sa.Column("locations", sa.JSON(), nullable=True),
        sa.Column("scene", sa.String(length=40), nullable=True),
        sa.Column("playlist", sa.String(length=40), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_overrides_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_overrides"),
        sa.UniqueConstraint("id", name="uq_overrides_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_overrides_workspace_id", "overrides", ["workspace_id"])
    op.create_index("ix_overrides_workspace_id_until", "overrides", ["workspace_id", "until"])


def downgrade() -> None:
    op.drop_table("overrides")
