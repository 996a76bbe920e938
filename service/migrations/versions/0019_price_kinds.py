"""Prices that are the least one or that of the market, and what they are for.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    kind = sa.Column("price_kind", sa.String(10), server_default=sa.text("'exact'"), nullable=False)
    op.add_column("items", kind)
    op.add_column("items", sa.Column("price_unit", sa.String(10), nullable=True))


def downgrade() -> None:
    op.drop_column("items", "price_unit")
    op.drop_column("items", "price_kind")
