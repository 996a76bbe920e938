"""Offers of items.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("regular_price", "offer_starts_at", "offer_ends_at"):
        op.add_column("items", sa.Column(column, sa.BigInteger(), nullable=True))
    for column in ("offer_starts_at", "offer_ends_at"):
        op.create_index(f"ix_items_{column}", "items", [column])


def downgrade() -> None:
    for column in ("offer_starts_at", "offer_ends_at"):
        op.drop_index(f"ix_items_{column}", "items")
    for column in ("regular_price", "offer_starts_at", "offer_ends_at"):
        op.drop_column("items", column)
