"""Fit and focus of the images of items.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("items", sa.Column("image_fit", sa.String(10)))
    op.add_column("items", sa.Column("image_focus", sa.JSON()))


def downgrade() -> None:
    op.drop_column("items", "image_focus")
    op.drop_column("items", "image_fit")
