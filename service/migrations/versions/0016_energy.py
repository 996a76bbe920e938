"""The energy of items.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("energy", sa.Integer(), nullable=True))
    op.add_column("items", sa.Column("energy_to", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("items", "energy_to")
    op.drop_column("items", "energy")
