"""The tokens of screens that were revoked.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# SQLite assigns row numbers only to INTEGER, not to BIGINT.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "revoked_tokens",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_revoked_tokens"),
        sa.UniqueConstraint("digest", name="uq_revoked_tokens_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_revoked_tokens_revoked_at", "revoked_tokens", ["revoked_at"])


def downgrade() -> None:
    op.drop_table("revoked_tokens")
