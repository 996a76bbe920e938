"""Opening hours of locations, and settings of the panels of screens.

A migration defines its own types: it must not change with the code.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("locations", sa.Column("opening_hours", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("screens", sa.Column("display", sa.JSON(), nullable=False, server_default=sa.text("'{}'")))


def downgrade() -> None:
    op.drop_column("screens", "display")
    op.drop_column("locations", "opening_hours")
