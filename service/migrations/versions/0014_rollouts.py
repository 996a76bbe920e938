"""Rollouts of versions, and tags of screens.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "rollouts",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("version", sa.String(length=100), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("percent", sa.Integer(), nullable=False),
        sa.Column("stop_at_percent", sa.Integer(), nullable=False),
        sa.Column("stopped", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_rollouts_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_rollouts"),
        sa.UniqueConstraint("id", name="uq_rollouts_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rollouts_workspace_id", "rollouts", ["workspace_id"])
    op.add_column("screens", sa.Column("tags", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    op.drop_column("screens", "tags")
    op.drop_table("rollouts")
