"""Texts that say what is to be seen in assets.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assets", sa.Column("alt", sa.String(500)))


def downgrade() -> None:
    op.drop_column("assets", "alt")
