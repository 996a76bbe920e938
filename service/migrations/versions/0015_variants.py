"""Variants of items, and what feeds last said of them.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("variants", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column(
        "pos_links", sa.Column("variants_sold_out", sa.JSON(), nullable=False, server_default=sa.text("'{}'"))
    )


def downgrade() -> None:
    op.drop_column("pos_links", "variants_sold_out")
    op.drop_column("items", "variants")
