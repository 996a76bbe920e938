"""Parts of combos.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("parts", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("items", "parts")
