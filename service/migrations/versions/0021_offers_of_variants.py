"""Offers of variants.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("variants_change_at", sa.BigInteger(), nullable=True))
    op.create_index("ix_items_variants_change_at", "items", ["variants_change_at"])


def downgrade() -> None:
    op.drop_index("ix_items_variants_change_at", "items")
    op.drop_column("items", "variants_change_at")
