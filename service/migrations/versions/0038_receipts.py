"""Receipts of screens, the history of what boards show, and the place of each revision in it.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "receipts",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("screen_id", sa.String(length=40), nullable=False),
        sa.Column("log", sa.String(length=16), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("begins_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.Column("told", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["screen_id"], ["screens.id"], name="fk_receipts_screen_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_receipts"),
        sa.UniqueConstraint("screen_id", "log", "sequence", name="uq_receipts_screen_id_log_sequence"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_receipts_ends_at", "receipts", ["ends_at"])
    op.create_index("ix_receipts_screen_id_begins_at", "receipts", ["screen_id", "begins_at"])
    op.create_table(
        "history",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("scope", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=90), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_history"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_history_at", "history", ["at"])
    op.create_index("ix_history_scope_number", "history", ["scope", "number"])
    op.add_column("revisions", sa.Column("history", _NUMBER, server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("revisions", "history")
    op.drop_table("history")
    op.drop_table("receipts")
