"""Times of restocking, and 86s that end by a rule at each location.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("items", "local_items"):
        op.add_column(table, sa.Column("eighty_sixed_rule", sa.String(20)))
        op.add_column(table, sa.Column("eighty_sixed_at", sa.BigInteger()))
    op.add_column("items", sa.Column("restock_at", sa.String(5)))


def downgrade() -> None:
    op.drop_column("items", "restock_at")
    for table in ("items", "local_items"):
        op.drop_column(table, "eighty_sixed_at")
        op.drop_column(table, "eighty_sixed_rule")
