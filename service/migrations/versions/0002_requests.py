"""Locations and last use of keys, and stored answers for Idempotency-Key."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Added in place: copying the table would keep its row numbers, but not the counter for the next one.
    op.add_column("keys", sa.Column("locations", sa.JSON(), nullable=True))
    op.add_column("keys", sa.Column("last_used_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "answers",
        sa.Column("key_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("kept_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_answers_key_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_id", "name", name="pk_answers"),
    )
    op.create_index("ix_answers_kept_at", "answers", ["kept_at"])


def downgrade() -> None:
    op.drop_table("answers")
    op.drop_column("keys", "last_used_at")
    op.drop_column("keys", "locations")
