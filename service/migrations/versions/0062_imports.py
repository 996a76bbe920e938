"""Imports of items, to be undone.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("workspace_id", sa.String(length=40), nullable=False),
        sa.Column("created_by", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.Integer(), nullable=False),
        sa.Column("updated", sa.Integer(), nullable=False),
        sa.Column("history_after", _NUMBER, nullable=False),
        sa.Column("history_until", _NUMBER, nullable=False),
        sa.Column("undone", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_imports_workspace_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_imports"),
        sa.UniqueConstraint("id", name="uq_imports_id"),
        sqlite_autoincrement=True,
    )
    for column in ("workspace_id", "created_at"):
        op.create_index(f"ix_imports_{column}", "imports", [column])


def downgrade() -> None:
    op.drop_table("imports")
